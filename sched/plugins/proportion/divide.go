package proportion

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// division is one dimension, as it was divided last: most changes touch the stake of one
// queue, and what nobody's stake changed in need not be divided again.
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
func (p *plugin) follow() {
	usage, known := p.l.Changes.QueueUsage.Follow(&p.usageSeen)
	specs, specsKnown := p.l.Changes.QueueSpecs.Follow(&p.specSeen)
	moved, tree := p.l.Changes.QueueTree.Follow(&p.treeSeen)
	dims := p.l.Dims.Len()
	switch {
	case !p.opened || !tree || !specsKnown || len(moved)+len(specs) > 0 || len(p.divided) != dims:
		for len(p.divided) < dims {
			p.divided = append(p.divided, division{})
		}
		if !p.opened || !tree {
			p.gather()
		} else {
			p.attach(moved)
		}
		p.measure()
		p.limit()
		p.pick()
		return
	case p.shapes != p.l.SpecEpoch():
		p.remeasure()
	}
	if !known || !p.updateDemand(usage) {
		p.pick()
	}
}

// remeasure takes in what nodes offer, when nothing else changed.
func (p *plugin) remeasure() {
	p.before = p.before.CopyFrom(p.totals)
	p.measure()
	p.kept.cursor = 0
	for i := range p.divided {
		div, d := &p.divided[i], resource.Dim(i)
		total := p.total(d)
		if total == p.before.Get(d) || d == resource.Pods {
			continue
		}
		div.total, div.stale = total, true
		for _, q := range p.leaves {
			r, queue := &p.rows[q], p.l.Queue(q)
			bound, bounded := queue.Capability.Bound(d)
			real := fair.RealCapability(total, p.guaranteed.Get(d), queue.Guarantee.Get(d), fair.Limit{Value: bound, Bounded: bounded})
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
func (p *plugin) gather() {
	p.leaves = p.leaves[:0]
	for len(p.rows) < p.l.NumQueues() {
		p.rows = append(p.rows, row{})
	}
	for i := range p.rows {
		p.rows[i].shares, p.rows[i].at = false, -1
	}
	p.l.Queues(func(q ledger.QueueID) bool {
		if queue := p.l.Queue(q); queue.Place == ledger.Sound && queue.Leaf() {
			p.rows[q].shares = true
			p.leaves = append(p.leaves, q)
		}
		return true
	})
	slices.SortFunc(p.leaves, func(a, b ledger.QueueID) int { return cmp.Compare(p.l.Queue(a).Name, p.l.Queue(b).Name) })
}

// attach puts right which queues are sound leaves, after some changed their places: first
// they go from the list, since a row may have another name now.
func (p *plugin) attach(queues []ledger.QueueID) {
	for len(p.rows) < p.l.NumQueues() {
		p.rows = append(p.rows, row{at: -1})
	}
	for _, q := range queues {
		if p.rows[q].shares {
			i := slices.Index(p.leaves, q)
			p.leaves = slices.Delete(p.leaves, i, i+1)
		}
		p.rows[q].shares, p.rows[q].at = false, -1
	}
	for _, q := range queues {
		if queue := p.l.Queue(q); !p.rows[q].shares && queue.Place == ledger.Sound && queue.Leaf() {
			i, _ := slices.BinarySearchFunc(p.leaves, queue.Name, func(at ledger.QueueID, name string) int {
				return cmp.Compare(p.l.Queue(at).Name, name)
			})
			p.rows[q].shares = true
			p.leaves = slices.Insert(p.leaves, i, q)
		}
	}
}

// total is the cluster, within what a user's queue root names as limit (decision 6).
func (p *plugin) total(d resource.Dim) int64 { return p.totals.Get(d) }

// measure finds the total of every dimension.
func (p *plugin) measure() {
	root, named := p.l.FindQueue(model.RootQueue)
	p.totals = p.totals[:0]
	for d := range resource.Dim(p.l.Dims.Len()) {
		total := max(0, p.l.Total(d))
		if named {
			if b, bounded := p.l.Queue(root).Capability.Bound(d); bounded {
				total = min(total, b)
			}
		}
		p.totals = append(p.totals, total)
	}
}

// limit finds what all queues are guaranteed, and the most that each may hold: it rests on
// what queues are granted and on the cluster, not on what they hold.
func (p *plugin) limit() {
	p.guaranteed, p.kept.cursor = p.guaranteed[:0], 0
	for _, q := range p.leaves {
		p.guaranteed = p.guaranteed.Add(p.l.Queue(q).Guarantee)
	}
	p.before = p.before[:0]
	for d := range p.divided {
		p.before = append(p.before, p.guaranteed.Get(resource.Dim(d)))
	}
	for _, q := range p.leaves {
		r, queue := &p.rows[q], p.l.Queue(q)
		r.real = widen(r.real[:0], len(p.divided))
		for i := range r.real {
			d := resource.Dim(i)
			bound, bounded := queue.Capability.Bound(d)
			r.real[i] = fair.RealCapability(p.totals[i], p.before[i], queue.Guarantee.Get(d), fair.Limit{Value: bound, Bounded: bounded})
		}
	}
}

// takesPart says that something is shared with a leaf: not with one without jobs, unless
// something is kept for it.
func (p *plugin) takesPart(q ledger.QueueID) bool {
	return p.l.Queue(q).Jobs > 0 || !p.l.Queue(q).Guarantee.IsEmpty()
}

// pick finds which leaves take part, and lists what all of them have at stake, queue by
// queue: all about one is read at once.
func (p *plugin) pick() {
	p.sharing = p.sharing[:0]
	for _, q := range p.leaves {
		r := &p.rows[q]
		r.deserved = widen(r.deserved, len(p.divided))
		clear(r.deserved)
		r.at = -1
		if p.takesPart(q) {
			r.at = int32(len(p.sharing))
			p.sharing = append(p.sharing, q)
		}
	}
	for i := range p.divided {
		div, d := &p.divided[i], resource.Dim(i)
		if d == resource.Pods {
			continue
		}
		div.total, div.stale, div.broken = p.total(d), true, 0
		div.whole = !resource.Divisible(p.l.Dims.Name(d))
		div.demands = slices.Grow(div.demands[:0], len(p.sharing))[:len(p.sharing)]
		div.fillDemands = slices.Grow(div.fillDemands[:0], len(p.sharing))[:len(p.sharing)]
	}
	for at, q := range p.sharing {
		queue, real := p.l.Queue(q), p.rows[q].real
		for i := range p.divided {
			div, d := &p.divided[i], resource.Dim(i)
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
func (p *plugin) updateDemand(queues []ledger.QueueID) bool {
	for _, q := range queues {
		if !p.known(q) {
			continue
		}
		at := p.rows[q].at
		if p.takesPart(q) != (at >= 0) {
			return false
		}
		for d := range p.divided {
			if at < 0 {
				break
			}
			if d == int(resource.Pods) {
				continue
			}
			div, s := &p.divided[d], p.demand(q, resource.Dim(d))
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
	if div.whole && (s.Floor%resource.Device != 0 || s.Request%resource.Device != 0 || s.RealCapability.Value%resource.Device != 0) {
		return 1
	}
	return 0
}

// fill divides one dimension, if anything changed in it.
func (p *plugin) fill(d resource.Dim) {
	div := &p.divided[d]
	if !div.stale {
		return
	}
	div.stale = false
	unit, claims := p.unit(d), div.fillDemands
	if unit != 1 {
		p.claims = p.claims[:0]
		for _, c := range claims {
			p.claims = append(p.claims, fair.Demand{Weight: c.Weight, Floor: c.Floor / unit, Cap: c.Cap / unit})
		}
		claims = p.claims
	}
	for len(div.out) < len(claims) {
		div.out = append(div.out, 0)
	}
	div.filler.Fill(div.total/unit, claims, div.out[:len(claims)])
	for i, q := range p.sharing {
		p.rows[q].deserved[d] = div.out[i] * unit
	}
}

// unit is what a dimension is divided in: whole devices, as long as everything there is,
// asked for, guaranteed and bounded comes in whole devices; otherwise the engine's unit. Half
// a device each would keep two queues from the device that one of them could use (decision
// 1: rounding never costs a pod that would have fitted).
func (p *plugin) unit(d resource.Dim) int64 {
	if div := &p.divided[d]; div.whole && div.total%resource.Device == 0 && div.broken == 0 {
		return resource.Device
	}
	return 1
}

// divide is what is divided with what every claim is made of, for showing the arithmetic.
func (p *plugin) divide(d resource.Dim) (stakes []fair.QueueDemand, unit int64) {
	unit = p.unit(d)
	for _, s := range p.divided[d].demands {
		s.Floor, s.Request, s.RealCapability.Value = s.Floor/unit, s.Request/unit, s.RealCapability.Value/unit
		stakes = append(stakes, s)
	}
	return stakes, unit
}

// demand is a queue's part in dividing one dimension. A queue that is not open asks for
// no more than it holds: nothing it waits for can be placed.
func (p *plugin) demand(q ledger.QueueID, d resource.Dim) fair.QueueDemand {
	return demandOf(p.l.Queue(q), d, p.rows[q].real)
}

func demandOf(queue *ledger.Queue, d resource.Dim, real resource.Vec) fair.QueueDemand {
	asks := queue.Request
	if queue.State() != model.QueueOpen {
		asks = queue.Allocated
	}
	return fair.QueueDemand{Weight: queue.Weight(), Floor: queue.Guarantee.Get(d), Request: asks.Get(d),
		RealCapability: fair.Limit{Value: real.Get(d), Bounded: true}}
}
