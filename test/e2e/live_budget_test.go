package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// about counts the writes to a path that ends so, or to one below it.
func (w *wire) about(path string) (n int) {
	for _, line := range w.written() {
		if strings.HasSuffix(line, path) || strings.Contains(line, path+"/") {
			n++
		}
	}
	return n
}

// silent waits until a scheduler has written nothing for as long as it gathers words,
// and some more.
func silent(t *testing.T, w *wire) {
	t.Helper()
	last, since := -1, time.Now()
	eventually(t, "the scheduler to fall silent", func(ctxless) (bool, error) {
		if n := len(w.written()); n != last {
			last, since = n, time.Now()
		}
		return time.Since(since) > 4*time.Second, nil
	}, func() string { return fmt.Sprint(w.written()) })
}

// ownedGang makes a PodGroup with an owner, of which it only says where it is from.
func ownedGang(t *testing.T, ns, name string, members int, owner metav1.OwnerReference) {
	t.Helper()
	g := object("PodGroup", name, map[string]any{"minMember": int64(members), "queue": ns})
	g.SetOwnerReferences([]metav1.OwnerReference{owner})
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(), g,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// join makes pods of a PodGroup.
func join(t *testing.T, ns, group string, members int, cpu string) {
	t.Helper()
	for i := range members {
		p := member(ns, group, i, cpu)
		p.Spec.SchedulerName = ns
		create(t, p)
	}
}

// The API server is asked for as many writes as docs/live.md says of each life: internal/loop
// lives all of them, in virtual time; here are those with writes that may meet others.
func TestLiveFewWritesAGang(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	node(t, ns+"-b", "16")
	tainted(t, ns+"-b", `[{"key": "later", "effect": "NoSchedule"}]`)
	queue(t, ns)
	var w wire
	live(t, ns, w.on)
	// An owner of Kubernetes' own makes pods whatever a PodGroup shows; another may wait.
	hasty, err := shared.kube.CoreV1().ConfigMaps(ns).Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	patient, err := shared.dynamic.Resource(queueResource).Get(t.Context(), ns, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	submit(t, ns, ns, "runs", 2, 2, "1")
	awaitRunning(t, ns, "runs", 2)
	awaitCondition(t, ns, "runs", schedulingv1beta1.PodGroupScheduled)
	submit(t, ns, ns, "early", 2, 2, "2")
	join(t, ns, "late", 2, "2")
	submit(t, ns, ns, "late", 0, 2, "2")
	ownedGang(t, ns, "hasty", 2, metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: hasty.Name,
		UID: hasty.UID})
	join(t, ns, "hasty", 2, "2")
	ownedGang(t, ns, "patient", 2, metav1.OwnerReference{APIVersion: "scheduling.volcano.sh/v1beta1", Kind: "Queue",
		Name: ns, UID: patient.GetUID()})
	awaitPhaseOf(t, ns, "patient", schedulingv1beta1.PodGroupInqueue)
	join(t, ns, "patient", 2, "2")
	waiting := map[string]int{"early": 1, "late": 1, "hasty": 1, "patient": 2}
	for name := range waiting {
		awaitCondition(t, ns, name, schedulingv1beta1.PodGroupUnschedulableType)
	}
	silent(t, &w)
	w.most(t, ns, "once it runs", "runs", 1, 1)
	for name, n := range waiting {
		w.most(t, ns, "while it waits", name, n, 1)
	}

	tainted(t, ns+"-b", "[]")
	for name := range waiting {
		awaitRunning(t, ns, name, 2)
		awaitCondition(t, ns, name, schedulingv1beta1.PodGroupScheduled)
	}
	for name := range waiting {
		eventually(t, "its PodGroup to say that two run", func(ctxless) (bool, error) {
			s := group(t, ns, name).Status
			return s.Phase == schedulingv1beta1.PodGroupRunning && s.Running == 2, nil
		}, func() string { return describe(group(t, ns, name)) })
	}
	silent(t, &w)
	for name, n := range waiting {
		w.most(t, ns, "after it waited and was served", name, n+1+slowStart(t, ns, name), 2)
		for _, c := range group(t, ns, name).Status.Conditions {
			if c.Type == schedulingv1beta1.PodGroupUnschedulableType && c.Status != corev1.ConditionFalse {
				t.Errorf("%s runs, and its PodGroup says %+v", name, c)
			}
		}
	}
}

// tainted sets a node's taints. A node that comes is not ready at first, and how that stands is told: a taint is gone
// from one moment to the next.
func tainted(t *testing.T, node, taints string) {
	t.Helper()
	if _, err := shared.kube.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType,
		[]byte(`{"spec": {"taints": `+taints+`}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// slowStart is 1 where kwok took some ten seconds to run a gang's pods, by what they show, and 0
// otherwise: that the gang started is then said before its pods run, and how many run by a write more.
func slowStart(t *testing.T, ns, gang string) int {
	t.Helper()
	for _, p := range list(t, ns, gang) {
		var scheduled, ready time.Time
		for _, c := range p.Status.Conditions {
			switch c.Type {
			case corev1.PodScheduled:
				scheduled = c.LastTransitionTime.Time
			case corev1.PodReady:
				ready = c.LastTransitionTime.Time
			}
		}
		if ready.Sub(scheduled) >= 8*time.Second {
			return 1
		}
	}
	return 0
}

// most fails a test that has written a gang's PodGroup, or its first pod, more often.
func (w *wire) most(t *testing.T, ns, when, gang string, toGroup, toPod int) {
	t.Helper()
	groups, pods := w.about("/namespaces/"+ns+"/podgroups/"+gang), w.about("/namespaces/"+ns+"/pods/"+gang+"-0")
	t.Logf("%s %s: %d writes to its PodGroup, %d to a pod of it", gang, when, groups, pods)
	if groups > toGroup || pods > toPod {
		t.Errorf("%s %s: %d writes to its PodGroup and %d to a pod of it, want at most %d and %d: %v",
			gang, when, groups, pods, toGroup, toPod, w.written())
	}
}
