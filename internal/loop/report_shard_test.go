package loop

import (
	"slices"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// A node that leaves the shard is used for as long as the engine knows it as its own, and until no
// pod is being bound there; one of which nothing is known is not.
func TestANodeIsUsedUntilNothingIsBoundThere(t *testing.T) {
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate"},
		Tiers: [][]policy.Choice{{{Plugin: "gang"}, {Plugin: "proportion"}}}})
	if err != nil {
		t.Fatal(err)
	}
	w := world("a")
	e.Apply(w.Facts...)
	plan, _, _ := e.Decide(w.Now)
	if len(plan.Items) == 0 {
		t.Fatal("nothing is bound")
	}
	l := (&loop{engine: e}).wire()
	uses := func(when string, want ...string) {
		t.Helper()
		if got := l.reports.inUse([]string{"n", "unknown"}); !slices.Equal(got, want) {
			t.Errorf("%s it uses %v, want %v", when, got, want)
		}
	}
	uses("while the engine knows it", "n")
	e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: "n"}, UID: "n", Version: 1 << 20})
	uses("while pods are being bound there", "n")
	for _, i := range plan.Items {
		e.Receive(sched.Receipt{Item: i, Outcome: sched.Failed})
	}
	uses("after that")
}
