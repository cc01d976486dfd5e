package loop

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/carry"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// told is what was said of what, so that nothing is said twice. It is a bridge to the
// time when the API shows it; after a restart it is read from there.
type told struct {
	jobs   map[ledger.JobKey]*toldJob
	queues map[string]toldQueue
	round  uint64
}

// toldJob is what is known to be said about a job.
type toldJob struct {
	uid   string
	round uint64 // last seen in

	code   string // why it waits, "" when it does not
	since  time.Time
	said   string // the code that was said last, "" when nothing holds
	ready  bool   // was said to have had its minimum
	whole  bool   // had it: that it was said is no proof where Volcano did, which says so before it binds
	counts carry.Counts
	wanted carry.Counts      // as seen in the last round: written once they stand still
	pods   map[string]string // the reason that was said on a pod, by UID

	stillSince   time.Time // since when wanted has not changed
	startedSince time.Time // since when its minimum is bound and that was not said, zero when it is not so

	half  time.Time // since when it stands below its minimum, zero when it does not
	stuck bool      // its bare members were reported
}

// toldQueue is the amounts that were written of a queue.
type toldQueue struct{ uid, amounts string }

func newTold() *told {
	return &told{jobs: map[ledger.JobKey]*toldJob{}, queues: map[string]toldQueue{}}
}

// job returns what was said of a job's present life, at first sight by what its
// PodGroup shows.
func (t *told) job(key ledger.JobKey, uid string, group *schedulingv1beta1.PodGroup) *toldJob {
	j := t.jobs[key]
	if j == nil || j.uid != uid {
		j = &toldJob{uid: uid, pods: map[string]string{}}
		t.jobs[key] = j
		if group != nil && string(group.UID) == uid {
			j.counts = carry.Counts{Running: group.Status.Running, Succeeded: group.Status.Succeeded, Failed: group.Status.Failed}
			for _, c := range group.Status.Conditions {
				switch {
				case c.Status != corev1.ConditionTrue:
				case c.Type == schedulingv1beta1.PodGroupUnschedulableType:
					j.said = c.TransitionID
				case c.Type == schedulingv1beta1.PodGroupScheduled:
					j.ready, j.whole = true, c.TransitionID == "" // ours have none
				}
			}
		}
	}
	j.round = t.round
	return j
}

// forget drops the jobs that were not seen in this round.
func (t *told) forget() {
	for k, j := range t.jobs {
		if j.round != t.round {
			delete(t.jobs, k)
		}
	}
}

// Figures of a PodGroup's members change with every member. They are written when they
// have come to an end, or have stood still for a while.
const (
	untilRunning = 1500 * time.Millisecond // how long the word that a gang started waits for its members to run
	stillFor     = 10 * time.Second
)

// settled says that a gang that has started may be said to have: all its members run, so
// that their number can be said with it, or they take their time.
func (t *toldJob) settled(job *ledger.Job, now time.Time) bool {
	if t.startedSince.IsZero() {
		t.startedSince = now
	}
	if job.By[model.Bound]+job.By[model.Binding] > 0 && now.Sub(t.startedSince) < untilRunning {
		return false
	}
	t.startedSince = time.Time{}
	return true
}

// still says that a job's figures are worth a write: all members that are bound run or
// all have finished, for a round at least, or nothing has changed for long.
func (t *toldJob) still(job *ledger.Job, now time.Time) bool {
	since := now.Sub(t.stillSince)
	starting := job.By[model.Bound] + job.By[model.Binding]
	finished := job.By[model.Succeeded] + job.By[model.Failed]
	ended := starting == 0 && (finished == 0 || job.By[model.Running] == 0)
	return since > stillFor || ended && since > 0
}

// codeOf is a reason's code with those of its causes: what must differ for a reason to
// be another. Codes of a moment are none: nobody needs to read of them.
func codeOf(r trace.Reason) string {
	switch r.Code {
	case trace.BindInFlight, trace.NoPods:
		return ""
	}
	code := string(r.Code)
	for c := r.Cause; c != nil; c = c.Cause {
		code += "." + string(c.Code)
	}
	return code
}

// volcanos is the reason that Volcano would give in a PodGroup's condition.
func volcanos(r trace.Reason) string {
	switch r.Root().Code {
	case trace.NotEnoughTasks, trace.NoPods:
		return schedulingv1beta1.NotEnoughPodsReason
	case trace.NotEnoughPodsOfTask:
		return schedulingv1beta1.NotEnoughPodsOfTaskReason
	}
	return schedulingv1beta1.NotEnoughResourcesReason
}
