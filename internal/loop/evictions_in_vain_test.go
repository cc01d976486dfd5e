package loop

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	k8stesting "k8s.io/client-go/testing"
)

// trying is a client that says of a binding whether it is only to be tried: the library's fake does not.
type trying struct{ kubernetes.Interface }

// CoreV1 implements kubernetes.Interface.
func (k trying) CoreV1() typedcorev1.CoreV1Interface { return tryingCore{k.Interface.CoreV1()} }

type tryingCore struct{ typedcorev1.CoreV1Interface }

// Pods implements typedcorev1.CoreV1Interface.
func (c tryingCore) Pods(namespace string) typedcorev1.PodInterface {
	return tryingPods{c.CoreV1Interface.Pods(namespace)}
}

type tryingPods struct{ typedcorev1.PodInterface }

// Bind implements typedcorev1.PodExpansion.
func (p tryingPods) Bind(ctx context.Context, b *corev1.Binding, o metav1.CreateOptions) error {
	if slices.Contains(o.DryRun, metav1.DryRunAll) {
		b = b.DeepCopy()
		b.Annotations = map[string]string{"tried": "only"}
	}
	return p.PodInterface.Bind(ctx, b, o)
}

func onlyTried(b *corev1.Binding) bool { return b.Annotations["tried"] != "" }

// trials are how many bindings were only tried.
func (w *living) trials() (n int) {
	for _, a := range w.kube.Actions() {
		if c, ok := a.(k8stesting.CreateAction); ok {
			if b, ok := c.GetObject().(*corev1.Binding); ok && onlyTried(b) {
				n++
			}
		}
	}
	return n
}

// losing lets time pass in which a controller makes the pod anew whenever it is gone, and returns how often it was.
func (w *living) losing(pod string, d time.Duration) (lost int) {
	w.Helper()
	o, err := w.core.Get(podsKind, "ns", pod)
	w.must(err)
	return w.remaking(map[string]*corev1.Pod{pod: o.(*corev1.Pod)}, d, func() bool { return false })
}

// remaking lets time pass in which controllers make the pods anew whenever they are gone, until something is done. It
// returns how often one was gone.
func (w *living) remaking(pods map[string]*corev1.Pod, d time.Duration, done func() bool) (lost int) {
	w.Helper()
	for range d / time.Second {
		w.after(time.Second)
		if done() {
			break
		}
		for name, was := range pods {
			if w.there(name) {
				continue
			}
			lost++
			p := waiting(name)
			p.UID = types.UID(name + time.Now().String())
			p.Annotations, p.Spec = was.Annotations, *was.Spec.DeepCopy()
			p.Spec.NodeName = ""
			w.must(w.core.Create(podsKind, p, "ns"))
		}
	}
	return lost
}

// configured has the scheduler take a configuration in which one part is another.
func (w *living) configured(part, by string) {
	w.must(os.WriteFile(w.options.ConfigFile, []byte(strings.Replace(wiredConfiguration, part, by, 1)), 0o600))
}

// alone has pods of a job bound one by one, without the plugin gang.
func alone(w *living) {
	pressed(w)
	w.configured("  - name: gang\n", "")
}

// denies has the API server deny the deletion of a pod for as long as that is so.
func (w *living) denies(pod string, as func() error) {
	w.answers(&w.kube.Fake, "delete", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
		if a.(k8stesting.DeleteAction).GetName() != pod {
			return false, nil, nil
		}
		err := as()
		return err != nil, nil, err
	})
}

// A job needs the room of two pods, and the API server denies the deletion of one of them. The other one was evicted
// again each 90 s, 40 times an hour, though the job never started.
func TestADeniedEvictionCostsTheOtherVictimOnce(t *testing.T) {
	for name, answer := range map[string]error{
		"it is forbidden":       apierrors.NewForbidden(podsKind.GroupResource(), "kept-0", errors.New("it stays")),
		"its webhook is broken": apierrors.NewInternalError(errors.New("failed calling webhook")),
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTimeWith(t, 1, pressed, func(w *living) {
				healed := false
				w.denies("kept-0", func() error {
					if healed {
						return nil
					}
					return answer
				})
				w.ranked("kept", "low", 1, "4")
				w.ranked("worker", "low", 1, "4")
				w.after(10 * time.Second)
				w.ranked("urgent", "high", 1, "8")
				if n := w.losing("worker-0", 3*time.Hour); n != 1 {
					t.Errorf("the other pod was evicted %d times, want once", n)
				}
				if n, most := w.tried("kept-0"), 12; n < 3 || n > most && !apierrors.IsInternalError(answer) {
					t.Errorf("the deletion was tried %d times in 3 hours, want a few, at most %d", n, most)
				}
				healed = true
				w.losing("worker-0", 31*time.Minute)
				if n := w.bound("urgent"); n != 1 {
					t.Errorf("%d pods of the job have a node half an hour after the deletion is permitted, want 1", n)
				}
			})
		})
	}
}

