package interpod

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Rules are the domain counts that placing the pods of a class depends on.
type Rules struct {
	With     []*DomainCount     // required affinity: one for each key, all with the same selector
	WithSelf bool               // the selector of With matches the pods themselves
	Apart    []*DomainCount     // required anti-affinity of these pods: the pods they avoid
	Others   []*DomainCount     // pods with a required anti-affinity about these pods
	Spread   []SpreadConstraint // DoNotSchedule
	Prefer   []WeightedTerm     // preferred terms of these pods, and of other pods about them
	Even     []SpreadConstraint // ScheduleAnyway
	Default  bool               // Even has default constraints: a node may lack their keys

	shape uint64
}

// SpreadConstraint is a topology spread constraint of a class.
type SpreadConstraint struct {
	*DomainCount
	Max        int64
	MinDomains int64 // at least 1
	Self       int64 // 1: the selector matches the pods themselves; else 0
}

// WeightedTerm is a preferred term: Weight points for each pod that the domain count counts.
type WeightedTerm struct {
	*DomainCount
	Weight int64
}

// Keys returns the topology keys of domain counts, spread constraints or weighted terms.
func Keys[T interface{ Key() string }](list []T) []string {
	var keys []string
	for _, t := range list {
		keys = append(keys, t.Key())
	}
	return keys
}

// none is the rules of most classes. It is never written.
var none = &Rules{}

// Rules returns the rules of a class, up to date. They are valid until the next fact.
func (b *Affinities) Rules(c *ledger.Class) *Rules {
	n := c.Spec.Neighbours
	if n == nil && len(c.Spec.MatchedTerms) == 0 {
		return none
	}
	b.Follow()
	if r := b.rules[c.Born]; r != nil && r.shape == b.shape {
		return r
	}
	if len(b.rules) >= mostRules {
		clear(b.rules)
	}
	r := b.find(c)
	b.rules[c.Born] = r
	return r
}

// mostRules bounds what is remembered of classes that are gone.
const mostRules = 1 << 12

func (b *Affinities) find(c *ledger.Class) *Rules {
	r := &Rules{shape: b.shape}
	matched := c.Spec.MatchedTerms
	for _, k := range matched {
		if y := b.controllers.byID[k]; y != nil {
			r.Default = true
			r.Even = append(r.Even, SpreadConstraint{DomainCount: y.host, Max: hostMaxSkew, MinDomains: 1, Self: 1},
				SpreadConstraint{DomainCount: y.zone, Max: zoneMaxSkew, MinDomains: 1, Self: 1})
			continue
		}
		switch y := b.byID[k]; {
		case y == nil:
		case y.role == AntiAffinityHolders:
			r.Others = append(r.Others, y)
		case y.role == PreferredHolders:
			r.Prefer = append(r.Prefer, WeightedTerm{y, 1})
		}
	}
	n := c.Spec.Neighbours
	if n == nil {
		return r
	}
	self := func(y *DomainCount) bool {
		_, is := slices.BinarySearch(matched, y.selector.id)
		return is
	}
	u := b.userOf(c.Spec)
	if u == nil {
		return r // no pod is of the class any more
	}
	r.With, r.Apart = u.with, u.apart
	r.WithSelf = len(u.with) > 0 && self(u.with[0])
	for i, y := range u.prefer {
		r.Prefer = append(r.Prefer, WeightedTerm{y, int64(n.Prefer[i].Weight)})
	}
	for i, y := range u.spread {
		s := &n.Spread[i]
		k := SpreadConstraint{DomainCount: y, Max: int64(s.MaxSkew), MinDomains: max(1, int64(s.MinDomains))}
		if self(y) {
			k.Self = 1
		}
		if s.Soft {
			r.Even = append(r.Even, k)
		} else {
			r.Spread = append(r.Spread, k)
		}
	}
	return r
}

// userOf returns the user with the same terms as a spec, nil if there is none.
func (b *Affinities) userOf(s *model.Spec) *user {
	if u := b.known[s]; u != nil {
		return u
	}
	u := b.users[askForm(s)]
	if u != nil {
		if len(b.known) >= mostRules {
			clear(b.known)
		}
		b.known[s] = u
	}
	return u
}

// askForm writes the terms of a spec about other pods, and what limits the nodes that count for its spread.
func askForm(s *model.Spec) string {
	var w model.Form
	w.Neighbours(s.Neighbours)
	if len(s.Neighbours.Spread) > 0 {
		w.Part()
		w.Labels(s.Selector)
		w.Part()
		w.Number(int64(len(s.Affinity)))
		w.Terms(s.Affinity)
		w.Part()
		w.Tolerations(s.Tolerations)
	}
	return w.String()
}
