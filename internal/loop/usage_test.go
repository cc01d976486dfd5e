package loop

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched/ledger"
)

// remembering has a scheduler remember what queues and namespaces used, and keep it beside its lease.
func remembering(w *living) {
	conf := filepath.Join(w.TempDir(), "volcano-scheduler.conf")
	w.must(os.WriteFile(conf, []byte(`actions: "enqueue, allocate"
tiers:
- plugins:
  - name: gang
  - name: fairshare
  - name: predicates
  - name: proportion
    arguments:
      usage.weight: 0.5
`), 0o600))
	w.options.ConfigFile = conf
	w.options.Election = &Election{Namespace: "ns", Name: "volcano"}
}

// keptUsage is the first ConfigMap of what is kept.
func (w *living) keptUsage() *corev1.ConfigMap {
	w.Helper()
	m, err := w.kube.CoreV1().ConfigMaps("ns").Get(w.Context(), "volcano-usage-0", metav1.GetOptions{})
	w.must(err)
	return m
}

// usageWrites counts the requests that wrote ConfigMaps.
func (w *living) usageWrites() (n int) {
	for _, a := range w.kube.Actions() {
		if a.GetResource().Resource == "configmaps" && (a.GetVerb() == "create" || a.GetVerb() == "update") {
			n++
		}
	}
	return n
}

func (w *living) used() *ledger.UsageState { return w.loop.engine.Ledger().Usage.Saved() }

func recordOfTenant(s *ledger.UsageState, name string) (r ledger.UsageRecord) {
	for _, r := range s.Tenants {
		if r.Tenant == name {
			return r
		}
	}
	return r
}

// Another scheduler that takes over remembers what this one did; and what does not change is not written.
func TestUsageIsKeptOverRestarts(t *testing.T) {
	inVirtualTimeWith(t, 1, remembering, func(w *living) {
		w.group("g", 1, "")
		w.pods("g", 0, 1, "4")
		w.after(30 * time.Minute)
		was := recordOfTenant(w.used(), "ns")
		if len(was.Amounts) == 0 || was.Amounts[0].Held != 4000 {
			t.Fatalf("the namespace holds %v, want 4 cpu", was)
		}
		before := w.usageWrites()
		w.after(2 * time.Hour)
		if n := w.usageWrites() - before; n != 0 {
			t.Errorf("while nothing changed usage was written %d times", n)
		}
		w.restart()
		w.after(time.Minute)
		if is := recordOfTenant(w.used(), "ns"); is.At != was.At || is.Amounts[0] != was.Amounts[0] {
			t.Errorf("after a restart %v is remembered, before %v", is, was)
		}
		w.delete("g-0")
		w.after(10 * time.Minute)
		used := recordOfTenant(w.used(), "ns")
		if used.Amounts[0].Held != 0 || used.Amounts[0].Used == 0 {
			t.Errorf("of what is gone %v is remembered", used)
		}
		w.restart()
		w.after(10 * time.Minute)
		if is := recordOfTenant(w.used(), "ns"); is.At != used.At || is.Amounts[0] != used.Amounts[0] {
			t.Errorf("after another restart %v is remembered, before %v", is, used)
		}
	})
}

