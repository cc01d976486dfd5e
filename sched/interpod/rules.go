package interpod

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Rules is what placing the pods of a class rests on, as domain counts.
type Rules struct {
	With     []*DomainCount     // required affinity: one of each key, all about the same pods
	WithSelf bool               // the pods are themselves of those
	Apart    []*DomainCount     // required anti-affinity: members
	Others   []*DomainCount     // avoiders of these pods
	Spread   []SpreadConstraint // DoNotSchedule
	Prefer   []WeightedTerm     // of these pods, for members; of others, for these
	Even     []SpreadConstraint // ScheduleAnyway
	Default  bool               // the pods did not ask for Even: a node may lack its keys

	shape uint64
}

// SpreadConstraint is a topology spread constraint of a class.
type SpreadConstraint struct {
	*DomainCount
	Max        int64
	MinDomains int64 // at least 1
	Self       int64 // 1: the pods are themselves of those that are to be spread
}

// WeightedTerm is a preference: Weight points for each that the domain count counts.
type WeightedTerm struct {
	*DomainCount
	Weight int64
}

// Keys are the topology keys of domain counts, of skews or of likings.
func Keys[T interface{ Key() string }](list []T) []string {
	var keys []string
	for _, t := range list {
		keys = append(keys, t.Key())
	}
	return keys
}

// none is the rules of most classes. It is never written.
var none = &Rules{}

// Rules are those of a class, up to date; they are good until the next fact.
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

// mostRules bounds what is remembered of classes long gone.
const mostRules = 1 << 12

func (b *Affinities) find(c *ledger.Class) *Rules {
	r := &Rules{shape: b.shape}
	kin := c.Spec.MatchedTerms
	for _, k := range kin {
		if y := b.broodOf[k]; y != nil {
			r.Default = true
			r.Even = append(r.Even, SpreadConstraint{DomainCount: y.host, Max: hostMaxSkew, MinDomains: 1, Self: 1}, SpreadConstraint{DomainCount: y.zone, Max: zoneMaxSkew, MinDomains: 1, Self: 1})
			continue
		}
		switch y := b.byBirth[k]; {
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
		_, is := slices.BinarySearch(kin, y.selector.birth)
		return is
	}
	u := b.userOf(c.Spec)
	if u == nil {
		return r // nobody is of the class any more
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

// userOf is what pods that ask the same of those around use, nil when there are none.
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

// askForm writes what a spec asks of those around, and what limits the nodes that count.
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
