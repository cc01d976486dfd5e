package observe_test

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched/model"
)

// The fake of Volcano's clients does not serve lists as watches.
func TestMain(m *testing.M) {
	if err := os.Setenv("KUBE_FEATURE_WatchListClient", "false"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// watch starts an observer of a cluster and waits until it has seen it.
func watch(t *testing.T, kube *fake.Clientset, o observe.Options) *observe.Observer {
	t.Helper()
	return watchBoth(t, kube, volcano.NewSimpleClientset(
		&schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: "default", UID: "q"}}), o)
}

func watchBoth(t *testing.T, kube *fake.Clientset, groups *volcano.Clientset, o observe.Options) *observe.Observer {
	t.Helper()
	o.Kube, o.Volcano = kube, groups
	w, err := observe.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); w.Shutdown() })
	if missing, _ := w.Awaited(nil); len(missing) != 6 {
		t.Errorf("before it is started it awaits %v; want five kinds and what else there is", missing)
	}
	w.Start(ctx)
	await(t, "everything to be listed", func() bool { missing, _ := w.Awaited(nil); return len(missing) == 0 })
	return w
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 20*time.Second, true,
		func(context.Context) (bool, error) { return holds(), nil })
	if err != nil {
		t.Fatalf("waited for %s: %v", what, err)
	}
}

func node(version string, change func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "n", ResourceVersion: version,
		Labels: map[string]string{"pool": "a"}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4")}}}
	if change != nil {
		change(n)
	}
	return n
}

func pod(name string, annotations map[string]string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: "p", ResourceVersion: "5",
		Annotations: annotations},
		Spec: corev1.PodSpec{SchedulerName: "volcano", Containers: []corev1.Container{{Name: "c", Command: []string{"run"},
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(
				"1")}}}}}}
}

// drained waits for the facts of the next drain that has any.
func drained(t *testing.T, w *observe.Observer) []model.Fact {
	t.Helper()
	var facts []model.Fact
	await(t, "a fact", func() bool {
		got, oldest := w.Drain()
		if len(got) > 0 && oldest.IsZero() {
			t.Error("there are facts and nothing says since when")
		}
		facts = append(facts, got...)
		return len(facts) > 0
	})
	return facts
}

func TestWhatIsListedIsDrainedOnce(t *testing.T) {
	w := watch(t, fake.NewClientset(node("1", nil), pod("p", nil)), observe.Options{Adopt: true})
	kinds := map[model.Kind]int{}
	objects := map[model.Kind]model.Object{}
	facts, _ := w.Drain()
	for _, f := range facts {
		kinds[f.Ref.Kind]++
		objects[f.Ref.Kind] = f.Object
	}
	if kinds[model.KindNode] != 1 || kinds[model.KindPod] != 1 || kinds[model.KindQueue] != 1 {
		t.Errorf("the first drain has %v, want a node, a pod and a queue", kinds)
	}
	if again, _ := w.Drain(); len(again) != 0 {
		t.Errorf("the second drain has %v, want nothing", again)
	}
	if n := len(w.All()); n != 3 {
		t.Errorf("All has %d facts, want 3", n)
	}
	if p := w.Pod("ns", "p"); p == nil || p.Fact() != objects[model.KindPod] {
		t.Errorf("the pod that is kept is %+v, want the fact that was handed on, and no second copy", p)
	}
}

// What a pod runs and when it ended is read before what is kept of it is made small.
func TestWhatAPodRanIsRead(t *testing.T) {
	one, other := pod("one", nil), pod("other", nil)
	other.Spec.Containers[0].Command, other.UID = []string{"walk"}, "o"
	one.Status = corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: []corev1.ContainerStatus{{
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.Unix(300, 0)}}}}}
	w := watch(t, fake.NewClientset(one, other), observe.Options{Adopt: true})
	a, b := w.Pod("ns", "one").Fact(), w.Pod("ns", "other").Fact()
	if a.Template == 0 || a.Template == b.Template {
		t.Errorf("pods with other commands are of the templates %x and %x", a.Template, b.Template)
	}
	if got := a.Rare().Ended; got != 300*int64(time.Second) || b.Rare().Ended != 0 {
		t.Errorf("one ended at %d, and the other at %d, which waits", got, b.Rare().Ended)
	}
}

