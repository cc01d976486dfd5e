package loop

import (
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/record"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// letRunRecords writes to the status of a pod in which queue and job it was let run, if its PodGroup or its own
// annotations name another one by now. So a scheduler that starts later counts the pod as this one does
// (docs/design/0032). For other pods nothing is written.
type letRunRecords struct {
	asked map[string]time.Time // by pod UID: when a write was asked for that is not seen yet
}

// A round sends at most this many writes: fewer than the API server accepts in that time. A write that does not show is
// sent again after a while; it may be forbidden.
const (
	mostLetRunWrites = 25
	letRunAgain      = time.Minute
)

// letRun sends the records that are missing. One pod of each job comes first: its record holds for the whole job.
func (rp *reports) letRun(now time.Time) {
	led := rp.l.engine.Ledger()
	lacking := map[string]bool{}
	jobs := map[ledger.JobID]bool{}
	var first, later []func() bool
	led.Charges.Unrecorded(func(id ledger.TaskID, want model.LetRun) bool {
		task := led.Task(id)
		lacking[task.Pod.UID] = true
		if now.Sub(rp.records.asked[task.Pod.UID]) < letRunAgain {
			jobs[task.Job] = true
			return true
		}
		write := func() bool { return rp.recordLetRun(task, want, now) }
		if jobs[task.Job] {
			later = append(later, write)
		} else {
			jobs[task.Job] = true
			first = append(first, write)
		}
		return true
	})
	for uid := range rp.records.asked {
		if !lacking[uid] {
			delete(rp.records.asked, uid)
		}
	}
	list := append(first, later...)
	for _, write := range list[:min(len(list), mostLetRunWrites)] {
		if !write() {
			return // too much waits to be written
		}
	}
}

func (rp *reports) recordLetRun(task *ledger.Task, want model.LetRun, now time.Time) bool {
	if rp.records.asked == nil {
		rp.records.asked = map[string]time.Time{}
	}
	rp.records.asked[task.Pod.UID] = now
	text, err := record.LetRunText(want)
	if err != nil {
		klog.ErrorS(err, "Recording where a pod was let run", "pod", task.Key)
		return true
	}
	return execute.LetRun{Pod: task.Key, UID: task.Pod.UID, Text: text}.WriteBy(rp.l.executor)
}
