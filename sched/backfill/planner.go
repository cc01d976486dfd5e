package backfill

import (
	"cmp"
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/topology"
)

// planner looks for the earliest start of a job. By amounts alone it finds how much room pods give back in the course
// of time; then the job is placed in a try in which those have left that end by then, by the same code and under the
// same rules as ever.
type planner struct {
	s     *session.Session
	j     ledger.JobID
	kinds []search.ClassTasks
	need  int64
	step  int64 // the steps in which times are counted
	ends  *session.Ends
	gains []gain
	of    []ledger.NodeID // the nodes of the gains
	known int64           // the gains are known up to this time
	stock stocks
	gone  []ledger.TaskID // once they have ended, the queue has room for the job
}

// gain is room for more tasks of a class on a node from a time on.
type gain struct {
	at    int64
	node  ledger.NodeID
	kind  int32
	tasks int32
}

// How many times and domains are tried before a start counts as unknown.
const (
	mostTimes         = 6
	mostPlannedInside = 8
)

func newPlanner(s *session.Session, j ledger.JobID) *planner {
	w := search.PendingTasksOf(s, j)
	p := &planner{s: s, j: j, kinds: w.ByClass(s, nil), need: int64(s.L.Job(j).LeastToPlace()),
		step: s.Backfill.Resolution, ends: s.Ends()}
	p.stock = stocksFor(s, w, p.kinds)
	return p
}

// find finds the earliest start, and the places; none when it is not known when the job could start, or not before a
// time.
func (p *planner) find(before int64) (places []foundPlace, start int64) {
	if p.stock.refused(p.s) {
		return nil, 0
	}
	from, ok := p.quota()
	if !ok {
		return nil, 0
	}
	type candidate struct {
		at    int64
		nodes []ledger.NodeID
	}
	var list []candidate
	for _, nodes := range p.scopes() {
		p.survey(nodes, before, from)
		if at, ok := p.earliest(from); ok && at < before {
			list = append(list, candidate{at, nodes})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.at, b.at) })
	for _, c := range list[:min(len(list), mostPlannedInside)] {
		p.survey(c.nodes, c.at, c.at)
		if found, at := p.inTime(c.at); len(found) > 0 && at < before && (start == 0 || at < start) {
			places, start = found, at
		}
		if len(places) > 0 {
			break
		}
	}
	return places, start
}

// scopes are the nodes among which the job has to stay: those of each domain that is not too wide, or all.
func (p *planner) scopes() (out [][]ledger.NodeID) {
	net, g := p.s.Policy.HyperNodes(), p.s.L.Job(p.j).Group
	if net == nil || g == nil || g.Topology == nil || !g.Topology.Hard {
		return [][]ledger.NodeID{p.s.NodeIndex.ByName()}
	}
	for _, d := range net.Widest(topology.Root, net.Reach(p.j, topology.AllSubs), net.Limit(g.Topology)) {
		out = append(out, net.Domain(d).Nodes)
	}
	return out
}

// survey finds what room pods on some nodes give back by a time, unless that is known. Where less time is enough for
// the minimum, it finds that until then only: of all ends there are, few come before the earliest start.
func (p *planner) survey(nodes []ledger.NodeID, by, from int64) {
	if p.stock.some { // to count these things costs more than to read all ends: once
		by, from = model.Never, model.Never
	}
	if len(nodes) > 0 && len(p.of) == len(nodes) && &p.of[0] == &nodes[0] && by <= p.known {
		return
	}
	p.gains, p.of, p.known = p.gains[:0], nodes, by
	looked, sum, enough := 0, int64(0), p.need
	for k, kind := range p.kinds {
		class := p.s.L.Class(kind.Class)
		admitted := p.s.NodeIndex.Admitted(kind.Class)
		r := &nodeRoom{free: make([]int64, len(class.Need)), held: make([]int64, len(class.Need)), of: ledger.NoClass}
		for _, n := range nodes {
			if !admitted[n] { // or not present
				continue
			}
			p.surveyNode(n, int32(k), class, r)
			for ; looked < len(p.gains); looked++ {
				sum += int64(p.gains[looked].tasks)
			}
			if sum >= enough && p.known > from {
				sum = p.bound(from)
				looked, enough = len(p.gains), 2*max(sum, p.need)
			}
		}
	}
}

