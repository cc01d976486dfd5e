package explain_test

import (
	"testing"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/trace"
)

// Where reclaim takes nothing for what stops the job anyway, the amounts are said once.
func TestOneReasonIsSaidOnce(t *testing.T) {
	over := func(have int64) trace.Reason {
		return trace.Reason{Code: trace.QueueDeserved, Queue: "a",
			Shorts: []trace.Short{{Dim: "cpu", Need: 3000, Have: have}}}
	}
	for _, x := range []struct {
		cause trace.Reason
		says  string
	}{
		{over(2000), "no pod may be evicted for it, for the same reason"},
		{over(1000), "no pod may be evicted for it: queue a would hold more than it deserves (cpu: 3 with it, 1 deserved)"},
	} {
		r := over(2000)
		r.Evicting = &trace.Reason{Code: trace.NoVictims, Text: "reclaim", Cause: &x.cause}
		want := "queue a would hold more than it deserves (cpu: 3 with it, 2 deserved); reclaim: " + x.says
		if got := explain.Sentence(r); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
