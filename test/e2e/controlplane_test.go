package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"ashlar.sh/test/e2e/cluster"
)

var (
	queueResource    = schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "queues"}
	podGroupResource = schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1",
		Resource: "podgroups"}
)

func TestAPodRunsOnceBoundAndIsGoneOnceDeleted(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-node", "8")
	pods := shared.kube.CoreV1().Pods(ns)
	create(t, pod(ns, "worker"))
	if got := get(t, ns, "worker"); got.Spec.NodeName != "" || got.Status.Phase != corev1.PodPending {
		t.Fatalf("before it is bound, the pod is %s on %q; want Pending on no node", got.Status.Phase, got.Spec.NodeName)
	}

	bind(t, ns, "worker", ns+"-node")
	got := awaitPhase(t, ns, "worker", corev1.PodRunning)
	if got.Spec.NodeName != ns+"-node" {
		t.Errorf("the pod runs on %q, want %q", got.Spec.NodeName, ns+"-node")
	}

	if err := pods.Delete(t.Context(), "worker", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the deleted pod to be gone", func(ctx context.Context) (bool, error) {
		_, err := pods.Get(ctx, "worker", metav1.GetOptions{})
		return errors.IsNotFound(err), ignoreNotFound(err)
	}, func() string { return "the pod" })
}

// What plays the kubelets must not take a pod for another one of its name that was deleted a moment
// ago: it deletes by name.
func TestAPodOfANameThatIsUsedAgainIsLeftAlone(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-node", "64")
	pods := shared.kube.CoreV1().Pods(ns)
	const names = 30
	name := func(i int) string { return fmt.Sprintf("again-%02d", i) }
	for i := range names {
		create(t, pod(ns, name(i)))
		bind(t, ns, name(i), ns+"-node")
	}
	awaitRunning(t, ns, "again", names)
	zero := int64(0)
	for i := range names {
		if err := pods.Delete(t.Context(), name(i), metav1.DeleteOptions{GracePeriodSeconds: &zero}); err != nil {
			t.Fatal(err)
		}
		create(t, pod(ns, name(i)))
	}
	for i := range names {
		bind(t, ns, name(i), ns+"-node")
	}
	awaitRunning(t, ns, "again", names)
}

func TestAPodWithADurationSucceeds(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-node", "8")
	p := pod(ns, "short")
	p.Annotations = map[string]string{"ashlar.sh/duration": "200ms"}
	create(t, p)
	bind(t, ns, "short", ns+"-node")
	awaitPhase(t, ns, "short", corev1.PodSucceeded)
}