// bound drops the gains after the earliest time at which the minimum has room by those that there are: other nodes can
// only make that sooner. It returns for how many tasks the others are.
func (p *planner) bound(from int64) (sum int64) {
	if at, ok := p.earliest(from); ok {
		p.known = min(p.known, at)
	}
	p.gains = slices.DeleteFunc(p.gains, func(g gain) bool { return g.at > p.known })
	for _, g := range p.gains {
		sum += int64(g.tasks)
	}
	return sum
}

// surveyNode goes through the ends on a node in the order of time. What terminating pods hold is given back when their
// grace is over.
func (p *planner) surveyNode(n ledger.NodeID, kind int32, class *ledger.Class, r *nodeRoom) {
	most := p.need
	for i, need := range class.Need {
		r.free[i] = p.s.L.Nodes.FutureIdle(need.Dim, n) - p.s.L.Nodes.Releasing(need.Dim)[n]
		most = min(most, p.s.L.Nodes.Allocatable(need.Dim)[n]/need.Amount)
	}
	if most <= 0 || len(class.Need) == 0 {
		return
	}
	on := p.ends.InOrder(n)
	r.things = p.stock.on(kind, n, on)
	fit := r.fits(class, most)
	if fit > 0 {
		p.gains = append(p.gains, gain{p.s.Now, n, kind, int32(fit)})
	}
	if p.ends.AllAfter(n, p.known) {
		return
	}
	for k := 0; k < len(on) && fit < most; {
		at := p.ends.Expected(&on[k])
		if at == model.Never || at > p.known {
			return
		}
		for ; k < len(on) && p.ends.Expected(&on[k]) == at; k++ {
			r.add(p.s.L, class, on[k].Class)
			r.giveBack(k)
		}
		if r.takes(class, fit+1) {
			now := r.fits(class, most)
			p.gains = append(p.gains, gain{at, n, kind, int32(now - fit)})
			fit = now
		}
	}
}

// nodeRoom is what is free on a node, in the dimensions that a class needs, and of things that filters count.
type nodeRoom struct {
	free   []int64
	held   []int64 // by the tasks of a class that was added last
	of     ledger.ClassID
	things []policy.Stock
}

// add adds what a task of a class gives back.
func (r *nodeRoom) add(l *ledger.Ledger, needs *ledger.Class, c ledger.ClassID) {
	if r.of != c {
		r.of = c
		for i, need := range needs.Need {
			r.held[i] = l.Class(c).Request.Get(need.Dim)
		}
	}
	for i, x := range r.held {
		r.free[i] += x
	}
}

// takes says that so many tasks of a class have room.
func (r *nodeRoom) takes(class *ledger.Class, tasks int64) bool {
	for i, need := range class.Need {
		if r.free[i] < tasks*need.Amount {
			return false
		}
	}
	return len(r.things) == 0 || r.fits(class, tasks) == tasks
}

// fitsIn is how many tasks of a class have room in free amounts, most at most.
func fitsIn(free []int64, class *ledger.Class, most int64) int64 {
	for i, need := range class.Need {
		if free[i] < need.Amount {
			return 0
		}
		most = min(most, free[i]/need.Amount)
	}
	return most
}

// fits is how many tasks have room by a time, by amounts, need at most.
func (p *planner) fits(by int64) (sum int64) {
	var few [8]int64
	fit := append(few[:0], make([]int64, len(p.kinds))...)
	for i := range p.gains {
		if p.gains[i].at <= by {
			fit[p.gains[i].kind] += int64(p.gains[i].tasks)
		}
	}
	for k := range fit {
		sum += min(fit[k], p.kinds[k].Tasks)
	}
	return min(sum, p.need)
}

