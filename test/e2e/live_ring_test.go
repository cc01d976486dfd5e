package e2e

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/loop"
)

// Two schedulers of one name share nodes and jobs by their names: each places its own jobs on its
// own nodes, and a job for which it has no node waits though the other has one.
func TestLiveSchedulersThatShareByName(t *testing.T) {
	ns := namespace(t)
	var rings [2]observe.Ring
	for i := range rings {
		ring, err := observe.NewRing(fmt.Sprintf("volcano-scheduler-%d", i), len(rings))
		if err != nil {
			t.Fatal(err)
		}
		rings[i] = ring
	}
	// named is the first names with a prefix that belong to a scheduler.
	named := func(prefix string, owner, n int) (names []string) {
		for i := 0; len(names) < n; i++ {
			if name := fmt.Sprint(prefix, i); rings[0].Owner(name) == owner {
				names = append(names, name)
			}
		}
		return names
	}
	nodes, pods := [][]string{named(ns+"-n", 0, 2), named(ns+"-n", 1, 3)}, [][]string{named("p", 0, 3), named("p", 1, 2)}
	for _, own := range nodes {
		for _, name := range own {
			node(t, name, "4")
		}
	}
	for _, ring := range rings {
		live(t, ns, func(o *loop.Options) { o.Ring = ring })
	}
	for _, own := range pods {
		for _, name := range own {
			p := pod(ns, name)
			p.Spec.SchedulerName = ns
			p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4")}
			create(t, p)
		}
	}
	eventually(t, "all but one pod to run", func(ctxless) (bool, error) {
		run, wait := 0, 0
		for i, own := range pods {
			for _, name := range own {
				p := get(t, ns, name)
				switch {
				case p.Spec.NodeName != "" && rings[i].Owner(p.Spec.NodeName) != i:
					return false, fmt.Errorf("pod %s of scheduler %d is on %s, which is another's", name, i, p.Spec.NodeName)
				case p.Spec.NodeName != "":
					run++
				case i == 0 && unschedulable(*p):
					wait++
				}
			}
		}
		return run == 4 && wait == 1, nil
	}, func() string { return fmt.Sprint(nodes, pods) })
}
