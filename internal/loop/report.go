package loop

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// reports writes to the cluster what was decided and why.
type reports struct {
	l *loop

	problems  reportedProblems
	bookings  reportedBookings
	evictions reportedEvictions
	queues    queueEvents
	charges   chargeRecords
	firsts    firstReasons
}

// lasting is how long a reason must hold before it is written, from one round to the next: most waits end
// before a person could read about them.
const lasting = round - 50*time.Millisecond

// lacking is how long a job must lack pods, or pods their PodGroup, before that is written: controllers
// make them one by one. lost is how long a gang that ran must lack some of its minimum: controllers have
// made new members by then, and a controller that waits for the phase acts on it. longest is the longest
// time that any reason must hold: after quickChanges of them, each that is written in one wait must hold for twice
// as long as the one before, until one has held for reasonCalm.
const (
	lacking      = 5 * time.Second
	lost         = 2 * lasting
	longest      = 30 * time.Second
	quickChanges = 2
	reasonCalm   = 2 * time.Minute
)

// all writes to objects what people, autoscalers and operators read there: to PodGroups why they wait
// or that they started, and how many of their pods are in which phase; to pods that they wait; to
// queues what they hold. What an object shows already is not written again.
func (rp *reports) all(now time.Time) {
	rp.l.reported.round++
	led := rp.l.engine.Ledger()
	led.Jobs.Each(func(id ledger.JobID) bool {
		rp.job(id, now)
		return true
	})
	rp.l.reported.forget(led)
	led.Queues.Each(func(id ledger.QueueID) bool {
		rp.queue(led.Queue(id), now)
		return true
	})
	rp.shard(now)
	rp.bookings.report(rp.l, now)
	rp.evictions.tell(rp.l.executor)
	rp.queues.report(rp.l, now)
	rp.recordCharges(now)
}

func (rp *reports) job(id ledger.JobID, now time.Time) {
	job := rp.l.engine.Ledger().Job(id)
	uid := job.GroupUID()
	var group *schedulingv1beta1.PodGroup
	if job.Group != nil {
		group = rp.l.observer.PodGroup(job.Key.Namespace, job.Key.Name)
	}
	t := rp.l.reported.job(job.Key, uid, group, now)
	t.count(job, now)
	rp.charges.examine(rp.l.engine.Ledger(), id, t, now)
	reason := rp.reason(id, job)
	code := codeOf(reason)
	if code != "" && t.origin.lastText != "" {
		code += "." + halfSaid
	}
	t.see(code, now, rp.firsts.looks)
	t.due = t.since.Add(t.untilReported(job, reason))
	lasts := t.code != "" && (t.code == t.written || !now.Before(t.due))
	var said []schedulingv1beta1.PodGroupCondition
	if started(job) {
		said = rp.reportStart(job, t, group, now)
	} else {
		t.started = time.Time{}
		if lasts && t.code != t.written {
			said = rp.reportWait(job, t, group, reason, now)
		} else if lasts {
			said = rp.refresh(job, t, group, reason, now)
		}
	}
	if lasts {
		rp.pods(id, t, reason)
	} else if len(t.pods) > 0 && job.By[model.Pending] == 0 {
		clear(t.pods)
	}
	if group != nil {
		rp.group(job, t, group, said, now)
		rp.l.stranded.look(id, t, group)
	}
}

// reason is why a job waits, as it is written.
func (rp *reports) reason(id ledger.JobID, job *ledger.Job) trace.Reason {
	counts := rp.l.engine.Ledger().Jobs.QueueName(id)
	own := counts
	if job.Group != nil {
		own = job.Group.Queue
	}
	return explain.AsWritten(rp.l.engine.JobReason(id), own, counts)
}

// group writes to a PodGroup, in one write, its current conditions and counts, and a phase that was
// held back for them.
func (rp *reports) group(job *ledger.Job, t *reportedJob, group *schedulingv1beta1.PodGroup,
	said []schedulingv1beta1.PodGroupCondition, now time.Time) {
	due := len(said) > 0 || t.counted(job, now)
	if t.heldPhase != nil && (due || rp.l.overdue(job, t, group, now)) {
		due = rp.l.handOver(t, group) || due
	}
	if !due {
		return
	}
	t.counts, t.wrong, t.read = t.wanted, time.Time{}, now
	rp.l.executor.PodGroupStatus(groupOf(job), t.uid, execute.GroupStatus{Counts: t.counts, Conditions: said})
}

