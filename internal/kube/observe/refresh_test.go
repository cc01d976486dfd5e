package observe

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	if err := w.Refresh(t.Context(), always); err != nil {
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

func always() error { return nil }

// paged is a server of which each page of pods takes 20 s.
func paged(pages int) *fake.Clientset {
	kube := fake.NewClientset()
	page := 0
	kube.PrependReactor("list", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
		<-time.After(20 * time.Second)
		page++
		list := &corev1.PodList{Items: []corev1.Pod{*seen(fmt.Sprint("pod-", page), "n", "7")}}
		if page < pages {
			list.ListMeta = metav1.ListMeta{Continue: fmt.Sprint(page)}
		}
		return true, list, nil
	})
	return kube
}

// A list of very many pods may take minutes. The loop shows meanwhile that it is alive; it ends where nothing may be
// done any more.
func TestALongRefreshGoesOnPageByPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := (&Observer{options: Options{Kube: paged(10), Adopt: true}, queue: newQueue(),
			pods: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)}).wire()
		pages := 0
		if err := w.Refresh(t.Context(), func() error { pages++; return nil }); err != nil || pages != 10 {
			t.Errorf("after %d pages: %v", pages, err)
		}
		if facts, _ := w.Drain(); len(facts) != 10 {
			t.Errorf("it tells of %d pods, want 10", len(facts))
		}
		w.options.Kube = paged(10)
		lost, pages := errors.New("the lease is lost"), 0
		err := w.Refresh(t.Context(), func() error {
			if pages++; pages == 3 {
				return lost
			}
			return nil
		})
		if !errors.Is(err, lost) || pages != 3 {
			t.Errorf("after %d pages: %v, want an end when the lease is lost", pages, err)
		}
	})
}

// One page is not waited for without end.
func TestAPageHasItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := within(t.Context(), func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != pageWithin {
			t.Errorf("it ended after %s: %v", took, err)
		}
	})
}
