// Package proportion is the plugin that shares the cluster among flat queues by
// weight (seed 000).
//
// What a queue deserves is found anew when a cycle begins and anything it rests on has
// changed, and then stands still: in every dimension a water level, weight by weight,
// clipped to realCapability and to what the queue asks for, raised to its guarantee
// (decision 1). Queues are served by priority, then by share = allocated / deserved; a
// queue that holds what it deserves is overused; no task lifts a queue above what it
// deserves; a job is let in while its queue could ever hold it. What a queue holds above
// that, those that hold less may take back (reclaim.go).
//
// The plugin keeps no sums: what queues hold and ask for it reads from the ledger. The
// dimension pods takes no part (decision 24). Only sound leaf queues share; jobs in
// other queues wait (decision 8) and count for nobody.
package proportion

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin's entry in the list of plugins.
func Definition() policy.Definition {
	return policy.Definition{Name: "proportion", New: func(_ policy.Choice, l *ledger.Ledger) (any, error) {
		return &plugin{l: l}, nil
	}}
}

type plugin struct {
	l               *ledger.Ledger
	rows            []row            // by QueueID
	leaves          []ledger.QueueID // sound leaf queues, by name
	sharing         []ledger.QueueID // those of them that have jobs or a guarantee
	guaranteed      resource.Sums
	totals          resource.Vec
	opens           uint64
	filler          fair.Filler
	claims          []fair.Claim
	divided         []division // by dimension
	out             []int64
	figures, shapes uint64
	opened          bool
	freed, last     resource.Vec // scratch of Reclaimable
}

// division is how one dimension was divided last: most changes touch a dimension or two,
// and what nobody's stake changed in need not be divided again.
type division struct {
	total, unit int64
	queues      []ledger.QueueID
	claims      []fair.Claim
	out         []int64
}

// row is what a queue deserves and may at most hold.
type row struct {
	shares   bool // it is a sound leaf
	deserved resource.Vec
	real     resource.Vec // every dimension is bounded: the cluster is finite

	share              fair.Ratio
	sharedAt, sharedIn uint64 // the queue's Moved, and the plugin's opens, when share was found
}

// Open finds what every queue deserves, if anything changed, and tells the trace how.
func (p *plugin) Open(rec *trace.Recorder) {
	if p.opened && p.figures == p.l.Figures() && p.shapes == p.l.Shape() && !rec.On(trace.FormatDeserved) {
		return
	}
	if !p.opened || p.shapes != p.l.Shape() {
		p.measure()
		p.gather()
	}
	p.opened, p.figures, p.shapes = true, p.l.Figures(), p.l.Shape()
	p.opens++
	p.pick()
	for d := range resource.Dim(p.l.Dims.Len()) {
		if d != resource.Pods {
			p.fill(d)
		}
	}
	if rec.On(trace.FormatDeserved) {
		p.tell(rec)
	}
}

// gather lists the sound leaf queues by name, and what all of them are guaranteed.
func (p *plugin) gather() {
	p.leaves, p.guaranteed = p.leaves[:0], p.guaranteed[:0]
	for len(p.rows) < p.l.NumQueues() {
		p.rows = append(p.rows, row{})
	}
	for i := range p.rows {
		p.rows[i].shares = false
	}
	p.l.Queues(func(q ledger.QueueID) bool {
		queue := p.l.Queue(q)
		if queue.Place == ledger.Sound && queue.Leaf() {
			p.leaves = append(p.leaves, q)
			p.guaranteed = p.guaranteed.Add(queue.Guarantee)
		}
		return true
	})
	slices.SortFunc(p.leaves, func(a, b ledger.QueueID) int { return cmp.Compare(p.l.Queue(a).Name, p.l.Queue(b).Name) })
	for _, q := range p.leaves {
		p.rows[q].shares = true
		p.limit(q)
	}
}

// limit finds the most that a queue may hold: it rests on what queues are granted and on
// the cluster, not on what they hold.
func (p *plugin) limit(q ledger.QueueID) {
	r, queue := &p.rows[q], p.l.Queue(q)
	r.real = r.real[:0]
	for d := range resource.Dim(p.l.Dims.Len()) {
		bound, bounded := queue.Capability.Bound(d)
		r.real = append(r.real, fair.RealCapability(p.total(d), p.guaranteed.Get(d), queue.Guarantee.Get(d),
			fair.Limit{Value: bound, Bounded: bounded}))
	}
}

