package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/loop"
)

// live runs the live scheduler for the pods of one test; their schedulerName is the
// test's namespace, until the returned function is called or the test ends.
func live(t *testing.T, ns string, change ...func(*loop.Options)) (stop func()) {
	t.Helper()
	o := loop.Options{Config: rest.CopyConfig(shared.Config), SchedulerNames: []string{ns}, Adopt: loop.AdoptAlways,
		DumpDir: t.TempDir()}
	for _, c := range change {
		c(&o)
	}
	if o.Dump == nil {
		ask := make(chan os.Signal, 1)
		o.Dump = ask
		asks(t, dump{o.DumpDir, ask})
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx, o) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the scheduler ended with %v", err)
			}
		case <-time.After(patience):
			t.Error("the scheduler does not end")
		}
	}
	t.Cleanup(stop)
	return stop
}

// submit makes a gang in a queue for the test's own scheduler.
func submit(t *testing.T, ns, queue, name string, members, least int, cpu string) {
	t.Helper()
	group := object("PodGroup", name, map[string]any{"minMember": int64(least), "queue": queue})
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(), group,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range members {
		p := member(ns, name, i, cpu)
		p.Spec.SchedulerName = ns
		create(t, p)
	}
}

// list is the test's pods with names that begin so.
func list(t *testing.T, ns, prefix string) (out []corev1.Pod) {
	t.Helper()
	pods, err := shared.kube.CoreV1().Pods(ns).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pods.Items {
		if strings.HasPrefix(p.Name, prefix) {
			out = append(out, p)
		}
	}
	return out
}

func bound(pods []corev1.Pod) (n int) {
	for _, p := range pods {
		if p.Spec.NodeName != "" {
			n++
		}
	}
	return n
}

// awaitRunning waits until so many of the pods with names that begin so run.
func awaitRunning(t *testing.T, ns, prefix string, want int) {
	t.Helper()
	got := 0
	eventually(t, fmt.Sprintf("%d pods of %s to run", want, prefix), func(context.Context) (bool, error) {
		got = 0
		for _, p := range list(t, ns, prefix) {
			if p.Status.Phase == corev1.PodRunning {
				got++
			}
		}
		return got == want, nil
	}, func() string { return fmt.Sprint(got) })
}

// group is a PodGroup as the server shows it.
func group(t *testing.T, ns, name string) *schedulingv1beta1.PodGroup {
	t.Helper()
	g, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return typed(t, g, &schedulingv1beta1.PodGroup{})
}

// awaitCondition waits until a PodGroup has a condition that is true, and returns it.
func awaitCondition(t *testing.T, ns, name string, kind schedulingv1beta1.PodGroupConditionType) (
	found schedulingv1beta1.PodGroupCondition) {
	t.Helper()
	eventually(t, fmt.Sprintf("PodGroup %s to be %s", name, kind), func(context.Context) (bool, error) {
		for _, c := range group(t, ns, name).Status.Conditions {
			if c.Type == kind && c.Status == corev1.ConditionTrue {
				found = c
				return true, nil
			}
		}
		return false, nil
	}, func() string { return fmt.Sprintf("%+v", group(t, ns, name).Status) })
	return found
}

// events are those of a reason about an object of a name.
func events(t *testing.T, ns, kind, name, reason string) (out []corev1.Event) {
	t.Helper()
	all, err := shared.kube.CoreV1().Events(ns).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all.Items {
		if e.InvolvedObject.Kind == kind && e.InvolvedObject.Name == name && e.Reason == reason {
			out = append(out, e)
		}
	}
	return out
}

// ctxless is a condition's context where it is of no use.
type ctxless = context.Context

const letters = "abcdefghijkl"

func describe(g *schedulingv1beta1.PodGroup) string { return fmt.Sprintf("%+v", g.Status) }

func unschedulable(p corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			return c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable
		}
	}
	return false
}

// weighted makes a queue of a weight.
func weighted(t *testing.T, name string, weight int64) {
	t.Helper()
	queues := shared.dynamic.Resource(queueResource)
	if _, err := queues.Create(t.Context(), object("Queue", name, map[string]any{"weight": weight}),
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := queues.Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// allocated is the CPU that a queue says it holds.
func allocated(t *testing.T, name string) string {
	t.Helper()
	q, err := shared.dynamic.Resource(queueResource).Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return field(q, "status", "allocated", "cpu")
}
