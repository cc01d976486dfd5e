package backfill

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
)

// Amounts do not say when a job has room that waits for devices. Filters that give out such things count them
// (policy.Stocked): what is free on a node, and what ends of pods give back. The planner takes that for more dimensions
// of the node. As with amounts, what is counted is no less than what there is: at the time that is found so the job is
// placed in a try, in which the filters are asked themselves.
//
// To count costs more than amounts do. So a start of such a job is looked for only as often as KeepRoom checks (pace).

// costly says that filters count things which a job asks for.
func costly(s *session.Session, j ledger.JobID) (some bool) {
	s.L.Jobs.Tasks(j, model.Pending, func(t ledger.TaskID) bool { // order-free: whether there is one
		spec := s.L.Class(s.L.Task(t).Class).Spec
		some = slices.ContainsFunc(s.Policy.NodePlugins.TaskFilters, func(f policy.TaskFilter) bool {
			_, counts := f.(policy.Stocked)
			return counts && f.Concerns(spec)
		})
		return !some
	})
	return some
}

// due says that starts of costly jobs are looked for in this cycle.
func due(s *session.Session) bool {
	every, _ := pace(s)
	return s.Now <= s.PlansLookedAt || s.Now >= s.PlansLookedAt+every
}

// putOff says that filters may have put off answers in this cycle, for want of a budget: a start that could not be
// planned may be one in the next cycle, when they go on.
func putOff(s *session.Session) bool { return s.Policy.Resume() != 0 }

// stocks are the filters that count things which a job asks for.
type stocks struct {
	some  bool
	first []ledger.TaskID    // by class of the job: the first of its tasks
	by    [][]policy.Stocked // by class of the job
	tasks []ledger.TaskID    // reused
}

func stocksFor(s *session.Session, w *search.PendingTasks, of []search.ClassTasks) (x stocks) {
	for _, f := range s.Policy.NodePlugins.TaskFilters {
		stocked, is := f.(policy.Stocked)
		if !is {
			continue
		}
		for k := range of {
			if !stocked.Concerns(s.L.Class(of[k].Class).Spec) {
				continue
			}
			if !x.some {
				x.some, x.first, x.by = true, firstOf(s, w, of), make([][]policy.Stocked, len(of))
			}
			x.by[k] = append(x.by[k], stocked)
		}
	}
	return x
}

// firstOf is the first task of each class.
func firstOf(s *session.Session, w *search.PendingTasks, of []search.ClassTasks) []ledger.TaskID {
	out := make([]ledger.TaskID, len(of))
	for k := range of {
		for _, t := range w.Tasks {
			if row := s.L.Task(t); row.Class == of[k].Class && !row.Status.Holds() {
				out[k] = t
				break
			}
		}
	}
	return out
}

// refused says that such a task is refused on every node as things stand: one of its claims is missing, or the budget
// for finding devices is spent.
func (x *stocks) refused(s *session.Session) bool {
	for k := range x.by {
		if len(x.by[k]) > 0 && !s.Policy.PrePredicate(x.first[k]).Admits() {
			return true
		}
	}
	return false
}

// on is what filters count on a node for tasks of a class, where tasks there end in this order.
func (x *stocks) on(kind int32, n ledger.NodeID, ends []session.End) (out []policy.Stock) {
	if !x.some || len(x.by[kind]) == 0 {
		return nil
	}
	x.tasks = x.tasks[:0]
	for i := range ends {
		x.tasks = append(x.tasks, ends[i].Task)
	}
	for _, f := range x.by[kind] {
		out = append(out, f.Stocks(x.first[kind], n, x.tasks)...)
	}
	return out
}

// giveBack adds what the task gives back that is the kth to end.
func (r *nodeRoom) giveBack(k int) {
	for i := range r.things {
		if back := r.things[i].Back; k < len(back) {
			r.things[i].Free += back[k]
		}
	}
}

// fits is how many tasks of a class have room, most at most.
func (r *nodeRoom) fits(class *ledger.Class, most int64) int64 {
	most = fitsIn(r.free, class, most)
	for i := range r.things {
		switch x := &r.things[i]; {
		case x.Need <= 0:
		case !x.Once:
			most = min(most, max(0, x.Free)/x.Need)
		case x.Free < x.Need:
			return 0
		}
	}
	return most
}

// later places the job after a time at which what is counted would do: where filters need more than that, first when
// all pods have ended of which an end is known, then between the two times.
func (p *planner) later(at int64) (places []foundPlace, start int64) {
	last := int64(0)
	for i := range p.gains {
		last = max(last, p.gains[i].at)
	}
	low, high := at/p.step, last/p.step+1 // in steps
	if last == model.Never || low > high {
		return nil, 0
	}
	start = stepsAt(high, p.step)
	if places, _ = p.placesAt(start); len(places) == 0 {
		return nil, 0
	}
	for range mostTimes {
		if low >= high {
			break
		}
		mid := low + (high-low)/2
		if found, _ := p.placesAt(stepsAt(mid, p.step)); len(found) > 0 {
			places, start, high = found, stepsAt(mid, p.step), mid
		} else {
			low = mid + 1
		}
	}
	return places, start
}