// pick finds which leaves take part: one without jobs does not, unless something is kept
// for it.
func (p *plugin) pick() {
	p.sharing = p.sharing[:0]
	n := p.l.Dims.Len()
	for _, q := range p.leaves {
		r := &p.rows[q]
		r.deserved = widen(r.deserved, n)
		clear(r.deserved)
		if p.l.Queue(q).Jobs > 0 || !p.l.Queue(q).Guarantee.IsEmpty() {
			p.sharing = append(p.sharing, q)
		}
	}
}

func widen(v resource.Vec, n int) resource.Vec {
	for len(v) < n {
		v = append(v, 0)
	}
	return v
}

// fill divides one dimension.
func (p *plugin) fill(d resource.Dim) {
	unit := p.claim(d)
	for len(p.divided) <= int(d) {
		p.divided = append(p.divided, division{})
	}
	last := &p.divided[d]
	if last.total == p.total(d) && last.unit == unit && slices.Equal(last.claims, p.claims) && slices.Equal(last.queues, p.sharing) {
		for i, q := range p.sharing {
			p.rows[q].deserved[d] = last.out[i] * unit
		}
		return
	}
	last.total, last.unit = p.total(d), unit
	last.claims, last.queues = append(last.claims[:0], p.claims...), append(last.queues[:0], p.sharing...)
	p.filler.Fill(p.total(d)/unit, p.claims, p.out)
	last.out = append(last.out[:0], p.out...)
	for i, q := range p.sharing {
		p.rows[q].deserved[d] = p.out[i] * unit
	}
}

// claim lists what everybody has at stake in one dimension, in the unit it is divided in:
// whole devices, as long as everything there is, asked for, guaranteed and bounded comes in
// whole devices; otherwise the engine's unit. Half a device each would keep two queues from the
// device that one of them could use (decision 1: rounding never costs a pod that would
// have fitted).
func (p *plugin) claim(d resource.Dim) (unit int64) {
	p.claims, p.out = p.claims[:0], p.out[:0]
	whole := !resource.Divisible(p.l.Dims.Name(d)) && p.total(d)%resource.Device == 0
	for _, q := range p.sharing {
		s := p.stake(q, d)
		whole = whole && s.Floor%resource.Device == 0 && s.Request%resource.Device == 0 && s.RealCapability.Value%resource.Device == 0
		p.claims = append(p.claims, s.Claim())
		p.out = append(p.out, 0)
	}
	if !whole {
		return 1
	}
	for i := range p.claims {
		p.claims[i].Floor /= resource.Device
		p.claims[i].Cap /= resource.Device
	}
	return resource.Device
}

