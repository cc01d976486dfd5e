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
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// A gang goes the whole way through a real API server: objects to facts, facts to a
// plan, the plan to bindings with the pods' UIDs as precondition, and what the server
// then shows back to facts that make the engine forget its commitments.
func TestAGangIsBoundWholeThroughTheAPIServer(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	node(t, ns+"-b", "4")
	queue(t, ns)
	gang(t, ns, "train", 3, "2")
	gang(t, ns, "giant", 2, "5")

	w := newScheduler(t, ns)
	eventually(t, "the gang to run", func(ctx context.Context) (bool, error) {
		w.cycle(ctx)
		return w.running("train") == 3, nil
	}, func() string { return fmt.Sprintf("%d of 3 running; %+v", w.running("train"), w.engine.Report().Jobs) })

	if n := w.running("giant"); n != 0 {
		t.Errorf("%d pods of the gang that does not fit run, want none", n)
	}
	for _, p := range w.pods(t.Context()) {
		if strings.HasPrefix(p.Name, "giant") && p.Spec.NodeName != "" {
			t.Errorf("%s is bound to %s, want it unbound: its gang does not fit", p.Name, p.Spec.NodeName)
		}
	}
	for _, j := range w.engine.Report().Jobs {
		if j.Name == "giant" && (j.Reason.Code != trace.GangIncomplete || j.Reason.Cause.Code != trace.NotEnoughResources) {
			t.Errorf("the gang that does not fit waits for %+v, want GangIncomplete for NotEnoughResources", j.Reason)
		}
	}
	if c := w.engine.Commitments(); len(c.Tasks) != 0 {
		t.Errorf("the server shows all pods bound, yet the engine still holds %+v", c.Tasks)
	}
	if found := w.engine.Audit(); found != nil {
		t.Error(strings.Join(found, "\n"))
	}
}

// A binding that names a pod's former life is refused by the server; the receipt says
// so, and the engine binds the pod that is there now.
func TestABindingForAFormerLifeIsRefusedAndDecidedAnew(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	gang(t, ns, "solo", 1, "2")
	w := newScheduler(t, ns)
	w.observe(t.Context())
	plan := w.decide() // binds the first life
	pods := shared.kube.CoreV1().Pods(ns)
	old := get(t, ns, "solo-0")
	zero := int64(0)
	if err := pods.Delete(t.Context(), "solo-0", metav1.DeleteOptions{GracePeriodSeconds: &zero}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first life to be gone", func(ctx context.Context) (bool, error) {
		_, err := pods.Get(ctx, "solo-0", metav1.GetOptions{})
		return err != nil, ignoreNotFound(err)
	}, func() string { return "solo-0" })
	create(t, member(ns, "solo", 0, "2"))

	w.carry(t.Context(), plan)
	if w.refused == 0 {
		t.Fatal("the server took a binding with the UID of a pod that is gone")
	}
	eventually(t, "the second life to run", func(ctx context.Context) (bool, error) {
		w.cycle(ctx)
		return w.running("solo") == 1, nil
	}, func() string { return fmt.Sprintf("%+v", w.engine.Report().Jobs) })
	if now := get(t, ns, "solo-0"); now.UID == old.UID || now.Spec.NodeName != ns+"-a" {
		t.Errorf("the pod that runs is %s on %q, want another than %s on %s", now.UID, now.Spec.NodeName, old.UID, ns+"-a")
	}
}

// scheduler is the smallest loop around an engine: list, decide, carry out.
type scheduler struct {
	t       *testing.T
	ns      string
	engine  *sched.Engine
	now     int64
	refused int
}