// earliest is the first time, in steps, from which the minimum has room by amounts.
func (p *planner) earliest(from int64) (at int64, ok bool) {
	last := from
	for i := range p.gains {
		last = max(last, p.gains[i].at)
	}
	if p.fits(last) < p.need {
		return 0, false
	}
	low, high := from/p.step, last/p.step+1 // in steps: the minimum has room at high
	for low < high {
		if mid := low + (high-low)/2; p.fits(stepsAt(mid, p.step)) >= p.need {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return max(stepsAt(low, p.step), from), true
}

// stepsAt is the time after so many steps.
func stepsAt(n, step int64) int64 {
	if n > model.Never/step {
		return model.Never
	}
	return n * step
}

// inTime places the job at a time, or at a later one where filters or the order of its pods need more room than amounts
// say.
func (p *planner) inTime(at int64) (places []foundPlace, start int64) {
	defer p.s.Policy.StartAt(p.s.Now)
	for range mostTimes {
		places, turns := p.placesAt(at)
		if len(places) > 0 {
			return places, at
		}
		p.survey(p.of, model.Never, model.Never) // of all ends, since none up to now would do
		next := int64(model.Never)
		if turns != 0 {
			next = turns - 1 // the step after it is at that time, or the first one then
		}
		for i := range p.gains {
			if p.gains[i].at > at {
				next = min(next, p.gains[i].at)
			}
		}
		if next == model.Never {
			return nil, 0
		}
		at = stepsAt(next/p.step+1, p.step)
	}
	if p.stock.some {
		return p.later(at)
	}
	return nil, 0
}

// placesAt places the job at a time, and says when filters may answer otherwise for later starts, 0 for never.
func (p *planner) placesAt(at int64) (places []foundPlace, turns int64) {
	turns = p.s.Policy.StartAt(at)
	for _, times := range [...]int64{1, 4, 16} {
		gone, others := p.leaving(at, times*p.need)
		all := len(others) == 0
		if times == 16 {
			others = nil
		}
		if places = placesWithout(p.s, p.j, gone, len(p.gone), nil, others); len(places) > 0 || all {
			break
		}
	}
	return places, turns
}

// leaving are the tasks that have left by a time, on the nodes that have room last, as many as have room for so many
// pods by amounts, after those that the queue needs gone; others are the other nodes with room by then. What is free
// sooner is left to other jobs, which could use the former until then at most.
func (p *planner) leaving(by, need int64) (out []ledger.TaskID, others []ledger.NodeID) {
	var gains []gain
	for _, g := range p.gains {
		if g.at <= by {
			gains = append(gains, g)
		}
	}
	slices.SortFunc(gains, func(a, b gain) int {
		if a.at != b.at {
			return cmp.Compare(b.at, a.at)
		}
		return cmp.Or(strings.Compare(p.s.L.Node(a.node).Name, p.s.L.Node(b.node).Name), cmp.Compare(a.kind, b.kind))
	})
	out = slices.Clone(p.gone)
	left := map[ledger.TaskID]bool{}
	for _, t := range out {
		left[t] = true
	}
	seen := make([]bool, p.s.L.Nodes.Len())
	for _, g := range gains {
		known := seen[g.node]
		seen[g.node] = true
		if need <= 0 {
			if !known {
				others = append(others, g.node)
			}
			continue
		}
		need -= int64(g.tasks)
		if known {
			continue
		}
		for e := range p.ends.EndBy(g.node, by) {
			if !left[e.Task] && p.s.L.Task(e.Task).Status != model.Releasing {
				out = append(out, e.Task)
			}
		}
	}
	return out, others
}

// gone is a task that is gone from a time on.
type gone struct {
	at   int64
	task ledger.TaskID
}

// quota is the time from which the job's queue has room for its minimum, by the ends of the queue's pods; false when
// that is not known.
func (p *planner) quota() (from int64, ok bool) {
	if !p.s.QueueLacks(p.j).Is() {
		return p.s.Now, true
	}
	var ends []gone
	eachEnd(p.s, p.ends, p.s.L.Job(p.j).Queue, model.Never, func(e *session.End, at int64) bool {
		ends = append(ends, gone{at, e.Task})
		return true
	})
	slices.SortFunc(ends, func(a, b gone) int { return cmp.Compare(a.at, b.at) })
	enough := func(n int) (ok bool) {
		p.s.L.Try(func(tx *ledger.Tx) bool {
			for _, e := range ends[:n] {
				if p.s.L.Task(e.task).Status != model.Releasing {
					tx.Evict(e.task, "", ledger.NoTask)
				}
			}
			ok = !p.s.QueueLacks(p.j).Is()
			return false
		})
		return ok
	}
	low, high := 0, 1 // low are not enough
	for ; high < len(ends) && !enough(high); high *= 2 {
		low = high
	}
	if high = min(high, len(ends)); high == 0 || !enough(high) {
		return 0, false
	}
	for low+1 < high {
		if mid := (low + high) / 2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	for high < len(ends) && ends[high].at == ends[high-1].at {
		high++ // those that end together are gone together, whatever their order
	}
	for _, e := range ends[:high] {
		if p.s.L.Task(e.task).Status != model.Releasing {
			p.gone = append(p.gone, e.task)
		}
	}
	return stepsAt(ends[high-1].at/p.step+1, p.step), true
}
