package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/internal/loop"
)

// kindsTakenOver are the resources of the kinds in testdata/taken-over.json.
var kindsTakenOver = map[string]schema.GroupVersionResource{
	"Node":          corev1.SchemeGroupVersion.WithResource("nodes"),
	"Pod":           corev1.SchemeGroupVersion.WithResource("pods"),
	"PriorityClass": {Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"},
	"Queue":         queueResource,
	"PodGroup":      podGroupResource,
}

// takenOver makes the objects that Volcano's scheduler, controllers and webhooks left behind on
// a busy cluster, with their statuses: gangs that run, one of them with a member missing, an
// elastic one, one that has ended, one that waits and one that is not let in, and pods of a
// Deployment and a Job with the PodGroups that Volcano made for them.
func (w world) takenOver() {
	w.t.Helper()
	text, err := os.ReadFile("testdata/taken-over.json")
	if err != nil {
		w.t.Fatal(err)
	}
	var list unstructured.UnstructuredList
	if err := json.Unmarshal(text, &list); err != nil {
		w.t.Fatal(err)
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "t"}}
	if _, err := w.kube.CoreV1().Namespaces().Create(w.t.Context(), ns, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	for i := range list.Items {
		o := &list.Items[i]
		client := w.dynamic.Resource(kindsTakenOver[o.GetKind()]).Namespace(o.GetNamespace())
		status := o.Object["status"]
		made, err := client.Create(w.t.Context(), o, metav1.CreateOptions{})
		if err != nil {
			w.t.Fatalf("make %s %s: %v", o.GetKind(), o.GetName(), err)
		}
		if o.GetKind() == "Pod" || o.GetKind() == "Queue" {
			made.Object["status"] = status
			if _, err := client.UpdateStatus(w.t.Context(), made, metav1.UpdateOptions{}); err != nil {
				w.t.Fatalf("say where %s %s stands: %v", o.GetKind(), o.GetName(), err)
			}
		}
	}
}

// lives are the UIDs of the pods that have a node, by name.
func (w world) lives() map[string]string {
	w.t.Helper()
	pods, err := w.kube.CoreV1().Pods(metav1.NamespaceAll).List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]string{}
	for _, p := range pods.Items {
		if p.DeletionTimestamp == nil && p.Spec.NodeName != "" {
			out[p.Name] = string(p.UID)
		}
	}
	return out
}

// stockWithEvictions is Volcano's stock file with the actions that evict.
const stockWithEvictions = `actions: "enqueue, allocate, backfill, reclaim, preempt"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
`

// A scheduler that takes Volcano's place deletes nothing that runs: not as it finds it, not
// when the statuses of PodGroups are wiped, and not when PodGroups are made anew. No other
// client could delete.
func TestLiveATakeOverDeletesNothing(t *testing.T) {
	w, _ := privateWorld(t)
	w.takenOver()
	conf := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(conf, []byte(stockWithEvictions), 0o600); err != nil {
		t.Fatal(err)
	}
	before := w.lives()
	if n := len(before); n != 18 {
		t.Fatalf("%d pods have a node before it starts, want 18", n)
	}
	watch := func(what string) {
		t.Helper()
		stop := w.schedule(w.config, func(o *loop.Options) {
			o.SchedulerNames, o.ConfigFile, o.Stranded, o.Adopt = []string{"volcano"}, conf, 2*time.Second, loop.AdoptNever
		})
		holds(10*time.Second, func() { // five times what a gang may stand half
			now := w.lives()
			for name, uid := range before {
				if now[name] != uid {
					t.Fatalf("%s: %s is gone; the PodGroups say %s", what, name, w.phases())
				}
			}
		})
		stop()
	}
	watch("as Volcano left it")
	short := w.groupsOf("t")
	for _, g := range short {
		if strings.HasPrefix(g.GetName(), "short-") && shownPhaseOf(g) != string(schedulingv1beta1.PodGroupUnknown) {
			t.Errorf("the gang that lacks a member says %s, want Unknown", shownPhaseOf(g))
		}
	}
	for _, g := range short {
		g.Object["status"] = map[string]any{}
		if _, err := w.dynamic.Resource(podGroupResource).Namespace("t").Update(t.Context(), g,
			metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	watch("with statuses wiped")
	for _, g := range w.groupsOf("t") {
		client := w.dynamic.Resource(podGroupResource).Namespace("t")
		if err := client.Delete(t.Context(), g.GetName(), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		again := g.DeepCopy()
		again.SetUID("")
		again.SetResourceVersion("")
		again.Object["status"] = map[string]any{"phase": "Inqueue"}
		if _, err := client.Create(t.Context(), again, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	watch("with PodGroups made anew")
	stop := w.schedule(w.config, func(o *loop.Options) {
		o.SchedulerNames, o.ConfigFile, o.Adopt = []string{"volcano"}, conf, loop.AdoptNever
	})
	defer stop()
	w.startsAgain(before)
}

// startsAgain gives the cluster room, bit by bit: first the lost member starts, then the gang that
// waits, each as soon as it has room. What ran before runs on.
func (w world) startsAgain(before map[string]string) {
	w.t.Helper()
	starts := func(prefix string, want int) {
		w.t.Helper()
		w.await(fmt.Sprintf("see %d of %s bound", want, prefix), func(context.Context) error {
			n, now := 0, w.lives()
			for name, uid := range before {
				if now[name] != uid {
					w.t.Fatalf("%s is gone; the PodGroups say %s", name, w.phases())
				}
			}
			for name := range now {
				if strings.HasPrefix(name, prefix) {
					n++
				}
			}
			if n != want {
				return fmt.Errorf("%d are, of %v", n, now)
			}
			return nil
		})
	}
	w.node("room-for-one", "1")
	starts("short-w-", 4)
	starts("wait-w-", 0)
	w.node("room-for-eight", "8")
	starts("wait-w-", 8)
	w.await("see the gang that had lost a member run", func(context.Context) error {
		for _, g := range w.groupsOf("t") {
			name, phase := g.GetName(), shownPhaseOf(g)
			if strings.HasPrefix(name, "short-") && phase != string(schedulingv1beta1.PodGroupRunning) {
				return fmt.Errorf("%s says %s", name, phase)
			}
		}
		return nil
	})
}

func (w world) groupsOf(ns string) (out []*unstructured.Unstructured) {
	w.t.Helper()
	list, err := w.dynamic.Resource(podGroupResource).Namespace(ns).List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range list.Items {
		out = append(out, &list.Items[i])
	}
	return out
}

func shownPhaseOf(g *unstructured.Unstructured) string { return field(g, "status", "phase") }

func (w world) phases() string {
	out := map[string]string{}
	for _, g := range w.groupsOf("t") {
		out[g.GetName()] = shownPhaseOf(g)
	}
	return fmt.Sprint(out)
}

// refuses makes a proxy refuse to bind pods with names that end so, as the API server would.
func refuses(suffix string) func(o *loop.Options) {
	return func(o *loop.Options) {
		o.Config.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return round(func(r *http.Request) (*http.Response, error) {
				if !strings.HasSuffix(r.URL.Path, suffix+"/binding") {
					return next.RoundTrip(r)
				}
				says := apierrors.NewForbidden(corev1.Resource("pods"), strings.TrimPrefix(suffix, "/"),
					errors.New("a webhook says no")).Status()
				says.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
				no, err := json.Marshal(says)
				return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}},
					Body: io.NopCloser(bytes.NewReader(no)), Request: r}, err
			})
		})
	}
}