func newScheduler(t *testing.T, ns string) *scheduler {
	t.Helper()
	engine, err := sched.New(policy.Profile{
		Actions: []string{"enqueue", "allocate", "backfill"},
		Tiers: [][]policy.Choice{
			{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
			{{Plugin: "predicates"}, {Plugin: "proportion"}, {Plugin: "nodeorder"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &scheduler{t: t, ns: ns, engine: engine}
}

func (w *scheduler) cycle(ctx context.Context) {
	w.observe(ctx)
	w.carry(ctx, w.decide())
}

func (w *scheduler) decide() []sched.Item {
	w.now += time.Second.Nanoseconds()
	plan, _, _ := w.engine.Decide(w.now)
	return append([]sched.Item(nil), plan.Items...)
}

// observe hands what the server shows of this test's objects to the engine.
func (w *scheduler) observe(ctx context.Context) {
	w.t.Helper()
	nodes, err := shared.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	var objects []any
	for i := range nodes.Items {
		if strings.HasPrefix(nodes.Items[i].Name, w.ns) {
			objects = append(objects, &nodes.Items[i])
		}
	}
	for _, p := range w.pods(ctx) {
		objects = append(objects, &p)
	}
	q, err := shared.dynamic.Resource(queueResource).Get(ctx, w.ns, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	objects = append(objects, typed(w.t, q, &schedulingv1beta1.Queue{}))
	groups, err := shared.dynamic.Resource(podGroupResource).Namespace(w.ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range groups.Items {
		objects = append(objects, typed(w.t, &groups.Items[i], &schedulingv1beta1.PodGroup{}))
	}
	for _, o := range objects {
		fact, ok := translate.Fact(o, translate.Options{})
		if !ok {
			w.t.Fatalf("no fact for %T", o)
		}
		w.engine.Apply(fact)
	}
}

func typed[T any](t *testing.T, from *unstructured.Unstructured, to *T) *T {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, to); err != nil {
		t.Fatal(err)
	}
	return to
}

func (w *scheduler) pods(ctx context.Context) []corev1.Pod {
	w.t.Helper()
	pods, err := shared.kube.CoreV1().Pods(w.ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return pods.Items
}

// carry does what the plan asks for and tells the engine what became of it.
func (w *scheduler) carry(ctx context.Context, items []sched.Item) {
	w.t.Helper()
	for _, i := range items {
		var err error
		switch i.Kind {
		case sched.BindPod:
			err = shared.kube.CoreV1().Pods(i.Pod.Namespace).Bind(ctx, &corev1.Binding{
				ObjectMeta: metav1.ObjectMeta{Name: i.Pod.Name, UID: types.UID(i.UID)},
				Target:     corev1.ObjectReference{Kind: "Node", Name: i.Node},
			}, metav1.CreateOptions{})
		case sched.SetPhase:
			patch := fmt.Sprintf(`{"metadata":{"uid":%q},"status":{"phase":%q}}`, i.UID, i.Phase)
			_, err = shared.dynamic.Resource(podGroupResource).Namespace(i.Group.Namespace).
				Patch(ctx, i.Group.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		}
		receipt := sched.Receipt{Item: i}
		if err != nil {
			receipt.Outcome = sched.Failed
			w.refused++
			w.t.Logf("%v of %v was refused: %v", i.Kind, i.Pod, err)
		}
		w.engine.Receive(receipt)
	}
}

func (w *scheduler) running(job string) (n int) {
	for _, p := range w.engine.Report().Pods {
		if p.Job == job && p.Status == model.Running {
			n++
		}
	}
	return n
}

func queue(t *testing.T, name string) {
	t.Helper()
	queues := shared.dynamic.Resource(queueResource)
	if _, err := queues.Create(t.Context(), object("Queue", name, map[string]any{"weight": int64(1)}),
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := queues.Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// gang makes a PodGroup in the test's queue, and its pods.
func gang(t *testing.T, ns, name string, members int, cpu string) {
	t.Helper()
	group := object("PodGroup", name, map[string]any{"minMember": int64(members), "queue": ns})
	groups := shared.dynamic.Resource(podGroupResource).Namespace(ns)
	if _, err := groups.Create(t.Context(), group, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range members {
		create(t, member(ns, name, i, cpu))
	}
}

func member(ns, group string, i int, cpu string) *corev1.Pod {
	p := pod(ns, fmt.Sprintf("%s-%d", group, i))
	p.Spec.SchedulerName = "volcano"
	p.Annotations = map[string]string{"scheduling.k8s.io/group-name": group}
	p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	return p
}