// divide is claim with what every claim is made of, for showing the arithmetic.
func (p *plugin) divide(d resource.Dim) (stakes []fair.Stake, unit int64) {
	unit = p.claim(d)
	for _, q := range p.sharing {
		s := p.stake(q, d)
		s.Floor, s.Request, s.RealCapability.Value = s.Floor/unit, s.Request/unit, s.RealCapability.Value/unit
		stakes = append(stakes, s)
	}
	return stakes, unit
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

// stake is a queue's part in dividing one dimension. A queue that is not open asks for
// no more than it holds: nothing it waits for can be placed.
func (p *plugin) stake(q ledger.QueueID, d resource.Dim) fair.Stake {
	queue := p.l.Queue(q)
	request := queue.Request.Get(d)
	if queue.State() != model.QueueOpen {
		request = queue.Allocated.Get(d)
	}
	return fair.Stake{Weight: queue.Weight(), Floor: queue.Guarantee.Get(d), Request: request,
		RealCapability: fair.Limit{Value: p.rows[q].real.Get(d), Bounded: true}}
}

// CompareQueues puts the higher priority first, then the smaller share (seed 000 §5.2).
func (p *plugin) CompareQueues(a, b ledger.QueueID) int {
	if c := cmp.Compare(p.l.Queue(b).Priority(), p.l.Queue(a).Priority()); c != 0 {
		return c
	}
	return p.share(a).Compare(p.share(b))
}

// share is the largest of a queue's shares over all dimensions, as it stands now
// (seed 000 §5.1, decision 3). It is found again only after the queue's figures moved:
// a rotation of many queues compares each of them many times.
func (p *plugin) share(q ledger.QueueID) fair.Ratio {
	if !p.known(q) {
		return fair.Ratio{}
	}
	r, queue := &p.rows[q], p.l.Queue(q)
	if r.sharedAt == queue.Moved && r.sharedIn == p.opens {
		return r.share
	}
	var most fair.Ratio
	for d, deserved := range r.deserved {
		if allocated := queue.Allocated.Get(resource.Dim(d)); allocated > 0 {
			if s := fair.Share(allocated, deserved); s.Compare(most) > 0 {
				most = s
			}
		}
	}
	r.share, r.sharedAt, r.sharedIn = most, queue.Moved, p.opens
	return most
}

// Overused says that a queue holds all it deserves in every dimension in which it
// holds or asks for something (seed 000 §6, decision 4).
func (p *plugin) Overused(q ledger.QueueID) (trace.Reason, bool) {
	if !p.overused(q) {
		return trace.Reason{}, false
	}
	r := trace.Reason{Code: trace.QueueOverused, Queue: p.l.Queue(q).Name}
	r.Shorts = policy.Shorts(p.l.Dims, func(d resource.Dim) bool { return p.involved(q, d) }, func(d resource.Dim) trace.Short {
		return trace.Short{Need: p.rows[q].deserved.Get(d), Have: p.l.Queue(q).Allocated.Get(d)}
	})
	return r, true
}

func (p *plugin) overused(q ledger.QueueID) bool {
	if !p.known(q) {
		return false
	}
	any := false
	for d, deserved := range p.rows[q].deserved {
		if p.involved(q, resource.Dim(d)) {
			any = true
			if p.l.Queue(q).Allocated.Get(resource.Dim(d)) < deserved {
				return false
			}
		}
	}
	return any
}

func (p *plugin) involved(q ledger.QueueID, d resource.Dim) bool {
	queue := p.l.Queue(q)
	return p.counts(d) && (queue.Allocated.Get(d) > 0 || queue.Request.Get(d) > 0)
}

// counts says that a dimension is shared at all. One that no node offers is not: there
// is nothing of it to deserve, and what waits for it waits for nodes, not for its
// queue, which is what an autoscaler has to be told (decisions 6 and 26).
func (p *plugin) counts(d resource.Dim) bool { return d != resource.Pods && p.l.Total(d) > 0 }

// Allocatable is how many more tasks of a class fit below what the queue deserves, in
// the dimensions they ask for (seed 000 §7, decision 5).
func (p *plugin) Allocatable(q ledger.QueueID, c ledger.ClassID, want int64) int64 {
	queue := p.l.Queue(q)
	if !p.known(q) || queue.State() != model.QueueOpen {
		return 0
	}
	for _, need := range p.l.Class(c).Need {
		if !p.counts(need.Dim) {
			continue
		}
		left := p.rows[q].deserved.Get(need.Dim) - queue.Allocated.Get(need.Dim)
		want = min(want, max(0, left)/need.Amount)
	}
	return want
}

// WhyNot names the dimensions in which one more task would lift the queue above what
// it deserves: Need is what it would hold, Have what it deserves. The zero reason when
// there is none.
func (p *plugin) WhyNot(q ledger.QueueID, c ledger.ClassID) trace.Reason {
	return p.refusal(q, p.l.Class(c).Request)
}

// refusal is the reason why a queue may not take so much more; none when it may.
func (p *plugin) refusal(q ledger.QueueID, want resource.Vec) trace.Reason {
	queue := p.l.Queue(q)
	if queue.State() != model.QueueOpen {
		return trace.Reason{Code: trace.QueueNotOpen, Queue: queue.Name, Text: queue.State().String()}
	}
	r := trace.Reason{Code: trace.QueueDeserved, Queue: queue.Name}
	if !p.known(q) {
		return r
	}
	future := func(d resource.Dim) int64 {
		return resource.Sum{}.Plus(queue.Allocated.Get(d)).Plus(want.Get(d)).Int64()
	}
	r.Shorts = policy.Shorts(p.l.Dims, func(d resource.Dim) bool {
		return p.counts(d) && want.Get(d) > 0 && future(d) > p.rows[q].deserved.Get(d)
	}, func(d resource.Dim) trace.Short {
		return trace.Short{Need: future(d), Have: p.rows[q].deserved.Get(d)}
	})
	if len(r.Shorts) == 0 {
		return trace.Reason{}
	}
	return r
}

// known says that a queue shares the cluster, and its row is its own.
func (p *plugin) known(q ledger.QueueID) bool {
	return q >= 0 && int(q) < len(p.rows) && p.rows[q].shares
}
