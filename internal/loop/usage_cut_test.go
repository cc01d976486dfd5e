package loop

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// manyRuns are records of as many templates.
func manyRuns(n int) (out []ledger.RunRecord) {
	for i := range n {
		out = append(out, ledger.RunRecord{RunKey: ledger.RunKey{Namespace: "ns", Template: uint64(i + 1)},
			Runs: []ledger.Run{{Job: uint64(i + 1), Ended: 9e17, Took: 6e10}}})
	}
	return out
}

// put makes a ConfigMap.
func (w *living) put(m *corev1.ConfigMap) {
	_, err := w.kube.CoreV1().ConfigMaps("ns").Create(w.Context(), m, metav1.CreateOptions{})
	w.must(err)
}

// runsKept are the templates of which some ConfigMap has runs.
func (w *living) runsKept() (of map[uint64]bool) {
	of = map[uint64]bool{}
	list, err := w.kube.CoreV1().ConfigMaps("ns").List(w.Context(), metav1.ListOptions{})
	w.must(err)
	for _, m := range list.Items {
		var part savedUsage
		if json.Unmarshal([]byte(m.Data[usageKey]), &part) == nil {
			for _, r := range part.Runs {
				of[r.Template] = true
			}
		}
	}
	return of
}

func allKept(t *testing.T, before, after map[uint64]bool) {
	t.Helper()
	n := 0
	for k := range before {
		if !after[k] {
			n++
		}
	}
	if len(before) == 0 || n > 0 {
		t.Errorf("%d of %d records that were kept are lost", n, len(before))
	}
}

// A scheduler that is killed between any two writes of what it remembers loses no record that was kept before.
func TestAKillBetweenTwoWritesLosesNoRecord(t *testing.T) {
	for stop := range 6 {
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			inVirtualTimeWith(t, 1, stockRemembering, func(w *living) {
				texts := (&usageSaver{}).texts(savedUsage{Runs: manyRuns(1500)})
				if len(texts) != 2 {
					t.Fatalf("they are in %d ConfigMaps, want 2", len(texts))
				}
				for i, text := range texts {
					w.put(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns",
						Name: fmt.Sprintf("volcano-usage-%d", i)}, Data: map[string]string{"usage.json": text}})
				}
				before := w.runsKept()
				w.restart()
				writes := 0
				there := []string{"volcano-usage-0", "volcano-usage-1"}
				refuse := func(k8stesting.Action) (bool, runtime.Object, error) {
					if writes++; writes > stop {
						return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "x", nil)
					}
					return false, nil, nil
				}
				w.answers(&w.kube.Fake, "update", "configmaps", func(a k8stesting.Action) (bool, runtime.Object, error) {
					if o := a.(k8stesting.UpdateAction).GetObject().(*corev1.ConfigMap); !slices.Contains(there, o.Name) {
						return false, nil, nil // it is not there: a create follows
					}
					return refuse(a)
				})
				w.answers(&w.kube.Fake, "create", "configmaps", refuse)
				w.inLoop(func(e *sched.Engine) { e.Ledger().Tasks.Runs.Restore(manyRuns(3900)) })
				w.after(90 * time.Second)
				allKept(t, before, w.runsKept())
			})
		})
	}
}

// One that may not be made does not take records from those that are there.
func TestAConfigMapThatMayNotBeMadeTakesNoRecords(t *testing.T) {
	inVirtualTimeWith(t, 1, stockRemembering, func(w *living) {
		for i, text := range (&usageSaver{}).texts(savedUsage{Runs: manyRuns(900)}) {
			w.put(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns",
				Name: fmt.Sprintf("volcano-usage-%d", i)}, Data: map[string]string{"usage.json": text}})
		}
		before := w.runsKept()
		w.restart()
		w.answers(&w.kube.Fake, "create", "configmaps", func(k8stesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "x",
				errors.New("exceeded quota"))
		})
		w.inLoop(func(e *sched.Engine) { e.Ledger().Tasks.Runs.Restore(manyRuns(2500)) })
		w.after(3 * time.Minute)
		allKept(t, before, w.runsKept())
	})
}
