package networktopology

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/topology"
)

// usage is what every domain offers and holds of the resources that have a weight. It follows the ledger's
// journal, tries that are undone included: a change on one node changes the sums of the domains above it.
type usage struct {
	l       *ledger.Ledger
	tree    *topology.Map
	weights map[string]int64 // by resource
	fading  int64            // in thousandths

	named   []weighted    // the resources with a weight that some object has named
	dims    int           // how many dimensions there were when they were last looked for
	version uint64        // of the tree for which this was counted; 0: never
	cursor  ledger.Cursor // the journal up to which this was counted
	counted []amount      // by node and index in named
	sums    []sums        // by domain and index in named
	changed []uint64      // by domain: now, when its sums last changed
	now     uint64        // grows with every change of sums
	recount uint64        // grows when everything is counted anew
	tiers   []int64       // by domain: what its tier weighs in the scores of pods
	whole   int64         // the sum of the weights of all tiers
}

// weighted is a resource with a weight, which is above zero.
type weighted struct {
	dim    resource.Dim
	weight int64
}

// amount is what a node was counted with.
type amount struct{ offers, holds int64 }

// sums is what the nodes of a domain offer and hold together.
type sums struct{ offers, holds resource.Sum }

// follow brings the sums up to date.
func (u *usage) follow() {
	u.tree.Fresh()
	if u.dims == u.l.Dims.Len() && u.version == u.tree.Version() && u.cursor == u.l.Changes.Nodes.Now() {
		return
	}
	u.now++
	if u.dims != u.l.Dims.Len() || u.version != u.tree.Version() || !u.l.Changes.Nodes.Each(u.cursor, u.count) {
		u.countAll()
	}
	u.cursor = u.l.Changes.Nodes.Now()
}

func (u *usage) countAll() {
	u.named, u.dims = u.named[:0], u.l.Dims.Len()
	for d := range u.dims {
		if w := u.weights[u.l.Dims.Name(resource.Dim(d))]; w > 0 {
			u.named = append(u.named, weighted{resource.Dim(d), w})
		}
	}
	if u.version != u.tree.Version() {
		u.weighTiers()
		u.version = u.tree.Version()
	}
	u.counted = make([]amount, u.l.Nodes.Len()*len(u.named))
	u.sums = make([]sums, u.tree.Len()*len(u.named))
	u.changed = make([]uint64, u.tree.Len())
	u.recount++
	u.l.Nodes.Present(func(n ledger.NodeID) bool {
		u.count(n)
		return true
	})
}

// count replaces what a node was counted with by what it offers and holds now.
func (u *usage) count(n ledger.NodeID) {
	if !u.l.Node(n).Present() {
		return // the tree changes when a node goes
	}
	for i, r := range u.named {
		at, offers := int(n)*len(u.named)+i, u.l.Nodes.Allocatable(r.dim)[n]
		is := amount{offers, offers - u.l.Nodes.Idle(r.dim)[n] + u.l.Nodes.Pipelined(r.dim)[n]}
		was := u.counted[at]
		if is == was {
			continue
		}
		u.counted[at] = is
		for d := u.tree.Leaf(n); d != topology.None; d = u.tree.Domain(d).Up {
			s := &u.sums[int(d)*len(u.named)+i]
			s.offers = s.offers.Plus(is.offers).Minus(was.offers)
			s.holds = s.holds.Plus(is.holds).Minus(was.holds)
			u.changed[d] = u.now
		}
	}
}

// share is the part of what a domain offers of a resource, by its index in named, that would be held with
// want more, in MaxNodeScore: 0 where that does not fit.
func (u *usage) share(d topology.ID, i int, want int64) int64 {
	s := u.sums[int(d)*len(u.named)+i]
	of, with := s.offers.Int64(), s.holds.Plus(want).Int64()
	if of <= 0 || with < 0 || with > of {
		return 0
	}
	return resource.MulDiv(policy.MaxNodeScore, with, of)
}

// fullWeight is the weight of the tier that weighs most; the others are parts of it.
const fullWeight = 1_000_000

// weighTiers sets the weight of each domain's tier: fading to the power of its distance from the lowest tier,
// as whole parts of the highest weight.
func (u *usage) weighTiers() {
	levels := u.tree.Levels()
	u.tiers, u.whole = make([]int64, u.tree.Len()), 0
	for k := range levels {
		w := int64(0)
		if u.fading <= 1000 {
			w = faded(u.fading, 1000, levels[k].Tier-levels[0].Tier)
		} else {
			w = faded(1000, u.fading, levels[len(levels)-1].Tier-levels[k].Tier)
		}
		u.whole += w
		for _, d := range levels[k].Domains {
			u.tiers[d] = w
		}
	}
}

// faded is fullWeight times num / den, so many times.
func faded(num, den int64, times int32) int64 {
	w := int64(fullWeight)
	for ; times > 0 && w > 0 && num < den; times-- {
		w = resource.MulDiv(w, num, den)
	}
	return w
}