func TestAHeartbeatIsNoFactAndACordonIs(t *testing.T) {
	one, two := corev1.ContainerImage{Names: []string{"one:1"}, SizeBytes: 5},
		corev1.ContainerImage{Names: []string{"two:1", "two:2"}, SizeBytes: 5}
	kube := fake.NewClientset(node("1", func(n *corev1.Node) { n.Status.Images = []corev1.ContainerImage{one, two} }))
	w := watch(t, kube, observe.Options{})
	w.Drain()
	beat := node("2", func(n *corev1.Node) {
		two.Names = []string{"two:2", "two:1"}
		n.Status.Images = []corev1.ContainerImage{two, one}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue,
			LastHeartbeatTime: metav1.Now()}}
	})
	cordoned := node("3", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	for _, n := range []*corev1.Node{beat, cordoned} {
		if _, err := kube.CoreV1().Nodes().Update(t.Context(), n, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	facts := drained(t, w)
	if len(facts) != 1 || facts[0].Version != 3 || !facts[0].Object.(*model.Node).Unschedulable {
		t.Errorf("after a heartbeat and a cordon the facts are %+v, want the cordon's alone", facts)
	}
}

// What a node's agent lends is read, and news of it.
func TestWhatANodeLendsIsNews(t *testing.T) {
	kube := fake.NewClientset(node("1", nil))
	w := watch(t, kube, observe.Options{})
	w.Drain()
	lending := node("2", func(n *corev1.Node) {
		n.Annotations = map[string]string{"volcano.sh/oversubscription-cpu": "1500", "node.alpha.kubernetes.io/ttl": "0"}
	})
	if _, err := kube.CoreV1().Nodes().Update(t.Context(), lending, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	facts := drained(t, w)
	if len(facts) != 1 {
		t.Fatalf("the facts are %+v, want the node's", facts)
	}
	if cpu, _ := facts[0].Object.(*model.Node).Allocatable.Get("cpu"); cpu != 5500 {
		t.Errorf("the node has %d thousandths of a core, want its 4000 and 1500 that it lends", cpu)
	}
}

// A kubelet that is upgraded declares more, and pods say what they need of it.
func TestWhatANodeDeclaresIsNews(t *testing.T) {
	needs := pod("p", nil)
	needs.Spec.Containers[0].RestartPolicyRules = []corev1.ContainerRestartRule{
		{Action: corev1.ContainerRestartRuleActionRestartAllContainers}}
	kube := fake.NewClientset(node("1", nil), needs)
	w := watch(t, kube, observe.Options{Adopt: true})
	w.Drain()
	const feature = "RestartAllContainersOnContainerExits"
	if s := w.Pod("ns", "p").Fact().Spec; !slices.Equal(s.Features, []string{feature}) {
		t.Errorf("the pod needs %v, want %s", s.Features, feature)
	}
	upgraded := node("2", func(n *corev1.Node) { n.Status.DeclaredFeatures = []string{feature, "Unheard"} })
	if _, err := kube.CoreV1().Nodes().Update(t.Context(), upgraded, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if facts := drained(t, w); !slices.Equal(facts[0].Object.(*model.Node).Features, []string{feature}) {
		t.Errorf("the facts are %+v, want a node that declares %s", facts, feature)
	}
}

// The types that are read lack this field of a PodGroup: only the API server's note of it shows that it is there.
func TestAFieldOfAPodGroupThatIsNotReadIsAProblem(t *testing.T) {
	written := func(fields string) []metav1.ManagedFieldsEntry {
		return []metav1.ManagedFieldsEntry{{FieldsV1: metav1.NewFieldsV1(fields)}}
	}
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "g",
		ManagedFields: written(`{"f:spec":{"f:topologyAffinity":{}}}`)}}
	plain := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "p",
		ManagedFields: written(`{"f:spec":{"f:queue":{}}}`)}}
	w := watchBoth(t, fake.NewClientset(), volcano.NewSimpleClientset(group, plain), observe.Options{Adopt: true})
	found := map[string]int{}
	for _, fact := range drained(t, w) {
		if g, ok := fact.Object.(*model.PodGroup); ok {
			found[g.Name] = len(g.Faults)
		}
	}
	if found["g"] != 1 || found["p"] != 0 {
		t.Errorf("problems by PodGroup: %v, want one of g", found)
	}
}

func TestADeletedPodIsGone(t *testing.T) {
	kube := fake.NewClientset(pod("p", nil))
	w := watch(t, kube, observe.Options{Adopt: true})
	await(t, "pods to be watched: the fake tells no watch of what was deleted before", func() bool {
		return slices.ContainsFunc(kube.Actions(), func(a k8stesting.Action) bool { return a.Matches("watch", "pods") })
	})
	w.Drain()
	if err := kube.CoreV1().Pods("ns").Delete(t.Context(), "p", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if facts := drained(t, w); len(facts) != 1 || facts[0].Object != nil || facts[0].UID != "p" {
		t.Errorf("the facts are %+v, want that pod p is gone", facts)
	}
}

func TestWhatAPodShowsForNotBeingScheduled(t *testing.T) {
	refused := func(status corev1.ConditionStatus) *corev1.Pod {
		p := pod("p", nil)
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "NotYet"},
			{Type: corev1.PodScheduled, Status: status, Reason: "Unschedulable"}}
		return p
	}
	for status, want := range map[corev1.ConditionStatus]string{corev1.ConditionFalse: "Unschedulable",
		corev1.ConditionTrue: ""} {
		w := watch(t, fake.NewClientset(refused(status)), observe.Options{})
		if got := w.Pod("ns", "p").NotScheduled; got != want {
			t.Errorf("with PodScheduled %s it shows %q, want %q", status, got, want)
		}
	}
}

func TestPodsThatAreOurs(t *testing.T) {
	grouped := map[string]string{schedulingv1beta1.KubeGroupNameAnnotationKey: "g"}
	for name, c := range map[string]struct {
		adopt       bool
		annotations map[string]string
		want        bool
	}{
		"a pod with a PodGroup":                                {false, grouped, true},
		"a pod without one, where they are adopted":            {true, nil, true},
		"not a pod without one, where a controller gives them": {false, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t, fake.NewClientset(pod("p", c.annotations)), observe.Options{Adopt: c.adopt})
			for _, f := range w.All() {
				if p, ok := f.Object.(*model.Pod); ok && p.Ours != c.want {
					t.Errorf("ours: %t, want %t", p.Ours, c.want)
				}
			}
		})
	}
}

func TestNodesThatAreNotSelectedAreNotThere(t *testing.T) {
	for name, c := range map[string]struct {
		selector []string
		want     bool
	}{
		"no selector":        {nil, true},
		"its label":          {[]string{"zone:x", "pool:a"}, true},
		"another value":      {[]string{"pool:b"}, false},
		"a label it has not": {[]string{"zone:"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t, fake.NewClientset(node("1", nil)), observe.Options{NodeSelector: c.selector})
			for _, f := range w.All() {
				if f.Ref.Kind == model.KindNode && (f.Object != nil) != c.want {
					t.Errorf("the node is there: %t, want %t", f.Object != nil, c.want)
				}
			}
		})
	}
}
