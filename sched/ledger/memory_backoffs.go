package ledger

import (
	"math"
	"slices"

	"ashlar.sh/sched/model"
)

// Backoffs holds the backoffs after refused bindings.
type Backoffs struct {
	l *Ledger

	byRef      map[model.Ref]*model.Backoff
	nextEnd    int64 // the time at which the first backoff ends that has not ended; 0: none
	endedUntil int64 // the time up to which ended backoffs were looked for
}

// lookAgain, a time before any other, makes Backoffs.End find the earliest end anew.
const lookAgain = math.MinInt64

// apply takes in a fact that a job, or some of its pods, are in a backoff, or no longer. A job without a row
// finds the backoff when it gets one.
func (bs *Backoffs) apply(r model.Ref, b *model.Backoff) {
	was := bs.byRef[r]
	delete(bs.byRef, r)
	if was != nil && was.NotBefore == bs.nextEnd {
		bs.nextEnd = lookAgain
	}
	if b != nil {
		if bs.byRef == nil {
			bs.byRef = map[model.Ref]*model.Backoff{}
		}
		bs.byRef[r] = b
		bs.nextEnd = model.Earlier(bs.nextEnd, b.NotBefore)
	}
	for _, o := range []*model.Backoff{was, b} {
		if o != nil {
			bs.refresh(jobOf(o))
		}
	}
}

// jobOf returns the job that a backoff is about.
func jobOf(b *model.Backoff) JobKey {
	return JobKey{Namespace: b.Namespace, Name: b.Name, Adopted: b.Adopted, Owner: b.OwnerID}
}

// refresh makes a job be looked at anew, since its backoff changed.
func (bs *Backoffs) refresh(k JobKey) {
	if j, ok := bs.l.Jobs.Find(k); ok {
		bs.l.Jobs.rows[j].waits.inBackoff = bs.appliesToWhole(j)
		bs.l.accounts.refreshAll(j)
	}
}

// appliesToWhole says that a whole job is in a backoff at the time of the last Backoffs.End: it then keeps no room of
// its queue from other jobs.
func (bs *Backoffs) appliesToWhole(j JobID) bool {
	p := bs.Of(j, bs.endedUntil)
	return p != nil && len(p.Pods) == 0
}

// Of returns the backoff of a job, or of some of its pods, at a time; nil without one.
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

// AppliesTo says that a job's backoff applies to a task. p is what Of returned.
func (bs *Backoffs) AppliesTo(p *model.Backoff, t TaskID) bool {
	if p == nil {
		return false
	}
	_, found := slices.BinarySearch(p.Pods, bs.l.Tasks.rows[t].Pod.UID)
	return found || len(p.Pods) == 0
}

// End makes the jobs be looked at anew of which the backoff has ended since the last call, and returns
// when the next backoff ends, 0 without any.
func (bs *Backoffs) End(now int64) (next int64) {
	was := bs.endedUntil
	if bs.endedUntil = now; bs.nextEnd == 0 || bs.nextEnd > now {
		return bs.nextEnd
	}
	bs.nextEnd = 0
	for _, b := range bs.byRef { // order-free: each job by itself, and a minimum
		switch {
		case b.NotBefore > now:
			bs.nextEnd = model.Earlier(bs.nextEnd, b.NotBefore)
		case b.NotBefore > was:
			bs.refresh(jobOf(b))
			bs.l.Changes.stateEpoch++
		}
	}
	return bs.nextEnd
}
