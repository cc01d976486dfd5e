package loop

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// How long a phase that no controller waits for is delayed, to be written with conditions: most
// changes of a job's status come within seconds.
const (
	untilPods  = 2 * time.Second                 // of a job without pods: there is nothing to be said of it
	untilWords = lacking + 2500*time.Millisecond // the last condition is written two rounds after it is due
	untilLost  = lost + 2*round                  // that of a gang that has lost members
)

// holdPhase holds a phase back, in place of one that is held already, and returns true. It does not hold a phase that a
// controller waits for.
func (l *loop) holdPhase(i sched.Item, now time.Time) bool {
	group := l.observer.PodGroup(i.Group.Namespace, i.Group.Name)
	t := l.reported.job(ledger.JobKey{Namespace: i.Group.Namespace, Name: i.Group.Name}, i.UID, group, now)
	if t.heldPhase == nil || t.heldPhase.Phase == model.GroupRunning {
		t.heldSince = now // of phases that follow each other, the first
	}
	if t.heldPhase != nil {
		l.metrics.answered(*t.heldPhase, sched.Done, 0)
		t.heldPhase = nil
	}
	t.complete = t.complete || ran(i.Phase)
	if l.urgent(i) {
		t.phase = i.Phase
		return false
	}
	t.heldPhase = &i
	return true
}

// handOver has the held phase of a job written. It returns false if the PodGroup shows that phase already and no other
// one was written since.
func (l *loop) handOver(t *reportedJob, group *schedulingv1beta1.PodGroup) bool {
	item := *t.heldPhase
	if group != nil && shownPhase(group) == item.Phase && t.phase == item.Phase {
		t.heldPhase = nil
		l.metrics.answered(item, sched.Done, 0)
		l.input.receipts = append(l.input.receipts, sched.Receipt{Item: item, Outcome: sched.Done}) // no fact will follow
		return false
	}
	t.heldPhase, t.phase = nil, item.Phase
	t.origin.unknown = t.origin.unknown || !t.complete && t.origin.mine != nil && item.Phase == model.GroupUnknown
	l.executor.Execute([]sched.Item{item})
	return true
}

// handOverAll has all held phases written, because the scheduler ends.
func (l *loop) handOverAll() {
	for k, t := range l.reported.jobs {
		if t.heldPhase != nil {
			l.withoutPanic("handing a phase over", func() { l.handOver(t, l.observer.PodGroup(k.Namespace, k.Name)) })
		}
	}
}

// overdue says that the phase that is held of a job was held for long enough.
func (l *loop) overdue(job *ledger.Job, t *reportedJob, group *schedulingv1beta1.PodGroup, now time.Time) bool {
	long := untilWords
	if job.Tasks == 0 || t.heldPhase.Phase == model.GroupCompleted || mayWait(group) {
		long = untilPods
	} else if t.heldPhase.Phase == model.GroupUnknown {
		long = untilLost
	} else if t.heldPhase.Phase == model.GroupRunning && started(job) {
		return t.mayReportStart(job, now)
	}
	return now.Sub(t.heldSince) >= long
}

// urgent says that a controller may wait for a phase before it makes pods: the job is admitted and lacks pods, and its
// PodGroup has an owner and does not show the phase.
func (l *loop) urgent(i sched.Item) bool {
	if i.Phase != model.GroupInqueue || !mayWait(l.observer.PodGroup(i.Group.Namespace, i.Group.Name)) {
		return false
	}
	led := l.engine.Ledger()
	id, ok := led.Jobs.Find(ledger.JobKey{Namespace: i.Group.Namespace, Name: i.Group.Name})
	return !ok || led.Job(id).Tasks < max(1, led.Job(id).MinMember)
}

// mayWait says that the owner of a PodGroup may wait for its phase before it makes pods:
// it shows none or Pending, and no owner is known to make pods without waiting.
func mayWait(group *schedulingv1beta1.PodGroup) bool {
	if group == nil || shownPhase(group) != model.GroupPending {
		return false
	}
	for _, owner := range group.OwnerReferences {
		version, err := schema.ParseGroupVersion(owner.APIVersion)
		if err != nil || !unwaiting[version.Group] && version != mpiOperator {
			return true
		}
	}
	return false
}

// unwaiting has the API groups with controllers that make pods whatever a PodGroup shows. They are Kubernetes' own, of
// which the pods exist before Volcano's controllers or LeaderWorkerSet's make a PodGroup for them, and those of Ray,
// Spark, Kubeflow Trainer and JobSet. A group that is missing here costs a write. With a group too many its controller
// waits for untilPods.
var unwaiting = map[string]bool{"": true, "apps": true, "batch": true, "ray.io": true, "sparkoperator.k8s.io": true,
	"trainer.kubeflow.org": true, "leaderworkerset.x-k8s.io": true, "jobset.x-k8s.io": true}

// mpiOperator is the one version of its group with a controller that does not wait:
// training-operator's, which does, serves the others.
var mpiOperator = schema.GroupVersion{Group: "kubeflow.org", Version: "v2beta1"}

// shownPhase is the phase that a PodGroup shows; Pending where it shows none.
func shownPhase(group *schedulingv1beta1.PodGroup) model.GroupPhase {
	for _, p := range []model.GroupPhase{model.GroupInqueue, model.GroupRunning, model.GroupUnknown,
		model.GroupCompleted} {
		if string(group.Status.Phase) == p.String() {
			return p
		}
	}
	return model.GroupPending
}
