package capacity

import "testing"

// Seed 001, §4.2 and §4.3: what comes before the share, and inner queues among
// themselves. Leaves in the tree are in seed_test.go.
func TestQueueOrder(t *testing.T) {
	tests := map[string]struct {
		make          func(failer, string) *cluster
		queues        []string
		held          map[string]string
		first, second string
	}{
		"flat: priority goes before share": {flat, []string{"a root deserved:cpu=10 priority:1", "b root deserved:cpu=10"},
			map[string]string{"a": "cpu=9", "b": "cpu=1"}, "a", "b"},
		"flat: the smaller share goes first": {flat, []string{"a root deserved:cpu=10", "b root deserved:cpu=10"},
			map[string]string{"a": "cpu=9", "b": "cpu=1"}, "b", "a"},
		"flat: best effort goes last of equal shares": {flat, []string{"a root", "b root deserved:cpu=10"},
			map[string]string{"b": "cpu=10"}, "b", "a"},
		"tree: priority goes before share": {nested, []string{"a root deserved:cpu=10 priority:1", "b root deserved:cpu=10"},
			map[string]string{"a": "cpu=9", "b": "cpu=1"}, "a", "b"},
		"tree: priority goes before being a leaf": {nested, []string{"a root deserved:cpu=10 priority:1", "below a",
			"b root deserved:cpu=10"},
			nil, "a", "b"},
		"tree: a leaf goes before an inner queue of smaller share": {nested,
			[]string{"a root deserved:cpu=10", "below a", "b root deserved:cpu=10"},
			map[string]string{"b": "cpu=9"}, "b", "a"},
		"tree: of inner queues the smaller share goes first": {nested,
			[]string{"a root deserved:cpu=10", "below-a a", "b root deserved:cpu=10", "below-b b"},
			map[string]string{"below-a": "cpu=9", "below-b": "cpu=1"}, "b", "a"},
		"tree: of inner queues best effort goes last of equal shares": {nested,
			[]string{"a root", "below-a a", "b root deserved:cpu=10", "below-b b"},
			map[string]string{"below-b": "cpu=10"}, "b", "a"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := tc.make(t, "cpu=100")
			c.queues(tc.queues...)
			for _, q := range []string{"a", "b", "below-a", "below-b"} {
				if asks := tc.held[q]; asks != "" {
					c.hold(q, asks)
				}
			}
			first, second := c.id(tc.first), c.id(tc.second)
			if c.CompareQueues(first, second) >= 0 || c.CompareQueues(second, first) <= 0 {
				t.Errorf("%s against %s is %d, and %d the other way", tc.first, tc.second,
					c.CompareQueues(first, second), c.CompareQueues(second, first))
			}
		})
	}
}
