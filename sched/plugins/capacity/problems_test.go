package capacity

import (
	"slices"
	"testing"
)

func TestProblemsNameTheObjectTheFieldAndTheTwoAmounts(t *testing.T) {
	tests := map[string]struct {
		queues []string
		want   []string
	}{
		"nothing wrong": {[]string{"team root guarantee:cpu=20 deserved:cpu=40 capability:cpu=50",
			"a team guarantee:cpu=10 deserved:cpu=20 capability:cpu=50", "b team guarantee:cpu=10 deserved:cpu=20"}, nil},
		"children guaranteed more than the queue above": {[]string{"team root guarantee:cpu=20", "a team guarantee:cpu=15",
			"b team guarantee:cpu=15"},
			[]string{"Queue/team: spec.guarantee.resource.cpu: its children are guaranteed 30, and it has 20 to guarantee: " +
				"not all of it can be kept"}},
		"a guarantee below a queue without one": {[]string{"team root", "a team guarantee:cpu=15"},
			[]string{"Queue/team: spec.guarantee.resource.cpu: its children are guaranteed 15, and it has 0 to guarantee: " +
				"not all of it can be kept"}},
		"guarantees beyond the cluster": {[]string{"a root guarantee:cpu=60", "b root guarantee:cpu=60"},
			[]string{"Queue/root: spec.guarantee.resource.cpu: its children are guaranteed 120, and it has 100 to guarantee: " +
				"not all of it can be kept"}},
		"guarantees of what no node offers yet": {[]string{"a root guarantee:tpu=60"}, nil},
		"children that deserve more": {[]string{"team root deserved:cpu=20", "a team deserved:cpu=15",
			"b team deserved:cpu=15"},
			[]string{"Queue/team: spec.deserved.cpu: its children deserve 30, and it deserves 20: they cannot all have theirs"}},
		"children of a queue that deserves nothing": {[]string{"team root", "a team deserved:cpu=15"}, nil},
		"a capability above the parent's": {[]string{"team root capability:cpu=20", "a team capability:cpu=30"},
			[]string{"Queue/a: spec.capability.cpu: it is 30, and queue team above may hold 20: that holds"}},
		"a capability above the grandparent's": {[]string{"org root capability:cpu=20", "team org",
			"a team capability:cpu=30"},
			[]string{"Queue/a: spec.capability.cpu: it is 30, and queue org above may hold 20: that holds"}},
		"a queue out of place": {[]string{"a nowhere guarantee:cpu=500"}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := nested(t, "cpu=100")
			c.queues(tc.queues...)
			var got []string
			for _, p := range c.Problems() {
				got = append(got, p.Object+": "+p.Message)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAmountsAreWrittenAsInManifests(t *testing.T) {
	for _, tc := range []struct {
		name string
		x    int64
		want string
	}{{"cpu", 20000, "20"}, {"cpu", 1500, "1500m"}, {"cpu", 0, "0"}, {"nvidia.com/gpu", 4000, "4"},
		{"memory", 4 << 30, "4Gi"}, {"memory", 1000, "1000"}, {"memory", 0, "0"}, {"ephemeral-storage", 3 << 20, "3Mi"}} {
		equal(t, tc.name, written(tc.name, tc.x), tc.want)
	}
}
