package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// promises takes back what jobs were promised for pods that do not come: jobs without any, gangs that lost members
// which nothing makes anew, gangs that cannot start with the pods they have, and jobs that ask for more than their
// pods do.
type promises struct {
	e *Engine

	next int64                     // when room is kept no longer for the first of promised; 0: none is kept
	due  map[ledger.JobID]struct{} // admitted jobs that lack pods, and maybe jobs that have them by now
}

// For how long room is kept for pods of an admitted job that do not exist, in nanoseconds. Controllers make the first
// pods, and anew those that were lost, within seconds. The rest may take minutes: of a large gang, or where the first
// pod is a driver, which pulls its image, starts, and then asks for its executors.
const (
	promiseLasts = int64(60_000_000_000)
	restLasts    = int64(300_000_000_000)
)

// lapse ends what is kept for jobs when their pods have not come in time; the jobs stay admitted. Once the pods are
// there, room is kept for them again. It returns the time at which it has to be called next, 0 for never.
func (pr *promises) lapse(now int64) (next int64) {
	lenders := &pr.e.l.Lenders
	for j := range pr.due { // order-free: each is judged by itself
		from, job := lenders.AwaitsFrom(j), pr.e.l.Job(j)
		if from == 0 {
			delete(pr.due, j)
			continue
		}
		lacks := job.LacksPods() || job.Incomplete()
		if !lacks && lenders.Of(j) == ledger.LendsAll {
			lenders.Lapse(j, true)
			lenders.Lend(j, ledger.Keeps) // allocate judges it next
			continue
		}
		if !job.Awaits() {
			continue // it pauses, and may keep room when the pause is over
		}
		switch end := promisedUntil(job, from); {
		case end > now:
			if next == 0 || end < next {
				next = end
			}
		case lacks:
			lenders.Lend(j, ledger.LendsAll)
		default:
			lenders.Lapse(j, true)
			delete(pr.due, j)
		}
	}
	return next
}

// disbelieve takes back what jobs are promised, as their PodGroups show it before the first cycle, that no vote can
// have let them in for: more than all that may be let in.
func (pr *promises) disbelieve() {
	var list []ledger.JobID
	pr.e.l.Jobs.Each(func(j ledger.JobID) bool {
		job := pr.e.l.Job(j)
		if job.Group != nil && job.HasMin && job.Admitted() && job.Promised() {
			why, ok := pr.e.session.Policy.Enqueueable(j)
			if !ok && slices.ContainsFunc(why.Shorts, func(s trace.Short) bool {
				asks, _ := job.Group.MinResources.Get(s.Dim)
				return asks > s.Have
			}) {
				list = append(list, j)
			}
		}
		return true
	})
	for _, j := range list { // after all votes: their order makes no difference
		pr.e.l.Lenders.Lapse(j, true)
	}
}

// promisedUntil is when room is kept no longer for pods that a job has lacked since a time.
func promisedUntil(job *ledger.Job, from int64) int64 {
	if job.LacksPods() {
		return model.After(from, promiseLasts)
	}
	return model.After(from, restLasts)
}

// await notes since when a job has lacked pods, or that it has them. It is asked at the end of each cycle in which the
// job was touched.
func (pr *promises) await(j ledger.JobID) {
	lenders, job := &pr.e.l.Lenders, pr.e.l.Job(j)
	from := lenders.AwaitsFrom(j)
	switch {
	case !job.Admitted() || !job.HasMin:
		from = 0
		if job.Group != nil || job.Staying() == 0 { // a PodGroup that is made anew for what runs is let in by no vote
			lenders.Lapse(j, false)
		}
	case job.LacksPods() || job.Incomplete() || job.Promised() && lenders.Of(j) == ledger.Keeps:
		if from == 0 {
			from = max(1, pr.e.session.Now) // 0 is none
		}
	case job.Promised(): // what is kept is lent to others meanwhile
		from = 0
	default:
		from = 0
		lenders.Lapse(j, false)
	}
	lenders.Await(j, from)
	if from != 0 {
		pr.keep(j, from)
	}
}

func (pr *promises) keep(j ledger.JobID, from int64) {
	if pr.due == nil {
		pr.due = map[ledger.JobID]struct{}{}
	}
	pr.due[j] = struct{}{}
	job := pr.e.l.Job(j)
	if pr.e.l.Lenders.Lapsed(j) && !job.LacksPods() && !job.Incomplete() || !job.Awaits() {
		return // nothing is kept for pods that are to come
	}
	if end := promisedUntil(job, from); pr.next == 0 || end < pr.next {
		pr.next = end
	}
}
