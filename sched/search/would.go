package search

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Would says that Attempt would find a place for a job's first batch of pending tasks. It changes nothing.
func Would(s *session.Session, j ledger.JobID) bool {
	w := PendingTasksOf(s, j)
	quiet := *s
	quiet.Trace = &trace.Recorder{}
	return !w.Empty() && newAttempt(&quiet, w, false).decideInKeptRoom(false) != Refused
}

// Why says why the next batch of a list of pending tasks finds no place, and changes nothing; it
// returns the zero Reason when the batch finds one.
func Why(s *session.Session, w *PendingTasks) trace.Reason {
	quiet := *s
	quiet.Trace = &trace.Recorder{}
	t := newAttempt(&quiet, w, true)
	if t.decideInKeptRoom(false) != Refused {
		return trace.Reason{}
	}
	return t.reason()
}
