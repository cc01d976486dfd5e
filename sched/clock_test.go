package sched_test

import (
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// alarm answers otherwise from a time on: then it lets jobs keep what is promised.
type alarm struct{ at, now int64 }

func (a *alarm) At(now int64) int64 {
	if a.now = now; now < a.at {
		return a.at
	}
	return 0
}

func (a *alarm) VoteEnqueue(ledger.JobID) (policy.Vote, trace.Reason) {
	if a.now < a.at {
		return policy.Reject, trace.Reason{Code: trace.ClusterOvercommitted}
	}
	return policy.Permit, trace.Reason{}
}

func TestDecideSaysWhenAPluginsAnswerChanges(t *testing.T) {
	ring := func(name string, at int64) policy.Definition {
		return policy.Definition{Name: name,
			New: func(policy.Choice, *ledger.Ledger) (any, error) { return &alarm{at: at}, nil }}
	}
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue"},
		Tiers: [][]policy.Choice{{{Plugin: "late"}}, {{Plugin: "early"}}}},
		sched.WithPlugin(ring("late", 300)), sched.WithPlugin(ring("early", 200)))
	if err != nil {
		t.Fatal(err)
	}
	e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: "default"}, Version: 1,
		Object: &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1}},
		model.Fact{Ref: model.Ref{Kind: model.KindPodGroup, Namespace: "ns", Name: "job"}, Version: 1,
			Object: &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "job"}, MinMember: 1, HasMin: true}})
	for _, c := range []struct {
		now, next int64
		admitted  bool
	}{{100, 200, false}, {200, 300, false}, {300, 0, true}} {
		plan, _, next := e.Decide(c.now)
		if next != c.next || (len(plan.Items) > 0) != c.admitted {
			t.Errorf("at %d: next %d, want %d; plan %v", c.now, next, c.next, plan.Items)
		}
	}
}
