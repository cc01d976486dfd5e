package player

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
)

// Bounds of what is told of cycles.
const (
	mostCycles    = 20_000 // in one answer: the last ones
	mostDecisions = 500    // of one cycle in an answer
)

// decided is a cycle that decided something. Times are virtual.
type decided struct {
	explain.Cycle
	at        time.Duration
	decisions []explain.Decided
}

// decisions are the cycles of a run. With more than mostSentences decisions the older half goes.
type decisions struct {
	list    []decided
	count   int // of decisions in list
	quiet   int // cycles after the last of list
	last    uint64
	dropped bool
}

// add keeps a cycle.
func (d *decisions) add(c *sim.Cycle, said []explain.Decided) {
	row := decided{Cycle: explain.Cycle{Cycle: uint64(c.Number), Took: c.Took.Seconds()}, at: c.At, decisions: said}
	for _, i := range c.Plan.Items {
		row.Count(i.Kind, i.Phase, len(i.Evictions))
	}
	d.last = row.Cycle.Cycle
	if !row.Decided() {
		d.quiet++
		return
	}
	row.Quiet, d.quiet = d.quiet, 0
	d.list, d.count = append(d.list, row), d.count+len(said)
	if d.count <= mostSentences {
		return
	}
	gone := 0
	for ; d.count > mostSentences/2; gone++ {
		d.count -= len(d.list[gone].decisions)
	}
	d.list, d.dropped = slices.Clone(d.list[gone:]), true
}

// rowOf is a row with its times.
func (p *Player) rowOf(d *decided) explain.Cycle {
	out, seconds := d.Cycle, d.at.Seconds()
	out.Time, out.Seconds = explain.Stamp(p.o.Begin+int64(d.at)), &seconds
	return out
}

// cycles answers with all cycles after a number that decided something, those after the moment that is shown among
// them: a click on one goes there.
func (p *Player) cycles(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.ParseUint(r.URL.Query().Get("after"), 10, 62) // what is no number is 0: everything
	out := explain.NewCycleList()
	p.mu.Lock()
	d := &p.past.decisions
	from, _ := slices.BinarySearchFunc(d.list, after+1, decidedIn)
	if over := len(d.list) - from - mostCycles; over > 0 {
		from, out.More = from+over, over
	}
	for i := from; i < len(d.list); i++ {
		out.Items = append(out.Items, p.rowOf(&d.list[i]))
	}
	out.Quiet, out.Last = d.quiet, d.last
	if d.dropped {
		out.Since = explain.Stamp(p.o.Begin + int64(d.list[0].at))
	}
	p.mu.Unlock()
	write(w, out)
}

func decidedIn(d decided, n uint64) int { return int(min(1, max(-1, int64(d.Cycle.Cycle)-int64(n)))) }

// oneCycle answers with what one cycle decided.
func (p *Player) oneCycle(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.ParseUint(r.PathValue("number"), 10, 62)
	p.mu.Lock()
	at, known := slices.BinarySearchFunc(p.past.decisions.list, n, decidedIn)
	if err != nil || !known {
		p.mu.Unlock()
		refuse(w, http.StatusNotFound, "cycle "+r.PathValue("number")+" decided nothing, or is kept no more")
		return
	}
	d := &p.past.decisions.list[at]
	out := explain.NewCycleAnswer(p.rowOf(d))
	out.Decisions = append(out.Decisions, d.decisions[:min(len(d.decisions), mostDecisions)]...)
	out.More = len(d.decisions) - len(out.Decisions)
	evictions := p.ring.frames[len(p.ring.frames)-1].evictions
	p.mu.Unlock()
	for i := range evictions {
		if e := &evictions[i]; e.Cycle == int(n) {
			out.Evictions = append(out.Evictions, *e)
		}
	}
	write(w, out)
}
