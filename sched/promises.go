package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// promises takes back what jobs were promised that lack pods: those without any, and gangs that lost members which
// nothing makes anew.
type promises struct {
	e *Engine

	next int64                     // when room is kept no longer for the first of promised; 0: none is kept
	due  map[ledger.JobID]struct{} // admitted jobs that lack pods, and maybe jobs that have them by now
}

// promiseLasts is how long room is kept for a job that was let in and lacks pods, in nanoseconds.
// Controllers make pods within seconds.
const promiseLasts = int64(60_000_000_000)

// lapse ends what is kept for jobs when their pods have not come in time; the jobs stay admitted. Once the pods are
// there, room is kept for them again. It returns the time at which it has to be called next, 0 for never.
func (pr *promises) lapse(now int64) (next int64) {
	for j := range pr.due { // order-free: each is judged by itself
		from := pr.e.l.Lenders.AwaitsFrom(j)
		if from == 0 {
			delete(pr.due, j)
			continue
		}
		if job := pr.e.l.Job(j); !job.LacksPods() && pr.e.l.Lenders.Of(j) == ledger.LendsAll {
			pr.e.l.Lenders.Lend(j, ledger.Keeps) // allocate judges it next
			continue
		}
		if !pr.e.l.Job(j).Awaits() {
			continue // it pauses, and may keep room when the pause is over
		}
		end := model.After(from, promiseLasts)
		if end <= now {
			pr.e.l.Lenders.Lend(j, ledger.LendsAll)
		} else if next == 0 || end < next {
			next = end
		}
	}
	return next
}

// await notes since when a job has lacked pods, or that it has them. It is asked at the end of each cycle in which the
// job was touched.
func (pr *promises) await(j ledger.JobID) {
	job := pr.e.l.Job(j)
	from := pr.e.l.Lenders.AwaitsFrom(j)
	switch {
	case !job.LacksPods() || !job.Admitted() || !job.HasMin:
		from = 0
	case from == 0:
		from = max(1, pr.e.session.Now) // 0 is none
	}
	pr.e.l.Lenders.Await(j, from)
	if from != 0 {
		pr.keep(j, from)
	}
}

func (pr *promises) keep(j ledger.JobID, from int64) {
	if pr.due == nil {
		pr.due = map[ledger.JobID]struct{}{}
	}
	pr.due[j] = struct{}{}
	if end := model.After(from, promiseLasts); pr.e.l.Job(j).Awaits() && (pr.next == 0 || end < pr.next) {
		pr.next = end
	}
}
