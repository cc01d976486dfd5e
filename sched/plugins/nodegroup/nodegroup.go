// Package nodegroup is the plugin that keeps queues on their groups of nodes: those that a Queue's
// spec.affinity names, by the label volcano.sh/nodegroup-name of a node.
//
// A node of a group takes the jobs of a queue that names the group under nodeGroupAffinity, required or
// preferred, or as one to avoid if possible (nodeGroupAntiAffinity, preferred), unless it is forbidden
// (nodeGroupAntiAffinity, required); to avoid goes before forbidden, as in Volcano's guide. It refuses
// the jobs of any other queue. A node in no group takes no jobs while strict (the default); otherwise
// it takes the jobs of queues that name no group. Required groups score 100 points, preferred ones 50
// more, groups to avoid none, relative to the best node that is admitted. With enablePreferredOrder,
// the first preferred group has all of the 50, and each later one less in equal steps. With
// enableHierarchy, a queue that names no group has the groups of its nearest ancestor that does.
//
// The ledger puts a queue's groups into the specs of its jobs' pods, so that both answers are facts
// about a class and a node.
//
// The queue's annotation volcano.sh/nodegroup-resource-limits may limit what its jobs hold of a group
// (limits.go). Counted are what they hold and will hold on the group's nodes, kept in a PluginState,
// and what the pod asks for, in each resource that the limit names and the pod asks for. The limit is
// the queue's alone: none is inherited, and jobs of queues below count in their own.
package nodegroup

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin's entry in the list of plugins.
func Definition() policy.Definition {
	return policy.Define("nodegroup", "queues on their groups of nodes",
		func(a arguments, l *ledger.Ledger) (*plugin, error) {
			l.Queues.HeedNodeGroups(a.tree)
			return &plugin{l: l, strict: a.strict, ordered: a.ordered, held: &groupUsage{l: l}}, nil
		})
}

type arguments struct{ tree, strict, ordered bool }

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Hierarchy(&a.tree)
	s.Bool(&a.strict, "strict", true,
		"nodes without a group take no jobs; otherwise those of queues without an affinity")
	s.Bool(&a.ordered, "enablePreferredOrder", false, "earlier preferred groups are better")
}

type plugin struct {
	l       *ledger.Ledger
	strict  bool
	ordered bool
	held    *groupUsage
}

// FilterStatic admits a node of a group that the queue of the class may use. The Text of a
// refusal is the node's group, empty for a node in none. Of a queue with limits that cannot be
// read no node takes a job.
func (p *plugin) FilterStatic(s *model.Spec, n *model.Node) policy.Verdict {
	if s.Groups != nil && s.Groups.Limits != nil && s.Groups.Limits.Unreadable {
		return policy.Verdict{Code: trace.NodeGroupLimit}
	}
	group, in := model.LabelValue(n.Labels, model.NodeGroupLabel)
	admitted := in && admits(s.Groups, group) || !in && !p.strict && !s.Groups.Named()
	if admitted {
		return policy.Verdict{}
	}
	return policy.Verdict{Code: trace.NodeGroup, Text: group}
}

func admits(g *model.NodeGroups, group string) bool {
	switch {
	case g == nil:
		return false
	case slices.Contains(g.Avoided, group):
		return true
	case slices.Contains(g.Forbidden, group):
		return false
	default:
		return slices.Contains(g.Required, group) || slices.Contains(g.Preferred, group)
	}
}

// The points of a group that is required, and of one that is preferred besides.
const (
	required  = 100
	preferred = 50
)

// RawScore is what a node's group is worth to a queue.
func (p *plugin) RawScore(s *model.Spec, n *model.Node) int64 {
	group, in := model.LabelValue(n.Labels, model.NodeGroupLabel)
	if !in || s.Groups == nil || slices.Contains(s.Groups.Avoided, group) {
		return 0
	}
	score := int64(0)
	if slices.Contains(s.Groups.Required, group) {
		score = required
	}
	if i := slices.Index(s.Groups.Preferred, group); i >= 0 {
		later := int64(0)
		if p.ordered {
			later = int64(i)
		}
		n := int64(len(s.Groups.Preferred))
		score += preferred * (n - later) / n
	}
	return score
}

// Weight is 1: the plugin has no argument for it.
func (p *plugin) Weight() int64 { return 1 }

// Reverse is false: more is better.
func (p *plugin) Reverse() bool { return false }

// Aspect is the groups that the queue names, and that its limits cannot be read.
func (p *plugin) Aspect(s *model.Spec) string {
	var w model.Form
	w.Groups(s.Groups)
	if s.Groups != nil && s.Groups.Limits != nil && s.Groups.Limits.Unreadable {
		w.Text("unreadable")
	}
	return w.String()
}
