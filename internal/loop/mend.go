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
		if !half(job) || t.whole {
			t.half, t.stuck = time.Time{}, false
			return true
		}
		switch {
		case t.half.IsZero():
			t.half = now
		case now.Sub(t.half) > l.o.Stranded:
			l.release(id, t)
			t.half = now // again, if it comes to that, after as long
		}
		return true
	})
}

// half says that a gang has bound members and fewer than it needs.
func half(job *ledger.Job) bool {
	if job.Group == nil || job.MinMember < 2 || job.Phase == model.GroupRunning || job.Phase == model.GroupCompleted {
		return false
	}
	bound := job.By[model.Bound] + job.By[model.Running]
	return bound > 0 && bound+job.By[model.Binding]+job.By[model.Succeeded] < job.MinMember
}

func (l *loop) release(id ledger.JobID, t *toldJob) {
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
	klog.InfoS("A gang stands below its minimum: its members are released", "job", job.Key, "released", owned, "bareAndKept", bare)
	if bare > 0 && !t.stuck {
		t.stuck = true
		l.carrier.Event(carry.Event{Kind: "PodGroup", Object: ledger.Key{Namespace: job.Key.Namespace, Name: job.Key.Name}, UID: t.uid, Warning: true,
			Reason: "GangStranded", Message: fmt.Sprintf("%s; %d of them are bound and have no controller that would make them anew: they stay", why, bare)})
	}
}
