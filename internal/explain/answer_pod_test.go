package explain_test

import (
	"strings"
	"testing"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

func TestATerminatingPodIsToldToBeLate(t *testing.T) {
	const second = int64(1_000_000_000)
	asking := explain.Asking{Now: 100_000 * second}
	for goneBy, want := range map[int64]string{
		0:                "on node a",
		99_000 * second:  "on node a and should have gone by 1970-01-02T03:30:00Z: no job waits for its room",
		200_000 * second: "has until 1970-01-03T07:33:20Z to leave: no job waits for its room before the last hour",
	} {
		w := &sched.PodWhy{Pod: sched.PodReport{Status: model.Releasing, Node: "a"}, GoneBy: goneBy}
		if got := asking.PodAnswer(w, &sched.JobWhy{}).Summary; !strings.HasSuffix(got, want) {
			t.Errorf("%q, want it to end with %q", got, want)
		}
		node := &sched.NodeWhy{Pods: []sched.HeldRoom{{PodReport: sched.PodReport{Namespace: "ns", Name: "old",
			Status: model.Releasing}, GoneBy: goneBy}}}
		_, late, _ := strings.Cut(want, "node a")
		if notes := strings.Join(asking.NodeAnswer(node).Notes, "; "); goneBy == 0 && notes != "" ||
			goneBy != 0 && (!strings.HasPrefix(notes, "ns/old is terminating and ") || !strings.HasSuffix(notes, late)) {
			t.Errorf("of its node is noted %q, want %q", notes, late)
		}
	}
}
