package observe

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

func seen(name, node, version string) *corev1.Pod {
	yes := true
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name),
		ResourceVersion: version,
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: name, UID: "o",
			Controller: &yes}},
		Annotations: map[string]string{"scheduling.k8s.io/group-name": "g"}},
		Spec: corev1.PodSpec{SchedulerName: "volcano", NodeName: node, Containers: []corev1.Container{{Name: "c",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(
				"3")}}}}}}
}

// podsOf are the objects of pods by name; nil: it is gone.
func podsOf(facts []model.Fact) map[string]*model.Pod {
	out := map[string]*model.Pod{}
	for _, f := range facts {
		if f.Ref.Kind == model.KindPod {
			p, _ := f.Object.(*model.Pod)
			out[f.Ref.Name] = p
		}
	}
	return out
}

// A pod of which reading panics is where it is and asks for what it asks for; it is not
// placed, and hides no other.
func TestAPodThatCannotBeReadIsSetAside(t *testing.T) {
	panics := 0
	kube := fake.NewClientset(seen("bad", "n", "4"), seen("fine", "", "5"))
	w, err := New(Options{Kube: kube, Volcano: volcano.NewSimpleClientset(), Adopt: true, Panicked: func(string) {
		panics++
	},
		Translate: translate.Options{TopOwner: func(_ string, controller *metav1.OwnerReference) translate.Owner {
			if controller.Name == "bad" {
				panic("unreadable")
			}
			return translate.OwnerOf(controller)
		}}})
	if err != nil {
		t.Fatal(err)
	}
	w.Start(t.Context())
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if missing, _ := w.Awaited(nil); len(missing) == 0 {
			break
		}
		<-time.After(time.Millisecond)
	}
	facts, _ := w.Drain()
	pods := podsOf(facts)
	bad, fine := pods["bad"], pods["fine"]
	if bad == nil || fine == nil || panics == 0 {
		t.Fatalf("after %d panics the pods are %v, want both", panics, pods)
	}
	if _, aside := bad.SetAside(); !aside || bad.Node != "n" || bad.Group != "g" || len(bad.Spec.Requests) == 0 {
		t.Errorf("set aside: %t; it is on %q, of %q, and asks for %v", aside, bad.Node, bad.Group, bad.Spec.Requests)
	}
	if _, aside := fine.SetAside(); aside {
		t.Error("the other one is set aside too")
	}
}

// What a handler panicked at is not lost: All has it.
func TestAReportThatPanicsIsFoundAgain(t *testing.T) {
	w := (&Observer{queue: newQueue()}).wire()
	g := recoveringHandler{cache.ResourceEventHandlerFuncs{AddFunc: func(any) { panic("taking it in") }}, w}
	g.OnAdd(seen("p", "", "1"), false)
	select {
	case <-w.Wake():
	default:
		t.Error("the reader sleeps on")
	}
	if !w.Lost() || w.Lost() {
		t.Error("that something is lost is said not at all, or twice")
	}
}

// An object that cannot be made a fact is as if it were not there; the others are.
func TestAFactThatPanicsCostsNoOther(t *testing.T) {
	w := (&Observer{queue: newQueue(), pods: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)}).wire()
	good, err := w.pod(seen("good", "n", "2"))
	if err != nil {
		t.Fatal(err)
	}
	broken := &Pod{ObjectMeta: &nothing, fact: good.(*Pod).fact, open: true}
	broken.fact.Ref.Name = "broken" // its owners cannot be asked: there is no reader
	w.watched = []watched{{kind: model.KindPod, store: w.pods}}
	for _, p := range []*Pod{good.(*Pod), broken} {
		if err := w.pods.Add(p); err != nil {
			t.Fatal(err)
		}
		w.queue.add(p, false)
	}
	drained, _ := w.Drain()
	for name, facts := range map[string][]model.Fact{"Drain": drained, "All": w.All()} {
		pods := podsOf(facts)
		if is, known := pods["broken"]; pods["good"] == nil || is != nil || !known {
			t.Errorf("%s has %v, want the one, and the other as gone", name, pods)
		}
	}
}

// All is what an engine is made anew from: what was read past the watch is among it, in its
// newest state, and what waits for its owners to be heard is not.
func TestAllIsWhatAnEngineWasTold(t *testing.T) {
	kube := fake.NewClientset()
	kube.PrependReactor("list", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, &corev1.PodList{Items: []corev1.Pod{*seen("behind", "n", "7"), *seen("unseen", "n", "8"),
			*seen("kept", "", "4")}}, nil
	})
	w := (&Observer{options: Options{Kube: kube, Adopt: true}, queue: newQueue(),
		pods: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)}).wire()
	w.watched = []watched{{kind: model.KindPod, store: w.pods}}
	for _, p := range []*corev1.Pod{seen("behind", "", "3"), seen("kept", "", "4")} {
		o, err := w.pod(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.pods.Add(o); err != nil {
			t.Fatal(err)
		}
		if p.Name != "kept" {
			continue
		}
		if !w.queue.hold(o, true, moment) {
			t.Fatal("it is not kept")
		}
		o.(*Pod).handedOver.Store(true)
	}
	if err := w.Refresh(t.Context(), always); err != nil {
		t.Fatal(err)
	}
	newest := map[string]model.Fact{}
	for _, f := range w.All() {
		if f.Version >= newest[f.Ref.Name].Version {
			newest[f.Ref.Name] = f
		}
	}
	for _, name := range []string{"behind", "unseen"} {
		if p, _ := newest[name].Object.(*model.Pod); p == nil || p.Node != "n" {
			t.Errorf("%s is %+v, want it on its node as it was read", name, p)
		}
	}
	if _, known := newest["kept"]; known {
		t.Error("the pod that waits for its owners is among all")
	}
}

// What goes on for ever goes on after a panic.
func TestWhatLastsIsBegunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := (&Observer{queue: newQueue()}).wire()
		ctx, cancel := context.WithCancel(t.Context())
		times := make(chan int, 10)
		begun := 0
		w.untilEnd(ctx, "testing", func(ctx context.Context) {
			begun++
			times <- begun
			if begun < 3 {
				panic("testing")
			}
			<-ctx.Done()
		})
		<-time.After(time.Minute)
		if len(times) != 3 {
			t.Errorf("it was begun %d times, want three", len(times))
		}
		cancel()
		synctest.Wait()
	})
}
