package joborder_test

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

const second = int64(1e9)

// running makes a job of one pod that began at a time, 0: it waits.
func running(l *ledger.Ledger, name string, lasts, gpus, began int64) ledger.JobID {
	apply(l, model.KindPodGroup, name, 1, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name}, MinMember: 1,
		Phase: model.GroupInqueue})
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name}, Ours: true, Group: name,
		Times: &model.Times{Lasts: lasts * second},
		Spec:  &model.Spec{Requests: resource.List{{Name: "nvidia.com/gpu", Value: 1000 * gpus}}}}
	if began > 0 {
		p.Node, p.Phase, p.Started = "n", model.PodRunning, began*second
	}
	apply(l, model.KindPod, name, 1, p)
	id, _ := l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
	return id
}

// stopper is the plugin that stops, at a time.
func stopper(t testing.TB, by string, now int64) (*ledger.Ledger, policy.EqualPreemptable) {
	l, p := open(t, policy.Arguments{"joborder.by": by, "joborder.preempt": "true"})
	if next := p.(policy.Clock).At(now * second); next != 0 {
		t.Errorf("it asks to be called at %d", next)
	}
	return l, p.(policy.EqualPreemptable)
}

func TestAJobWithMoreLeftMayBeStopped(t *testing.T) {
	for name, c := range map[string]struct {
		by           string
		lasts, gpus  int64 // of the claim
		victim, vgpu int64 // time and GPUs of the job that runs since second 100
		now          int64
		want         policy.Vote
		text         string
	}{
		"it has more left": {"srtf", 50, 1, 100, 1, 120, policy.Permit, ""},
		"it had more, and ran for it": {"srtf", 50, 1, 100, 1, 160, policy.Reject,
			"40s left, the one that asks needs 50s"},
		"as much": {"srtf", 50, 1, 100, 1, 150, policy.Reject,
			"50s left, the one that asks needs 50s"},
		"it ought to be done": {"srtf", 50, 1, 100, 1, 900, policy.Reject,
			"0s left, the one that asks needs 50s"},
		"it does not say how long it takes":     {"srtf", 50, 1, 0, 1, 120, policy.Permit, ""},
		"the claim does not":                    {"srtf", 0, 1, 100, 1, 120, policy.Reject, ""},
		"by service: longer, on fewer GPUs":     {"srsf", 50, 2, 100, 1, 120, policy.Reject, ""},
		"by service: as long, on more GPUs":     {"srsf", 80, 1, 100, 2, 120, policy.Permit, ""},
		"by service: what was run counts twice": {"srsf", 80, 1, 100, 2, 170, policy.Reject, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := stopper(t, c.by, c.now)
			claim, victim := running(l, "claim", c.lasts, c.gpus, 0), running(l, "victim", c.victim, c.vgpu, 100)
			got := p.Preemptable(policy.Preemptor{Job: claim}, policy.Unit{Job: victim})
			if got.Vote != c.want || !got.EqualPriority || got.Reason.Text != c.text || got.Vote == policy.Reject &&
				got.Reason.Code != trace.VictimSooner {
				t.Errorf("got %+v", got)
			}
			if own := p.Preemptable(policy.Preemptor{Job: claim}, policy.Unit{Job: claim}); own.Vote != policy.Abstain {
				t.Errorf("of its own job it says %+v", own)
			}
		})
	}
}

// No job can be stopped for one that could be stopped for it: room does not go in circles.
func TestOfTwoJobsOnlyOneMayStopTheOther(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		by := rapid.SampledFrom([]string{"srtf", "srsf"}).Draw(r, "by")
		l, p := stopper(t, by, 50)
		var id [3]ledger.JobID
		for i := range id {
			id[i] = running(l, strconv.Itoa(i), rapid.Int64Range(0, 90).Draw(r, "lasts"),
				rapid.Int64Range(0, 3).Draw(r, "gpus"), rapid.Int64Range(0, 60).Draw(r, "began"))
		}
		stops := func(a, b int) bool {
			return p.Preemptable(policy.Preemptor{Job: id[a]}, policy.Unit{Job: id[b]}).Vote == policy.Permit
		}
		if stops(0, 1) && stops(1, 0) || stops(0, 1) && stops(1, 2) && stops(2, 0) {
			r.Fatal("they stop each other in a circle")
		}
	})
}
