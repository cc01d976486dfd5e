package loop

import (
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// reasonOf is the reason of a pod's condition: Kubernetes' own where it has one.
func reasonOf(r trace.Reason, cure bool) string {
	switch code := r.Root().Code; {
	case cure:
		return corev1.PodReasonUnschedulable
	case code == trace.BindRefused:
		return corev1.PodReasonSchedulerError
	default:
		return string(code)
	}
}

// podReason is what the waiting pods of a job are told.
type podReason struct {
	rp      *reports
	t       *reportedJob
	job     *ledger.Job
	cure    bool // one more node would end the wait
	reason  string
	number  string // the reason with the number of the text
	message func() string
}

// pods writes to a job's waiting pods that they wait. The reason is Unschedulable, which autoscalers
// look for, only when one more node would end the wait (decision 26).
func (rp *reports) pods(id ledger.JobID, t *reportedJob, r trace.Reason) {
	led := rp.l.engine.Ledger()
	cure := curable(led, r)
	say := podReason{rp: rp, t: t, job: led.Job(id), cure: cure, reason: reasonOf(r, cure),
		message: sync.OnceValue(func() string { return explain.Sentence(r) })}
	say.number = say.reason + "/" + strconv.Itoa(t.text.number)
	all := true
	for _, status := range []model.Status{model.Pending, model.Pipelined} {
		led.Jobs.Tasks(id, status, func(task ledger.TaskID) bool {
			if row := led.Task(task); !row.Pod.Gated && row.Commitment.Kind == ledger.NoCommit && !say.to(row) {
				all = false
			}
			return all
		})
	}
	t.looked = t.looked || all
}

// to tells a pod, unless it shows that already. It returns false where too many writes wait: then it is told in the
// next round.
func (s *podReason) to(row *ledger.Task) bool {
	t := s.t
	if t.pods[row.Pod.UID] == s.number {
		return true
	}
	shown := s.rp.shown(row)
	changed, again := shown.reason != s.reason, t.text.number > 0
	order := t.text.order(s.number, shown.reason, changed)
	if !changed && !again {
		stale, amounts := s.stale(shown.text)
		if again = stale; amounts {
			order = execute.TextOnly
		}
	}
	if changed || again {
		if !s.rp.l.executor.PodCondition(execute.Waiting{Pod: row.Key, UID: row.Pod.UID, Version: shown.version,
			Reason: s.reason, Message: s.message(), Order: order, Since: shown.reason != "",
			Urgent: changed && (s.cure || shown.reason == corev1.PodReasonUnschedulable)}) {
			return false
		}
		t.text.first = s.number
	}
	if changed || again && s.job.Tasks == 1 { // describe shows a pod's events, not its reasons
		s.rp.l.executor.Event(execute.Event{Kind: "Pod", Object: row.Key, UID: row.Pod.UID, Warning: true,
			Reason: "FailedScheduling", Message: s.message()})
	}
	t.pods[row.Pod.UID] = s.number
	return true
}

// stale says that a pod shows a text of an earlier process that is not true any more, and whether nothing but amounts
// in it are not. Pods of a large job are not looked at, as they are not told of new amounts.
func (s *podReason) stale(shown observe.Text) (stale, amounts bool) {
	if s.t.looked || s.job.By[model.Pending]+s.job.By[model.Pipelined] > fewPods {
		return false, false
	}
	now := observe.TextOf(execute.Clip(s.message()))
	return shown != now, shown != now && shown.Words == now.Words
}

// shownReason is what a pod's status gives as the reason for not being scheduled.
type shownReason struct {
	reason  string // "" without one
	text    observe.Text
	version string // the resourceVersion of the pod, "" where a pod that waits was not seen
}

func (rp *reports) shown(row *ledger.Task) shownReason {
	p := rp.l.observer.Pod(row.Key.Namespace, row.Key.Name)
	switch {
	case p == nil || p.Fact().UID != row.Pod.UID:
		return shownReason{}
	case p.Fact().Node != "":
		return shownReason{reason: p.NotScheduled, text: p.Told} // bound since: it is read before anything is written
	}
	return shownReason{p.NotScheduled, p.Told, p.GetResourceVersion()}
}
