package backfill

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// A gang that no node takes now is overtaken by jobs that take less. That is right as long as it
// could not start sooner without them. Once it could have started if no later job had been placed,
// later jobs are only placed beside it: room on nodes is kept for the
// whole gang (ledger.KeptRoom), and the gang starts as they end. So it waits for jobs that were there
// before it, and then for jobs that came later: for two job lengths at most.
//
// Room is kept for one job of a queue at a time, the first in job order. What is kept
// is never more than what exists: the whole gang is placed under every filter and rule of
// its queue, in a try in which the pods that came later are gone. If it has not started when an
// hour has passed, or as much time as it had waited before, the pods that run then count as having come
// before it, and the room is given back: some of them may run for ever.

const (
	aSecond = int64(1_000_000_000)
	anHour  = 3600 * aSecond

	// mostAsked is the number of queues for which it is checked at once whether their first job could
	// have started, in a cluster of up to fewPods pods.
	mostAsked = 4
	fewPods   = 10_000
)

// pace is the time between two checks, in nanoseconds, and how many queues one check covers: the cost
// of a check grows with the number of pods.
func pace(s *session.Session) (every int64, queues int) {
	pods := int64(max(1, s.L.Tasks.NumPods()))
	return max(aSecond, aSecond*pods/fewPods), int(max(1, min(mostAsked, mostAsked*fewPods/pods)))
}

// KeepRoom keeps room for jobs that could have started, and gives back room that is kept in vain. Which
// jobs could have started is checked from time to time: see pace.
func KeepRoom(s *session.Session) {
	if s.L.WaitingJobs.LenderCount() == 0 && !s.L.KeptRoom.Any() {
		return
	}
	every, most := pace(s)
	due := s.Now >= s.KeptRoomCheckedAt+every
	if due {
		s.KeptRoomCheckedAt = s.Now
		s.KeptRoomChecks++
	}
	jobs := ledger.ByName(s.L, s.L.KeptRoom.Jobs())
	turns := uint64((len(jobs) + most - 1) / most) // so many checks cover all of them
	for i, j := range jobs {
		switch {
		case s.L.KeptRoom.Planned(j): // see RenewPlans
			continue
		case expired(s, j):
			s.L.KeptRoom.Drop(j)
			s.L.WaitingJobs.SetWaitsFrom(j, s.Now)
		case !stands(s, j):
			s.L.KeptRoom.Drop(j)
		case !due || (uint64(i)+s.KeptRoomChecks)%turns != 0 || couldStartWithoutLaterTasks(s, j):
			continue
		default:
			s.L.KeptRoom.Drop(j)
			s.L.WaitingJobs.Lend(j, ledger.Lends) // room is looked for elsewhere at once
		}
		s.Trace.Add(trace.Event{Kind: trace.KeepsNoRoom, Job: s.L.Jobs.Called(j)})
	}
	if !due || s.IsIdle(keepingRoom) {
		return
	}
	first := firstOfQueues(s)
	kept := false
	for i := range min(most, len(first)) {
		kept = keepRoomFor(s, first[turn(s, len(first), i)]) || kept
	}
	if !kept && len(first) <= most {
		s.RememberIdle(keepingRoom)
	}
}

// turn is which of n things has its turn as number i of this check: the next check begins with the next one.
func turn(s *session.Session, n, i int) int {
	return int((s.KeptRoomChecks + uint64(i)) % uint64(n))
}

// keepingRoom is the name under which KeepRoom remembers that it keeps none.
const keepingRoom = "keeping room"

// lacksMinimum says that room may be kept for a job: it is admitted and valid, and it lacks members of its
// minimum that could all be placed.
func lacksMinimum(s *session.Session, j ledger.JobID) bool {
	job := s.L.Job(j)
	return job.By[model.Pending] > job.Gated && job.By[model.Pipelined] == 0 && job.Invalid == 0 && job.Admitted() &&
		!job.Met((*ledger.Count).Ready) && !s.Blocked(j).Is() && !s.Policy.ValidateJob(j).Is()
}

// stands says that the room kept for a job may still be of use.
func stands(s *session.Session, j ledger.JobID) bool {
	if !lacksMinimum(s, j) || int(s.L.Job(j).RoomKept) < s.L.Job(j).LeastToPlace() {
		return false
	}
	kept := s.L.KeptRoom.Of(j)
	for _, t := range kept {
		if n := s.L.Task(t).Commitment.Node; !s.NodeIndex.Admitted(s.L.Task(t).Class)[n] { // nor is a node that is gone
			return false
		}
	}
	return search.NearEnough(s, j, kept, false)
}

func expired(s *session.Session, j ledger.JobID) bool {
	return slices.ContainsFunc(s.L.KeptRoom.Of(j), func(t ledger.TaskID) bool {
		return s.L.Task(t).Commitment.Until <= s.Now
	})
}

// firstOfQueues lists for each queue the first, in job order, of the waiting jobs that nodes refused,
// unless room is kept for a job that goes before it. The list is sorted by queue.
func firstOfQueues(s *session.Session) (out []ledger.JobID) {
	first := map[ledger.QueueID]ledger.JobID{}
	for _, j := range s.L.Jobs.Active() { // order-free: the first by a total order
		if s.L.WaitingJobs.Lending(j) != ledger.Lends && s.L.Job(j).RoomKept == 0 {
			continue // nodes have not refused it, or could never hold it
		}
		q := s.L.Job(j).Queue
		if was, ok := first[q]; (!ok || s.Policy.CompareJobs(j, was) < 0) && lacksMinimum(s, j) {
			first[q] = j
		}
	}
	for _, j := range first { // order-free: sorted below
		if s.L.Job(j).RoomKept == 0 {
			out = append(out, j)
		}
	}
	slices.SortFunc(out, func(a, b ledger.JobID) int { return cmp.Compare(s.L.Jobs.QueueName(a), s.L.Jobs.QueueName(b)) })
	return out
}
