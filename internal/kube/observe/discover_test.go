package observe_test

import (
	"slices"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched/model"
)

// serves says which kinds beside those of every cluster an API server has.
func serves(kube *fake.Clientset, group, resource string) {
	api, _ := kube.Discovery().(*fakediscovery.FakeDiscovery)
	api.Lock()
	defer api.Unlock()
	api.Resources = append(slices.Clone(api.Resources), &metav1.APIResourceList{GroupVersion: group,
		APIResources: []metav1.APIResource{{Name: resource}}})
}

func budget() *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "b", UID: "b",
		ResourceVersion: "7"}}
}

func reads(kinds ...model.Kind) func(model.Kind) bool {
	return func(k model.Kind) bool { return slices.Contains(kinds, k) }
}

func TestWhatTheEngineReadsIsWatchedWhereItIsServed(t *testing.T) {
	for name, c := range map[string]struct {
		served   bool
		reads    func(model.Kind) bool
		want     bool
		unserved int
	}{
		"read and served":             {true, reads(model.KindBudget), true, 0},
		"not what is not read":        {true, reads(), false, 0},
		"not served, which is no end": {false, reads(model.KindBudget), false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			kube := fake.NewClientset(budget())
			if c.served {
				serves(kube, "policy/v1", "poddisruptionbudgets")
			}
			w := watch(t, kube, observe.Options{Reads: c.reads})
			there := slices.ContainsFunc(w.All(), func(f model.Fact) bool { return f.Ref.Kind == model.KindBudget })
			if there != c.want || len(w.Unserved()) != c.unserved {
				t.Errorf("the budget is a fact: %t, want %t; unserved %v", there, c.want, w.Unserved())
			}
		})
	}
}

// A kind with a definition that is installed later, or that a new configuration reads, is
// watched from then on; until it was listed nothing has synced.
func TestAKindThatIsServedLaterIsWatchedThen(t *testing.T) {
	kube := fake.NewClientset(budget())
	w := watch(t, kube, observe.Options{Reads: reads(model.KindBudget)})
	w.Drain()
	serves(kube, "policy/v1", "poddisruptionbudgets")
	w.Look()
	await(t, "the budget to be listed", func() bool { ok, _ := w.Synced(); return ok })
	facts, _ := w.Drain()
	if len(facts) != 1 || facts[0].Ref.Kind != model.KindBudget {
		t.Errorf("once it has synced the facts are %v, want the budget", facts)
	}
	if left := w.Unserved(); len(left) != 0 {
		t.Errorf("unserved is %v, want nothing", left)
	}
}

// Nothing that simulate reads from files may be unknown to a live scheduler.
func TestEveryKindOfFactCanBeWatched(t *testing.T) {
	for _, k := range []model.Kind{model.KindNode, model.KindPod, model.KindPodGroup, model.KindQueue,
		model.KindPriorityClass,
		model.KindQuota, model.KindBudget, "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode",
		"CSIDriver",
		"CSIStorageCapacity", "VolumeAttachment", "HyperNode", "Namespace", "NodeShard"} {
		if !slices.Contains(observe.Kinds(), k) {
			t.Errorf("%s is not watched", k)
		}
	}
}
