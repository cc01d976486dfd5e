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
	total  int64
	stakes []fair.Stake // of those that share, in the engine's unit
	claims []fair.Claim // the same
	broken int          // stakes that are not in whole devices
	stale  bool         // something changed since it was divided
	out    []int64
	filler fair.Filler
}

// follow takes in what changed in the ledger since the last time: the stakes of a few
// queues, or where the tree or what is granted changed, everybody's.
func (p *plugin) follow() {
	served, servedNow, known := p.l.Served(p.served)
	_, grantedNow, sameTree := p.l.Granted(p.granted)
	p.served, p.granted = servedNow, grantedNow
	dims := p.l.Dims.Len()
	if !p.opened || p.shapes != p.l.Shape() || len(p.divided) != dims {
		for len(p.divided) < dims {
			p.divided = append(p.divided, division{})
		}
		if !p.opened || !sameTree {
			p.gather()
		}
		p.measure()
		p.limit()
		p.pick()
		return
	}
	if !known || !p.restake(served) {
		p.pick()
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
	p.guaranteed, p.kept.mark = p.guaranteed[:0], 0
	for _, q := range p.leaves {
		p.guaranteed = p.guaranteed.Add(p.l.Queue(q).Guarantee)
	}
	for _, q := range p.leaves {
		r, queue := &p.rows[q], p.l.Queue(q)
		r.real = r.real[:0]
		for d := range resource.Dim(len(p.divided)) {
			bound, bounded := queue.Capability.Bound(d)
			r.real = append(r.real, fair.RealCapability(p.total(d), p.guaranteed.Get(d), queue.Guarantee.Get(d),
				fair.Limit{Value: bound, Bounded: bounded}))
		}
	}
}

// takesPart says that something is shared with a leaf: not with one without jobs, unless
// something is kept for it.
func (p *plugin) takesPart(q ledger.QueueID) bool {
	return p.l.Queue(q).Jobs > 0 || !p.l.Queue(q).Guarantee.IsEmpty()
}

// pick finds which leaves take part, and lists what all of them have at stake.
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
	for d := range p.divided {
		div := &p.divided[d]
		div.total, div.stale, div.broken = p.total(resource.Dim(d)), true, 0
		div.stakes, div.claims = div.stakes[:0], div.claims[:0]
	}
	for _, q := range p.sharing {
		h := p.holder(q)
		for d := range p.divided {
			if div := &p.divided[d]; d != int(resource.Pods) {
				s := h.stake(resource.Dim(d))
				div.stakes, div.claims = append(div.stakes, s), append(div.claims, s.Claim())
				div.broken += broken(&s)
			}
		}
	}
}

func widen(v resource.Vec, n int) resource.Vec {
	for len(v) < n {
		v = append(v, 0)
	}
	return v
}

// restake puts right what some queues have at stake; false when others than before take
// part.
func (p *plugin) restake(queues []ledger.QueueID) bool {
	for _, q := range queues {
		if !p.known(q) {
			continue
		}
		at := p.rows[q].at
		if p.takesPart(q) != (at >= 0) {
			return false
		}
		if at < 0 {
			continue
		}
		h := p.holder(q)
		for d := range p.divided {
			if d == int(resource.Pods) {
				continue
			}
			div, s := &p.divided[d], h.stake(resource.Dim(d))
			if was := &div.stakes[at]; *was != s {
				div.broken += broken(&s) - broken(was)
				*was, div.claims[at], div.stale = s, s.Claim(), true
			}
		}
	}
	return true
}

// broken is 1 for a stake that is not in whole devices.
func broken(s *fair.Stake) int {
	if s.Floor%resource.Device != 0 || s.Request%resource.Device != 0 || s.RealCapability.Value%resource.Device != 0 {
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
	unit, claims := p.unit(d), div.claims
	if unit != 1 {
		p.claims = p.claims[:0]
		for _, c := range claims {
			p.claims = append(p.claims, fair.Claim{Weight: c.Weight, Floor: c.Floor / unit, Cap: c.Cap / unit})
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
	if div := &p.divided[d]; !resource.Divisible(p.l.Dims.Name(d)) && div.total%resource.Device == 0 && div.broken == 0 {
		return resource.Device
	}
	return 1
}

// divide is what is divided with what every claim is made of, for showing the arithmetic.
func (p *plugin) divide(d resource.Dim) (stakes []fair.Stake, unit int64) {
	unit = p.unit(d)
	for _, s := range p.divided[d].stakes {
		s.Floor, s.Request, s.RealCapability.Value = s.Floor/unit, s.Request/unit, s.RealCapability.Value/unit
		stakes = append(stakes, s)
	}
	return stakes, unit
}

// holder is a queue with what is the same in every dimension of its stakes.
type holder struct {
	queue  *ledger.Queue
	real   resource.Vec
	weight int64
	open   bool
}

func (p *plugin) holder(q ledger.QueueID) holder {
	queue := p.l.Queue(q)
	return holder{queue, p.rows[q].real, queue.Weight(), queue.State() == model.QueueOpen}
}

// stake is a queue's part in dividing one dimension. A queue that is not open asks for
// no more than it holds: nothing it waits for can be placed.
func (h *holder) stake(d resource.Dim) fair.Stake {
	request := h.queue.Allocated
	if h.open {
		request = h.queue.Request
	}
	return fair.Stake{Weight: h.weight, Floor: h.queue.Guarantee.Get(d), Request: request.Get(d),
		RealCapability: fair.Limit{Value: h.real.Get(d), Bounded: true}}
}
