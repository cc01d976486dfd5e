package loop

import (
	"fmt"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/carry"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// mend puts gangs right that stand half (decision 22): some members are bound, but
// fewer than the minimum, because bindings failed for good or a scheduler ended between
// them. The engine goes on trying to complete them; what is still half after
// Options.Stranded gives its room back: members that a controller owns are deleted and
// come anew, bare ones stay and are reported.
//
// A gang that had its minimum once is not half: members that died later are its own
// business.
func (l *loop) mend(now time.Time) {
	led := l.engine.Ledger()
	led.Jobs(func(id ledger.JobID) bool {
		job := led.Job(id)
		t := l.told.jobs[job.Key]
		if t == nil {
			return true
		}
		if t.ready || !half(job, l.denied(id)) {
			t.half, t.stuck = time.Time{}, stranded{}
			return true
		}
		switch {
		case t.half.IsZero():
			t.half = now
		case now.Sub(t.half) > l.o.Stranded:
			l.release(id, t, now)
			t.half = now // again, if it comes to that, after as long
		}
		return true
	})
}

// half says that a gang has bound members and fewer than it needs, those included whose
// bindings are under way, but for denied ones of which the API server will not hear.
func half(job *ledger.Job, denied int32) bool {
	if job.Group == nil || job.MinMember < 2 || job.Phase == model.GroupRunning || job.Phase == model.GroupCompleted {
		return false
	}
	bound := job.By[model.Bound] + job.By[model.Running]
	return bound > 0 && bound+job.By[model.Binding]-denied+job.By[model.Succeeded] < job.MinMember
}

// denied counts the members of a job that were refused when they were last tried to be bound.
func (l *loop) denied(id ledger.JobID) (n int32) {
	led := l.engine.Ledger()
	if led.Job(id).By[model.Binding] == 0 {
		return 0
	}
	led.JobTasks(id, model.Binding, func(task ledger.TaskID) bool {
		if l.carrier.Denied(led.Task(task).Pod.UID) {
			n++
		}
		return true
	})
	return n
}

// stranded is what was last said of the members of a gang that stands half.
type stranded struct {
	owned, bare int // how many were released, and how many stay
	at          time.Time
}

// reminded is how often it is said of a gang that stands half for the same reason.
const reminded = 10 * time.Minute

// release gives back the room of a gang's bound members, and says so when that changed or
// was not said for long.
func (l *loop) release(id ledger.JobID, t *toldJob, now time.Time) {
	led := l.engine.Ledger()
	job := led.Job(id)
	owned, bare := 0, 0
	why := fmt.Sprintf("gang %s: fewer than its %d members could be bound", job.Key, job.MinMember)
	for _, status := range []model.Status{model.Bound, model.Running} {
		led.JobTasks(id, status, func(task ledger.TaskID) bool {
			row := led.Task(task)
			if row.Pod.Owner == "" {
				bare++
				return true
			}
			owned++
			l.carrier.Release(row.Key, row.Pod.UID, why)
			return true
		})
	}
	l.metrics.released.Add(float64(owned))
	was := t.stuck
	if owned == was.owned && bare == was.bare && now.Sub(was.at) < reminded {
		return
	}
	t.stuck = stranded{owned, bare, now}
	klog.InfoS("A gang stands below its minimum: its members are released", "job", job.Key, "released", owned, "bareAndKept", bare)
	if bare > 0 && bare != was.bare {
		l.carrier.Event(carry.Event{Kind: "PodGroup", Object: groupOf(job), UID: t.uid, Warning: true,
			Reason: "GangStranded", Message: fmt.Sprintf("%s; %d of them are bound and have no controller that would make them anew: they stay", why, bare)})
	}
}
