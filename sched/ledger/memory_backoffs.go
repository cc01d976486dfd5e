package ledger

import (
	"math"
	"slices"

	"ashlar.sh/sched/model"
)

// Backoffs holds the pauses after refused bindings.
type Backoffs struct {
	l *Ledger

	byRef       map[model.Ref]*model.Backoff
	pauseEnds   int64 // the time at which the first pause ends that has not ended; 0: none
	pausesEnded int64 // the time up to which ended pauses were looked for
}

// lookAgain, a time before any other, makes Backoffs.End find the earliest end anew.
const lookAgain = math.MinInt64

// apply takes in a fact that a job, or some of its pods, pause, or pause no longer. A job without a row
// finds the pause when it gets one.
func (bs *Backoffs) apply(r model.Ref, b *model.Backoff) {
	was := bs.byRef[r]
	delete(bs.byRef, r)
	if was != nil && was.NotBefore == bs.pauseEnds {
		bs.pauseEnds = lookAgain
	}
	if b != nil {
		if bs.byRef == nil {
			bs.byRef = map[model.Ref]*model.Backoff{}
		}
		bs.byRef[r] = b
		bs.pauseEnds = earlier(bs.pauseEnds, b.NotBefore)
	}
	for _, o := range []*model.Backoff{was, b} {
		if o != nil {
			bs.repause(pausing(o))
		}
	}
}

// pausing returns the job that a pause is about.
func pausing(b *model.Backoff) JobKey {
	return JobKey{Namespace: b.Namespace, Name: b.Name, Adopted: b.Adopted, Owner: b.OwnerID}
}

// repause makes a job be looked at anew, since its pause changed.
func (bs *Backoffs) repause(k JobKey) {
	if j, ok := bs.l.Jobs.Find(k); ok {
		bs.l.Jobs.rows[j].waits.paused = bs.pausesWhole(j)
		bs.l.accounts.refreshAll(j)
	}
}

// pausesWhole says that a job pauses as a whole at the time of the last Backoffs.End: it then keeps no room of
// its queue from other jobs.
func (bs *Backoffs) pausesWhole(j JobID) bool {
	p := bs.Of(j, bs.pausesEnded)
	return p != nil && len(p.Pods) == 0
}

// Of returns the pause of a job, or of some of its pods, at a time; nil without one.
func (bs *Backoffs) Of(j JobID, now int64) *model.Backoff {
	if len(bs.byRef) == 0 {
		return nil
	}
	job := &bs.l.Jobs.rows[j]
	named := model.Backoff{Meta: model.Meta{Namespace: job.Key.Namespace, Name: job.Key.Name}, Adopted: job.Key.Adopted,
		OwnerID: job.Key.Owner}
	b := bs.byRef[named.Ref()]
	if b == nil || b.NotBefore <= now || job.Group != nil && job.Group.UID != b.UID {
		return nil
	}
	return b
}

// Pauses says that a job's pause applies to a task. p is what Pause returned.
func (bs *Backoffs) Pauses(p *model.Backoff, t TaskID) bool {
	if p == nil {
		return false
	}
	_, found := slices.BinarySearch(p.Pods, bs.l.Tasks.rows[t].Pod.UID)
	return found || len(p.Pods) == 0
}

// End makes the jobs be looked at anew of which the pause has ended since the last call, and returns
// when the next pause ends, 0 without any.
func (bs *Backoffs) End(now int64) (next int64) {
	was := bs.pausesEnded
	if bs.pausesEnded = now; bs.pauseEnds == 0 || bs.pauseEnds > now {
		return bs.pauseEnds
	}
	bs.pauseEnds = 0
	for _, b := range bs.byRef { // order-free: each job by itself, and a minimum
		switch {
		case b.NotBefore > now:
			bs.pauseEnds = earlier(bs.pauseEnds, b.NotBefore)
		case b.NotBefore > was:
			bs.repause(pausing(b))
			bs.l.Changes.stateEpoch++
		}
	}
	return bs.pauseEnds
}

// earlier returns the earlier of two times, where 0 means none.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
