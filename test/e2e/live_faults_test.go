package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/loop"
)

// The leader ends in the middle of a gang's binding; the one that stands by completes
// the gang, and no pod is bound twice.
func TestLiveAnotherSchedulerCompletesAGang(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "8")
	queue(t, ns)
	var first, second wire
	gone := make(chan struct{})
	first.binding = func(nth int, send func() (*http.Response, error)) (*http.Response, error) {
		if nth <= 2 {
			return send()
		}
		<-gone // never sent, never answered
		return nil, errors.New("the network is gone")
	}
	stop := live(t, ns, election(ns, "first"), first.on, func(o *loop.Options) { o.Drain = 100 * time.Millisecond })
	eventually(t, "the first to lead", func(ctxless) (bool, error) {
		return holder(ns) == "first", nil
	}, func() string { return holder(ns) })
	live(t, ns, election(ns, "second"), second.on)
	submit(t, ns, ns, "train", 6, 6, "1")
	eventually(t, "two members to be bound", func(ctxless) (bool, error) { return bound(list(t, ns, "train")) == 2, nil },
		func() string { return fmt.Sprint(bound(list(t, ns, "train"))) })

	time.AfterFunc(50*time.Millisecond, func() { close(gone) })
	stop()
	awaitRunning(t, ns, "train", 6)
	for _, w := range []*wire{&first, &second} {
		for path, n := range w.took() {
			if n != 1 {
				t.Errorf("%s was taken %d times", path, n)
			}
		}
	}
	if a, b := len(first.took()), len(second.took()); a != 2 || b != 4 {
		t.Errorf("the first bound %d and the second %d, want 2 and 4", a, b)
	}
}

// A leader that cannot renew its lease stops before another one acts.
func TestLiveALeaderWithoutLeaseCarriesNothing(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "8")
	queue(t, ns)
	var cut wire
	ended := make(chan error, 1)
	o := loop.Options{Config: copyConfig(), SchedulerNames: []string{ns}, Adopt: loop.AdoptAlways, DumpDir: t.TempDir()}
	cut.on(&o)
	election(ns, "cut")(&o)
	go func() { ended <- loop.Run(t.Context(), o) }()
	eventually(t, "it to lead", func(ctxless) (bool, error) {
		return holder(ns) == "cut", nil
	}, func() string { return holder(ns) })
	submit(t, ns, ns, "before", 1, 1, "1")
	awaitRunning(t, ns, "before", 1)
	cut.mu.Lock()
	cut.lease = func(func() (*http.Response, error)) (*http.Response, error) {
		return nil, errors.New("no way to the lease")
	}
	cut.mu.Unlock()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it ended as if it had been asked to, want an error: the lease was lost")
		}
	case <-time.After(patience):
		t.Fatal("it goes on without a lease")
	}
	sent := len(cut.written())
	live(t, ns, election(ns, "next"))
	submit(t, ns, ns, "after", 1, 1, "1")
	awaitRunning(t, ns, "after", 1)
	if now := len(cut.written()); now != sent {
		t.Errorf("it wrote %d times after it had lost the lease", now-sent)
	}
}

// What another scheduler left half bound is completed by one that starts.
func TestLiveAHalfBoundGangIsCompletedAtTheStart(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "8")
	queue(t, ns)
	submit(t, ns, ns, "train", 4, 4, "2")
	bind(t, ns, "train-0", ns+"-a")
	live(t, ns)
	awaitRunning(t, ns, "train", 4)
}

// What another scheduler left half bound, and what has no room to be completed, may have run
// whole once: its members stay.
func TestLiveAHalfBoundGangOfAnotherStays(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	owner, err := shared.kube.CoreV1().ConfigMaps(ns).Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "owner"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	submit(t, ns, ns, "train", 2, 3, "2")
	owned := member(ns, "train", 2, "2")
	owned.Spec.SchedulerName = ns
	owned.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner,
		corev1.SchemeGroupVersion.WithKind("ConfigMap"))}
	create(t, owned)
	bind(t, ns, "train-0", ns+"-a")
	bind(t, ns, "train-2", ns+"-a")

	live(t, ns, func(o *loop.Options) { o.Stranded = 2 * time.Second })
	awaitCondition(t, ns, "train", schedulingv1beta1.PodGroupUnschedulableType)
	holds(6*time.Second, func() {
		if n := bound(list(t, ns, "train")); n != 2 {
			t.Fatalf("%d members are bound, want the two that were", n)
		}
	})
}

// The server takes a binding and its answer is lost: the pod is read, and not bound again.
func TestLiveAnAnswerThatIsLost(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	w := wire{binding: func(nth int, send func() (*http.Response, error)) (*http.Response, error) {
		response, err := send()
		if nth == 1 && err == nil {
			response.Body.Close()
			return nil, context.DeadlineExceeded
		}
		return response, err
	}}
	live(t, ns, w.on)
	submit(t, ns, ns, "solo", 1, 1, "1")
	awaitRunning(t, ns, "solo", 1)
	if w.mu.Lock(); w.posted != 1 {
		t.Errorf("%d bindings were sent, want 1", w.posted)
	}
	w.mu.Unlock()
}

// A server that has no time is asked again; the gang is bound whole all the same.
func TestLiveAServerWithoutTime(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "8")
	queue(t, ns)
	w := wire{binding: func(nth int, send func() (*http.Response, error)) (*http.Response, error) {
		if nth%2 == 1 && nth < 12 {
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: http.NoBody}, nil
		}
		return send()
	}}
	live(t, ns, w.on)
	submit(t, ns, ns, "train", 6, 6, "1")
	awaitRunning(t, ns, "train", 6)
	for path, n := range w.took() {
		if n != 1 {
			t.Errorf("%s was taken %d times", path, n)
		}
	}
}
