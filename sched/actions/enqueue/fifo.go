package enqueue

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// line is, by fifo queue, what jobs were refused for in this cycle.
type line map[ledger.QueueID][]lacking

// lacking is a dimension that a job was refused for.
type lacking struct {
	job       ledger.JobID
	short     trace.Short
	queue     string // that lacks it
	namespace string // of which a ResourceQuota lacks it; "": it lacks for all
}

// inOrder refuses a job that asks for what one before it lacks, and notes what a job lacks that was refused. A job that
// would be refused if nothing were taken holds no other back: it would do so for ever.
func (l line) inOrder(s *session.Session, j ledger.JobID, why trace.Reason, ok bool) (trace.Reason, bool) {
	job := s.L.Job(j)
	for _, x := range l[job.Queue] {
		if asks, _ := job.Group.MinResources.Get(x.short.Dim); asks > 0 && (x.namespace == "" ||
			x.namespace == job.Key.Namespace) {
			return trace.Reason{Code: trace.BehindJob, Queue: x.queue, Text: s.L.Jobs.CalledTo(j, x.job),
				Shorts: []trace.Short{x.short}}, false
		}
	}
	if ok {
		return why, true
	}
	if !couldHold(job, why) {
		return why, false
	}
	for _, short := range why.Shorts {
		x := lacking{job: j, short: short, queue: why.Queue}
		if why.Code == trace.NamespaceQuotaExceeded {
			x.namespace = job.Key.Namespace
		}
		l[job.Queue] = append(l[job.Queue], x)
	}
	return why, false
}

// couldHold says that a job would not be refused for the same if nothing were taken.
func couldHold(job *ledger.Job, why trace.Reason) bool {
	for _, short := range why.Shorts {
		if asks, _ := job.Group.MinResources.Get(short.Dim); asks > short.Have {
			return false
		}
	}
	return true
}
