package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/internal/loop"
)

// recorded says that all these pods have the record of where they were let run.
func recorded(pods []corev1.Pod) bool {
	n := 0
	for _, p := range pods {
		for _, c := range p.Status.Conditions {
			if c.Type == persisted.ChargeCondition && c.Status == corev1.ConditionTrue {
				n++
			}
		}
	}
	return n == len(pods) && n > 0
}

// A queue may hold 2 cores, and a gang of it does. Its tenant deletes the gang's PodGroup, or has it name
// another queue. Nothing else of that queue starts, neither then nor by a scheduler that is started later and
// knows the objects alone.
func TestLiveAQueuesCapabilityHoldsOverARestart(t *testing.T) {
	for name, escape := range map[string]func(ns string) error{
		"the PodGroup is deleted": func(ns string) error {
			return shared.dynamic.Resource(podGroupResource).Namespace(ns).Delete(t.Context(), "first", metav1.DeleteOptions{})
		},
		"the PodGroup names no queue and asks for nonsense": func(ns string) error {
			_, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Patch(t.Context(), "first", types.MergePatchType,
				[]byte(`{"spec":{"queue":"default","minResources":{"cpu":"-1"}}}`), metav1.PatchOptions{})
			return err
		},
		"the pods name another PodGroup": func(ns string) error {
			for _, p := range list(t, ns, "first") {
				if _, err := shared.kube.CoreV1().Pods(ns).Patch(t.Context(), p.Name, types.MergePatchType,
					[]byte(`{"metadata":{"annotations":{"scheduling.k8s.io/group-name":"nowhere"}}}`),
					metav1.PatchOptions{}); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			ns := namespace(t)
			node(t, ns+"-a", "16")
			q := object("Queue", ns, map[string]any{"weight": int64(1), "capability": map[string]any{"cpu": "2"}})
			if _, err := shared.dynamic.Resource(queueResource).Create(t.Context(), q, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = shared.dynamic.Resource(queueResource).Delete(context.Background(), ns, metav1.DeleteOptions{})
			})
			stop := live(t, ns)
			submit(t, ns, ns, "first", 2, 2, "1")
			awaitRunning(t, ns, "first", 2)
			if recorded(list(t, ns, "first")[:1]) {
				t.Error("there is a record while nothing is odd")
			}
			if err := escape(ns); err != nil {
				t.Fatal(err)
			}
			eventually(t, "where the pods were let run is recorded", func(context.Context) (bool, error) {
				return recorded(list(t, ns, "first")), nil
			}, func() string { return "" })
			stop()
			live(t, ns)
			submit(t, ns, ns, "second", 2, 2, "1")
			holds(8*time.Second, func() {
				if n := bound(list(t, ns, "second")); n > 0 {
					t.Fatalf("a queue that may hold 2 cores holds %d", 2+n)
				}
			})
			for _, p := range list(t, ns, "first") { // what it holds ends with its pods
				if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), p.Name,
					metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
					t.Fatal(err)
				}
			}
			awaitRunning(t, ns, "second", 2)
		})
	}
}

// Four queues may hold 2 cores each, and a gang of each does. While no scheduler runs, its tenant makes nonsense of
// its PodGroup, moves that to another queue, deletes it, or deletes it with a pod. The next scheduler counts what runs
// where it was let run: nothing else of that queue starts beside it, and what is worth more evicts it there.
func TestLiveWhatIsEditedWhileNoSchedulerRuns(t *testing.T) {
	groups := shared.dynamic.Resource(podGroupResource)
	patched := func(ns, name, text string) error {
		_, err := groups.Namespace(ns).Patch(t.Context(), name, types.MergePatchType, []byte(text),
			metav1.PatchOptions{})
		return err
	}
	deleted := func(ns, name string) error {
		return groups.Namespace(ns).Delete(t.Context(), name, metav1.DeleteOptions{})
	}
	escapes := map[string]func(ns, name string) error{
		"nonsense": func(ns, name string) error {
			return patched(ns, name, `{"spec":{"queue":"default","minResources":{"cpu":"-1"}}}`)
		},
		"moved":   func(ns, name string) error { return patched(ns, name, `{"spec":{"queue":"default"}}`) },
		"deleted": deleted,
		"short": func(ns, name string) error {
			if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), name+"-0", now()); err != nil {
				return err
			}
			return deleted(ns, name)
		},
	}
	ns := namespace(t)
	node(t, ns+"-a", "32")
	priority(t, ns, 1000)
	for name := range escapes {
		q := object("Queue", ns+"-"+name, map[string]any{"weight": int64(1), "capability": map[string]any{"cpu": "2"}})
		foreign(t, ns, q)
		submit(t, ns, ns+"-"+name, name, 2, 2, "1")
	}
	conf := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(conf, []byte(stockWithEvictions), 0o600); err != nil {
		t.Fatal(err)
	}
	stop := live(t, ns, func(o *loop.Options) { o.ConfigFile = conf })
	for name := range escapes {
		awaitRunning(t, ns, name+"-", 2)
	}
	for name := range escapes {
		eventually(t, "where the pods of "+name+" were let run is recorded", func(context.Context) (bool, error) {
			return recorded(list(t, ns, name+"-")), nil
		}, func() string { return "" })
	}
	stop()
	held := map[string]int{}
	for name, escape := range escapes {
		if err := escape(ns, name); err != nil {
			t.Fatal(err)
		}
		held[name] = len(list(t, ns, name+"-"))
	}
	live(t, ns, func(o *loop.Options) { o.ConfigFile = conf })
	for name := range escapes {
		submit(t, ns, ns+"-"+name, "next-"+name, 2, 2, "1")
	}
	holds(8*time.Second, func() {
		for name, before := range held {
			if n, still := bound(list(t, ns, "next-"+name+"-")), bound(list(t, ns, name+"-")); n > 0 || still != before {
				t.Fatalf("%s: %d pods start in a queue that may hold 2 cores, and %d of %d run there", name, n, still, before)
			}
		}
	})
	for name := range escapes {
		g := object("PodGroup", "worth-"+name, map[string]any{"minMember": int64(2), "queue": ns + "-" + name,
			"priorityClassName": ns})
		foreign(t, ns, g)
		for i := range 2 {
			p := member(ns, "worth-"+name, i, "1")
			p.Spec.SchedulerName, p.Spec.PriorityClassName = ns, ns
			create(t, p)
		}
	}
	for name := range escapes {
		awaitRunning(t, ns, "worth-"+name+"-", 2)
		eventually(t, "the pods of "+name+" to be gone", func(context.Context) (bool, error) {
			return len(list(t, ns, name+"-")) == 0, nil
		}, func() string { return fmt.Sprint(list(t, ns, name+"-")) })
	}
}
