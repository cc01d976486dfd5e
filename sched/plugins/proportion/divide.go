package proportion

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// divider divides each dimension among the queues that ask for it.
type divider struct {
	p *plugin

	leaves              []ledger.QueueID // sound leaf queues, by name
	sharing             []ledger.QueueID // the leaves that have jobs or a guarantee
	totals              resource.Vec
	divided             []division    // by dimension
	claims              []fair.Demand // scratch of fill
	shapes              uint64
	usageSeen, specSeen ledger.Cursor // what was read of the ledger's changes
	treeSeen            ledger.Cursor
	opened              bool
	before              resource.Vec // … of remeasure: the totals before; of limit: what is guaranteed
}

// division is one dimension, as it was divided last: most changes touch the stake of one
// queue. A dimension in which no stake changed need not be divided again.
type division struct {
	total       int64
	demands     []fair.QueueDemand // of those that share, in the engine's unit
	fillDemands []fair.Demand      // the same
	whole       bool               // it comes in devices
	broken      int                // … and so many stakes do not
	stale       bool               // something changed since it was divided
	out         []int64
	filler      fair.Filler
}

// follow takes in what changed in the ledger since the last time: what nodes offer, the
// stakes of a few queues, or where the tree or what is granted changed, everybody's.
func (dv *divider) follow() {
	usage, known := dv.p.l.Changes.QueueUsage.Follow(&dv.usageSeen)
	specs, specsKnown := dv.p.l.Changes.QueueSpecs.Follow(&dv.specSeen)
	moved, tree := dv.p.l.Changes.QueueTree.Follow(&dv.treeSeen)
	dims := dv.p.l.Dims.Len()
	switch {
	case !dv.opened || !tree || !specsKnown || len(moved)+len(specs) > 0 || len(dv.divided) != dims:
		for len(dv.divided) < dims {
			dv.divided = append(dv.divided, division{})
		}
		if !dv.opened || !tree {
			dv.gather()
		} else {
			dv.attach(moved)
		}
		dv.measure()
		dv.limit()
		dv.pick()
		return
	case dv.shapes != dv.p.l.Changes.SpecEpoch():
		dv.remeasure()
	}
	if !known || !dv.updateDemand(usage) {
		dv.pick()
	}
}

// remeasure takes in what nodes offer, when nothing else changed.
func (dv *divider) remeasure() {
	dv.before = dv.before.CopyFrom(dv.totals)
	dv.measure()
	dv.p.guarantees.unfilled.cursor = 0
	for i := range dv.divided {
		div, d := &dv.divided[i], resource.Dim(i)
		total := dv.total(d)
		if total == dv.before.Get(d) || d == resource.Pods {
			continue
		}
		div.total, div.stale = total, true
		for _, q := range dv.leaves {
			r, queue := &dv.p.rows[q], dv.p.l.Queue(q)
			bound, bounded := queue.Capability.Bound(d)
			real := fair.RealCapability(total, dv.p.guarantees.guaranteed.Get(d), queue.Guarantee.Get(d),
				fair.Limit{Value: bound, Bounded: bounded})
			r.real[d] = real
			if r.at < 0 {
				continue
			}
			s := &div.demands[r.at]
			div.broken -= div.breaks(s)
			s.RealCapability.Value = real
			div.broken += div.breaks(s)
			div.fillDemands[r.at].Cap = min(real, s.Request)
		}
	}
}

// gather lists the sound leaf queues by name.
func (dv *divider) gather() {
	dv.leaves = dv.leaves[:0]
	for len(dv.p.rows) < dv.p.l.Queues.Len() {
		dv.p.rows = append(dv.p.rows, row{})
	}
	for i := range dv.p.rows {
		dv.p.rows[i].shares, dv.p.rows[i].at = false, -1
	}
	dv.p.l.Queues.Each(func(q ledger.QueueID) bool {
		if queue := dv.p.l.Queue(q); queue.Place == ledger.Sound && queue.Leaf() {
			dv.p.rows[q].shares = true
			dv.leaves = append(dv.leaves, q)
		}
		return true
	})
	slices.SortFunc(dv.leaves, func(a, b ledger.QueueID) int {
		return cmp.Compare(dv.p.l.Queue(a).Name,
			dv.p.l.Queue(b).Name)
	})
}