// What was edited begins anew; what a newer version wrote is left alone.
func TestUsageThatCannotBeRead(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON": "{", "another form": `{"form":2,"Tenants":"?"}`,
		"a text for a number": `{"form":1,"Tenants":[{"At":"x"}]}`,
		"amounts that are none": `{"form":1,"objects":9999,"Tenants":[{"Queue":"default","Tenant":"ns",` +
			`"At":9223372036854775807,"Amounts":[{"Resource":"cpu","Held":-5}]}]}`,
		"of a later time": `{"form":1,"objects":1,"Tenants":[{"Queue":"default","Tenant":"ns",` +
			`"At":9223372036854775807,"Amounts":[{"Resource":"cpu","Held":9223372036854775807,"Used":4611686018427387903}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTimeWith(t, 1, remembering, func(w *living) {
				w.group("g", 1, "")
				w.pods("g", 0, 1, "4")
				w.after(5 * time.Minute)
				w.end()
				m := w.keptUsage()
				m.Data["usage.json"] = text
				_, err := w.kube.CoreV1().ConfigMaps("ns").Update(w.Context(), m, metav1.UpdateOptions{})
				w.must(err)
				w.schedule()
				w.group("h", 1, "")
				w.pods("h", 0, 1, "2")
				w.after(5 * time.Minute)
				if w.bound("h") != 1 {
					t.Error("nothing is scheduled any more")
				}
				kept, newer := w.keptUsage().Data["usage.json"], strings.Contains(text, `"form":2`)
				if (kept == text) != newer {
					t.Errorf("kept is %s", kept)
				}
			})
		})
	}
}

// A panic while usage is written ends that write alone: it is written the next time.
func TestAPanicWhileUsageIsWritten(t *testing.T) {
	inVirtualTimeWith(t, 1, remembering, func(w *living) {
		var panics atomic.Bool
		panics.Store(true)
		w.answers(&w.kube.Fake, "update", "configmaps", func(k8stesting.Action) (bool, runtime.Object, error) {
			if panics.Load() {
				panic("a bug")
			}
			return false, nil, nil
		})
		w.group("g", 1, "")
		w.pods("g", 0, 1, "4")
		w.after(3 * time.Minute)
		if w.bound("g") != 1 || w.usageWrites() == 0 {
			t.Fatalf("%d pods are bound, and usage was to be written %d times", w.bound("g"), w.usageWrites())
		}
		panics.Store(false)
		w.after(2 * time.Minute)
		if kept := w.keptUsage().Data["usage.json"]; !strings.Contains(kept, `"Tenant":"ns"`) {
			t.Errorf("kept is %s", kept)
		}
	})
}

// unanswered is an API server that does not answer what is written to ConfigMaps.
type (
	unanswered     struct{ kubernetes.Interface }
	unansweredCore struct{ corev1client.CoreV1Interface }
	unansweredMaps struct {
		corev1client.ConfigMapInterface
	}
)

func (u unanswered) CoreV1() corev1client.CoreV1Interface {
	return unansweredCore{u.Interface.CoreV1()}
}

func (u unansweredCore) ConfigMaps(ns string) corev1client.ConfigMapInterface {
	return unansweredMaps{u.CoreV1Interface.ConfigMaps(ns)}
}

func (unansweredMaps) Update(ctx context.Context, _ *corev1.ConfigMap, _ metav1.UpdateOptions) (*corev1.ConfigMap,
	error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Whether usage is being written when the scheduler ends, or is to be: another scheduler does not wait long for the
// lease because that is not answered.
func TestUsageThatCannotBeWrittenHoldsUpNoEnd(t *testing.T) {
	for name, runs := range map[string]time.Duration{"under way": 20 * time.Second, "not begun": 50 * time.Second} {
		t.Run(name, func(t *testing.T) {
			inVirtualTimeWith(t, 1, func(w *living) {
				remembering(w)
				w.spoil = func(l *loop, _ *execute.Options) { l.rivals.kube = unanswered{l.rivals.kube} }
			}, func(w *living) {
				w.group("g", 1, "")
				w.pods("g", 0, 1, "4")
				w.after(runs)
				began := time.Now()
				w.end()
				if took := time.Since(began); took > 3*time.Second {
					t.Errorf("the end took %v", took)
				}
				w.after(time.Minute) // the requests are over
				w.spoil = nil
				w.schedule()
			})
		})
	}
}

// A write without an answer that is carried out late, after a scheduler of a newer version wrote, changes nothing; and
// one that was carried out does not keep the next one from being written.
func TestUsageThatIsWrittenLate(t *testing.T) {
	for name, newer := range map[string]bool{"after a newer version's": true, "before the next": false} {
		t.Run(name, func(t *testing.T) {
			inVirtualTimeWith(t, 1, remembering, func(w *living) {
				version, loses := 0, false
				var is, late *corev1.ConfigMap
				alone := func(f func()) { // answers are made one at a time
					w.kube.Lock()
					defer w.kube.Unlock()
					f()
				}
				carryOut := func(m *corev1.ConfigMap) error {
					if is != nil && m.ResourceVersion != is.ResourceVersion {
						return apierrors.NewConflict(corev1.Resource("configmaps"), m.Name, errors.New("it was changed"))
					}
					version++
					is = m.DeepCopy()
					is.ResourceVersion = strconv.Itoa(version)
					return nil
				}
				written := func(a k8stesting.Action) (bool, runtime.Object, error) {
					m := a.(k8stesting.UpdateAction).GetObject().(*corev1.ConfigMap).DeepCopy()
					if !loses || late != nil {
						err := carryOut(m)
						return true, is.DeepCopy(), err
					}
					if late = m; !newer {
						w.must(carryOut(m))
					}
					return true, nil, context.DeadlineExceeded
				}
				w.answers(&w.kube.Fake, "create", "configmaps", written)
				w.answers(&w.kube.Fake, "update", "configmaps", written)
				w.answers(&w.kube.Fake, "get", "configmaps", func(k8stesting.Action) (bool, runtime.Object, error) {
					if is == nil {
						return true, nil, apierrors.NewNotFound(corev1.Resource("configmaps"), "volcano-usage-0")
					}
					return true, is.DeepCopy(), nil
				})
				w.group("g", 1, "")
				w.pods("g", 0, 1, "4")
				w.after(5 * time.Minute) // it is made
				alone(func() { loses = true })
				w.group("h", 1, "")
				w.pods("h", 0, 1, "2")
				for n, sent := 0, false; !sent; n++ {
					if w.after(time.Second); n == 300 {
						t.Fatal("usage was not written again")
					}
					alone(func() { sent = late != nil })
				}
				alone(func() {
					if !newer {
						return
					}
					m := is.DeepCopy()
					m.Data["usage.json"] = `{"form":2,"Tenants":"?"}`
					w.must(carryOut(m))
					if err := carryOut(late); !apierrors.IsConflict(err) {
						t.Errorf("what arrived late was carried out: %v", err)
					}
				})
				w.group("i", 1, "")
				w.pods("i", 0, 1, "1")
				w.after(5 * time.Minute)
				alone(func() {
					if kept := is.Data["usage.json"]; strings.Contains(kept, `"form":2`) != newer ||
						!newer && kept == late.Data["usage.json"] {
						t.Errorf("kept is %s", kept)
					}
				})
			})
		})
	}
}
