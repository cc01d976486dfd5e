package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// lookAgain is a time in the past at which no pause ends: EndPauses looks for the earliest anew.
const lookAgain = 1

// applyBackoff takes in that a job, or some of its pods, pause, or no longer do. A job that
// has no row yet finds it when it gets one.
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

// pausing is the job that a pause is about.
func pausing(b *model.Backoff) JobKey {
	return JobKey{Namespace: b.Namespace, Name: b.Name, Adopted: b.Adopted, Owner: b.OwnerID}
}

// repause has a job looked at anew, since its pause is another.
func (l *Ledger) repause(k JobKey) {
	if j, ok := l.FindJob(k); ok {
		l.jobs[j].paused = l.pausesWhole(j)
		l.refreshAll(j)
	}
}

// pausesWhole says that a job pauses as a whole, as far as time has come: it then keeps no
// room of its queue from others.
func (l *Ledger) pausesWhole(j JobID) bool {
	p := l.Pause(j, l.pausesEnded)
	return p != nil && len(p.Pods) == 0
}

// Pause is the pause that a job, or some of its pods, make at a time; nil without one.
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

// Pauses says that a task is one of those that a job's pause is about. p is what Pause returned.
func (l *Ledger) Pauses(p *model.Backoff, t TaskID) bool {
	if p == nil {
		return false
	}
	_, found := slices.BinarySearch(p.Pods, l.tasks[t].Pod.UID)
	return found || len(p.Pods) == 0
}

// EndPauses has the jobs looked at anew whose pause has ended since it was last asked, and
// returns when the next pause ends, 0 without any.
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

// earlier is the earlier of two times, of which 0 is none.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
