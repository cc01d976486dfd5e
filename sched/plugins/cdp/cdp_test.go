package cdp_test

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/cdp"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

const second = int64(1e9)

func TestAPodIsSparedForTheTimeItAsksFor(t *testing.T) {
	for name, c := range map[string]struct {
		pod  model.Pod
		left string // "": it may go
		next int64  // seconds
	}{
		"it began a moment ago": {model.Pod{Started: 90 * second, Times: &model.Times{Cooldown: 60 * second}}, "50s",
			150},
		"its time is over":    {model.Pod{Started: 40 * second, Times: &model.Times{Cooldown: 60 * second}}, "", 0},
		"it asks for nothing": {model.Pod{Started: 90 * second}, "", 0},
		"no start is known: creation": {model.Pod{Meta: model.Meta{Created: 70 * second},
			Times: &model.Times{Cooldown: 60 * second}}, "30s", 130},
		"the start counts when known": {model.Pod{Meta: model.Meta{Created: 1 * second}, Started: 95 * second,
			Times: &model.Times{Cooldown: 10 * second}}, "5s", 105},
		"a start later than now, even": {model.Pod{Started: 200 * second, Times: &model.Times{Cooldown: 10 * second}},
			"1m50s", 210},
	} {
		t.Run(name, func(t *testing.T) {
			l := ledger.New()
			p, err := cdp.Definition().New(policy.Choice{}, l)
			if err != nil {
				t.Fatal(err)
			}
			c.pod.Namespace, c.pod.Name, c.pod.Ours, c.pod.Spec = "ns", "pod", true, &model.Spec{}
			c.pod.Node, c.pod.Phase = "node", model.PodRunning
			l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "pod"}, Version: 1, Object: &c.pod})
			task, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: "pod"})
			if got := p.(policy.Clock).At(100 * second); got != 0 {
				t.Errorf("nobody waits, and the answer changes at %d", got)
			}
			l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "waits"}, Version: 1,
				Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "waits"}, Ours: true, Spec: &model.Spec{}}})
			next := p.(policy.Clock).At(100 * second)
			unit := policy.Unit{Tasks: []ledger.TaskID{task}}
			for _, o := range []policy.Opinion{p.(policy.Preemptable).Preemptable(policy.Preemptor{}, unit),
				p.(policy.Reclaimable).Reclaimable(policy.Preemptor{}, unit)} {
				if o.Reason.Text != c.left || (o.Vote == policy.Reject && o.Guard) != (c.left != "") {
					t.Errorf("%+v, want %q left", o, c.left)
				}
				if c.left != "" && (o.Reason.Code != trace.VictimCooling || o.Reason.Task != "ns/pod") {
					t.Errorf("%+v", o.Reason)
				}
			}
			if next != c.next*second {
				t.Errorf("the answer changes at %d, want %d", next, c.next*second)
			}
		})
	}
}

// The clock of a simulation may stand at its beginning while pods began in 2025.
func TestAPodThatAsksForAllTimeIsSpared(t *testing.T) {
	l := ledger.New()
	p, err := cdp.Definition().New(policy.Choice{}, l)
	if err != nil {
		t.Fatal(err)
	}
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "pod"}, Version: 1, Object: &model.Pod{
		Meta: model.Meta{Namespace: "ns", Name: "pod"}, Ours: true, Spec: &model.Spec{}, Node: "node",
		Phase:   model.PodRunning,
		Started: 1763596800 * second, Times: &model.Times{Cooldown: 2562047 * 3600 * second}}})
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "waits"}, Version: 1,
		Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "waits"}, Ours: true, Spec: &model.Spec{}}})
	task, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: "pod"})
	for _, now := range []int64{0, 1763596801 * second} {
		if next := p.(policy.Clock).At(now); next != model.Never {
			t.Errorf("at %d: the answer changes at %d", now, next)
		}
		if o := p.(policy.Preemptable).Preemptable(policy.Preemptor{},
			policy.Unit{Tasks: []ledger.TaskID{task}}); o.Vote != policy.Reject || !o.Guard {
			t.Errorf("at %d: %+v", now, o)
		}
	}
}
