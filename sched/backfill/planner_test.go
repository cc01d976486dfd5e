package backfill

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/trace"
)

// TestStartsArePlannedAsAnObviousPlannerDoes compares the planner, on clusters with pods that end or do not, with one
// that goes through all times, sums up everything anew and evicts one pod after the other; and what is covered with
// sums over all pods.
func TestStartsArePlannedAsAnObviousPlannerDoes(t *testing.T) {
	planned, later, covered, quotas := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := newTimed(t)
		for _, j := range w.jobs {
			if w.n(3) == 0 {
				w.change()
			}
			w.s.Now += int64(w.n(4)) * aSecond
			w.s.Policy.At(w.s.Now)
			Cover(w.s)
			covered += w.checkCovered()
			if w.l.Job(j).NotGone() > 0 && w.s.QueueLacks(j).Is() {
				continue // it needs the more of its queue the more of its members end: no order of them is obvious
			}
			before := int64(model.Never)
			if w.n(3) == 0 {
				before = w.s.Now + int64(w.n(40))*aSecond
			}
			fast, slow := newPlanner(w.s, j), slowPlanner{newPlanner(w.s, j)}
			places, start := w.found(j, fast.find, before)
			obvious, at := w.found(j, slow.find, before)
			if start != at || !slices.Equal(places, obvious) {
				t.Fatalf("%s is planned for %d on %s, want %d on %s", w.l.Job(j).Key.Name, start, w.named(places), at,
					w.named(obvious))
			}
			if len(places) > 0 {
				planned++
				if start > w.s.Now {
					later++
				}
				if len(slow.gone) > 0 {
					quotas++
				}
			}
			if search.Would(w.s, j) || !plan(w.s, j, 0, model.Never) {
				continue
			}
			covered += w.checkCovered()
		}
	})
	if planned == 0 || later == 0 || covered == 0 || quotas == 0 {
		t.Errorf("%d planned, %d of them for later, %d after pods of their queue, %d tasks covered: all have to occur",
			planned, later, quotas, covered)
	}
}

// found is what a planner finds for a job with no other room kept for it, as in plan.
func (w *timed) found(j ledger.JobID, find func(before int64) ([]foundPlace, int64),
	before int64) (places []foundPlace, start int64) {
	w.s.Policy.Open(&trace.Recorder{}, policy.NoStopwatch{}) // what plugins remember of the cycle is of no other planner
	w.l.Try(func(tx *ledger.Tx) bool {
		if w.l.KeptRoom.Planned(j) {
			tx.Waive(j)
		}
		for _, k := range plannedTasks(w.s) {
			if k.job != j {
				tx.Uncover(k.task)
			}
		}
		places, start = find(before)
		return false
	})
	return places, start
}

func (w *timed) named(places []foundPlace) (out []string) {
	for _, x := range places {
		out = append(out, w.l.Task(x.task).Key.Name+" on "+w.l.Node(x.node).Name)
	}
	return out
}

// slowPlanner is the planner without what makes it fast.
type slowPlanner struct{ *planner }

func (p slowPlanner) find(before int64) (places []foundPlace, start int64) {
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
		p.survey(nodes)
		if at, ok := p.earliest(from); ok && at < before {
			list = append(list, candidate{at, nodes})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.at, b.at) })
	for _, c := range list[:min(len(list), mostPlannedInside)] {
		p.survey(c.nodes)
		if found, at := p.inTime(c.at); len(found) > 0 && at < before {
			return found, at
		}
	}
	return nil, 0
}