// attach puts right which queues are sound leaves, after some changed their places: first
// they go from the list, since a row may have another name now.
func (dv *divider) attach(queues []ledger.QueueID) {
	for len(dv.p.rows) < dv.p.l.Queues.Len() {
		dv.p.rows = append(dv.p.rows, row{at: -1})
	}
	for _, q := range queues {
		if dv.p.rows[q].shares {
			i := slices.Index(dv.leaves, q)
			dv.leaves = slices.Delete(dv.leaves, i, i+1)
		}
		dv.p.rows[q].shares, dv.p.rows[q].at = false, -1
	}
	for _, q := range queues {
		if queue := dv.p.l.Queue(q); !dv.p.rows[q].shares && queue.Place == ledger.Sound && queue.Leaf() {
			i, _ := slices.BinarySearchFunc(dv.leaves, queue.Name, func(at ledger.QueueID, name string) int {
				return cmp.Compare(dv.p.l.Queue(at).Name, name)
			})
			dv.p.rows[q].shares = true
			dv.leaves = slices.Insert(dv.leaves, i, q)
		}
	}
}

// total is the cluster, within what a user's queue root names as limit (decision 6).
func (dv *divider) total(d resource.Dim) int64 { return dv.totals.Get(d) }

// measure finds the total of every dimension.
func (dv *divider) measure() {
	root, named := dv.p.l.Queues.Find(model.RootQueue)
	dv.totals = dv.totals[:0]
	for d := range resource.Dim(dv.p.l.Dims.Len()) {
		total := max(0, dv.p.l.Nodes.Total(d))
		if named {
			if b, bounded := dv.p.l.Queue(root).Capability.Bound(d); bounded {
				total = min(total, b)
			}
		}
		dv.totals = append(dv.totals, total)
	}
}

// limit finds what all queues are guaranteed, and the most that each may hold: it rests on
// what queues are granted and on the cluster, not on what they hold.
func (dv *divider) limit() {
	dv.p.guarantees.guaranteed, dv.p.guarantees.unfilled.cursor = dv.p.guarantees.guaranteed[:0], 0
	for _, q := range dv.leaves {
		dv.p.guarantees.guaranteed = dv.p.guarantees.guaranteed.Add(dv.p.l.Queue(q).Guarantee)
	}
	dv.before = dv.before[:0]
	for d := range dv.divided {
		dv.before = append(dv.before, dv.p.guarantees.guaranteed.Get(resource.Dim(d)))
	}
	for _, q := range dv.leaves {
		r, queue := &dv.p.rows[q], dv.p.l.Queue(q)
		r.real = widen(r.real[:0], len(dv.divided))
		for i := range r.real {
			d := resource.Dim(i)
			bound, bounded := queue.Capability.Bound(d)
			r.real[i] = fair.RealCapability(dv.totals[i], dv.before[i], queue.Guarantee.Get(d),
				fair.Limit{Value: bound, Bounded: bounded})
		}
	}
}

// takesPart says that something is shared with a leaf: not with one without jobs, unless
// something is kept for it.
func (dv *divider) takesPart(q ledger.QueueID) bool {
	return dv.p.l.Queue(q).Jobs > 0 || !dv.p.l.Queue(q).Guarantee.IsEmpty()
}

// pick finds which leaves take part, and lists what all of them have at stake, queue by
// queue: all about one is read at once.
func (dv *divider) pick() {
	dv.sharing = dv.sharing[:0]
	for _, q := range dv.leaves {
		r := &dv.p.rows[q]
		r.deserved = widen(r.deserved, len(dv.divided))
		clear(r.deserved)
		r.at = -1
		if dv.takesPart(q) {
			r.at = int32(len(dv.sharing))
			dv.sharing = append(dv.sharing, q)
		}
	}
	for i := range dv.divided {
		div, d := &dv.divided[i], resource.Dim(i)
		if d == resource.Pods {
			continue
		}
		div.total, div.stale, div.broken = dv.total(d), true, 0
		div.whole = !resource.Divisible(dv.p.l.Dims.Name(d))
		div.demands = slices.Grow(div.demands[:0], len(dv.sharing))[:len(dv.sharing)]
		div.fillDemands = slices.Grow(div.fillDemands[:0], len(dv.sharing))[:len(dv.sharing)]
	}
	for at, q := range dv.sharing {
		queue, real := dv.p.l.Queue(q), dv.p.rows[q].real
		for i := range dv.divided {
			div, d := &dv.divided[i], resource.Dim(i)
			if d == resource.Pods {
				continue
			}
			s := demandOf(queue, d, real)
			div.demands[at], div.fillDemands[at] = s, s.Demand()
			div.broken += div.breaks(&s)
		}
	}
}