// reportStart reports that a job's minimum is bound: by an event at once, and by its PodGroup's condition
// when that is due.
func (rp *reports) reportStart(job *ledger.Job, t *reportedJob, group *schedulingv1beta1.PodGroup,
	now time.Time) []schedulingv1beta1.PodGroupCondition {
	c := condition(schedulingv1beta1.PodGroupScheduled, "", "tasks in gang are ready to be scheduled",
		"pod group is ready", now)
	if t.started.IsZero() {
		t.started = now
		if !t.ready && !t.writtenReady {
			rp.l.metrics.ofJobs.jobs.Observe(inMilliseconds(time.Duration(model.Between(job.Created, rp.l.now()))))
		}
		if !t.ready {
			t.ready, t.readyAt = true, now
		}
		if t.startUnwritten() {
			rp.event(job, group, c)
		}
	}
	// Members beyond the minimum may wait: their own conditions say so.
	if !t.startUnwritten() || !t.mayReportStart(job, now) {
		return nil
	}
	waited := t.written
	t.writtenReady, t.written, t.changes = true, "", 0
	if group == nil {
		return nil
	}
	said := []schedulingv1beta1.PodGroupCondition{c}
	if waited != "" { // the start ends the condition that it could not be scheduled
		said = append(said, noLonger(group, waited, c))
	}
	return said
}

// noLonger ends the condition that a gang could not be scheduled, which its PodGroup may not show yet. What it said is
// not true any more: it ends without a text.
func noLonger(group *schedulingv1beta1.PodGroup, code string,
	started schedulingv1beta1.PodGroupCondition) schedulingv1beta1.PodGroupCondition {
	c := started
	c.Type, c.TransitionID = schedulingv1beta1.PodGroupUnschedulableType, code
	if old := conditionOf(group, c.Type); old != nil {
		c.TransitionID = old.TransitionID
	}
	c.Status, c.Message = corev1.ConditionFalse, ""
	return c
}

// reportWait reports why a job waits.
func (rp *reports) reportWait(job *ledger.Job, t *reportedJob, group *schedulingv1beta1.PodGroup, r trace.Reason,
	now time.Time) []schedulingv1beta1.PodGroupCondition {
	another := t.written != "" // its pods may show the same reason for it: Unschedulable
	t.written = t.code
	t.changes++
	message := t.message(job, r)
	t.text = t.text.next(&r, message, now, another)
	rp.remember(job.Key, r)
	c := condition(schedulingv1beta1.PodGroupUnschedulableType, t.code, volcanos(r), message, now)
	rp.event(job, group, c)
	return append(notScheduledAnyMore(job, group, now), c)
}

// remember notes for the history of a job that it is told why it waits.
func (rp *reports) remember(job ledger.JobKey, r trace.Reason) {
	rp.l.input.recorder.reasons.reason(job, rp.l.now(), rp.l.background.questions.cycle.Load(), explain.Sentence(r))
}

// halfSaid ends the code of a half-bound gang when something was reported about its members.
const halfSaid = "half"

// untilReported is how long a reason must hold before it is written.
func (t *reportedJob) untilReported(job *ledger.Job, r trace.Reason) time.Duration {
	until := lasting
	switch r.Root().Code {
	case trace.NotEnoughTasks, trace.NotEnoughPodsOfTask, trace.SubGroupIncomplete, trace.PodGroupNotFound:
		until = lacking
	}
	if job.Phase == model.GroupUnknown {
		until = lost
	}
	return min(until<<min(max(0, t.changes-quickChanges), 5), longest)
}

// started says that a job's minimum is bound, with those of its roles and sub-groups.
func started(job *ledger.Job) bool {
	return job.SurelyBound() > 0 && job.Met((*ledger.Count).SurelyBound)
}

// event records a PodGroup's condition as an event.
func (rp *reports) event(job *ledger.Job, group *schedulingv1beta1.PodGroup, c schedulingv1beta1.PodGroupCondition) {
	if group == nil {
		return // adopted: its pods have the events
	}
	rp.l.executor.Event(execute.Event{Kind: "PodGroup", Object: groupOf(job), UID: string(group.UID),
		Warning: c.Type == schedulingv1beta1.PodGroupUnschedulableType, Reason: string(c.Type), Message: c.Message})
}

// groupOf is the name of a job's PodGroup.
func groupOf(job *ledger.Job) ledger.Key {
	return ledger.Key{Namespace: job.Key.Namespace, Name: job.Key.Name}
}

// condition is a condition of a PodGroup. Its transition ID is the reason's code, by which a scheduler that
// starts anew knows what was written.
func condition(kind schedulingv1beta1.PodGroupConditionType, code, reason, message string,
	now time.Time) schedulingv1beta1.PodGroupCondition {
	return schedulingv1beta1.PodGroupCondition{Type: kind, Status: corev1.ConditionTrue, TransitionID: code,
		LastTransitionTime: metav1.NewTime(now), Reason: reason, Message: message}
}

// message is what a job that waits is told.
func (t *reportedJob) message(job *ledger.Job, r trace.Reason) string {
	message := unschedulable(job, r)
	if t.origin.lastText != "" {
		message += "; " + t.origin.lastText
	}
	return message
}

// unschedulable is Volcano's sentence, followed by ours.
func unschedulable(job *ledger.Job, r trace.Reason) string {
	return fmt.Sprintf("%d/%d tasks in gang unschedulable: %s", job.By[model.Pending]+job.By[model.Pipelined], job.Tasks,
		explain.Sentence(r))
}
