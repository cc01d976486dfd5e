package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// lookAgain, a time in the past at which no pause ends, makes EndPauses find the earliest end anew.
const lookAgain = 1

// applyBackoff takes in a fact that a job, or some of its pods, pause, or pause no longer. A job without a row
// finds the pause when it gets one.
func (l *Ledger) applyBackoff(r model.Ref, b *model.Backoff) {
	was := l.backoffs[r]
	delete(l.backoffs, r)
	if was != nil && was.NotBefore == l.pauseEnds {
		l.pauseEnds = lookAgain
	}
	if b != nil {
		if l.backoffs == nil {
			l.backoffs = map[model.Ref]*model.Backoff{}
		}
		l.backoffs[r] = b
		l.pauseEnds = earlier(l.pauseEnds, b.NotBefore)
	}
	for _, o := range []*model.Backoff{was, b} {
		if o != nil {
			l.repause(pausing(o))
		}
	}
}

// pausing returns the job that a pause is about.
func pausing(b *model.Backoff) JobKey {
	return JobKey{Namespace: b.Namespace, Name: b.Name, Adopted: b.Adopted, Owner: b.OwnerID}
}

// repause makes a job be looked at anew, since its pause changed.
func (l *Ledger) repause(k JobKey) {
	if j, ok := l.FindJob(k); ok {
		l.jobs[j].paused = l.pausesWhole(j)
		l.refreshAll(j)
	}
}

// pausesWhole says that a job pauses as a whole at the time of the last EndPauses: it then keeps no room of
// its queue from other jobs.
func (l *Ledger) pausesWhole(j JobID) bool {
	p := l.Pause(j, l.pausesEnded)
	return p != nil && len(p.Pods) == 0
}

// Pause returns the pause of a job, or of some of its pods, at a time; nil without one.
func (l *Ledger) Pause(j JobID, now int64) *model.Backoff {
	if len(l.backoffs) == 0 {
		return nil
	}
	job := &l.jobs[j]
	named := model.Backoff{Meta: model.Meta{Namespace: job.Key.Namespace, Name: job.Key.Name}, Adopted: job.Key.Adopted, OwnerID: job.Key.Owner}
	b := l.backoffs[named.Ref()]
	if b == nil || b.NotBefore <= now || job.Group != nil && job.Group.UID != b.UID {
		return nil
	}
	return b
}

// Pauses says that a job's pause applies to a task. p is what Pause returned.
func (l *Ledger) Pauses(p *model.Backoff, t TaskID) bool {
	if p == nil {
		return false
	}
	_, found := slices.BinarySearch(p.Pods, l.tasks[t].Pod.UID)
	return found || len(p.Pods) == 0
}

// EndPauses makes the jobs be looked at anew of which the pause has ended since the last call, and returns
// when the next pause ends, 0 without any.
func (l *Ledger) EndPauses(now int64) (next int64) {
	was := l.pausesEnded
	if l.pausesEnded = now; l.pauseEnds == 0 || l.pauseEnds > now {
		return l.pauseEnds
	}
	l.pauseEnds = 0
	for _, b := range l.backoffs { // order-free: each job by itself, and a minimum
		switch {
		case b.NotBefore > now:
			l.pauseEnds = earlier(l.pauseEnds, b.NotBefore)
		case b.NotBefore > was:
			l.repause(pausing(b))
			l.stateEpoch++
		}
	}
	return l.pauseEnds
}

// earlier returns the earlier of two times, where 0 means none.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
