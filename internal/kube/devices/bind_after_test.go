package devices_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/sched"
)

// afters says of each pod that is bound how many statements it waits for.
func afters(items []sched.Item) (out map[string]int) {
	out = map[string]int{}
	for _, i := range items {
		if i.Kind == sched.BindPod {
			out[i.Pod.Name] = len(i.After)
		}
	}
	return out
}

// A gang's minimum gets its devices in one statement, which may take long and fail. Members above the minimum are bound
// after that; where it is bound already, or they suffice, they wait for no other.
func TestMembersAboveTheMinimumAreBoundAfterIt(t *testing.T) {
	base := []metav1.Object{node("n1"), class("gpu"), slice("n1", 8)}
	onNode := func(o metav1.Object) metav1.Object {
		p := o.(*corev1.Pod).DeepCopy()
		p.Spec.NodeName, p.Status.Phase, p.ResourceVersion = "n1", corev1.PodRunning, "5"
		return p
	}
	gang := gangOf("g", 5, 2, 1) // a PodGroup, and five times a pod and its claim
	four, last := gang[:9], gang[9:]
	for name, c := range map[string]struct {
		bound int // of the first four, in the order of pods, which are bound before the last member comes
		want  string
		last  string
	}{
		"nothing is bound yet":     {0, "map[g-0:0 g-1:0 g-2:1 g-3:1]", "map[g-4:1]"},
		"part of the minimum is":   {1, "map[g-0:0 g-1:0 g-2:1 g-3:1]", "map[g-4:0]"}, // it suffices with that one
		"the minimum is":           {2, "map[g-0:0 g-1:0 g-2:1 g-3:1]", "map[g-4:0]"},
		"all that were placed are": {4, "map[g-0:0 g-1:0 g-2:1 g-3:1]", "map[g-4:0]"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, append(slices.Clone(base), four...)...)
			items := w.decide()
			if got := fmt.Sprint(afters(items)); got != c.want {
				t.Fatalf("the first plan waits for %s statements, want %s", got, c.want)
			}
			minimum := items[slices.IndexFunc(items, func(i sched.Item) bool { return i.Kind == sched.BindPod })].Statement
			for _, i := range items {
				if len(i.After) > 0 && i.After[0] != minimum {
					t.Errorf("%s waits for statement %d, want that of the minimum, %d", i.Pod.Name, i.After[0], minimum)
				}
			}
			for i := range c.bound {
				w.tell(onNode(four[1+2*i]))
			}
			w.tell(last...)
			if got := fmt.Sprint(afters(w.decide())); got != c.last {
				t.Errorf("the last member waits for %s statements, want %s", got, c.last)
			}
		})
	}
	ones := newWorld(t, append(slices.Clone(base), gangOf("one", 3, 1, 1)...)...)
	if got := slices.Collect(maps.Values(afters(ones.decide()))); slices.Max(got) != 0 || len(got) != 3 {
		t.Errorf("members of a gang of which one suffices wait for %v statements, want none", got)
	}
}
