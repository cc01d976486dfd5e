package observe_test

import (
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched/ledger"
)

// While a watch is down a bound pod is deleted and made anew under its name, and another one is deleted and
// one of another name is bound in its place. The list that makes up for the watch tells of what is new before
// it tells of what has gone. After every part of it the ledger's figures are sound, and in the end it knows
// the last life of each name alone.
func TestAListThatAddsBeforeItDeletes(t *testing.T) {
	on := func(name, uid, node, version string) *corev1.Pod {
		p := pod(name, nil)
		p.UID, p.Spec.NodeName, p.ResourceVersion = types.UID(uid), node, version
		return p
	}
	kube := fake.NewClientset(node("1", nil), on("again", "first", "n", "5"), on("gone", "gone", "n", "6"))
	down := apiwatch.NewFake()
	var watches atomic.Int64
	kube.PrependWatchReactor("pods", func(k8stesting.Action) (bool, apiwatch.Interface, error) {
		if watches.Add(1) == 1 {
			return true, down, nil // it reports nothing of what follows
		}
		return false, nil, nil
	})
	w := watch(t, kube, observe.Options{Adopt: true})
	l := ledger.New()
	take := func() {
		facts, _ := w.Drain()
		for _, f := range facts {
			l.Apply(f)
			l.ExtendDims()
			for _, wrong := range l.Audit() {
				t.Errorf("after a fact of %v: %s", f.Ref, wrong)
			}
		}
	}
	await(t, "the first watch", func() bool { return watches.Load() == 1 })
	take()
	pods := kube.CoreV1().Pods("ns")
	for _, name := range []string{"again", "gone"} {
		if err := pods.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []*corev1.Pod{on("again", "second", "", "9"), on("fresh", "fresh", "n", "10")} {
		if _, err := pods.Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	down.Stop()
	task := func(name string) (uid string, bound bool) {
		id, ok := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
		if !ok || l.Task(id).Pod == nil {
			return "", false
		}
		return l.Task(id).Pod.UID, l.Task(id).Node != ledger.NoNode
	}
	await(t, "the list to be taken in", func() bool {
		take()
		gone, _ := task("gone")
		fresh, _ := task("fresh")
		return gone == "" && fresh == "fresh"
	})
	if uid, bound := task("again"); uid != "second" || bound {
		t.Errorf("of the name that is used again it knows pod %q, bound: %t; want the second, which is not", uid, bound)
	}
	if uid, bound := task("fresh"); uid != "fresh" || !bound {
		t.Errorf("of the new name it knows pod %q, bound: %t; want the one that is", uid, bound)
	}
}
