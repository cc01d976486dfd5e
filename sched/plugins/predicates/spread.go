package predicates

import (
	"slices"

	"ashlar.sh/sched/interpod"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// spread refuses nodes in a domain in which there would be more pods, by more than maxSkew, than
// in the domain that has the fewest.
type spread struct{ affinities *interpod.Affinities }

// ConcernsDomains says that pods of the class are to be spread.
func (f spread) ConcernsDomains(c *ledger.Class) bool {
	n := c.Spec.Neighbours
	return n != nil && slices.ContainsFunc(n.Spread, func(s model.Spread) bool { return !s.Soft })
}

// DomainKeys are the constraints' keys.
func (f spread) DomainKeys(c *ledger.Class) []string {
	return interpod.Keys(f.affinities.Rules(c).Spread)
}

// FilterDomains refuses nodes without one of the keys for good, other nodes as long as the skew would
// be too large. Terminating pods do not count. A pod that is pipelined counts as there, and the
// constraint has to hold without it, too.
func (f spread) FilterDomains(c *ledger.Class, n ledger.NodeID, future bool, parts []bool) policy.Verdict {
	r := f.affinities.Rules(c)
	for i := range r.Spread {
		s := &r.Spread[i]
		if parts != nil && !parts[i] {
			continue
		}
		d := s.Domain(n)
		if d == 0 {
			return policy.Verdict{Code: trace.TopologyKeyMissing, Text: s.Key()}
		}
		least, domains := s.Least()
		if domains == 0 {
			continue // no node counts, not even this one
		}
		have, floor := s.NotTerminating(d), least
		if int64(domains) < s.MinDomains {
			floor = 0
		}
		skewed := have+s.Self-floor > s.Max
		if !skewed && !future && s.AllPipelined() > 0 {
			if have = s.There(d, true); floor > 0 {
				floor = s.LeastFirm()
			}
			skewed = have+s.Self-floor > s.Max
		}
		if skewed {
			return policy.Verdict{Code: trace.PodTopologySpread, Domain: skew(s, d, have, floor)}
		}
	}
	return policy.Verdict{}
}

func skew(s *interpod.SpreadConstraint, d int32, have, least int64) trace.Domain {
	out := trace.Domain{Key: s.Key(), Pods: s.Pods(), Least: least, Most: s.Max}
	if out.Key != model.HostnameKey {
		out.Value, out.Have = s.Value(d), have
	}
	return out
}

// DomainMark changes with the fewest pods that any domain has, with pipelined pods and without.
func (f spread) DomainMark(c *ledger.Class, parts []bool) uint64 {
	r := f.affinities.Rules(c)
	mark := uint64(0)
	for i := range r.Spread {
		if parts == nil || parts[i] {
			s := &r.Spread[i]
			least, domains := s.Least()
			for _, x := range [...]int64{least, int64(domains), s.LeastFirm(), min(1, s.AllPipelined())} {
				mark = (mark ^ uint64(x)) * 1099511628211
			}
		}
	}
	return mark
}