// survey counts at each end on a node what has ended by then.
func (p slowPlanner) survey(nodes []ledger.NodeID) {
	p.gains = nil
	for k, kind := range p.kinds {
		class := p.s.L.Class(kind.Class)
		for _, n := range nodes {
			if !p.s.NodeIndex.Admitted(kind.Class)[n] || !p.s.L.Node(n).Present() {
				continue
			}
			times := []int64{p.s.Now}
			for _, e := range p.ends.On(n) {
				times = append(times, p.ends.Expected(&e))
			}
			slices.SortStableFunc(times[1:], cmp.Compare[int64])
			had := int64(0)
			for i, at := range times {
				if at == model.Never {
					break
				}
				has := p.need
				for _, need := range class.Need {
					free := p.s.L.Nodes.FutureIdle(need.Dim, n) - p.s.L.Nodes.Releasing(need.Dim)[n]
					for _, e := range p.ends.On(n) {
						if i > 0 && p.ends.Expected(&e) <= at {
							free += p.s.L.Class(e.Class).Request.Get(need.Dim)
						}
					}
					has = min(has, max(0, free)/need.Amount)
				}
				if has > had {
					p.gains = append(p.gains, gain{at, n, int32(k), int32(has - had)})
					had = has
				}
			}
		}
	}
}

// earliest goes through all steps.
func (p slowPlanner) earliest(from int64) (at int64, ok bool) {
	last := from
	for _, g := range p.gains {
		last = max(last, g.at)
	}
	for step := from / p.step; ; step++ {
		if at = step * p.step; p.fits(at) >= p.need {
			return max(at, from), true
		}
		if at > last {
			return 0, false
		}
	}
}

func (p slowPlanner) inTime(at int64) (places []foundPlace, start int64) {
	for range mostTimes {
		for _, times := range [...]int64{1, 4, 16} {
			gone, others := p.leaving(at, times*p.need)
			all := len(others) == 0
			if times == 16 {
				others = nil
			}
			if places = p.placesWithout(gone, others); len(places) > 0 {
				return places, at
			}
			if all {
				break
			}
		}
		next := int64(model.Never)
		for _, g := range p.gains {
			if g.at > at {
				next = min(next, g.at)
			}
		}
		if next == model.Never {
			break
		}
		at = (next/p.step + 1) * p.step
	}
	return nil, 0
}

// leaving looks for each node of the last gains at all its tasks.
func (p slowPlanner) leaving(by, need int64) (out []ledger.TaskID, others []ledger.NodeID) {
	gains := slices.DeleteFunc(slices.Clone(p.gains), func(g gain) bool { return g.at > by })
	slices.SortFunc(gains, func(a, b gain) int {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(p.s.L.Node(a.node).Name, p.s.L.Node(b.node).Name),
			cmp.Compare(a.kind, b.kind))
	})
	gone, seen := map[ledger.TaskID]bool{}, map[ledger.NodeID]bool{}
	for _, t := range p.gone {
		gone[t] = true
	}
	for _, g := range gains {
		if known := seen[g.node]; need <= 0 && !known {
			others = append(others, g.node)
		}
		seen[g.node] = true
		if need <= 0 {
			continue
		}
		need -= int64(g.tasks)
		for _, e := range p.ends.On(g.node) {
			if p.ends.Expected(&e) <= by && p.s.L.Task(e.Task).Status != model.Releasing {
				gone[e.Task] = true
			}
		}
	}
	for t := range gone {
		out = append(out, t)
	}
	slices.Sort(out)
	return out, others
}

// placesWithout evicts one task after the other.
func (p slowPlanner) placesWithout(gone []ledger.TaskID, leftOut []ledger.NodeID) (places []foundPlace) {
	s, quiet := p.s, *p.s
	quiet.Trace = &trace.Recorder{}
	s.L.KeptRoom.Without([]ledger.JobID{p.j}, func() bool {
		s.L.Try(func(tx *ledger.Tx) bool {
			for _, t := range gone {
				tx.Evict(t, "", ledger.NoTask)
			}
			w := search.PendingTasksOf(s, p.j)
			leaveOut(s, tx, w, leftOut)
			tasks := slices.Clone(w.Tasks)
			if search.PlaceBesideLost(&quiet, w) == search.Refused {
				return false
			}
			for _, t := range tasks {
				if row := s.L.Task(t); row.Node != ledger.NoNode {
					places = append(places, foundPlace{t, row.Node, row.Chosen})
				}
			}
			return false
		})
		return false
	})
	return places
}