func TestAQueueKeepsItsStatusApartAndAPodGroupDoesNot(t *testing.T) {
	ns := namespace(t)
	queue := object("Queue", ns, map[string]any{"weight": int64(2), "capability": map[string]any{"cpu": "8"}})
	queue.Object["status"] = map[string]any{"state": "Open"}
	queues := shared.dynamic.Resource(queueResource)
	made, err := queues.Create(t.Context(), queue, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := queues.Delete(context.Background(), ns, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	if state := field(made, "status", "state"); state != "" {
		t.Errorf("a queue is made with state %q; its status is a subresource, so want none", state)
	}
	made.Object["status"] = map[string]any{"state": "Open", "allocated": map[string]any{"cpu": "1"}}
	if made, err = queues.UpdateStatus(t.Context(), made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if state := field(made, "status", "state"); state != "Open" {
		t.Errorf("after its status was updated the queue's state is %q, want Open", state)
	}

	group := object("PodGroup", "gang", map[string]any{"minMember": int64(3), "queue": ns})
	group.Object["status"] = map[string]any{"phase": "Pending"}
	groups := shared.dynamic.Resource(podGroupResource).Namespace(ns)
	if made, err = groups.Create(t.Context(), group, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if phase := field(made, "status", "phase"); phase != "Pending" {
		t.Errorf("a pod group is made with phase %q; its status is part of it, so want Pending", phase)
	}
	if _, err := groups.UpdateStatus(t.Context(), made, metav1.UpdateOptions{}); !errors.IsNotFound(err) {
		t.Errorf("updating a pod group's status apart gives %v, want not found", err)
	}
}

func TestTheCRDsRefuseWhatVolcanosRefuse(t *testing.T) {
	ns := namespace(t)
	cases := map[string]struct {
		in   dynamic.ResourceInterface
		kind string
		spec map[string]any
		want string
	}{
		"a queue without weight": {
			shared.dynamic.Resource(queueResource), "Queue", map[string]any{"weight": int64(0)}, "spec.weight"},
		"a queue with an amount that is no quantity": {
			shared.dynamic.Resource(queueResource), "Queue", map[string]any{"capability": map[string]any{"cpu": "lots"}},
			"spec.capability.cpu"},
		"a gang of a negative size": {
			shared.dynamic.Resource(podGroupResource).Namespace(ns), "PodGroup", map[string]any{"minMember": int64(-1)},
			"spec.minMember"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := c.in.Create(t.Context(), object(c.kind, ns+"-refused", c.spec), metav1.CreateOptions{})
			if !errors.IsInvalid(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a refusal that names %s", err, c.want)
			}
		})
	}
}

func TestTheServerSaysItsVersion(t *testing.T) {
	version, err := shared.kube.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if version.GitVersion != "v1.36.3" || version.Major != "1" || version.Minor != "36" {
		t.Errorf("the server says it is %s (%s.%s), want v1.36.3", version.GitVersion, version.Major, version.Minor)
	}
}

func TestTheKubeconfigReachesTheSameServer(t *testing.T) {
	config, err := clientcmd.BuildConfigFromFlags("", shared.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != shared.Config.Host {
		t.Errorf("the kubeconfig names %s, want %s", config.Host, shared.Config.Host)
	}
	if _, err := client.Resource(queueResource).List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("listing queues with the kubeconfig: %v", err)
	}
}

func TestAStartThatErrsNamesTheProgramAndLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	_, err := cluster.Start(t.Context(), cluster.Options{
		Flags: map[string][]string{"kube-apiserver": {"--no-such-flag"}},
	})
	if err == nil {
		t.Fatal("it started with a flag that kube-apiserver does not know")
	}
	for _, want := range []string{"kube-apiserver", "unknown flag: --no-such-flag"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	left, err := os.ReadDir(tmp)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 0 {
		t.Errorf("it left %v behind", left)
	}
}

// pod is a pod of one core for the scheduler named volcano, which does not run here.
func pod(ns, name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
		Spec: corev1.PodSpec{
			SchedulerName: "volcano",
			Containers: []corev1.Container{{
				Name: "main", Image: "image",
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
				},
			}},
		},
	}
}

func create(t *testing.T, p *corev1.Pod) {
	t.Helper()
	if _, err := shared.kube.CoreV1().Pods(p.Namespace).Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, ns, name string) *corev1.Pod {
	t.Helper()
	p, err := shared.kube.CoreV1().Pods(ns).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func bind(t *testing.T, ns, name, node string) {
	t.Helper()
	err := shared.kube.CoreV1().Pods(ns).Bind(t.Context(), &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
		Target:     corev1.ObjectReference{Kind: "Node", Name: node},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// awaitPhase waits until the pod is in the phase and returns it as it is then.
func awaitPhase(t *testing.T, ns, name string, phase corev1.PodPhase) *corev1.Pod {
	t.Helper()
	var seen *corev1.Pod
	eventually(t, fmt.Sprintf("pod %s to be %s", name, phase), func(ctx context.Context) (_ bool, err error) {
		seen, err = shared.kube.CoreV1().Pods(ns).Get(ctx, name, metav1.GetOptions{})
		return err == nil && seen.Status.Phase == phase, err
	}, func() string { return string(seen.Status.Phase) })
	return seen
}

// object is a custom resource of Volcano's.
func object(kind, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.volcano.sh/v1beta1",
		"kind":       kind,
		"metadata":   map[string]any{"name": name},
		"spec":       spec,
	}}
}

func field(o *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(o.Object, path...)
	return s
}

func ignoreNotFound(err error) error {
	if errors.IsNotFound(err) {
		return nil
	}
	return err
}
