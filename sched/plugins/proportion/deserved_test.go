package proportion_test

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

func TestDeserved(t *testing.T) {
	tests := map[string]struct {
		cores  int64
		queues []queue
		more   func(c *cluster)
		want   map[string]int64 // milli
	}{
		"the seed's worked example": {
			cores: 100,
			queues: []queue{{name: "a", weight: 2, capability: 50, guarantee: 10, pending: 80},
				{name: "b", weight: 3, pending: 60}, {name: "c", weight: 5, guarantee: 20, pending: 30}},
			want: map[string]int64{"a": 28_000, "b": 42_000, "c": 30_000},
		},
		"a guarantee is a floor and no head start": {
			cores: 100,
			queues: []queue{{name: "a", weight: 1, guarantee: 30, pending: 100},
				{name: "b", weight: 1, pending: 100}, {name: "c", weight: 2, pending: 10}},
			want: map[string]int64{"a": 45_000, "b": 45_000, "c": 10_000},
		},
		"a guarantee is deserved without asking": {
			cores:  10,
			queues: []queue{{name: "a", weight: 1, guarantee: 4}, {name: "b", weight: 1, pending: 10}},
			want:   map[string]int64{"a": 4_000, "b": 6_000},
		},
		"what runs is asked for like what waits": {
			cores:  10,
			queues: []queue{{name: "a", weight: 1, running: 3, pending: 4}, {name: "b", weight: 1, running: 8}},
			want:   map[string]int64{"a": 5_000, "b": 5_000},
		},
		"a capability clips, and the rest goes to the others": {
			cores:  10,
			queues: []queue{{name: "a", weight: 1, capability: 2, pending: 10}, {name: "b", weight: 1, pending: 10}},
			want:   map[string]int64{"a": 2_000, "b": 8_000},
		},
		"a closed queue asks only for what it holds": {
			cores: 10,
			queues: []queue{{name: "a", weight: 1, state: model.QueueClosed, running: 2, pending: 10},
				{name: "b", weight: 1, pending: 10}},
			want: map[string]int64{"a": 2_000, "b": 8_000},
		},
		"pods whose PodGroup is missing count for nobody": {
			cores:  10,
			queues: []queue{{name: "default", weight: 1, pending: 1}, {name: "b", weight: 1, pending: 10}},
			more: func(c *cluster) {
				c.tell(model.KindPod, "ns", "lost", &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "lost"}, Ours: true,
					Group: "missing", Spec: &model.Spec{Requests: cpu(9)}})
			},
			want: map[string]int64{"default": 1_000, "b": 9_000},
		},
		"root's capability is the limit of all": {
			cores: 10,
			queues: []queue{{name: "root", capability: 6}, {name: "a", weight: 1, pending: 10},
				{name: "b", weight: 2, pending: 10}},
			want: map[string]int64{"a": 2_000, "b": 4_000, "root": 6_000},
		},
		"root is the cluster": {
			cores:  10,
			queues: []queue{{name: "a", weight: 1, pending: 2}},
			want:   map[string]int64{"a": 2_000, "root": 10_000},
		},
		"without a node nothing is deserved": {
			queues: []queue{{name: "a", weight: 1, pending: 2}},
			want:   map[string]int64{"a": 0},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, test.cores, test.queues...)
			if test.more != nil {
				test.more(c)
				c.open()
			}
			for name, want := range test.want {
				if got := c.figures(name).Deserved.Get(resource.CPU); got != want {
					t.Errorf("queue %s deserves %d, want %d", name, got, want)
				}
			}
		})
	}
}

// TestRealCapability: what others are guaranteed is out of reach.
func TestRealCapability(t *testing.T) {
	tests := map[string]struct {
		queues []queue
		want   map[string]int64
	}{
		"nothing is guaranteed": {
			queues: []queue{{name: "a", weight: 1}, {name: "b", weight: 1}},
			want:   map[string]int64{"a": 10_000, "b": 10_000},
		},
		"the guarantees of the others are taken off": {
			queues: []queue{{name: "a", weight: 1, guarantee: 3}, {name: "b", weight: 1, guarantee: 2}, {name: "c", weight: 1}},
			want:   map[string]int64{"a": 8_000, "b": 7_000, "c": 5_000},
		},
		"a capability is tighter": {
			queues: []queue{{name: "a", weight: 1, capability: 4, guarantee: 3}, {name: "b", weight: 1, capability: 9}},
			want:   map[string]int64{"a": 4_000, "b": 7_000},
		},
		"within what root may have": {
			queues: []queue{{name: "root", capability: 6}, {name: "a", weight: 1, guarantee: 2}, {name: "b", weight: 1}},
			want:   map[string]int64{"a": 6_000, "b": 4_000, "root": 6_000},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, 10, test.queues...)
			for name, want := range test.want {
				if got, bounded := c.figures(name).RealCapability.Bound(resource.CPU); got != want || !bounded {
					t.Errorf("queue %s may hold %d (bounded %t), want %d", name, got, bounded, want)
				}
			}
		})
	}
}

// TestDeservedStandsStillWithinACycle: it is found when a cycle begins, whatever is
// placed then.
func TestDeservedStandsStillWithinACycle(t *testing.T) {
	c := newCluster(t, 10, queue{name: "a", weight: 1, pending: 8}, queue{name: "b", weight: 1, pending: 4})
	c.pod("late", "b", cpu(4), "")
	if got := c.figures("b").Deserved.Get(resource.CPU); got != 4_000 {
		t.Errorf("b deserves %d within the cycle, want 4000", got)
	}
	c.open()
	if got := c.figures("b").Deserved.Get(resource.CPU); got != 5_000 {
		t.Errorf("b deserves %d in the next cycle, want 5000", got)
	}
}
