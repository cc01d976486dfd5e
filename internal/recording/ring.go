package recording

import (
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Ring keeps in memory what was lately done with a scheduler's engine, within a bound. It is not safe for concurrent
// use: the goroutine that has the engine calls it. A nil Ring keeps nothing.
//
// It copies no facts: objects are never changed, so it refers to them. What held before a recording is not kept either.
// The ring notes with each fact what it replaces, so the facts at the beginning are those of now with all changes taken
// back. Only commitments are copied, at the beginning of each part of the recording; the oldest part is dropped as a
// whole.
type Ring struct {
	limit int64 // bytes of memory
	parts []*part
	bytes int64  // of all parts
	last  packed // what is being done now; its lists are used again and again
	in    shelves
	cycle uint64
	began time.Time     // when that cycle began to be decided
	cost  time.Duration // of the last beginning of a part
	clock func() time.Time
	// To, if set, is given each step when it is complete, and the state that a part begins with.
	To *Disk
}

// part is a stretch of a recording that can be played without what was before it.
type part struct {
	base   State // without facts
	steps  []packed
	bytes  int64
	shared weighed
	began  time.Time
	cycles int
}

// About is what a recording says of the scheduler at the beginning of a part, beside what its engine knows.
type About struct {
	Version       string
	Period        time.Duration
	Configuration string
	UTCOffset     string
}

// Parts are dropped one at a time, so that a recording holds at least most/(most+1) of what it may.
const (
	partsInRing = 16
	longestPart = 30 * time.Second
	// A part begins at the earliest when this multiple of the time is over that its beginning takes: so that costs less
	// than one in a hundred.
	rarelyBegun = 100
)

// NewRing returns a ring that keeps up to so many bytes.
func NewRing(limit int64, clock func() time.Time) *Ring { return &Ring{limit: limit, clock: clock} }

// Recording says that a part has begun: what is done with the engine is kept.
func (r *Ring) Recording() bool { return r != nil && len(r.parts) > 0 }

// Begin notes that a cycle begins, at a time in nanoseconds since the epoch. Where it is time for it, a new part begins
// before.
func (r *Ring) Begin(e *sched.Engine, now int64, about About) {
	if r == nil {
		return
	}
	if !r.Recording() || r.full() {
		r.beginPart(e, now, about)
	}
	r.cycle++
	r.last.number, r.last.now, r.last.open = r.cycle, now, true
	r.parts[len(r.parts)-1].cycles++
	r.began = r.clock()
}

// End notes the result of the cycle.
func (r *Ring) End(items []sched.Item, next int64) {
	if !r.Recording() || !r.last.open {
		return
	}
	for i := range items {
		r.last.items = append(r.last.items, packItem(&items[i]))
	}
	r.last.next, r.last.took, r.last.open = next, int64(r.clock().Sub(r.began)), false
	r.close()
	for r.bytes > r.limit && len(r.parts) > 1 {
		r.bytes -= r.parts[0].bytes
		r.parts[0] = nil
		r.parts = r.parts[1:]
	}
}

// Fact notes that a fact is about to be applied. One that is older than what is known is left out, as Apply ignores
// it: an engine that begins with the recording may not know what is newer.
func (r *Ring) Fact(led *ledger.Ledger, f model.Fact) {
	if !r.Recording() {
		return
	}
	packed := packFact(led, f)
	if packed.version < packed.wasVersion {
		return
	}
	if len(r.last.receipts) > 0 {
		r.close()
	}
	r.last.facts = append(r.last.facts, packed)
}

// Receipts notes that receipts are about to be received.
func (r *Ring) Receipts(list []sched.Receipt) {
	if !r.Recording() {
		return
	}
	for _, x := range list {
		r.last.receipts = append(r.last.receipts, packReceipt(x))
	}
}

// Remade notes that the engine is about to be made anew, of another configuration: facts and commitments move over.
func (r *Ring) Remade(about About) {
	if !r.Recording() {
		return
	}
	r.close()
	r.last.remade = &Remade{Configuration: about.Configuration, UTCOffset: about.UTCOffset}
	r.close()
}

// Forget drops all, as the engine was made anew of something else than what it knew. The next cycle begins a recording.
func (r *Ring) Forget() {
	if r == nil {
		return
	}
	r.parts, r.last, r.bytes, r.in = nil, packed{}, 0, shelves{}
	r.To.gap()
}

// longList is the length beyond which a list is not kept to be used again.
const longList = 1 << 12

// close ends what is being done: it does not change any more.
func (r *Ring) close() {
	k := r.last
	if len(k.facts)+len(k.receipts) == 0 && k.number == 0 && k.remade == nil {
		return
	}
	r.last = packed{}
	p := r.parts[len(r.parts)-1]
	weight := k.weight(p.shared)
	bytes := weight - weightOfList(p.steps)
	if len(k.facts)+len(k.receipts)+len(k.items) <= longList {
		again := k
		bytes += k.own(&r.in)
		clear(again.facts) // refers to objects that may be gone
		r.last = packed{facts: again.facts[:0], receipts: again.receipts[:0], items: again.items[:0]}
	} else {
		bytes += weightOfList(k.facts) + weightOfList(k.receipts) + weightOfList(k.items)
	}
	p.steps = append(p.steps, k)
	bytes += weightOfList(p.steps)
	p.bytes += bytes
	r.bytes += bytes
	if r.To != nil {
		r.To.step(k.step(), weight)
	}
}

// full says that it is time for a new part.
func (r *Ring) full() bool {
	last := r.parts[len(r.parts)-1]
	if last.cycles == 0 {
		return false
	}
	if r.bytes > r.limit { // it would not fit otherwise
		return true
	}
	age := r.clock().Sub(last.began)
	return age > rarelyBegun*r.cost && (age > longestPart || last.bytes > r.limit/partsInRing)
}

func (r *Ring) beginPart(e *sched.Engine, now int64, about About) {
	if r.Recording() {
		r.close()
	}
	began := r.clock()
	e.Checkpoint()
	c := e.LastCheckpoint()
	c.Memories = e.Ledger().PluginStates.Memories()
	p := &part{base: State{Version: about.Version, Now: now, Period: about.Period, Commitments: c,
		Configuration: about.Configuration, UTCOffset: about.UTCOffset}, shared: weighed{}, began: began}
	p.bytes = weightOfCommitments(c)
	r.parts, r.in = append(r.parts, p), shelves{} // an older part that is dropped keeps nothing of this one
	r.bytes += p.bytes
	r.cost = r.clock().Sub(began)
	r.To.part(p.base, e.Facts)
}

// Taken is what a ring held at one moment. It may be used by another goroutine.
type Taken struct {
	Base  State
	steps []packed
}

// Take returns all that is kept, with the facts that the engine knew at the beginning; false where nothing is kept. It
// costs as much as listing the engine's facts.
func (r *Ring) Take(e *sched.Engine) (Taken, bool) {
	if !r.Recording() {
		return Taken{}, false
	}
	r.close()
	t := Taken{Base: r.parts[0].base}
	first := map[model.Ref]*packedFact{}
	for _, p := range r.parts {
		for i := range p.steps {
			t.steps = append(t.steps, p.steps[i])
			for j := range p.steps[i].facts {
				f := &p.steps[i].facts[j]
				if ref := f.fact().Ref; first[ref] == nil {
					first[ref] = f
				}
			}
		}
	}
	for _, f := range e.Facts() {
		if changed := first[f.Ref]; changed != nil {
			delete(first, f.Ref)
			was, known := changed.before(f)
			if !known {
				continue
			}
			f = was
		}
		t.Base.Facts = append(t.Base.Facts, f)
	}
	for ref, changed := range first { // what is known no more
		if was, known := changed.before(model.Fact{Ref: ref}); known {
			t.Base.Facts = append(t.Base.Facts, was)
		}
	}
	return t, true
}

// Steps are those of the recording, one after the other.
func (t Taken) Steps(yield func(*Step) bool) {
	for i := range t.steps {
		if !yield(t.steps[i].step()) {
			return
		}
	}
}

// Len is how many steps there are.
func (t Taken) Len() int { return len(t.steps) }
