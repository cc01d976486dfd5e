package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/loop"
	"ashlar.sh/test/e2e/faults"
)

// evicting is a control plane in which the test plays the kubelets: whoever is evicted stays on its
// node until the test says that it has gone.
type evicting struct {
	world
	proxy *faults.Proxy
	conf  string // the file of a configuration that evicts
}

// graceOfVictims is the grace of pods that are evicted, in seconds.
const graceOfVictims = 7

// evictingWorld is a namespace and a queue of their own on a control plane, a node of four cores,
// and one-pod jobs without a priority that fill it, bound by the scheduler that runs with conf.
func evictingWorld(t *testing.T, plane world, name, action string) evicting {
	t.Helper()
	w := evicting{world: plane}
	w.t, w.ns = t, name
	w.try("make a namespace", func(ctx context.Context) error {
		_, err := w.kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}},
			metav1.CreateOptions{})
		return err
	})
	w.try("make a priority class", func(ctx context.Context) error {
		_, err := w.kube.SchedulingV1().PriorityClasses().Create(ctx,
			&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000}, metav1.CreateOptions{})
		return err
	})
	w.conf = filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	conf := "actions: \"enqueue, allocate, " + action +
		"\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n  - name: conformance\n- plugins:\n" +
		"  - name: predicates\n  - name: proportion\n  - name: nodeorder\n"
	if err := os.WriteFile(w.conf, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.proxy, err = faults.Start(w.config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.proxy.Close)
	t.Cleanup(w.clear)
	w.queue()
	w.node(name+"-a", "4")
	return w
}

// clear removes the test's pods without grace, so that no later test sees them.
func (w evicting) clear() {
	zero := int64(0)
	_ = w.kube.CoreV1().Pods(w.ns).DeleteCollection(context.Background(), metav1.DeleteOptions{GracePeriodSeconds: &zero},
		metav1.ListOptions{})
}

// full makes the victims and waits until they are bound.
func (w evicting) full() {
	w.t.Helper()
	for i := range 4 {
		w.gangOf(fmt.Sprint("victim-", string(letters[i])), 1, func(p *corev1.Pod) {
			p.Annotations["volcano.sh/preemptable"] = "true"
			grace := int64(graceOfVictims)
			p.Spec.TerminationGracePeriodSeconds = &grace
		})
	}
	w.awaitBound(4)
}

// run runs a scheduler in this process, by the proxy.
func (w evicting) run() (stop func()) {
	w.t.Helper()
	return w.schedule(w.proxy.Config(), func(o *loop.Options) { o.ConfigFile = w.conf })
}

// child runs one in a process of its own, which can be killed.
func (w evicting) child(config *rest.Config, identity string) (kill func()) {
	w.t.Helper()
	cmd := w.process(config, identity, func(c *childScheduler) { c.ConfigFile = w.conf })
	return func() {
		w.t.Helper()
		if err := cmd.Process.Kill(); err != nil {
			w.t.Fatal(err)
		}
		w.releaseLease()
	}
}

// urgent makes a gang of two, of a core each, that is worth more than the victims, in a queue.
func (w evicting) urgent(queue string) {
	w.t.Helper()
	w.try("make PodGroup urgent", func(ctx context.Context) error {
		group := object("PodGroup", "urgent", map[string]any{"minMember": int64(2), "queue": queue,
			"priorityClassName": "urgent"})
		_, err := w.dynamic.Resource(podGroupResource).Namespace(w.ns).Create(ctx, group, metav1.CreateOptions{})
		return err
	})
	for i := range 2 {
		p := member(w.ns, "urgent", i, "1")
		p.Spec.SchedulerName, p.Spec.PriorityClassName = w.ns, "urgent"
		w.try("make pod "+p.Name, func(ctx context.Context) error {
			_, err := w.kube.CoreV1().Pods(w.ns).Create(ctx, p, metav1.CreateOptions{})
			return err
		})
	}
}

// pods are those of the world with names that begin so, sorted by name.
func (w evicting) pods(prefix string) (out []corev1.Pod) {
	w.t.Helper()
	pods, err := w.kube.CoreV1().Pods(w.ns).List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, p := range pods.Items {
		if strings.HasPrefix(p.Name, prefix) {
			out = append(out, p)
		}
	}
	return out
}

// leaving are the victims that were told to go and have not gone.
func (w evicting) leaving() (out []corev1.Pod) {
	w.t.Helper()
	for _, p := range w.pods("victim") {
		if p.DeletionTimestamp != nil {
			out = append(out, p)
		}
	}
	return out
}

// awaitLeaving waits until so many victims were told to go.
func (w evicting) awaitLeaving(want int) []corev1.Pod {
	w.t.Helper()
	var out []corev1.Pod
	w.await(fmt.Sprintf("see %d victims told to go", want), func(context.Context) error {
		if out = w.leaving(); len(out) != want {
			return fmt.Errorf("%d are", len(out))
		}
		return nil
	})
	return out
}

// awaitNominated waits until both urgent pods show a node, or none.
func (w evicting) awaitNominated(want string) {
	w.t.Helper()
	w.await(fmt.Sprintf("see the urgent pods nominated to %q", want), func(context.Context) error {
		for _, p := range w.pods("urgent") {
			if p.Status.NominatedNodeName != want {
				return fmt.Errorf("%s is to %q", p.Name, p.Status.NominatedNodeName)
			}
		}
		return nil
	})
}

// gone does what a kubelet does once a pod's containers have ended.
func (w evicting) gone(p corev1.Pod) {
	w.t.Helper()
	zero := int64(0)
	err := w.kube.CoreV1().Pods(w.ns).Delete(w.t.Context(), p.Name,
		metav1.DeleteOptions{GracePeriodSeconds: &zero, Preconditions: &metav1.Preconditions{UID: &p.UID}})
	if err != nil {
		w.t.Fatal(err)
	}
}

// awaitUrgent waits until the urgent pods are bound to a node.
func (w evicting) awaitUrgent(node string) {
	w.t.Helper()
	w.await("see the urgent pods bound to "+node, func(context.Context) error {
		for _, p := range w.pods("urgent") {
			if p.Spec.NodeName != node {
				return fmt.Errorf("%s is on %q", p.Name, p.Spec.NodeName)
			}
		}
		return nil
	})
}

// holds looks again and again for so long.
func (w evicting) holds(d time.Duration, look func()) {
	w.t.Helper()
	holds(d, look)
}

// holds looks again and again for so long.
func holds(d time.Duration, look func()) {
	again, end := time.NewTicker(50*time.Millisecond), time.After(d)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			look()
		case <-end:
			return
		}
	}
}

// stay says that so many victims were never told to go.
func (w evicting) stay(want int) {
	w.t.Helper()
	if n := len(w.pods("victim")) - len(w.leaving()); n != want {
		w.t.Errorf("%d of 4 victims are left, want %d", n, want)
	}
}

func podDeletion(r *http.Request) bool {
	return r.Method == http.MethodDelete && strings.Contains(r.URL.Path, "/pods/")
}

func nomination(r *http.Request) bool {
	return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/pods/urgent-")
}
