package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/loop"
	"ashlar.sh/test/e2e/cluster"
)

// world is a control plane as a test of faults sees it: directly, past whatever stands between it
// and the scheduler. Its objects may not come to be at the first try, for some tests restart it.
type world struct {
	t       *testing.T
	config  *rest.Config
	kube    kubernetes.Interface
	dynamic dynamic.Interface
	ns      string
}

// sharedWorld is the control plane of all tests.
func sharedWorld(t *testing.T) world {
	return world{t, shared.Config, shared.kube, shared.dynamic, namespace(t)}
}

// privateWorld is a control plane of the test's own: an API server and its etcd. No program plays
// kubelet there, so pods are bound and do not run.
func privateWorld(t *testing.T) (world, *cluster.Cluster) {
	t.Helper()
	return privateWorldOf(t, cluster.Options{}, ourCRDs)
}

// ourCRDs are those of deploy/.
func ourCRDs(ctx context.Context, c *cluster.Cluster) error { return c.InstallCRDs(ctx) }

func privateWorldOf(t *testing.T, o cluster.Options, crds func(context.Context, *cluster.Cluster) error) (
	world, *cluster.Cluster) {
	t.Helper()
	c, err := cluster.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := crds(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	w := world{t: t, config: c.Config, ns: "private"}
	if w.kube, err = kubernetes.NewForConfig(c.Config); err != nil {
		t.Fatal(err)
	}
	if w.dynamic, err = dynamic.NewForConfig(c.Config); err != nil {
		t.Fatal(err)
	}
	concerns(t, w.ns)
	w.try("make a namespace", func(ctx context.Context) error {
		_, err := w.kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.ns}},
			metav1.CreateOptions{})
		return err
	})
	return w, c
}

// try repeats what a control plane that is restarted may not answer.
func (w world) try(what string, do func(context.Context) error) {
	w.t.Helper()
	w.await(what, func(ctx context.Context) error {
		err := do(ctx)
		if err != nil && metav1.StatusReasonAlreadyExists == reasonOf(err) {
			return nil // an earlier try did it
		}
		return err
	})
}

// await polls until holds returns nil.
func (w world) await(what string, holds func(context.Context) error) {
	w.t.Helper()
	var last error
	err := waits(w.t.Context(), func(ctx context.Context) (bool, error) {
		once, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		last = holds(once)
		return last == nil, nil
	})
	if err != nil {
		w.t.Fatalf("waited to %s: %v\n%s", what, last, situation(w.t, w.kube, w.dynamic))
	}
}

// node makes a node of so many cores without waiting until it is Ready: only taints
// keep pods away.
func (w world) node(name, cpu string) {
	w.t.Helper()
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu),
		corev1.ResourceMemory: resource.MustParse("64Gi"), corev1.ResourcePods: resource.MustParse("110")}
	w.try("make node "+name, func(ctx context.Context) error {
		_, err := w.kube.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name},
			Status: corev1.NodeStatus{Capacity: room, Allocatable: room}}, metav1.CreateOptions{})
		return err
	})
	// some tests delete it themselves
	w.t.Cleanup(func() { _ = w.kube.CoreV1().Nodes().Delete(context.Background(), name, metav1.DeleteOptions{}) })
}

// queue makes a queue of the world's own, named after its namespace.
func (w world) queue() {
	w.t.Helper()
	queues := w.dynamic.Resource(queueResource)
	w.try("make the queue", func(ctx context.Context) error {
		_, err := queues.Create(ctx, object("Queue", w.ns, map[string]any{"weight": int64(1)}), metav1.CreateOptions{})
		return err
	})
	// a control plane may be gone
	w.t.Cleanup(func() { _ = queues.Delete(context.Background(), w.ns, metav1.DeleteOptions{}) })
}

// gang makes a PodGroup and its pods of one core each.
func (w world) gang(name string, members int) {
	w.t.Helper()
	w.gangOf(name, members, func(*corev1.Pod) {})
}

// gangOf makes a gang; its pods are changed before they are created.
func (w world) gangOf(name string, members int, change func(*corev1.Pod)) {
	w.t.Helper()
	w.try("make PodGroup "+name, func(ctx context.Context) error {
		group := object("PodGroup", name, map[string]any{"minMember": int64(members), "queue": w.ns})
		_, err := w.dynamic.Resource(podGroupResource).Namespace(w.ns).Create(ctx, group, metav1.CreateOptions{})
		return err
	})
	for i := range members {
		p := member(w.ns, name, i, "1")
		p.Spec.SchedulerName = w.ns
		change(p)
		w.try("make pod "+p.Name, func(ctx context.Context) error {
			_, err := w.kube.CoreV1().Pods(w.ns).Create(ctx, p, metav1.CreateOptions{})
			return err
		})
	}
}

// schedule runs a scheduler for the world's pods that reaches the API server by config.
func (w world) schedule(config *rest.Config, change ...func(*loop.Options)) (stop func()) {
	w.t.Helper()
	reach := func(o *loop.Options) { o.Config = rest.CopyConfig(config) }
	return live(w.t, w.ns, append([]func(*loop.Options){reach}, change...)...)
}

// awaitBound waits until so many of the world's pods have a node.
func (w world) awaitBound(want int) {
	w.t.Helper()
	w.await(fmt.Sprintf("see %d pods bound", want), func(ctx context.Context) error {
		pods, err := w.kube.CoreV1().Pods(w.ns).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if n := bound(pods.Items); n != want {
			return fmt.Errorf("%d are", n)
		}
		return nil
	})
}

func containsAll(s string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(s, part) {
			return false
		}
	}
	return true
}