func widen(v resource.Vec, n int) resource.Vec {
	for len(v) < n {
		v = append(v, 0)
	}
	return v
}

// updateDemand puts right what some queues have at stake; false when others than before take
// part.
func (dv *divider) updateDemand(queues []ledger.QueueID) bool {
	for _, q := range queues {
		if !dv.p.known(q) {
			continue
		}
		at := dv.p.rows[q].at
		if dv.takesPart(q) != (at >= 0) {
			return false
		}
		for d := range dv.divided {
			if at < 0 {
				break
			}
			if d == int(resource.Pods) {
				continue
			}
			div, s := &dv.divided[d], dv.demand(q, resource.Dim(d))
			if was := &div.demands[at]; *was != s {
				div.broken += div.breaks(&s) - div.breaks(was)
				*was, div.fillDemands[at], div.stale = s, s.Demand(), true
			}
		}
	}
	return true
}

// breaks is 1 for a stake that is not in whole devices, where there are devices.
func (div *division) breaks(s *fair.QueueDemand) int {
	if div.whole && (s.Floor%resource.Device != 0 || s.Request%resource.Device != 0 ||
		s.RealCapability.Value%resource.Device != 0) {
		return 1
	}
	return 0
}

// fill divides one dimension, if anything changed in it.
func (dv *divider) fill(d resource.Dim) {
	div := &dv.divided[d]
	if !div.stale {
		return
	}
	div.stale = false
	unit, claims := dv.unit(d), div.fillDemands
	if unit != 1 {
		dv.claims = dv.claims[:0]
		for _, c := range claims {
			dv.claims = append(dv.claims, fair.Demand{Weight: c.Weight, Floor: c.Floor / unit, Cap: c.Cap / unit})
		}
		claims = dv.claims
	}
	for len(div.out) < len(claims) {
		div.out = append(div.out, 0)
	}
	div.filler.Fill(div.total/unit, claims, div.out[:len(claims)])
	for i, q := range dv.sharing {
		dv.p.rows[q].deserved[d] = div.out[i] * unit
	}
}

// unit is what a dimension is divided in: whole devices, as long as everything there is,
// asked for, guaranteed and bounded comes in whole devices; otherwise the engine's unit. Half
// a device each would keep two queues from the device that one of them could use (decision
// 1: rounding never costs a pod that would have fitted).
func (dv *divider) unit(d resource.Dim) int64 {
	if div := &dv.divided[d]; div.whole && div.total%resource.Device == 0 && div.broken == 0 {
		return resource.Device
	}
	return 1
}

// divide is what is divided with what every claim is made of, for showing the arithmetic.
func (dv *divider) divide(d resource.Dim) (stakes []fair.QueueDemand, unit int64) {
	unit = dv.unit(d)
	for _, s := range dv.divided[d].demands {
		s.Floor, s.Request, s.RealCapability.Value = s.Floor/unit, s.Request/unit, s.RealCapability.Value/unit
		stakes = append(stakes, s)
	}
	return stakes, unit
}

// demand is a queue's part in dividing one dimension. A queue that is not open asks for
// no more than it holds: nothing it waits for can be placed.
func (dv *divider) demand(q ledger.QueueID, d resource.Dim) fair.QueueDemand {
	return demandOf(dv.p.l.Queue(q), d, dv.p.rows[q].real)
}

func demandOf(queue *ledger.Queue, d resource.Dim, real resource.Vec) fair.QueueDemand {
	asks := queue.Request
	if queue.State() != model.QueueOpen {
		asks = queue.Allocated
	}
	return fair.QueueDemand{Weight: queue.Weight(), Floor: queue.Guarantee.Get(d), Request: asks.Get(d),
		RealCapability: fair.Limit{Value: real.Get(d), Bounded: true}}
}
