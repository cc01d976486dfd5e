package explain

import (
	"strings"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/resource"
)

// The nearest name is one that is spelt nearly so, else the shortest with the same parts.
func TestTheNearestNameHasTheSameParts(t *testing.T) {
	names := []string{"tune-worker-0", "tune-worker-1", "tune-master-long-0", "train"}
	for asked, want := range map[string]string{"tune-0": "tune-worker-0", "Tune-1": "tune-worker-1",
		"tune": "tune-worker-0", "trian": "train", "worker-0": "tune-worker-0", "0-tune": "", "tun-0": "", "": ""} {
		got := NoSuch("pod", "", asked, names)
		if offered := strings.Contains(got, "did you mean"); offered != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%q: %s; want %q offered", asked, got, want)
		}
	}
}

// A queue that is its own ancestor has its bounds once.
func TestBoundsOfACycleAreListedOnce(t *testing.T) {
	most := resource.List{{Name: "cpu", Value: 4000}}
	queues := []sched.QueueReport{{Name: "a", Parent: "b", Capability: most}, {Name: "b", Parent: "a", Capability: most}}
	if got := bounds(queues, &queues[0]); len(got) != 2 || got[0].Queue != "a" || got[1].Queue != "b" {
		t.Errorf("the bounds are %+v", got)
	}
	alone := []sched.QueueReport{{Name: "a", Parent: "a", Capability: most}}
	if got := bounds(alone, &alone[0]); len(got) != 1 {
		t.Errorf("the bounds of its own parent are %+v", got)
	}
}
