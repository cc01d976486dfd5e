package loop

import (
	"strconv"
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
)

// What jobs were told is bounded in number and length; of one job it comes in its order.
func TestWhatJobsWereToldIsBounded(t *testing.T) {
	var list reasonHistory
	one, other := ledger.JobKey{Namespace: "a", Name: "one"}, ledger.JobKey{Namespace: "a", Name: "other"}
	for i := range mostReasons + 3 {
		job := other
		if i < 4 || i > mostReasons {
			job = one
		}
		list.reason(job, int64(i), uint64(i), strings.Repeat("x", 2*longestReason))
	}
	var at []int64
	for _, r := range list.of("a", "one") {
		if at = append(at, r.At); len(r.Why) > longestReason+4 {
			t.Errorf("a reason has %d bytes", len(r.Why))
		}
	}
	if want := []int64{3, mostReasons + 1, mostReasons + 2}; len(at) != 3 || at[0] != want[0] || at[1] != want[1] ||
		at[2] != want[2] || len(list.list) != mostReasons {
		t.Errorf("of %d kept those of one are of %v, want %v", len(list.list), at, want)
	}
	if len(list.of("b", "one")) > 0 {
		t.Error("a job of another namespace has them too")
	}
}

// A pod may name a PodGroup by a text that no name is as long as: a history of such jobs would fill the memory.
func TestNothingIsRememberedOfJobsThatNothingIsCalledAs(t *testing.T) {
	var list reasonHistory
	for i := range 200 {
		text := strconv.Itoa(i) + strings.Repeat("x", 1<<18)
		list.reason(ledger.JobKey{Namespace: "a", Name: text}, 1, 1, "it waits")
		list.reason(ledger.JobKey{Namespace: "a", Name: "job", Owner: text}, 1, 1, "it waits")
	}
	list.reason(ledger.JobKey{Namespace: "a", Name: strings.Repeat("x", longestName)}, 1, 1, "it waits")
	if len(list.list) != 1 {
		t.Errorf("of %d jobs something is remembered, want 1", len(list.list))
	}
}
