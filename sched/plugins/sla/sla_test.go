package sla_test

import (
	"math"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/sla"
	"ashlar.sh/sched/policy"
)

// plugin is what this plugin answers.
type plugin interface {
	policy.Clock
	policy.JobEnqueueable
	policy.JobPipelined
	policy.JobOrder
	policy.StartsDue
}

const minute = int64(60_000_000_000)

func open(t *testing.T, arguments policy.Arguments) (*ledger.Ledger, plugin) {
	t.Helper()
	l := ledger.New()
	p, err := sla.Definition().New(policy.Choice{Arguments: arguments}, l)
	if err != nil {
		t.Fatal(err)
	}
	return l, p.(plugin)
}

// job is a PodGroup that waits.
func job(l *ledger.Ledger, name string, created, wait int64, phase model.GroupPhase) ledger.JobID {
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPodGroup, Namespace: "ns", Name: name}, UID: name, Version: 1,
		Object: &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, Created: created}, MinMember: 1, MaxWait: wait,
			Phase: phase}})
	j, _ := l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
	return j
}

func TestAJobIsPermittedFromItsDeadlineOn(t *testing.T) {
	for name, c := range map[string]struct {
		argument      string
		created, wait int64
		now           int64
		want          policy.Vote
		next          int64
	}{
		"before its time":                    {"", minute, 10 * minute, 11*minute - 1, policy.Abstain, 11 * minute},
		"at its time":                        {"", minute, 10 * minute, 11 * minute, policy.Permit, 0},
		"long after":                         {"", minute, 10 * minute, 1000 * minute, policy.Permit, 0},
		"a job that says nothing":            {"", minute, 0, 1000 * minute, policy.Abstain, 0},
		"the argument speaks for it, before": {"5m", minute, 0, 6*minute - 1, policy.Abstain, 6 * minute},
		"the argument speaks for it, after":  {"5m", minute, 0, 6 * minute, policy.Permit, 0},
		"its own word goes before":           {"5m", minute, 10 * minute, 6 * minute, policy.Abstain, 11 * minute},
		"created by a clock that is ahead":   {"5m", 10 * minute, 0, minute, policy.Abstain, 0},
		"a time beyond all time":             {"", minute, math.MaxInt64, 1000 * minute, policy.Abstain, math.MaxInt64},
	} {
		t.Run(name, func(t *testing.T) {
			arguments := policy.Arguments{}
			if c.argument != "" {
				arguments["sla-waiting-time"] = c.argument
			}
			l, p := open(t, arguments)
			j := job(l, "job", c.created, c.wait, model.GroupPending)
			if next := p.At(c.now); next != c.next {
				t.Errorf("to be asked again at %d, want %d", next, c.next)
			}
			if got, r := p.VoteEnqueue(j); got != c.want || r.Is() {
				t.Errorf("VoteEnqueue = %d %+v, want %d", got, r, c.want)
			}
			if got := p.VotePipelined(j); got != c.want {
				t.Errorf("VotePipelined = %d, want %d", got, c.want)
			}
			if due := c.want == policy.Permit; p.StartDue(j) != due || p.AnyStartDue() != due {
				t.Errorf("its start is due: %t, any: %t, want %t", p.StartDue(j), p.AnyStartDue(), due)
			}
		})
	}
}

func TestTheNextDeadlineIsThatOfAJobThatWaits(t *testing.T) {
	l, p := open(t, nil)
	job(l, "later", 0, 30*minute, model.GroupPending)
	job(l, "sooner", minute, 10*minute, model.GroupPending)
	job(l, "done", 0, 5*minute, model.GroupCompleted)
	for now, want := range map[int64]int64{0: 30 * minute, minute: 11 * minute, 11 * minute: 30 * minute, 30 * minute: 0} {
		if got := p.At(now); got != want {
			t.Errorf("at %d: next %d, want %d", now, got, want)
		}
	}
}

func TestTheEarlierDeadlineGoesFirst(t *testing.T) {
	for name, c := range map[string]struct {
		created, wait [2]int64
		want          int
	}{
		"the earlier of two":                      {[2]int64{0, 0}, [2]int64{minute, 2 * minute}, -1},
		"who came later and waits less long":      {[2]int64{0, minute}, [2]int64{10 * minute, minute}, 1},
		"equal deadlines have no order":           {[2]int64{0, minute}, [2]int64{2 * minute, minute}, 0},
		"one with a deadline before one without":  {[2]int64{minute, 0}, [2]int64{minute, 0}, -1},
		"one without a deadline after one with":   {[2]int64{0, minute}, [2]int64{0, minute}, 1},
		"two without a deadline have no order":    {[2]int64{0, minute}, [2]int64{0, 0}, 0},
		"a deadline at the end of time is a last": {[2]int64{minute, minute}, [2]int64{math.MaxInt64, minute}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := open(t, nil)
			a, b := job(l, "a", c.created[0], c.wait[0], model.GroupPending), job(l, "b", c.created[1], c.wait[1],
				model.GroupPending)
			p.At(0)
			if got := p.CompareJobs(a, b); got != c.want {
				t.Errorf("CompareJobs = %d, want %d", got, c.want)
			}
		})
	}
}

func TestAPodWithoutAPodGroupHasItsOwnDeadline(t *testing.T) {
	l, p := open(t, nil)
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "pod"}, UID: "pod", Version: 1,
		Object: &model.Pod{
			Meta: model.Meta{Namespace: "ns",
				Name: "pod"}, Ours: true, Adopt: model.Adopt{MaxWait: minute}, Spec: &model.Spec{}}})
	j, _ := l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "pod", Adopted: true})
	if next := p.At(0); next != minute {
		t.Errorf("next %d, want %d", next, minute)
	}
	p.At(minute)
	if got := p.VotePipelined(j); got != policy.Permit {
		t.Errorf("vote %d at its deadline", got)
	}
}

func TestATimeToWaitThatCannotBeMeant(t *testing.T) {
	for _, text := range []string{"0s", "-1h", "soon", "30"} {
		if _, err := sla.Definition().New(policy.Choice{Arguments: policy.Arguments{"sla-waiting-time": text}},
			ledger.New()); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
