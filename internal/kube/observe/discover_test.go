package observe_test

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	watchapi "k8s.io/apimachinery/pkg/watch"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

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
	await(t, "the budget to be listed", func() bool { missing, _ := w.Awaited(nil); return len(missing) == 0 })
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
		model.KindQuota, model.KindBudget, model.KindService, "PersistentVolume", "PersistentVolumeClaim",
		"StorageClass", "CSINode",
		"CSIDriver",
		"CSIStorageCapacity", "VolumeAttachment", "HyperNode", "Namespace", "NodeShard"} {
		if !slices.Contains(observe.Kinds(), k) {
			t.Errorf("%s is not watched", k)
		}
	}
}

// Without the right to list Services, which Volcano's role does not grant, the scheduler decides without them; once it
// has the right they are watched.
func TestServicesThatMayNotBeListed(t *testing.T) {
	kube := fake.NewClientset(&corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "s"},
		Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, ClusterIP: "10.0.0.1"}})
	serves(kube, "v1", "services")
	var granted atomic.Bool
	kube.PrependReactor("list", "services", func(k8stesting.Action) (bool, runtime.Object, error) {
		if granted.Load() {
			return false, nil, nil
		}
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "services"}, "", errors.New("no"))
	})
	w := watch(t, kube, observe.Options{Reads: reads(model.KindService)})
	is := func(f model.Fact) bool { return f.Ref.Kind == model.KindService }
	if facts := w.All(); slices.ContainsFunc(facts, is) {
		t.Errorf("without the right there are the facts %v", facts)
	}
	w.Drain()
	granted.Store(true)
	w.Look()
	await(t, "the Service to be listed", func() bool {
		missing, _ := w.Awaited(nil)
		return len(missing) == 0 && slices.ContainsFunc(w.All(), is)
	})
	facts := slices.DeleteFunc(w.All(), func(f model.Fact) bool { return !is(f) })
	if s, ok := facts[0].Object.(*model.Service); !ok || len(s.Selector) != 1 || s.Selector[0].Value != "web" {
		t.Errorf("the facts are %+v, want the Service", facts)
	}
}

// A kind that begins to be served while its objects may not be listed, as the definition of a newer chart beside an
// older role, stops nothing: it is as it was without that kind, until the right is there.
func TestAKindThatIsServedLaterAndMayNotBeListed(t *testing.T) {
	kube := fake.NewClientset(budget())
	var granted atomic.Bool
	no := apierrors.NewForbidden(schema.GroupResource{Resource: "poddisruptionbudgets"}, "", errors.New("no"))
	kube.PrependReactor("list", "poddisruptionbudgets", func(k8stesting.Action) (bool, runtime.Object, error) {
		return !granted.Load(), nil, no
	})
	kube.PrependWatchReactor("poddisruptionbudgets", func(k8stesting.Action) (bool, watchapi.Interface, error) {
		return !granted.Load(), nil, no
	})
	w := watch(t, kube, observe.Options{Reads: reads(model.KindBudget)})
	w.Drain()
	serves(kube, "policy/v1", "poddisruptionbudgets")
	w.Look()
	await(t, "nothing to be awaited", func() bool { missing, _ := w.Awaited(nil); return len(missing) == 0 })
	granted.Store(true)
	await(t, "the budget to be listed", func() bool {
		facts, _ := w.Drain()
		return len(facts) == 1 && facts[0].Ref.Kind == model.KindBudget
	})
}

// A kind that nothing reads any more is not awaited.
func TestAKindThatIsNotReadAnyMoreIsNotAwaited(t *testing.T) {
	kube := fake.NewClientset(budget())
	no := apierrors.NewForbidden(schema.GroupResource{Resource: "poddisruptionbudgets"}, "", errors.New("no"))
	kube.PrependReactor("list", "poddisruptionbudgets", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, nil, no
	})
	serves(kube, "policy/v1", "poddisruptionbudgets")
	var read atomic.Bool
	w := watch(t, kube, observe.Options{Reads: func(k model.Kind) bool { return k == model.KindBudget && read.Load() }})
	read.Store(true)
	w.Look()
	await(t, "it to be missed", func() bool {
		missing, forbidden := w.Awaited(nil)
		return forbidden && len(missing) == 1 && strings.Contains(missing[0], "PodDisruptionBudget (forbidden")
	})
	read.Store(false)
	if missing, forbidden := w.Awaited(nil); len(missing) > 0 || forbidden {
		t.Errorf("nothing reads it, and %v is awaited, forbidden %t", missing, forbidden)
	}
}