// quota evicts the queue's tasks one after the other, those first that end first.
func (p slowPlanner) quota() (from int64, ok bool) {
	p.planner.gone = nil
	if !p.s.QueueLacks(p.j).Is() {
		return p.s.Now, true
	}
	var ends []gone
	for n := range p.s.L.Nodes.Len() {
		for _, e := range p.ends.On(ledger.NodeID(n)) {
			if at := p.ends.Expected(&e); at != model.Never && e.Job != ledger.NoJob &&
				p.s.L.Job(e.Job).Queue == p.s.L.Job(p.j).Queue {
				ends = append(ends, gone{at, e.Task})
			}
		}
	}
	slices.SortFunc(ends, func(a, b gone) int { return cmp.Compare(a.at, b.at) })
	for k := range ends {
		if k+1 < len(ends) && ends[k+1].at == ends[k].at {
			continue
		}
		p.planner.gone = nil
		p.s.L.Try(func(tx *ledger.Tx) bool {
			for _, e := range ends[:k+1] {
				if p.s.L.Task(e.task).Status != model.Releasing {
					tx.Evict(e.task, "", ledger.NoTask)
					p.planner.gone = append(p.planner.gone, e.task)
				}
			}
			ok = !p.s.QueueLacks(p.j).Is()
			return false
		})
		if ok {
			return (ends[k].at/p.step + 1) * p.step, true
		}
	}
	return 0, false
}

// checkCovered compares what is covered of the room that is kept with sums over all tasks, and returns how many tasks
// are covered on their node or in their queue.
func (w *timed) checkCovered() (some int) {
	tasks := plannedTasks(w.s)
	slices.SortFunc(tasks, func(a, b plannedTask) int {
		return cmp.Or(cmp.Compare(a.start, b.start), w.l.Task(a.task).Key.Compare(w.l.Task(b.task).Key))
	})
	ends := w.s.Ends()
	taken := map[string]resource.Vec{}
	take := func(from string, back, request resource.Vec) bool {
		for d, x := range request {
			if back.Get(resource.Dim(d))-taken[from].Get(resource.Dim(d)) < x {
				return false
			}
		}
		taken[from] = taken[from].Add(request)
		some++
		return true
	}
	onNodes, inQueues := make([]int64, w.l.Nodes.Len()), map[ledger.QueueID]int64{} // what is not covered
	for _, k := range tasks {
		task := w.l.Task(k.task)
		q, request := w.l.Job(task.Job).Queue, w.l.Class(task.Class).Request
		var onNode, inQueue resource.Vec
		for n := range ledger.NodeID(w.l.Nodes.Len()) {
			for _, e := range ends.On(n) {
				if ends.Expected(&e) > k.start {
					continue
				}
				if n == task.Commitment.Node && w.l.Task(e.Task).Status != model.Releasing {
					onNode = onNode.Add(w.l.Class(e.Class).Request)
				}
				if e.Job != ledger.NoJob && w.l.Job(e.Job).Queue == q {
					inQueue = inQueue.Add(w.l.Class(e.Class).Request)
				}
			}
		}
		if !take("node "+w.l.Node(task.Commitment.Node).Name, onNode, request) {
			onNodes[task.Commitment.Node] += request.Get(resource.CPU)
		}
		if !take("queue "+w.l.Queue(q).Name, inQueue, request) {
			inQueues[q] += request.Get(resource.CPU)
		}
	}
	if got := w.l.Nodes.Pipelined(resource.CPU); !slices.Equal(got, onNodes) {
		w.t.Fatalf("%v cpus are kept on nodes, want %v", got, onNodes)
	}
	for q, want := range inQueues {
		if got := w.l.Queue(q).KeptRoom.Get(resource.CPU); got != want {
			w.t.Fatalf("%d cpus are kept in queue %s, want %d", got, w.l.Queue(q).Name, want)
		}
	}
	return some
}
