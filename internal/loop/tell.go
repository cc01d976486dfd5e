package loop

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/carry"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// lasting is how long a reason must hold before it is told, from one round to the next:
// most waits end before anybody could read of them.
const lasting = round - 50*time.Millisecond

// lacking is how long a job must lack pods until that is told: whoever makes them makes
// them one by one.
const lacking = 5 * time.Second

// tell says on objects what people, autoscalers and operators read there: on PodGroups
// why they wait or that they started, and how many of their pods stand where; on pods
// that they wait; on queues what they hold. What is said already is not said again.
func (l *loop) tell(now time.Time) {
	l.told.round++
	led := l.engine.Ledger()
	led.Jobs(func(id ledger.JobID) bool {
		l.tellJob(id, now)
		return true
	})
	l.told.forget()
	led.Queues(func(id ledger.QueueID) bool {
		l.tellQueue(led.Queue(id))
		return true
	})
}

func (l *loop) tellJob(id ledger.JobID, now time.Time) {
	job := l.engine.Ledger().Job(id)
	if !job.Exists() {
		return
	}
	uid := ""
	var group *schedulingv1beta1.PodGroup
	if job.Group != nil {
		uid = job.Group.UID
		group = l.seen.PodGroup(job.Key.Namespace, job.Key.Name)
	}
	t := l.told.job(job.Key, uid, group)
	reason := l.engine.JobReason(id)
	if code := codeOf(reason); code != t.code {
		t.code, t.since = code, now
	}
	status := carry.GroupStatus{}
	lasts := t.code != "" && now.Sub(t.since) >= untilTold(reason)
	switch {
	case started(job):
		t.whole = true
		// Members beyond the minimum may wait: their own conditions say so.
		if (!t.ready || t.said != "") && t.settled(job, now) {
			if !t.ready {
				l.metrics.jobs.Observe(inMilliseconds(time.Duration(l.now() - job.Created)))
			}
			t.ready, t.said = true, ""
			l.say(job, group, &status, condition(schedulingv1beta1.PodGroupScheduled, "", "tasks in gang are ready to be scheduled", "pod group is ready", now))
		}
	case lasts && t.code != t.said:
		t.said = t.code
		l.say(job, group, &status, condition(schedulingv1beta1.PodGroupUnschedulableType, t.code, volcanos(reason), waits(job, reason), now))
	}
	if lasts {
		l.tellPods(id, t, reason)
	} else if len(t.pods) > 0 && job.By[model.Pending] == 0 {
		clear(t.pods)
	}
	counts := carry.Counts{Running: job.By[model.Running], Succeeded: job.By[model.Succeeded], Failed: job.By[model.Failed]}
	if counts != t.wanted {
		t.wanted, t.stillSince = counts, now
	}
	if group != nil && (len(status.Conditions) > 0 || counts != t.counts && t.still(job, now)) {
		t.counts, status.Counts = counts, counts
		l.carrier.PodGroupStatus(ledger.Key{Namespace: job.Key.Namespace, Name: job.Key.Name}, uid, status)
	}
}

// untilTold is how long a reason must hold before it is told.
func untilTold(r trace.Reason) time.Duration {
	switch r.Root().Code {
	case trace.NotEnoughTasks, trace.NotEnoughPodsOfTask:
		return lacking
	}
	return lasting
}

// started says that a job's minimum is bound.
func started(job *ledger.Job) bool {
	scheduled := job.By[model.Running] + job.By[model.Bound] + job.By[model.Succeeded]
	return scheduled > 0 && scheduled >= job.MinMember
}

// say puts a condition on a PodGroup and tells of it by an event. That a gang started
// takes back that it could not.
func (l *loop) say(job *ledger.Job, group *schedulingv1beta1.PodGroup, s *carry.GroupStatus, c schedulingv1beta1.PodGroupCondition) {
	if group == nil {
		return // adopted: its pods say it
	}
	s.Conditions = append(s.Conditions, c)
	waits := c.Type == schedulingv1beta1.PodGroupUnschedulableType
	for _, old := range group.Status.Conditions {
		if !waits && old.Type == schedulingv1beta1.PodGroupUnschedulableType && old.Status == corev1.ConditionTrue {
			old.Status, old.LastTransitionTime = corev1.ConditionFalse, c.LastTransitionTime
			s.Conditions = append(s.Conditions, old)
		}
	}
	l.carrier.Event(carry.Event{Kind: "PodGroup", Object: ledger.Key{Namespace: job.Key.Namespace, Name: job.Key.Name},
		UID: string(group.UID), Warning: waits, Reason: string(c.Type), Message: c.Message})
}

