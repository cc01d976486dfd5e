package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// lapses ends the inqueue amounts that queues keep for admitted jobs if pods do not come: for jobs without any pod, for
// gangs that lost members which nothing makes anew, for gangs that cannot start with the pods they have, and for jobs
// of which minResources are more than their pods ask for.
type lapses struct {
	e *Engine

	next int64                     // when the first of these amounts ends; 0: there is none
	due  map[ledger.JobID]struct{} // admitted jobs that lack pods, and maybe jobs that have them by now
}

// How long a queue waits for pods of an admitted job that do not exist, in nanoseconds. Controllers make the first
// pods, and new ones for those that were lost, within seconds. The rest may take minutes: of a large gang, or where the
// first pod is a driver, which pulls its image, starts, and then asks for its executors.
const (
	firstPodsWait = int64(60_000_000_000)
	otherPodsWait = int64(300_000_000_000)
)

// end ends the inqueue amounts of jobs of which the pods have not come in time. The jobs stay admitted, and once their
// pods exist, they have inqueue amounts again. It returns the time at which it has to be called next, 0 for never.
func (la *lapses) end(now int64) (next int64) {
	waiting := &la.e.l.WaitingJobs
	for j := range la.due { // order-free: each is judged by itself
		from, job := waiting.PodlessFrom(j), la.e.l.Job(j)
		if from == 0 {
			delete(la.due, j)
			continue
		}
		lacks := job.LacksPods() || job.Incomplete()
		if !lacks && waiting.Lending(j) == ledger.LendsAll {
			waiting.Lapse(j)
			waiting.Lend(j, ledger.LendsNone) // allocate judges it next
			continue
		}
		if !job.Awaits() {
			continue // it is in a backoff, and may keep room when that is over
		}
		switch end := lapsesAt(job, from); {
		case end > now:
			if next == 0 || end < next {
				next = end
			}
		case lacks:
			waiting.Lend(j, ledger.LendsAll)
		default:
			waiting.Lapse(j)
			delete(la.due, j)
		}
	}
	return next
}

// endUnfounded ends, before the first cycle, the inqueue amounts of jobs that their PodGroups show as admitted, where
// no vote can have admitted them: they ask for more than all that may be admitted.
func (la *lapses) endUnfounded() {
	var list []ledger.JobID
	la.e.l.Jobs.Each(func(j ledger.JobID) bool {
		job := la.e.l.Job(j)
		if job.Group != nil && job.HasMin && job.Admitted() && job.MoreToCome() {
			why, ok := la.e.session.Policy.Enqueueable(j)
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
		la.e.l.WaitingJobs.Lapse(j)
	}
}

// lapsesAt is when the inqueue amount of a job ends that has lacked pods since a time.
func lapsesAt(job *ledger.Job, from int64) int64 {
	if job.LacksPods() {
		return model.After(from, firstPodsWait)
	}
	return model.After(from, otherPodsWait)
}

// await notes since when a job has lacked pods, or that it has them. It is asked at the end of each cycle in which the
// job was touched.
func (la *lapses) await(j ledger.JobID) {
	waiting, job := &la.e.l.WaitingJobs, la.e.l.Job(j)
	from := waiting.PodlessFrom(j)
	switch {
	case !job.Admitted() || !job.HasMin:
		from = 0
		if job.Group != nil || job.Staying() == 0 { // no vote has admitted a PodGroup made anew for pods that run
			waiting.EndLapse(j)
		}
	case job.LacksPods() || job.Incomplete() || job.MoreToCome() && waiting.Lending(j) == ledger.LendsNone:
		if from == 0 {
			from = max(1, la.e.session.Now) // 0 is none
		}
	case job.MoreToCome(): // what is kept is lent to others meanwhile
		from = 0
	default:
		from = 0
		waiting.EndLapse(j)
	}
	waiting.SetPodlessFrom(j, from)
	if from != 0 {
		la.expect(j, from)
	}
}

// expect has end look at a job that has lacked pods since a time.
func (la *lapses) expect(j ledger.JobID, from int64) {
	if la.due == nil {
		la.due = map[ledger.JobID]struct{}{}
	}
	la.due[j] = struct{}{}
	job := la.e.l.Job(j)
	if la.e.l.WaitingJobs.Lapsed(j) && !job.LacksPods() && !job.Incomplete() || !job.Awaits() {
		return // nothing is kept for pods that are to come
	}
	if end := lapsesAt(job, from); la.next == 0 || end < la.next {
		la.next = end
	}
}
