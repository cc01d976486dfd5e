package lint

import (
	"regexp"
	"strings"

	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/topology"
)

// hyperNodes tells what is wrong between HyperNodes, whether or not a plugin heeds them, and which members select
// nothing.
func (l *look) hyperNodes() {
	if l.kinds[model.KindHyperNode] == 0 {
		return
	}
	if l.Engine != nil {
		for _, f := range topology.New(l.Engine.Ledger()).Fresh().Faults() {
			if strings.HasSuffix(f.Message, "does not exist") {
				continue // hypernode-no-member says it of names, patterns and labels
			}
			l.out.add("hypernode-tree", f.Object, l.named(f.Object), "%s", f.Message)
		}
	}
	var nodes []*model.Node
	hypers := map[string]bool{}
	for i := range l.World.Items {
		switch o := l.World.Items[i].Fact.Object.(type) {
		case *model.Node:
			nodes = append(nodes, o)
		case *model.HyperNode:
			hypers[o.Name] = true
		}
	}
	if len(nodes) == 0 && !l.Whole {
		l.out.Unchecked = append(l.out.Unchecked, "what members of HyperNodes select: no node is among the input")
		return
	}
	for i := range l.World.Items {
		it := &l.World.Items[i]
		h, is := it.Fact.Object.(*model.HyperNode)
		if !is {
			continue
		}
		for k := range h.Members {
			if m := &h.Members[k]; !selects(m, nodes, hypers) {
				l.out.add("hypernode-no-member", it.Fact.Ref.String(), it.Where, "spec.members[%d] %s", k, nothing(m))
			}
		}
	}
}

// selects says that a member selects something.
func selects(m *model.Member, nodes []*model.Node, hypers map[string]bool) bool {
	var pattern *regexp.Regexp
	if m.Pattern != "" {
		var err error
		if pattern, err = regexp.Compile(m.Pattern); err != nil {
			return true // that is told of the field
		}
	}
	passes := func(name string) bool {
		return m.Name == name || pattern != nil && pattern.MatchString(name)
	}
	if !m.Node {
		for name := range hypers { // order-free: whether there is one
			if passes(name) {
				return true
			}
		}
		return false
	}
	for _, n := range nodes {
		if passes(n.Name) || m.Name == "" && m.Pattern == "" && match.Selects(m.Labels, n.Labels) {
			return true
		}
	}
	return false
}

// nothing says that a member selects nothing.
func nothing(m *model.Member) string {
	what := "HyperNode"
	if m.Node {
		what = "node"
	}
	switch {
	case m.Name != "":
		return "names " + what + " " + m.Name + ", which does not exist"
	case m.Pattern != "":
		return "has the pattern " + m.Pattern + ", which no " + what + " matches"
	}
	return "has labels that no node has"
}
