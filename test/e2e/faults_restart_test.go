package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/loop"
)

// The API server and etcd crash and come back while gangs arrive and are bound. The scheduler holds
// a lease like any other: it must outlive that too.
func TestFaultsTheControlPlaneRestarts(t *testing.T) {
	w, c := privateWorld(t)
	nodes := map[string]int64{}
	for i := range faultyNodes {
		name := fmt.Sprintf("node-%d", i)
		w.node(name, fmt.Sprint(coresOfNode))
		nodes[name] = coresOfNode
	}
	w.queue()
	seen := w.watch(nodes, faultyMembers)
	stop := w.schedule(c.Config, func(o *loop.Options) {
		// A busy machine takes longer to start an API server than the ten seconds after which a lease is lost otherwise.
		o.Election = &loop.Election{Namespace: w.ns, Name: "volcano", Identity: "only", LeaseDuration: 3 * patience / 2,
			RenewDeadline: patience}
	})
	w.gang("gang-00", faultyMembers)
	w.awaitBound(faultyMembers)
	next := 1
	for _, program := range []string{"kube-apiserver", "etcd", "kube-apiserver"} {
		ended := make(chan error, 1)
		go func() { ended <- c.Restart(context.Background(), program, func() {}) }()
		for range 3 { // made and bound before, while and after it is away
			w.gang(fmt.Sprintf("gang-%02d", next), faultyMembers)
			next++
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		w.awaitBound(next * faultyMembers)
	}
	for ; next < faultyGangs; next++ {
		w.gang(fmt.Sprintf("gang-%02d", next), faultyMembers)
	}
	w.awaitBound(faultyGangs * faultyMembers)
	stop()
	seen.testify(faultyGangs * faultyMembers)
}

// Nodes that come and go: pods are only put where a node is that takes them, a node that comes back
// still holds the pods that were not removed, and what waits starts once there is room.
func TestFaultsNodesFlap(t *testing.T) {
	w, c := privateWorld(t)
	w.queue()
	nodes := map[string]int64{"steady": 4, "flaps": 4}
	for name, cores := range nodes {
		w.node(name, fmt.Sprint(cores))
	}
	seen := w.watch(nodes, 4)
	w.schedule(c.Config)
	w.gang("first", 4)
	w.gang("second", 4)
	w.awaitBound(8)

	// It goes with four pods on it, and comes back: they still hold it.
	w.try("delete the node", func(ctx context.Context) error {
		return w.kube.CoreV1().Nodes().Delete(ctx, "flaps", metav1.DeleteOptions{})
	})
	w.gang("third", 4)
	w.node("flaps", "4")
	w.awaitUnschedulable("third")
	w.onTheNode("flaps", 4)

	// Its device plugin restarts: for a moment it has nothing; then it is not ready; then it is, with
	// room for the gang that waits.
	w.cores("flaps", "0")
	w.taint("flaps", &corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule})
	w.cores("flaps", "8")
	seen.mu.Lock()
	seen.cpu["flaps"] = 8
	seen.mu.Unlock()
	w.gang("fourth", 4)
	w.awaitUnschedulable("fourth")
	w.onTheNode("flaps", 4)
	w.taint("flaps", nil)
	w.awaitBound(12)
	seen.testify(12)
}

// awaitUnschedulable waits until a gang says that it waits, so that the scheduler has tried it.
func (w world) awaitUnschedulable(name string) {
	w.t.Helper()
	w.await("read why "+name+" waits", func(ctx context.Context) error {
		g, err := w.dynamic.Resource(podGroupResource).Namespace(w.ns).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		status := fmt.Sprint(g.Object["status"])
		if !containsAll(status, "Unschedulable", "True") {
			return fmt.Errorf("its status is %s", status)
		}
		return nil
	})
}

// onTheNode checks how many pods a node has.
func (w world) onTheNode(name string, want int) {
	w.t.Helper()
	on, err := w.kube.CoreV1().Pods(w.ns).List(w.t.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName=" + name})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(on.Items) != want {
		w.t.Errorf("%d pods are on node %s, want %d", len(on.Items), name, want)
	}
}

func (w world) cores(name, cpu string) {
	w.t.Helper()
	patch := fmt.Sprintf(`{"status":{"capacity":{"cpu":%q},"allocatable":{"cpu":%q}}}`, cpu, cpu)
	w.try("change the node's cores", func(ctx context.Context) error {
		_, err := w.kube.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{},
			"status")
		return err
	})
}

func (w world) taint(name string, with *corev1.Taint) {
	w.t.Helper()
	w.try("taint the node", func(ctx context.Context) error {
		n, err := w.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		n.Spec.Taints = nil
		if with != nil {
			n.Spec.Taints = []corev1.Taint{*with}
		}
		_, err = w.kube.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{})
		return err
	})
}

// Two schedulers of which each acts for a while, as in a rolling update: the old one is asked to
// end in the middle of its work, again and again, and the new one goes on at once.
func TestFaultsSchedulersTakeTurns(t *testing.T) {
	w := sharedWorld(t)
	nodes := map[string]int64{}
	for i := range faultyNodes {
		name := fmt.Sprintf("%s-%d", w.ns, i)
		node(t, name, fmt.Sprint(coresOfNode))
		nodes[name] = coresOfNode
	}
	w.queue()
	seen := w.watch(nodes, faultyMembers)
	began := time.Now()
	stop := w.schedule(w.config, election(w.ns, "version-0"))
	for g := range faultyGangs {
		w.gang(fmt.Sprintf("gang-%02d", g), faultyMembers)
		if g%3 == 2 {
			next := w.schedule(w.config, election(w.ns, fmt.Sprint("version-", g))) // stands by
			stop()
			stop = next
		}
	}
	w.awaitBound(faultyGangs * faultyMembers)
	t.Logf("%d gangs under %d schedulers in turn took %v", faultyGangs, faultyGangs/3+1, time.Since(began))
	stop()
	seen.testify(faultyGangs * faultyMembers)
}
