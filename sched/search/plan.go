package search

import (
	"maps"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
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

// Planned says that a job has a planned start.
func Planned(s *session.Session, j ledger.JobID) bool {
	start, _ := s.L.KeptRoom.Start(j)
	return start != 0
}

// UpkeepPlans ends the planned starts that are of no use any more, and plans anew what has passed.
func UpkeepPlans(s *session.Session) {
	if !s.Backfill.On || !s.L.KeptRoom.Any() && !s.PlansAny() {
		s.Planned = 0
		return
	}
	for _, j := range byKey(s, s.L.KeptRoom.Jobs()) {
		start, first := s.L.KeptRoom.Start(j)
		switch {
		case start == 0:
			continue
		case !stands(s, j) || !session.PlansFor(s, j):
			release(s, j)
		case start <= s.Now && start > s.Reached:
			s.Pending.TimePassed() // see asPlanned
			fallthrough
		default:
			if expired(s, j) {
				release(s, j)
				plan(s, j, first)
			}
		}
	}
	s.Reached = s.Now
	PlanStarts(s)
}

// PlanStarts plans the starts of the first waiting jobs of queues that have none and could not start now.
func PlanStarts(s *session.Session) {
	if !s.PlansAny() || s.IsIdle("plan") && (s.Planned == 0 || s.Now < s.Planned) {
		return
	}
	s.Planned = 0
	waiting := map[ledger.QueueID]*session.Heap[ledger.JobID]{}
	for _, j := range s.L.Jobs.Active() { // order-free: heaps by a total order
		if q := s.L.Job(j).Queue; session.PlansFor(s, j) && waits(s, j) {
			if waiting[q] == nil {
				waiting[q] = session.NewHeap(s.Policy.CompareJobs)
			}
			waiting[q].Push(j)
		}
	}
	queues := slices.SortedFunc(maps.Keys(waiting), s.Policy.CompareQueues) // order-free: sorted
	planned := false
	for _, q := range queues {
		first, never := int64(0), 0
		for waiting[q].Len() > 0 && (first < s.Backfill.Depth || s.Backfill.Depth < 0) && never < mostNever {
			isFirst, fresh := planFor(s, waiting[q].Pop())
			planned = planned || fresh
			if isFirst {
				first++
			} else {
				never++
			}
		}
	}
	if !planned { // a job with a planned start lends its queue's room: a job before it may have a start now
		s.RememberIdle("plan")
	}
}

// mostNever is how many jobs of a queue that its nodes could never hold are passed over.
const mostNever = 64

// planFor plans the start of one of the first jobs of a queue, unless it has one, or could start now, and says whether
// it did. A job that the nodes could not hold if they were empty is not first: the next one is.
func planFor(s *session.Session, j ledger.JobID) (isFirst, planned bool) {
	if Planned(s, j) {
		return true, false
	}
	w := PendingTasksOf(s, j)
	if w.Empty() || w.Promised() {
		return true, false
	}
	if !couldEver(s, w) {
		return false, false
	}
	if from := model.After(came(s, w), session.Patience(s, j)); from > s.Now {
		if s.Planned == 0 || from < s.Planned {
			s.Planned = from
		}
		return true, false
	}
	return true, !Would(s, j) && plan(s, j, 0)
}

// plan plans a job's start, and keeps the room for it, if one can be planned; false if none can. first is what was
// planned first, 0 for nothing.
func plan(s *session.Session, j ledger.JobID, first int64) bool {
	p := newPlanner(s, j)
	var places []foundPlace
	var start int64
	s.L.Try(func(tx *ledger.Tx) bool {
		for _, k := range plannedTasks(s) {
			tx.Uncover(k.task)
		}
		places, start = p.find()
		return false
	})
	if len(places) == 0 {
		return false
	}
	if !slices.ContainsFunc(s.L.KeptRoom.Jobs(), func(h ledger.JobID) bool { return Planned(s, h) }) {
		s.Pending.StartPlanned()
	}
	release(s, j)
	if first == 0 {
		first = start
	}
	planned := &ledger.PlannedStart{At: start, First: first}
	for _, x := range places {
		s.L.KeptRoom.Plan(x.task, x.node, planned, model.After(start, s.Backfill.Resolution))
	}
	s.L.Lenders.Lend(j, ledger.Lends) // to jobs that end before
	cover(s, j)
	s.Trace.Add(trace.Event{Kind: trace.KeepsRoom, Job: s.L.Jobs.Called(j), Node: keptOn(s, j), Count: len(places)})
	return true
}

// passes lists the jobs with a planned start of which a job may take the room: it has ended by then, or has a higher
// priority in their queue.
func passes(s *session.Session, j ledger.JobID) (out []ledger.JobID) {
	if !s.L.KeptRoom.Any() || !s.Backfill.On {
		return nil
	}
	end, guessed, asked := int64(0), false, false
	return after(s, j, func(s *session.Session, j, h ledger.JobID) bool {
		start, first := s.L.KeptRoom.Start(h)
		if start == 0 {
			return false
		}
		if !asked {
			end, guessed = s.EndsBy(j, s.Backfill.Trust)
			asked = true
		}
		return end <= start && (!guessed || start <= model.After(first, s.Backfill.MaxSlip)) || outranks(s, j, h)
	})
}

// BehindPlanned says that a job of its queue that goes before a job has a planned start: what is kept for that one
// holds the job back, and not its place in the queue.
func BehindPlanned(s *session.Session, j ledger.JobID) bool {
	for _, h := range s.L.KeptRoom.Jobs() { // order-free: whether there is one
		if h != j && s.L.Job(h).Queue == s.L.Job(j).Queue && Planned(s, h) && s.Policy.CompareJobs(h, j) < 0 {
			return true
		}
	}
	return false
}

// Behind is session.Behind, where no start is planned.
func Behind(s *session.Session, j ledger.JobID, explain bool) trace.Reason {
	if !s.FIFO(s.L.Job(j).Queue) || BehindPlanned(s, j) {
		return trace.Reason{}
	}
	return s.Behind(j, explain)
}

// mayPass says that a job may have ended before some planned start: whether it has room is not a matter of amounts.
func mayPass(s *session.Session, j ledger.JobID) bool {
	if !s.L.KeptRoom.Any() || !s.PlansAny() {
		return false
	}
	end, _ := s.EndsBy(j, s.Backfill.Trust)
	return end != model.Never || s.L.Job(j).RoomKept > 0
}

// asPlanned starts a job in the places that are kept for it, where it finds no others: the order in which its pods are
// placed, or their nodes' scores, may have led elsewhere. There it takes nothing that is kept for others with a planned
// start, which were planned beside it; but before its time it may take what pods have yet to give back to those that
// start before it.
func (t *attempt) asPlanned(own []ledger.JobID, hold bool) (out Outcome) {
	s, j := t.s, t.w.Job
	mine, _ := s.L.KeptRoom.Start(j)
	for _, h := range byKey(s, s.L.KeptRoom.Jobs()) {
		start, _ := s.L.KeptRoom.Start(h)
		if start != 0 && (start >= mine || s.Now >= mine) && !slices.Contains(own, h) {
			own = append(own, h)
		}
	}
	kept := s.L.KeptRoom.Of(j)
	slices.SortFunc(kept, func(a, b ledger.TaskID) int { return s.L.Task(a).Key.Compare(s.L.Task(b).Key) })
	out = Refused
	without(s, own, func() bool {
		s.L.Try(func(tx *ledger.Tx) bool {
			for _, task := range kept {
				row := s.L.Task(task)
				if s.Policy.Allocatable(t.job.Queue, row.Class, 1) < 1 || !s.Policy.PrePredicate(task).Admits() ||
					!s.Nodes.Takes(task, row.Held.Node, false) {
					return false
				}
				put(s, tx, task, place{node: row.Held.Node, in: IdleHere})
			}
			if s.Policy.Ready(j) && t.job.Met((*ledger.Count).Ready) && t.job.BestEffort == 0 {
				out = Committed
			}
			return out == Committed && hold
		})
		return out == Committed && hold
	})
	if out == Committed {
		t.placed, t.why = int32(len(kept)), trace.Reason{}
		t.w.next = len(t.w.Tasks)
	}
	return out
}
