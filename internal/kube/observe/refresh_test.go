package observe

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/sched/model"
)

// A list past the watch tells of the pods of which the watch has not told, and of no others: on a cluster at rest a
// scheduler that begins to act takes in nothing twice.
func TestARefreshTellsOfNewsOnly(t *testing.T) {
	kube := fake.NewClientset()
	kube.PrependReactor("list", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, &corev1.PodList{Items: []corev1.Pod{*seen("known", "n", "7"), *seen("repeated", "n", "7"),
			*seen("moved", "n", "7"), *seen("unheard", "n", "7"), *seen("new", "n", "7")}}, nil
	})
	w := (&Observer{options: Options{Kube: kube, Adopt: true}, queue: newQueue(),
		pods: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)}).wire()
	h := w.ownership.podHandler()
	shown := func(name, version string) *Pod {
		o, err := w.pod(seen(name, "n", version))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.pods.Update(o); err != nil {
			t.Fatal(err)
		}
		return o.(*Pod)
	}
	h.OnAdd(shown("known", "7"), true)
	before := shown("repeated", "7")
	h.OnAdd(before, true)
	h.OnUpdate(before, shown("repeated", "7")) // a list that made up for a lost watch shows it again
	h.OnAdd(shown("moved", "6"), true)
	shown("unheard", "7") // the handler was not called yet
	w.Drain()
	if err := w.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	facts, _ := w.Drain()
	told := podsOf(facts)
	for _, name := range []string{"moved", "unheard", "new"} {
		if told[name] == nil {
			t.Errorf("it does not tell of %s", name)
		}
	}
	for _, name := range []string{"known", "repeated"} {
		if told[name] != (*model.Pod)(nil) {
			t.Errorf("it tells of %s again", name)
		}
	}
}
