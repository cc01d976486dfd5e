package loop

import (
	"sync/atomic"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// chargeRecords writes to the status of a pod in which queue and job it was let run: at once if its PodGroup or its own
// annotations name another one by now, and otherwise once members of its job have run for a while. So a scheduler that
// starts later counts the pod as this one does, even if the PodGroup was edited while no scheduler ran
// (docs/design/0032, 0045).
type chargeRecords struct {
	asked  map[string]time.Time // by pod UID: when a write was asked for that is not seen yet
	due    []ledger.JobID       // jobs of which members have run for a while and lack records
	denied atomic.Bool          // the role forbade the last write that was answered
	tried  time.Time            // when one was tried although it was denied
}

const (
	// The jobs of pods that end sooner cost no write.
	chargeAfter = 30 * time.Second
	// A round sends at most this many writes: fewer than the API server accepts in that time. A write that does not show
	// is sent again after a while; it may be forbidden.
	mostChargeWrites = 25
	chargeAgain      = time.Minute
)

// examine notes a job that lacks records and has run for long enough, or counts elsewhere than its objects say by
// the records that it has.
func (r *chargeRecords) examine(led *ledger.Ledger, id ledger.JobID, t *reportedJob, now time.Time) {
	members, recorded := led.Charges.Charged(id)
	switch {
	case members == 0:
		t.charged = time.Time{}
	case t.charged.IsZero():
		t.charged = now
	}
	if members <= recorded {
		return
	}
	_, apart := led.Charges.Moving(id)
	if now.Sub(t.charged) >= chargeAfter || recorded > 0 && (apart || !led.Job(id).Exists()) {
		r.due = append(r.due, id)
	}
}

// recordCharges sends the records that are missing: those of pods that count elsewhere than their objects say, then one
// for each job that has none, which holds for all its members, then the others: a pod may end, or be deleted by its
// tenant, while no scheduler runs.
func (rp *reports) recordCharges(now time.Time) {
	r, charges := &rp.charges, &rp.l.engine.Ledger().Charges
	due := r.due
	r.due = r.due[:0]
	var list, later []func() bool
	seen := map[ledger.JobID]bool{}
	charges.Unrecorded(func(id ledger.TaskID, want model.Charge) bool {
		job, to := rp.l.engine.Ledger().Task(id).Job, &list
		if seen[job] {
			to = &later
		}
		seen[job] = true
		rp.unlessAsked(to, id, want, now)
		return true
	})
	list = append(list, later...)
	most := r.precautions(now)
	for _, id := range due {
		if _, recorded := charges.Charged(id); recorded == 0 && !seen[id] && len(list) < most {
			charges.UnrecordedOf(id, func(id ledger.TaskID, want model.Charge) bool {
				rp.unlessAsked(&list, id, want, now)
				return false
			})
		}
	}
	for _, id := range due {
		if _, recorded := charges.Charged(id); recorded > 0 && !seen[id] && len(list) < most {
			charges.UnrecordedOf(id, func(id ledger.TaskID, want model.Charge) bool {
				rp.unlessAsked(&list, id, want, now)
				return len(list) < most
			})
		}
	}
	for _, write := range list[:min(len(list), mostChargeWrites)] {
		if !write() {
			return // too much waits to be written
		}
	}
}

// unlessAsked adds the write of a record to a list, unless it was asked for lately.
func (rp *reports) unlessAsked(to *[]func() bool, id ledger.TaskID, want model.Charge, now time.Time) {
	task := rp.l.engine.Ledger().Task(id)
	if at, asked := rp.charges.asked[task.Pod.UID]; !asked || now.Sub(at) >= chargeAgain {
		*to = append(*to, func() bool { return rp.writeCharge(task, want, now) })
	}
}

// precautions is how many records a round may write of pods that count where their objects say. While the role forbids
// them, it is tried now and then.
func (r *chargeRecords) precautions(now time.Time) int {
	for uid, at := range r.asked {
		if now.Sub(at) >= chargeAgain {
			delete(r.asked, uid)
		}
	}
	switch {
	case !r.denied.Load():
		return mostChargeWrites
	case now.Sub(r.tried) < chargeAgain:
		return 0
	}
	r.tried = now
	return 1
}

func (rp *reports) writeCharge(task *ledger.Task, want model.Charge, now time.Time) bool {
	if rp.charges.asked == nil {
		rp.charges.asked = map[string]time.Time{}
	}
	rp.charges.asked[task.Pod.UID] = now
	text, err := persisted.ChargeText(want)
	if err != nil {
		klog.ErrorS(err, "Recording where a pod was let run", "pod", task.Key)
		return true
	}
	return execute.Charge{Pod: task.Key, UID: task.Pod.UID, Text: text, Reason: persisted.HadReason(want.Had)}.
		WriteBy(rp.l.executor, &rp.charges.denied)
}
