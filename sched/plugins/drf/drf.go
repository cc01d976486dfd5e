// Package drf serves the job with the smallest dominant share first: of a queue's jobs, the one of which the
// largest part of the cluster, over all dimensions, is the smallest (dominant resource fairness).
//
// A job's share is read from the ledger whenever it is needed: what its members hold, or wait for as pipelined,
// of what all nodes offer. The dimension pods takes no part (decision 24), nor does one that no node
// offers. Shares are compared exactly, as fractions.
//
// A job that would still have the smaller share may take the room of another job of its queue, of equal
// priority, too (preempt.go). With enableHierarchy, drf also orders queues, in the tree that their
// annotations name (see tree), and judges reclaiming by that order.
//
// It is no quota: no job waits because of drf, only behind other jobs. A job that lost members holds
// more than a fresh one and so comes behind it, which can keep a broken gang waiting. Put gang or
// priority into an earlier tier, as the default configuration does, and they decide first.
//
// Source: seed 002 §4.3; semantics of Volcano's plugin of this name.
package drf

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// Definition is the plugin "drf". Its flag enableHierarchy adds an order of queues and an opinion on reclaiming.
func Definition() policy.Definition {
	return policy.Define("drf", "jobs with the smaller dominant share first",
		func(a arguments, l *ledger.Ledger) (policy.JobOrder, error) {
			p := &plugin{l: l}
			switch {
			case a.tree:
				return &hierarchical{plugin: p, tree: tree{l: l, memory: a.Memory}}, a.Remember(l)
			case a.Weight > 0:
				return nil, policy.BadArgument("usage.weight", "needs enableHierarchy: true, with which drf orders queues; "+
					"plugin fairshare remembers what users and namespaces used")
			}
			return p, nil
		})
}

type arguments struct {
	policy.Memory
	tree bool
}

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Hierarchy(&a.tree)
	a.Memory.AddArguments(s)
}

type plugin struct {
	l    *ledger.Ledger
	loss resource.Vec // scratch of Preemptable and Reclaimable
}

// CompareJobs puts the job of smaller dominant share first.
func (p *plugin) CompareJobs(a, b ledger.JobID) int {
	return dominant(p.l, p.l.Job(a).Allocated, nil).Compare(dominant(p.l, p.l.Job(b).Allocated, nil))
}

// dominant is the largest part of the cluster, over all dimensions that some node offers, in held +
// add; amounts in add may be negative. Of nothing it is 0.
func dominant(l *ledger.Ledger, held resource.Sums, add resource.Vec) (most fair.Ratio) {
	for d := range resource.Dim(max(len(held), len(add))) {
		has := held.Get(d)
		if add != nil {
			has = resource.Sum{}.Plus(has).Plus(add.Get(d)).Int64()
		}
		total := l.Nodes.Total(d)
		if has <= 0 || total <= 0 || d == resource.Pods {
			continue
		}
		if r := fair.Share(has, total); r.Compare(most) > 0 {
			most = r
		}
	}
	return most
}
