package loop

import (
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
)

// What jobs were told is bounded in number and length; of one job it comes in its order.
func TestWhatJobsWereToldIsBounded(t *testing.T) {
	var list told
	one, other := ledger.JobKey{Namespace: "a", Name: "one"}, ledger.JobKey{Namespace: "a", Name: "other"}
	for i := range mostTold + 3 {
		job := other
		if i < 4 || i > mostTold {
			job = one
		}
		list.reason(job, int64(i), uint64(i), strings.Repeat("x", 2*longestTold))
	}
	var at []int64
	for _, r := range list.of("a", "one") {
		if at = append(at, r.At); len(r.Why) > longestTold+4 {
			t.Errorf("a reason has %d bytes", len(r.Why))
		}
	}
	if want := []int64{3, mostTold + 1, mostTold + 2}; len(at) != 3 || at[0] != want[0] || at[1] != want[1] ||
		at[2] != want[2] || len(list.list) != mostTold {
		t.Errorf("of %d kept those of one are of %v, want %v", len(list.list), at, want)
	}
	if len(list.of("b", "one")) > 0 {
		t.Error("a job of another namespace has them too")
	}
}