// tried is how often the deletion of a pod was asked for.
func (w *living) tried(pod string) (n int) {
	for _, a := range w.kube.Actions() {
		if d, ok := a.(k8stesting.DeleteAction); ok && a.GetResource() == podsKind && d.GetName() == pod {
			n++
		}
	}
	return n
}

// The API server refuses to bind the pod of an important job. Its victim was evicted again at each try: 13 times in the
// first hour, and then each half hour.
func TestARefusedJobEvictsOnce(t *testing.T) {
	inVirtualTimeWith(t, 1, pressed, func(w *living) {
		w.ranked("worker", "low", 1, "8")
		w.after(10 * time.Second)
		w.refuse("urgent-0")
		w.ranked("urgent", "high", 1, "8")
		if n := w.losing("worker-0", 6*time.Hour); n != 1 {
			t.Errorf("the pod was evicted %d times, want once", n)
		}
		if n := w.trials(); n < 10 || n > 40 {
			t.Errorf("the binding was tried %d times in six hours, want some tries with pauses that grow", n)
		}
		if why := w.waitsFor("urgent"); !strings.Contains(why, "forbidden") {
			t.Errorf("the job waits for %q, want the answer to its binding", why)
		}
		w.refuse("")
		w.losing("worker-0", 31*time.Minute)
		if n := w.bound("urgent"); n != 1 {
			t.Errorf("%d pods of the job have a node half an hour after the binding is permitted, want 1", n)
		}
	})
}

// Where a webhook cannot be asked what it would say, the server says so, and pods are evicted, less and less often.
func TestAServerThatCannotTryABindingPreventsNoEviction(t *testing.T) {
	inVirtualTimeWith(t, 1, pressed, func(w *living) {
		w.answers(&w.kube.Fake, "create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
			b, ok := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding)
			if !ok || !onlyTried(b) {
				return false, nil, nil
			}
			return true, nil, apierrors.NewBadRequest(`admission webhook "w" does not support dry run`)
		})
		w.ranked("worker", "low", 1, "8")
		w.after(10 * time.Second)
		w.refuse("urgent-0")
		w.ranked("urgent", "high", 1, "8")
		w.losing("worker-0", 20*time.Second)
		w.refuse("")
		w.losing("worker-0", 10*time.Minute)
		if n := w.bound("urgent"); n != 1 || w.trials() == 0 {
			t.Errorf("%d pods of the job have a node after %d trials, want 1 after some", n, w.trials())
		}
	})
}

// A gang of which a member is refused cannot start with the room of its victims either.
func TestAGangWithARefusedMemberEvictsOnce(t *testing.T) {
	inVirtualTimeWith(t, 2, pressed, func(w *living) {
		w.ranked("worker", "low", 1, "8")
		w.after(10 * time.Second)
		w.refuse("urgent-1")
		w.ranked("urgent", "high", 2, "8")
		if n := w.losing("worker-0", 2*time.Hour); n != 1 {
			t.Errorf("the pod was evicted %d times, want once", n)
		}
	})
}

// A job that has its minimum goes on without a pod that is refused: pods are evicted for another one of its pods.
func TestAJobThatGoesOnEvictsForItsOtherPods(t *testing.T) {
	inVirtualTimeWith(t, 2, alone, func(w *living) {
		more := func(pod, cpu string) {
			high := int32(1000)
			p := waiting(pod)
			p.Annotations = map[string]string{"scheduling.k8s.io/group-name": "urgent"}
			p.Spec.Priority, p.Spec.PriorityClassName = &high, "high"
			p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = cores(cpu)
			w.must(w.core.Create(podsKind, p, "ns"))
		}
		w.refuse("urgent-1")
		w.ranked("urgent", "high", 1, "6")
		w.after(10 * time.Second)
		w.ranked("worker", "low", 1, "8")
		w.after(10 * time.Second)
		more("urgent-1", "1")
		w.after(10 * time.Minute)
		more("urgent-2", "8")
		w.after(time.Minute)
		if w.bound("urgent") != 2 || w.there("worker-0") {
			t.Errorf("%d pods of the job have a node, want 2, one of them in the room of the pod that was evicted",
				w.bound("urgent"))
		}
	})
}
