package nodeorder

import (
	"math/bits"
	"slices"

	"ashlar.sh/sched/interpod"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// spread prefers the nodes in domains that have few of the pods among which a task is to be
// spread.
type spread struct {
	weight     int64
	affinities *interpod.Affinities
}

// ConcernsDomains says that pods of the class are to be spread by preference.
func (f spread) ConcernsDomains(c *ledger.Class) bool {
	n := c.Spec.Neighbours
	return n != nil && slices.ContainsFunc(n.Spread,
		func(s model.Spread) bool { return s.Soft }) || len(f.affinities.Rules(c).Even) > 0
}

// DomainKeys are the constraints' keys.
func (f spread) DomainKeys(c *ledger.Class) []string {
	return interpod.Keys(f.affinities.Rules(c).Even)
}

// ScoreDomains follows kube-scheduler: a pod in a domain weighs the logarithm of the number
// of domains, so that few large domains do not outweigh many small ones, and maxSkew - 1 is
// added; a node gets (most + least - sum) / most of all points. A node without one of the
// keys gets none; where the constraints are those that pods have by default, what it lacks
// is left out of its sum.
func (f spread) ScoreDomains(c *ledger.Class, nodes []ledger.NodeID, scores []int64) {
	f.ScoreFor(c, nodes, len(nodes), scores)
}

// Graded says that the constraints are those that pods have by default, and of their keys the host's name alone
// has many values: then a node's score follows from its zone and from how many of the pods it has.
func (f spread) Graded(c *ledger.Class, parts []bool) bool {
	rules := f.affinities.Rules(c)
	return rules.Default && len(rules.Even) == len(parts) && !slices.ContainsFunc(rules.Even,
		func(s interpod.SpreadConstraint) bool {
			return parts[slices.Index(interpod.Keys(rules.Even), s.Key())] && s.Key() != model.HostnameKey
		})
}

// Grade is how many of the pods the node's host has, and 1; 0 for a node without a host's name.
func (f spread) Grade(c *ledger.Class, n ledger.NodeID, parts []bool) int64 {
	even := f.affinities.Rules(c).Even
	host := &even[slices.Index(parts, true)]
	d := host.Domain(n)
	if d == 0 {
		return 0
	}
	return 1 + host.NotTerminating(d)
}

// ScoreFor is ScoreDomains for nodes that stand for others, too.
func (f spread) ScoreFor(c *ledger.Class, nodes []ledger.NodeID, of int, scores []int64) {
	rules := f.affinities.Rules(c)
	even := rules.Even
	sums := make([]int64, len(nodes))
	seen := make([]bool, 0, 64)
	keyed := 0
	for k, n := range nodes {
		if !rules.Default && !hasAll(even, n) {
			sums[k] = -1
			continue
		}
		keyed++
	}
	for i := range even {
		s := &even[i]
		seen = seen[:0]
		domains := int64(0)
		for k, n := range nodes {
			if sums[k] < 0 {
				continue
			}
			d := int(s.Domain(n))
			for len(seen) <= d {
				seen = append(seen, false)
			}
			if !seen[d] {
				seen[d] = true
				domains++
			}
		}
		if rules.Default && s.Key() == model.HostnameKey {
			domains = int64(of)
		}
		weight := log(domains + 2)
		s.WeighNotTerminating(nodes, weight, (s.Max-1)*one, sums)
	}
	if keyed > 0 {
		f.share(sums, scores)
	}
}

// share turns sums into points.
func (f spread) share(sums, scores []int64) {
	least, most := int64(-1), int64(0)
	for _, s := range sums {
		if s >= 0 {
			most = max(most, s)
			if least < 0 || s < least {
				least = s
			}
		}
	}
	was, points := int64(-1), int64(0)
	for k, s := range sums {
		switch {
		case s < 0:
			continue
		case s == was: // many nodes have the same
		case most == 0:
			was, points = s, policy.MaxNodeScore*f.weight
		default:
			was, points = s, resource.MulDiv(most+least-s, policy.MaxNodeScore, most)*f.weight
		}
		scores[k] += points
	}
}

// hasAll says that a node has a domain of every key.
func hasAll(even []interpod.SpreadConstraint, n ledger.NodeID) bool {
	for i := range even {
		if even[i].Domain(n) == 0 {
			return false
		}
	}
	return true
}

// one is 1 in the fixed point numbers of this file: 16 binary places.
const one = 1 << 16

// ln2 is the natural logarithm of 2.
const ln2 = 45426

// log is the natural logarithm of a whole number from 1 on, in fixed point: the place of
// its highest bit, then bit by bit by squaring the rest.
func log(x int64) int64 {
	whole := bits.Len64(uint64(x)) - 1
	rest := uint64(x) << (31 - min(whole, 31)) // between 1 and 2, with 31 binary places
	if whole > 31 {
		rest = uint64(x) >> (whole - 31)
	}
	l := int64(whole) << 16
	for bit := int64(one >> 1); bit > 0; bit >>= 1 {
		rest = rest * rest >> 31
		if rest >= 1<<32 {
			rest >>= 1
			l += bit
		}
	}
	return l * ln2 >> 16
}
