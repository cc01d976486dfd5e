package explain

import (
	"testing"

	"ashlar.sh/sched/trace"
)

// A queue may be shared by tenants: the engine names no job of another namespace, and the sentence says so.
func TestAJobOfAnotherNamespaceHasNoName(t *testing.T) {
	for _, c := range []struct {
		reason trace.Reason
		says   string
	}{
		{trace.Reason{Code: trace.BehindJob},
			"a job of another namespace comes before it in its queue, which is served in order (fifo), and has not started"},
		{trace.Reason{Code: trace.LostMemberFirst, Have: 1, Until: 61_000_000_000,
			Shorts: []trace.Short{{Dim: "cpu", Need: 2000}}},
			"it would take the room of a member that a job of another namespace has lost (cpu: 2), which is kept until " +
				"1970-01-01T00:01:01Z"},
	} {
		if got := sentence(c.reason); got != c.says {
			t.Errorf("%q, want %q", got, c.says)
		}
	}
}
