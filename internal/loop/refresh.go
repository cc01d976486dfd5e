package loop

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// reportedText is the text of the reason that was written last. The amounts in it change more often than the
// reason: what a drained node had free, or how much a queue holds.
type reportedText struct {
	message string
	at      time.Time // when it was written; zero: by an earlier process
	times   int       // how often it was refreshed lately
	number  int       // counts the texts of a job's life, so that each of its pods gets the newest

	obstacles string   // what it says is in the way: see obstaclesOf
	nodes     []string // that it names
	amounts   bool     // it was written for its amounts alone
	early     int      // how often it was written at once lately, as counted at earlyAt
	earlyAt   time.Time
	first     string // what the first of the job's pods was told: see reports.pods
}

// refreshed is how soon a text with amounts that are not true any more is written anew: twice as late each time, so
// that a busy cluster, in which the amounts change every second, has few writes. A text that was true for long counts
// as the first again.
const (
	refreshed = 2 * time.Second
	slowest   = 10 * time.Minute
	textCalm  = 15 * time.Minute
)

// fewPods is up to how many waiting pods of a job get the new amounts, too. Those of a larger job keep the text that
// they were told until something else is in the way: a thousand writes for each change of an amount would say no more
// than the one of its PodGroup.
const fewPods = 16

// refresh reports the same reason with the amounts and names that are true now.
func (rp *reports) refresh(job *ledger.Job, t *reportedJob, group *schedulingv1beta1.PodGroup, r trace.Reason,
	now time.Time) []schedulingv1beta1.PodGroupCondition {
	since := now.Sub(t.text.at)
	due := since >= min(refreshed<<min(t.text.times, 20), slowest)
	if t.written == "" || !due && !t.text.mayBeEarly(now) {
		return nil
	}
	wrong := t.text.wrong(rp.l.engine.Ledger(), obstaclesOf(&r))
	if !due && !wrong {
		return nil
	}
	message := t.message(job, r)
	if message == t.text.message || clipped(message, t.text.message) {
		return nil
	}
	times := t.text.times
	if since > textCalm {
		times = 0
	}
	few := job.By[model.Pending]+job.By[model.Pipelined] <= fewPods
	t.text = t.text.next(&r, message, now, few || wrong)
	t.text.times, t.text.amounts = times+1, !wrong
	if !due {
		t.text.times = times
		t.text.noteEarly(now)
	}
	if wrong {
		rp.remember(job.Key, r)
	}
	c := condition(schedulingv1beta1.PodGroupUnschedulableType, t.code, volcanos(r), message, now)
	if old := conditionOf(group, c.Type); old != nil && old.Status == c.Status {
		c.LastTransitionTime = old.LastTransitionTime // it waits for this reason since then
	}
	rp.event(job, group, c)
	return []schedulingv1beta1.PodGroupCondition{c}
}

// clipped says that a text is shown as far as a message can be long.
func clipped(message, shown string) bool {
	start, cut := strings.CutSuffix(shown, "...")
	return cut && strings.HasPrefix(message, start)
}

// conditionOf is a PodGroup's condition of a type; nil when it has none.
func conditionOf(group *schedulingv1beta1.PodGroup,
	kind schedulingv1beta1.PodGroupConditionType) *schedulingv1beta1.PodGroupCondition {
	if group == nil {
		return nil
	}
	for i := range group.Status.Conditions {
		if c := &group.Status.Conditions[i]; c.Type == kind {
			return c
		}
	}
	return nil
}

// notScheduledAnyMore is the condition that a gang is scheduled, ended, for a gang that waits again as a whole because
// its members were evicted or are lost. It stays as False: it still says that the gang had its minimum once.
func notScheduledAnyMore(job *ledger.Job, group *schedulingv1beta1.PodGroup,
	now time.Time) []schedulingv1beta1.PodGroupCondition {
	c := conditionOf(group, schedulingv1beta1.PodGroupScheduled)
	here := job.By[model.Running] + job.By[model.Bound] + job.By[model.Binding]
	if c == nil || c.Status != corev1.ConditionTrue || here > 0 {
		return nil
	}
	ended := *c
	ended.Status, ended.LastTransitionTime = corev1.ConditionFalse, metav1.NewTime(now)
	ended.Reason, ended.Message = "tasks in gang wait again", "pod group is not ready any more"
	return []schedulingv1beta1.PodGroupCondition{ended}
}