// condition is one of a PodGroup. Its transition ID is the reason's code, by which a
// scheduler that starts anew knows what was said.
func condition(kind schedulingv1beta1.PodGroupConditionType, code, reason, message string, now time.Time) schedulingv1beta1.PodGroupCondition {
	return schedulingv1beta1.PodGroupCondition{Type: kind, Status: corev1.ConditionTrue, TransitionID: code,
		LastTransitionTime: metav1.NewTime(now), Reason: reason, Message: message}
}

// waits is Volcano's sentence, and ours after it.
func waits(job *ledger.Job, r trace.Reason) string {
	return fmt.Sprintf("%d/%d tasks in gang unschedulable: %s", job.By[model.Pending]+job.By[model.Pipelined], job.Tasks, explain.Sentence(r))
}

// tellPods says on a job's waiting pods that they wait: to autoscalers when a node more
// would end it (reason Unschedulable); else only to take that back, and where no
// PodGroup says it.
func (l *loop) tellPods(id ledger.JobID, t *toldJob, r trace.Reason) {
	led := l.engine.Ledger()
	reason, cure := string(r.Root().Code), curable(led, r)
	if cure {
		reason = corev1.PodReasonUnschedulable
	}
	alone := led.Job(id).Group == nil || started(led.Job(id)) // no PodGroup says it
	message := ""
	for _, status := range []model.Status{model.Pending, model.Pipelined} {
		led.JobTasks(id, status, func(task ledger.TaskID) bool {
			row := led.Task(task)
			if row.Pod.Gated || row.Held.Kind != ledger.NoCommit || t.pods[row.Pod.UID] == reason {
				return true
			}
			shown := l.shown(row)
			if shown != reason && (cure || shown == corev1.PodReasonUnschedulable || alone) {
				if message == "" {
					message = explain.Sentence(r)
				}
				if !l.carrier.PodCondition(row.Key, row.Pod.UID, reason, message) {
					return false // too much waits to be said: next time
				}
				l.carrier.Event(carry.Event{Kind: "Pod", Object: row.Key, UID: row.Pod.UID, Warning: true, Reason: "FailedScheduling", Message: message})
			}
			t.pods[row.Pod.UID] = reason
			return true
		})
	}
}

// shown is the reason a pod shows for not being scheduled, "" without.
func (l *loop) shown(row *ledger.Task) string {
	p := l.seen.Pod(row.Key.Namespace, row.Key.Name)
	if p == nil || p.Fact().UID != row.Pod.UID {
		return ""
	}
	return p.NotScheduled
}

// tellQueue writes what a queue holds, if it shows something else.
func (l *loop) tellQueue(q *ledger.Queue) {
	if q.Fact == nil {
		return
	}
	shown := l.seen.Queue(q.Name)
	if shown == nil || string(shown.UID) != q.Fact.UID {
		return
	}
	want := map[string]string{}
	for _, a := range l.engine.Ledger().Dims.List(q.Allocated.Vec(nil)) {
		if a.Value != 0 {
			want[a.Name] = explain.Quantity(a.Name, a.Value)
		}
	}
	patch, differs := map[string]*string{}, false
	for name, amount := range shown.Status.Allocated {
		if now, ok := want[string(name)]; !ok {
			patch[string(name)] = nil
			differs = differs || !amount.IsZero()
		} else {
			differs = differs || amount.String() != now
		}
	}
	for name, amount := range want {
		patch[name] = &amount
		_, ok := shown.Status.Allocated[corev1.ResourceName(name)]
		differs = differs || !ok
	}
	amounts := fmt.Sprint(want)
	if !differs || l.told.queues[q.Name] == (toldQueue{q.Fact.UID, amounts}) {
		return
	}
	if l.carrier.QueueAllocated(q.Name, q.Fact.UID, patch) {
		l.told.queues[q.Name] = toldQueue{q.Fact.UID, amounts}
	}
}
