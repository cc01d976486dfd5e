package enqueue

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// admittedWaiting is, by queue in which starts are planned, how many admitted jobs wait for their minimum.
type admittedWaiting map[ledger.QueueID]int

// may says that a job is admitted although its queue has no room for it now: it would be one of the first that wait,
// and has to be admitted for its start to be planned. Otherwise smaller jobs would be let in before it for ever. A job
// that the queue could never hold is not.
func (h admittedWaiting) may(s *session.Session, j ledger.JobID, why trace.Reason) bool {
	q := s.L.Job(j).Queue
	if why.Code != trace.QueueQuotaInsufficient || !s.Plans(q) || !couldHold(s.L.Job(j), why) {
		return false
	}
	n, counted := h[q]
	if !counted {
		for _, other := range s.L.Jobs.Active() { // order-free: a count
			if job := s.L.Job(other); job.Queue == q && job.Admitted() && !job.Met((*ledger.Count).Ready) {
				n++
			}
		}
	}
	may := n < int(max(1, s.Backfill.Depth))
	if may {
		n++
	}
	h[q] = n
	return may
}
