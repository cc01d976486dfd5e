package loop

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"ashlar.sh/internal/kube/execute"
)

// slowBinds is a client with slow bindings, and a moment more when they are cut
// short.
type slowBinds struct {
	kubernetes.Interface
	takes time.Duration

	mu       *sync.Mutex
	underWay *int
}

func (s slowBinds) CoreV1() typedcorev1.CoreV1Interface {
	return core{s.Interface.CoreV1(), s}
}

type core struct {
	typedcorev1.CoreV1Interface
	s slowBinds
}

func (c core) Pods(namespace string) typedcorev1.PodInterface {
	return pods{c.CoreV1Interface.Pods(namespace), c.s}
}

type pods struct {
	typedcorev1.PodInterface
	s slowBinds
}

func (p pods) Bind(ctx context.Context, b *corev1.Binding, o metav1.CreateOptions) error {
	p.s.count(1)
	defer p.s.count(-1)
	select {
	case <-ctx.Done():
		<-time.After(50 * time.Millisecond)
		return ctx.Err()
	case <-time.After(p.s.takes):
	}
	return p.PodInterface.Bind(ctx, b, o)
}

// count adds to the bindings that are under way and returns how many there are.
func (s slowBinds) count(x int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.underWay += x
	return *s.underWay
}

// When a scheduler ends, another may act once nothing that was sent can still happen: the
// lease is released when all was answered, and left to run out when something was cut short.
func TestTheLeaseOutlivesWhatWasSent(t *testing.T) {
	for name, c := range map[string]struct {
		takes    time.Duration
		released bool
	}{"all is answered in time": {time.Second, true}, "a binding hangs": {time.Hour, false}} {
		t.Run(name, func(t *testing.T) {
			s := slowBinds{takes: c.takes, mu: &sync.Mutex{}, underWay: new(int)}
			lease := func(w *living) string {
				o, err := w.core.Get(coordinationv1.SchemeGroupVersion.WithResource("leases"), "ns", "lease")
				w.must(err)
				return fmt.Sprint(*o.(*coordinationv1.Lease).Spec.HolderIdentity)
			}
			inVirtualTimeWith(t, 1, func(w *living) {
				w.options.Election = &Election{Namespace: "ns", Name: "lease", Identity: "first"}
				w.spoil = func(_ *loop, o *execute.Options) {
					s.Interface = w.kube
					o.Clients.Fast = []kubernetes.Interface{s}
				}
			}, func(w *living) {
				w.after(3 * time.Second)
				if holder := lease(w); holder != "first" {
					t.Fatalf("the lease is held by %q", holder)
				}
				w.gang("2")
				w.after(500 * time.Millisecond)
				if n := s.count(0); n != 2 {
					t.Fatalf("%d bindings are under way, want two", n)
				}
				w.end()
				w.end = func() {}
				synctest.Wait()
				if n := s.count(0); n > 0 {
					t.Errorf("%d bindings are under way after the end", n)
				}
				if released := lease(w) == ""; released != c.released {
					t.Errorf("the lease is released: %t, want %t", released, c.released)
				}
			})
		})
	}
}

// slowEvents is a client with events that hang.
type slowEvents struct{ kubernetes.Interface }

func (s slowEvents) CoreV1() typedcorev1.CoreV1Interface { return slowEventsCore{s.Interface.CoreV1()} }

type slowEventsCore struct{ typedcorev1.CoreV1Interface }

func (c slowEventsCore) Events(namespace string) typedcorev1.EventInterface {
	return hangingEvents{c.CoreV1Interface.Events(namespace)}
}

type hangingEvents struct{ typedcorev1.EventInterface }

func (hangingEvents) Create(ctx context.Context, _ *corev1.Event, _ metav1.CreateOptions) (*corev1.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// An event that is under way at the end may still be written, too, after what the next scheduler tells.
func TestTheLeaseOutlivesEventsThatWereSent(t *testing.T) {
	inVirtualTimeWith(t, 1, func(w *living) {
		w.options.Election = &Election{Namespace: "ns", Name: "lease", Identity: "first"}
		w.spoil = func(_ *loop, o *execute.Options) { o.Clients.Events = slowEvents{w.kube} }
	}, func(w *living) {
		w.after(3 * time.Second)
		w.gang("2")
		w.after(2 * time.Second)
		w.end()
		w.end = func() {}
		o, err := w.core.Get(coordinationv1.SchemeGroupVersion.WithResource("leases"), "ns", "lease")
		w.must(err)
		if holder := *o.(*coordinationv1.Lease).Spec.HolderIdentity; holder != "first" {
			t.Errorf("the lease is held by %q while an event is under way, want that it runs out", holder)
		}
	})
}
