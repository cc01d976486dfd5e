package proportion_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// written is an event as one line.
func written(e trace.Event) string {
	amount := func() string {
		x, _ := e.Amounts[0].List.Get(resource.CPUName)
		return fmt.Sprintf("%s %d", e.Amounts[0].Label, x/1000)
	}
	switch e.Kind {
	case trace.ConsideringQueue:
		return fmt.Sprintf("considering %s: weight %d of %d", e.Queue, e.Weight, e.Total)
	case trace.QueueMeet:
		return e.Queue + " is met"
	default:
		return strings.TrimSpace(e.Queue + " " + amount())
	}
}

// TestTheRoundsAreTold: the seed's worked example, line by line as its log has it.
func TestTheRoundsAreTold(t *testing.T) {
	c := newCluster(t, 100, queue{name: "a", weight: 2, capability: 50, guarantee: 10, pending: 80},
		queue{name: "b", weight: 3, pending: 60}, queue{name: "c", weight: 5, guarantee: 20, pending: 30})
	var got []string
	for _, e := range c.open() {
		got = append(got, written(e))
	}
	want := []string{
		"total 100",
		"considering a: weight 2 of 10", "a deserved 20",
		"considering b: weight 3 of 10", "b deserved 30",
		"considering c: weight 5 of 10", "c deserved 30", "c is met",
		"remaining 20",
		"considering a: weight 2 of 5", "a deserved 28",
		"considering b: weight 3 of 5", "b deserved 42",
		"remaining 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestNothingIsToldBelowVerbosityFour: and the figures are the same.
func TestNothingIsToldBelowVerbosityFour(t *testing.T) {
	c := newCluster(t, 100, queue{name: "a", weight: 1, pending: 80})
	c.pod("late", "a", cpu(5), "")
	c.l.ExtendDims()
	rec := &trace.Recorder{Verbosity: 3}
	c.p.Open(rec)
	if len(rec.Events) != 0 {
		t.Errorf("told %v", rec.Events)
	}
	if got := c.figures("a").Deserved.Get(resource.CPU); got != 85_000 {
		t.Errorf("a deserves %d, want 85000", got)
	}
}
