package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// promiseLasts is how long room is kept for a job that was let in and has no pods, in nanoseconds.
// Controllers make pods within seconds.
const promiseLasts = int64(60_000_000_000)

// lapse ends what is kept for jobs whose pods have not come in time: they stay let in. It returns
// when the next such time ends, 0 without any.
func (e *Engine) lapse(now int64) (next int64) {
	for j := range e.promised { // order-free: each is judged by itself
		from := e.l.AwaitsFrom(j)
		if from == 0 {
			delete(e.promised, j)
			continue
		}
		if !e.l.Job(j).Awaits() {
			continue // it pauses, and may keep room when the pause is over
		}
		end := model.After(from, promiseLasts)
		if end <= now {
			e.l.Lend(j, ledger.LendsAll)
		} else if next == 0 || end < next {
			next = end
		}
	}
	return next
}

// await notes since when a job has had no pods, or that it has some. It is asked at the end of each
// cycle in which the job was touched.
func (e *Engine) await(j ledger.JobID) {
	job := e.l.Job(j)
	from := e.l.AwaitsFrom(j)
	switch {
	case job.Tasks > 0 || !job.Admitted() || !job.HasMin:
		from = 0
	case from == 0:
		from = max(1, e.session.Now) // 0 is none
	}
	e.l.Await(j, from)
	if from != 0 {
		e.keepPromise(j, from)
	}
}

func (e *Engine) keepPromise(j ledger.JobID, from int64) {
	if e.promised == nil {
		e.promised = map[ledger.JobID]struct{}{}
	}
	e.promised[j] = struct{}{}
	if end := model.After(from, promiseLasts); e.l.Job(j).Awaits() && (e.promises == 0 || end < e.promises) {
		e.promises = end
	}
}
