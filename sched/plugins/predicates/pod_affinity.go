package predicates

import (
	"slices"

	"ashlar.sh/sched/interpod"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// podAffinity refuses nodes in domains in which required pods are missing, or in which there are pods
// that the task must not be with, or that must not be with the task.
type podAffinity struct{ affinities *interpod.Affinities }

// ConcernsDomains says that pods of the class require something of other pods, or other pods of them.
func (f podAffinity) ConcernsDomains(c *ledger.Class) bool {
	if n := c.Spec.Neighbours; n != nil && len(n.With)+len(n.Apart) > 0 {
		return true
	}
	return len(f.affinities.Rules(c).Others) > 0
}

// DomainKeys are the keys of the terms, in the order in which they are judged.
func (f podAffinity) DomainKeys(c *ledger.Class) []string {
	r := f.affinities.Rules(c)
	return interpod.Keys(slices.Concat(r.With, r.Apart, r.Others))
}

// ColocationKeys are the keys of the required affinity that the pods have to each other, while no pod
// that they could join has a node.
func (f podAffinity) ColocationKeys(c *ledger.Class) []string {
	r := f.affinities.Rules(c)
	if there, pipelined := anywhere(r, false); !r.WithSelf || there || pipelined {
		return nil
	}
	return interpod.Keys(r.With)
}

// FilterDomains judges required affinity first, which no eviction can cure, then anti-affinity, the
// task's own and that of other pods towards it.
func (f podAffinity) FilterDomains(c *ledger.Class, n ledger.NodeID, future bool, parts []bool) policy.Verdict {
	r := f.affinities.Rules(c)
	asked := func(i int) bool { return parts == nil || parts[i] }
	for i, t := range r.With {
		if asked(i) && !with(r, t, n, future) {
			return policy.Verdict{Code: trace.PodAffinity, Domain: about(t, n)}
		}
	}
	for i, t := range r.Apart {
		if asked(len(r.With)+i) && meets(t, n, future) {
			return policy.Verdict{Code: trace.PodAntiAffinity, Domain: about(t, n)}
		}
	}
	for i, t := range r.Others {
		if asked(len(r.With)+len(r.Apart)+i) && meets(t, n, future) {
			return policy.Verdict{Code: trace.PodRepelled, Domain: about(t, n)}
		}
	}
	return policy.Verdict{}
}

// with says that a pod which the task must be with is in the node's domain. A pipelined pod does not
// count now. The first of a group of pods that must be with each other may be placed anywhere; while
// other pods of it are pipelined and none has one, it has to follow them.
func with(r *interpod.Rules, t *interpod.DomainCount, n ledger.NodeID, future bool) bool {
	d := t.Domain(n)
	if d == 0 {
		return false
	}
	if t.There(d, future) > 0 || future && t.Pipelined(d) > 0 {
		return true
	}
	if !r.WithSelf {
		return false
	}
	there, pipelined := anywhere(r, future)
	return !there && (!pipelined || t.Pipelined(d) > 0)
}

// anywhere says whether any pod that the task must be with has a place, or is pipelined, in any
// domain of any of the keys.
func anywhere(r *interpod.Rules, future bool) (there, pipelined bool) {
	for _, t := range r.With {
		there, pipelined = there || t.All(future) > 0, pipelined || t.AllPipelined() > 0
	}
	return there, pipelined
}

// meets says that a pod which the task must not be with is in the node's domain, or will be.
func meets(t *interpod.DomainCount, n ledger.NodeID, future bool) bool {
	d := t.Domain(n)
	return d != 0 && t.There(d, future)+t.Pipelined(d) > 0
}

// DomainMark changes with whether any pod that the pods must be with has a place, or is pipelined,
// anywhere at all.
func (f podAffinity) DomainMark(c *ledger.Class, _ []bool) uint64 {
	there, pipelined := anywhere(f.affinities.Rules(c), false)
	return bit(there)<<1 | bit(pipelined)
}

func bit(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// about names a domain count's domain of a node.
func about(t *interpod.DomainCount, n ledger.NodeID) trace.Domain {
	d := trace.Domain{Key: t.Key(), Pods: t.Pods()}
	if d.Key != model.HostnameKey {
		d.Value = t.Value(t.Domain(n))
	}
	return d
}
