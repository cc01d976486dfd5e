package backfill

import (
	"maps"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// The first jobs of a queue that wait have a planned start (session.Backfill): the earliest time at which, by the ends
// of pods that are known, the whole minimum has a place, and on which nodes. The room there is kept for them
// (ledger.KeptRoom), as far as pods that end by then do not give it back. Another job is placed beside that room, or in
// it if it will have ended by then, or if it has a higher priority in the same queue.
//
// A planned start stands until the job starts or changes, a node is lost, or it has passed: then the job is planned
// anew. Where no start can be planned since ends are not known, room is kept as KeepRoom does.

// RenewPlans ends the planned starts that are of no use any more, and plans anew what has passed.
func RenewPlans(s *session.Session) {
	if !s.Backfill.On || !s.L.KeptRoom.Any() && !s.PlansAny() {
		s.NextPlanAt, s.PlanAgainAt = 0, 0
		return
	}
	for _, j := range ledger.ByName(s.L, s.L.KeptRoom.Jobs()) {
		start, first := s.L.KeptRoom.Start(j)
		switch {
		case start == 0:
			continue
		case !stands(s, j) || !session.PlansFor(s, j):
			s.L.KeptRoom.Drop(j)
		case start <= s.Now && start > s.WokenUntil:
			s.Pending.TimePassed() // it may start in its places now
			fallthrough
		default:
			if expired(s, j) && (!costly(s, j) || due(s)) && !plan(s, j, first, model.Never) && !putOff(s) {
				s.L.KeptRoom.Drop(j)
			}
		}
	}
	s.WokenUntil = s.Now
	planSooner(s)
	PlanStarts(s)
}

// planSooner moves starts forward that can be sooner than they are planned, since pods ended before they had to. How
// often, and for how many jobs at once, says pace.
func planSooner(s *session.Session) {
	every, most := pace(s)
	if s.Now < s.KeptRoomCheckedAt+every || s.IsIdle("plan sooner") {
		return
	}
	planned := slices.DeleteFunc(ledger.ByName(s.L, s.L.KeptRoom.Jobs()), func(j ledger.JobID) bool {
		start, _ := s.L.KeptRoom.Start(j)
		return start <= s.Now
	})
	moved := false
	for i := range min(most, len(planned)) {
		j := planned[turn(s, len(planned), i)]
		start, first := s.L.KeptRoom.Start(j)
		moved = plan(s, j, first, start) || moved
	}
	if !moved && len(planned) <= most && !putOff(s) {
		s.RememberIdle("plan sooner")
	}
}

// PlanStarts plans the starts of the first waiting jobs of queues that have none and could not start now.
func PlanStarts(s *session.Session) {
	if !s.PlansAny() || s.IsIdle(planning) && !reached(s, s.NextPlanAt) && !reached(s, s.PlanAgainAt) {
		return
	}
	s.NextPlanAt, s.PlanAgainAt = 0, 0
	f := HeadsOf(s)
	f.collect(lastPlanned(s))
	planned := false
	for _, q := range slices.SortedFunc(maps.Keys(f.waiting), s.Policy.CompareQueues) { // order-free: sorted
		planned = f.plan(q, ledger.NoJob) || planned
	}
	if !planned { // a job with a planned start lends its queue's room: a job before it may have a start now
		s.RememberIdle(planning)
	}
}

// planning is the name under which PlanStarts remembers that it planned none.
const planning = "planning"

func reached(s *session.Session, at int64) bool { return at != 0 && at <= s.Now }

// AllInVain says that in this cycle no start could be planned of any of the first jobs, the costly ones among them, and
// nothing has changed since: to plan them again is in vain until something happens.
func AllInVain(s *session.Session) bool { return due(s) && s.IsIdle(planning) }

// QueueHeads are the first of the jobs that wait and of which the start may be planned, by queue.
type QueueHeads struct {
	s       *session.Session
	waiting map[ledger.QueueID]*session.Heap[ledger.JobID] // nil until they are collected
	first   map[ledger.QueueID][]ledger.JobID              // taken from waiting: they are first for as long as they wait
	moved   map[ledger.QueueID]bool                        // others than the one that was placed may have another place
	never   map[ledger.QueueID]int                         // taken from waiting, and passed over
	refused bool                                           // a first job was that has no planned start
}

// HeadsOf returns those of a session.
func HeadsOf(s *session.Session) *QueueHeads {
	return &QueueHeads{s: s, first: map[ledger.QueueID][]ledger.JobID{}, moved: map[ledger.QueueID]bool{},
		never: map[ledger.QueueID]int{}}
}

// collect collects the jobs that wait, those of a queue up to a last one where there is one.
func (f *QueueHeads) collect(last map[ledger.QueueID]ledger.JobID) {
	s := f.s
	f.waiting = map[ledger.QueueID]*session.Heap[ledger.JobID]{}
	for _, j := range s.L.Jobs.Active() { // order-free: heaps by a total order
		q := s.L.Job(j).Queue
		if h, some := last[q]; some && s.Policy.CompareJobs(h, j) < 0 || !session.PlansFor(s, j) || !lacksMinimum(s, j) {
			continue
		}
		if f.waiting[q] == nil {
			f.waiting[q] = session.NewHeap(s.Policy.CompareJobs)
		}
		f.waiting[q].Push(j)
	}
}

// lastPlanned is by queue the last of so many jobs with a planned start as are first in it: no job after it is. Queues
// with fewer of them are left out.
func lastPlanned(s *session.Session) map[ledger.QueueID]ledger.JobID {
	planned, depth := map[ledger.QueueID][]ledger.JobID{}, s.Backfill.Depth
	for _, j := range s.L.KeptRoom.Jobs() { // order-free: sorted below
		if q := s.L.Job(j).Queue; depth > 0 && s.L.KeptRoom.Planned(j) && session.PlansFor(s, j) && lacksMinimum(s, j) {
			planned[q] = append(planned[q], j)
		}
	}
	last := map[ledger.QueueID]ledger.JobID{}
	for q, jobs := range planned { // order-free: each by itself
		if int64(len(jobs)) >= depth {
			slices.SortFunc(jobs, s.Policy.CompareJobs)
			last[q] = jobs[depth-1]
		}
	}
	return last
}

// PlanBefore plans the starts of those first jobs that go before a job in its queue, before it has its turn: once a
// first job has started the next one is first, and what is free now may be what that one needs.
func (f *QueueHeads) PlanBefore(j ledger.JobID) {
	if f.waiting == nil {
		if f.known(j) {
			return
		}
		f.collect(nil)
	}
	f.plan(f.s.L.Job(j).Queue, j)
}

// Refused notes that a job found no place in its turn.
func (f *QueueHeads) Refused(j ledger.JobID) {
	f.refused = f.refused || !f.s.L.KeptRoom.Planned(j) && !f.known(j)
}

// Placed notes that a job was given places. It may come later in the order then, and so may the others of its tenant:
// which one is first must not follow from the order in which they were collected.
func (f *QueueHeads) Placed(j ledger.JobID) {
	q := f.s.L.Job(j).Queue
	waiting := f.waiting[q]
	if waiting == nil {
		return
	}
	switch i := waiting.Find(func(other ledger.JobID) bool { return other == j }); {
	case i < 0:
	case lacksMinimum(f.s, j):
		waiting.Fix(i)
	default:
		waiting.Remove(i)
	}
	order := f.s.Policy.TenantOrder()
	f.moved[q] = f.moved[q] || order != nil && order.OrdersTenants(q)
}

// known says that so many jobs have a planned start as are first in a queue, and none comes after a job.
func (f *QueueHeads) known(j ledger.JobID) bool {
	s, first := f.s, int64(0)
	if f.refused || s.Backfill.Depth < 0 || !s.L.KeptRoom.Any() {
		return false
	}
	for _, h := range s.L.KeptRoom.Jobs() { // order-free: a count
		if s.L.Job(h).Queue == s.L.Job(j).Queue && s.L.KeptRoom.Planned(h) && s.Policy.CompareJobs(h, j) <= 0 {
			first++
		}
	}
	return first >= s.Backfill.Depth
}

// plan plans the starts of the first jobs of a queue that have none, of those that go before a job if it is one; it
// says whether it planned any.
func (f *QueueHeads) plan(q ledger.QueueID, before ledger.JobID) (planned bool) {
	s, waiting := f.s, f.waiting[q]
	if waiting == nil {
		return false
	}
	if f.moved[q] {
		waiting.Heapify()
		delete(f.moved, q)
	}
	depth := s.Backfill.Depth
	if depth > 0 {
		f.first[q] = slices.DeleteFunc(f.first[q], func(j ledger.JobID) bool { return !lacksMinimum(s, j) })
	}
	for waiting.Len() > 0 && (depth < 0 || int64(len(f.first[q])) < depth) && f.never[q] < mostNever {
		if before != ledger.NoJob && s.Policy.CompareJobs(waiting.First(), before) >= 0 {
			break
		}
		j := waiting.Pop()
		if !lacksMinimum(s, j) {
			continue // it has been placed since
		}
		isFirst, fresh := planFor(s, j)
		planned = planned || fresh
		if isFirst {
			f.first[q] = append(f.first[q], j)
		} else {
			f.never[q]++
		}
	}
	return planned
}

// mostNever is how many jobs of a queue that its nodes could never hold are passed over.
const mostNever = 64

// planFor plans the start of one of the first jobs of a queue, unless it has one, or could start now, and says whether
// it did. A job that the nodes could not hold if they were empty is not first: the next one is.
func planFor(s *session.Session, j ledger.JobID) (isFirst, planned bool) {
	if s.L.KeptRoom.Planned(j) {
		return true, false
	}
	w := search.PendingTasksOf(s, j)
	if w.Empty() || w.HasNominated() {
		return true, false
	}
	if !w.CouldEver(s) {
		return false, false
	}
	if from := model.After(came(s, w), session.Patience(s, j)); from > s.Now {
		if s.NextPlanAt == 0 || from < s.NextPlanAt {
			s.NextPlanAt = from
		}
		return true, false
	}
	if costly(s, j) {
		looks := due(s)
		if looks {
			s.PlansLookedAt = s.Now
		}
		every, _ := pace(s)
		if again := s.PlansLookedAt + every; s.PlanAgainAt == 0 || again < s.PlanAgainAt {
			s.PlanAgainAt = again
		}
		if !looks || slices.Contains(s.Unplannable, j) {
			return true, false
		}
		s.Unplannable = append(s.Unplannable, j)
	}
	return true, !search.Would(s, j) && plan(s, j, 0, model.Never)
}

// plan plans a job's start, and keeps the room for it, if one can be planned before a time; false if none can. first is
// what was planned first, 0 for nothing.
func plan(s *session.Session, j ledger.JobID, first, before int64) bool {
	p := newPlanner(s, j)
	var places []foundPlace
	var start int64
	s.L.Try(func(tx *ledger.Tx) bool {
		if s.L.KeptRoom.Planned(j) {
			tx.Waive(j)
		}
		for _, k := range plannedTasks(s) {
			if k.job != j {
				tx.Uncover(k.task)
			}
		}
		places, start = p.find(before)
		return false
	})
	if len(places) == 0 {
		return false
	}
	start = max(start, s.Now) // it rests on a pod that is there still after its limit
	s.Ends()                  // before anything changes: nothing of what the try did has to be read anew
	if !slices.ContainsFunc(s.L.KeptRoom.Jobs(), func(h ledger.JobID) bool { return s.L.KeptRoom.Planned(h) }) {
		s.Pending.StartPlanned()
	}
	s.L.KeptRoom.Drop(j)
	if first == 0 {
		first = start
	}
	planned := &ledger.PlannedStart{At: start, First: first}
	for _, x := range places {
		s.L.KeptRoom.Plan(x.task, x.node, x.chosen, planned, model.After(start, s.Backfill.Resolution))
	}
	s.L.WaitingJobs.Lend(j, ledger.Lends) // to jobs that end before
	cover(s, j)
	s.Trace.Add(trace.Event{Kind: trace.KeepsRoom, Job: s.L.Jobs.Called(j), Node: search.KeptOn(s, j), Count: len(places)})
	return true
}
