package near

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Rules is what placing the pods of a class rests on, as tallies.
type Rules struct {
	With     []*Tally // required affinity: one of each key, all about the same pods
	WithSelf bool     // the pods are themselves of those
	Apart    []*Tally // required anti-affinity: members
	Others   []*Tally // avoiders of these pods
	Spread   []Skew   // DoNotSchedule
	Prefer   []Liking // of these pods, for members; of others, for these
	Even     []Skew   // ScheduleAnyway
	Default  bool     // the pods did not ask for Even: a node may lack its keys

	shape uint64
}

// Skew is a topology spread constraint of a class.
type Skew struct {
	*Tally
	Max        int64
	MinDomains int64 // at least 1
	Self       int64 // 1: the pods are themselves of those that are to be spread
}

// Liking is a preference: Weight points for each that the tally counts.
type Liking struct {
	*Tally
	Weight int64
}

// Keys are the topology keys of tallies, of skews or of likings.
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
func (b *Book) Rules(c *ledger.Class) *Rules {
	n := c.Spec.Neighbours
	if n == nil && len(c.Spec.Kin) == 0 {
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

func (b *Book) find(c *ledger.Class) *Rules {
	r := &Rules{shape: b.shape}
	kin := c.Spec.Kin
	for _, k := range kin {
		if y := b.broodOf[k]; y != nil {
			r.Default = true
			r.Even = append(r.Even, Skew{Tally: y.host, Max: hostMaxSkew, MinDomains: 1, Self: 1}, Skew{Tally: y.zone, Max: zoneMaxSkew, MinDomains: 1, Self: 1})
			continue
		}
		switch y := b.byBirth[k]; {
		case y == nil:
		case y.role == Avoiders:
			r.Others = append(r.Others, y)
		case y.role == Fans:
			r.Prefer = append(r.Prefer, Liking{y, 1})
		}
	}
	n := c.Spec.Neighbours
	if n == nil {
		return r
	}
	self := func(y *Tally) bool {
		_, is := slices.BinarySearch(kin, y.crowd.birth)
		return is
	}
	u := b.userOf(c.Spec)
	if u == nil {
		return r // nobody is of the class any more
	}
	r.With, r.Apart = u.with, u.apart
	r.WithSelf = len(u.with) > 0 && self(u.with[0])
	for i, y := range u.prefer {
		r.Prefer = append(r.Prefer, Liking{y, int64(n.Prefer[i].Weight)})
	}
	for i, y := range u.spread {
		s := &n.Spread[i]
		k := Skew{Tally: y, Max: int64(s.MaxSkew), MinDomains: max(1, int64(s.MinDomains))}
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
func (b *Book) userOf(s *model.Spec) *user {
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