// stateful makes a StatefulSet of so many pods of a gang, all at once, of a tenth of a core each.
func stateful(t *testing.T, ns, name string, members int32) {
	t.Helper()
	gang := object("PodGroup", name, map[string]any{"minMember": int64(members), "queue": ns})
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(), gang,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	p := member(ns, name, 0, "100m")
	p.Spec.SchedulerName = ns
	labels := map[string]string{"gang": name}
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: appsv1.StatefulSetSpec{
		Replicas: &members, ServiceName: name, PodManagementPolicy: appsv1.ParallelPodManagement,
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: p.Annotations},
			Spec: p.Spec}}}
	if _, err := shared.kube.AppsV1().StatefulSets(ns).Create(t.Context(), set, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shared.kube.AppsV1().StatefulSets(ns).Delete(context.Background(), name,
			metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// A gang of which one member is refused for good gives its room back once: the members of a
// StatefulSet, which come anew. Then it is tried by the one that is refused, and nothing else of
// it is bound; once it is not refused any more it starts, and keeps no record.
func TestLiveARefusedGangGivesItsRoomBack(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "8")
	queue(t, ns)
	stateful(t, ns, "train", 4)
	stop := live(t, ns, refuses("/train-3"), func(o *loop.Options) { o.Stranded = 2 * time.Second })
	eventually(t, "the gang to give its room back", func(ctxless) (bool, error) {
		return len(events(t, ns, "PodGroup", "train", "GangReleased")) == 1 && bound(list(t, ns, "train")) == 0 &&
			len(list(t, ns, "train")) == 4, nil
	}, func() string { return stands(t, ns) })
	first := uids(list(t, ns, "train"))
	if n := len(events(t, ns, "PodGroup", "train", "GangStranded")); n == 0 {
		t.Error("no event came before")
	}
	c := awaitCondition(t, ns, "train", schedulingv1beta1.PodGroupUnschedulableType)
	if !strings.Contains(c.Message, "refused") || !strings.Contains(c.Message, "train-3") {
		t.Errorf("the PodGroup says %q, want that train-3 is refused", c.Message)
	}
	eventually(t, "it to be tried again", func(ctxless) (bool, error) {
		r, err := persisted.ReadRefusedBinds(group(t, ns, "train").Annotations[persisted.RefusedBindsKey])
		return err == nil && r.Tries > 8, nil
	}, func() string { return group(t, ns, "train").Annotations[persisted.RefusedBindsKey] })
	if now := uids(list(t, ns, "train")); !slices.Equal(now, first) || bound(list(t, ns, "train")) != 0 {
		t.Errorf("when it was tried again %d members were bound, and the pods are %v, which were %v",
			bound(list(t, ns, "train")), now, first)
	}
	stop()
	forgetRefusals(t, ns, "train") // or it would wait for its next try
	live(t, ns)
	awaitRunning(t, ns, "train", 4)
	eventually(t, "it to keep no record", func(ctxless) (bool, error) {
		_, there := group(t, ns, "train").Annotations[persisted.RefusedBindsKey]
		return !there, nil
	}, func() string { return "it does" })
}

func uids(pods []corev1.Pod) []string {
	out := map[string]bool{}
	for _, p := range pods {
		out[string(p.UID)] = true
	}
	return slices.Sorted(maps.Keys(out))
}

// stands is where a gang stands that does not do what a test waits for.
func stands(t *testing.T, ns string) string {
	return fmt.Sprint(group(t, ns, "train").Annotations, len(list(t, ns, "train")), " pods, bound: ",
		bound(list(t, ns, "train")))
}

// forgetRefusals removes the record of a PodGroup.
func forgetRefusals(t *testing.T, ns, name string) {
	t.Helper()
	g, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	unstructured.RemoveNestedField(g.Object, "metadata", "annotations", persisted.RefusedBindsKey)
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Update(t.Context(), g,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}
