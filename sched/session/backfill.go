package session

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// Backfill is how starts are planned for the first jobs of queues, and which jobs may pass them: the arguments of
// action backfill. The zero Backfill plans none.
type Backfill struct {
	On        bool  // the action is configured
	AllQueues bool  // an argument of it is written: starts are planned in all queues, otherwise in fifo queues only
	Depth     int64 // for how many jobs of a queue; below 0: for all
	// How long a job waits before its start is planned, the steps in which times are counted, and by how much guesses
	// may have delayed a job. Nanoseconds.
	Patience, Resolution, MaxSlip int64
	Trust                         model.TimeSource // the least certain figure by which a job may pass
}

// trusts are the words for sources, the default first.
var trusts = []string{model.TimeEnforced.String(), model.TimeDeclared.String(), model.TimePredicted.String()}

// BackfillArguments are those of action backfill.
type BackfillArguments struct {
	ErrorCache
	Backfill
	trust string
}

// AddArguments implements policy.Struct.
func (a *BackfillArguments) AddArguments(s *policy.ArgumentSet) {
	a.ErrorCache.AddArguments(s)
	s.Int(&a.Depth, "backfill.depth", 1, "for how many jobs of a queue to plan a start; 0: none, -1: all").
		AtLeast(-1).In("jobs")
	s.Duration(&a.Patience, "backfill.patience", 0, "how long a job waits before its start is planned").AtLeast(0)
	s.Duration(&a.Resolution, "backfill.resolution", 60_000_000_000, "the steps in which starts are planned").
		AtLeast(1_000_000_000)
	s.OneOf(&a.trust, "backfill.trust", trusts, "by which run times a job may pass one with a planned start")
	s.Duration(&a.MaxSlip, "backfill.maxSlip", 0, "by how much guesses may delay a planned start").AtLeast(0)
}

// Settings are the arguments, of an action that is configured.
func (a BackfillArguments) Settings() Backfill {
	b := a.Backfill
	b.On, b.Trust = true, model.TimeEnforced
	switch a.trust {
	case trusts[1]:
		b.Trust = model.TimeEstimated // what authors say, be it of the pod or of the Volcano Job
	case trusts[2]:
		b.Trust = model.TimePredicted
	}
	return b
}

// PlansAny says that starts are planned in some queue, or of some job.
func (s *Session) PlansAny() bool {
	b := &s.Backfill
	return b.On && b.Depth != 0 && (b.AllQueues || anyFIFO(s) || s.Policy.AnyStartDue())
}

// anyFIFO says that there is a queue with dequeueStrategy fifo.
func anyFIFO(s *Session) bool {
	if at := s.L.Changes.QueueSpecs.Now(); s.fifos.at != at {
		s.fifos.at, s.fifos.any = at, false
		for q := range s.L.Queues.Len() {
			s.fifos.any = s.fifos.any || s.FIFO(ledger.QueueID(q))
		}
	}
	return s.fifos.any
}

// Reorder is when the order of what waits may change by time alone, since usage is remembered, and that may let a job
// start: the next full minute, if there are fifo queues, planned starts or kept room; 0 where it decides nothing.
func (s *Session) Reorder() int64 {
	if !s.L.Usage.On() || len(s.L.Jobs.Active()) == 0 || !anyFIFO(s) && !s.PlansAny() && !s.L.KeptRoom.Any() {
		return 0
	}
	return s.L.Usage.NextMinute()
}

// Plans says that starts of a queue's jobs are planned.
func (s *Session) Plans(q ledger.QueueID) bool {
	b := &s.Backfill
	return b.On && b.Depth != 0 && q != ledger.NoQueue && (b.AllQueues || s.FIFO(q))
}

// PlansFor says that the start of a job may be planned: starts of its queue's jobs are, or it has waited too long.
func PlansFor(s *Session, j ledger.JobID) bool {
	return s.Plans(s.L.Job(j).Queue) || due(s, j)
}

// due says that a job has waited too long, so that its start is planned whatever its queue says.
func due(s *Session, j ledger.JobID) bool {
	b := &s.Backfill
	return b.On && b.Depth != 0 && s.L.Job(j).Queue != ledger.NoQueue && s.Policy.StartDue(j)
}

// Patience is how long a job waits before its start is planned, in nanoseconds.
func Patience(s *Session, j ledger.JobID) int64 {
	if due(s, j) {
		return 0
	}
	return s.Backfill.Patience
}
