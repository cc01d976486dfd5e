package e2e

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/loop"
)

// wire stands between a scheduler and the API server: it counts what is written, and
// does with bindings what a test asks for.
type wire struct {
	mu      sync.Mutex
	writes  []string       // method and path of all writes but those to the lease
	at      []time.Time    // when each was sent
	taken   []bool         // the server carried it out
	bound   map[string]int // bindings that the server took, by path
	posted  int            // bindings that were sent or tried
	binding func(nth int, send func() (*http.Response, error)) (*http.Response, error)
	lease   func(send func() (*http.Response, error)) (*http.Response, error)
}

// on puts the wire into a scheduler's options.
func (w *wire) on(o *loop.Options) {
	w.bound = map[string]int{}
	o.Config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return round(func(r *http.Request) (*http.Response, error) { return w.trip(next, r) })
	})
}

type round func(*http.Request) (*http.Response, error)

func (f round) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (w *wire) trip(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	send := func() (*http.Response, error) { return next.RoundTrip(r) }
	if strings.Contains(r.URL.Path, "/leases") {
		w.mu.Lock()
		lease := w.lease
		w.mu.Unlock()
		if lease != nil {
			return lease(send)
		}
		return send()
	}
	if r.Method == http.MethodGet {
		return send()
	}
	w.mu.Lock()
	nth := len(w.writes)
	w.writes, w.at, w.taken = append(w.writes, r.Method+" "+r.URL.Path), append(w.at, time.Now()), append(w.taken, false)
	w.mu.Unlock()
	answered := func() (*http.Response, error) {
		response, err := send()
		w.mu.Lock()
		w.taken[nth] = err == nil && response.StatusCode < 300
		w.mu.Unlock()
		return response, err
	}
	if !strings.HasSuffix(r.URL.Path, "/binding") {
		return answered()
	}
	return w.bind(r.URL.Path, answered)
}

func (w *wire) bind(path string, send func() (*http.Response, error)) (*http.Response, error) {
	w.mu.Lock()
	w.posted++
	nth := w.posted
	w.mu.Unlock()
	counted := func() (*http.Response, error) {
		response, err := send()
		if err == nil && response.StatusCode < 300 {
			w.mu.Lock()
			w.bound[path]++
			w.mu.Unlock()
		}
		return response, err
	}
	if w.binding == nil {
		return counted()
	}
	return w.binding(nth, counted)
}

// took is how often the server took a binding, by path.
func (w *wire) took() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[string]int{}
	for k, n := range w.bound {
		out[k] = n
	}
	return out
}

func (w *wire) written() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.writes...)
}

// election makes schedulers agree by a lease of the test's own, short enough to wait for its end and
// long enough for a machine that does much else: a lease that is lost ends its scheduler.
func election(ns, identity string) func(*loop.Options) {
	return func(o *loop.Options) {
		o.Election = &loop.Election{Namespace: ns, Name: "volcano", Identity: identity,
			LeaseDuration: 7e9, RenewDeadline: 5e9, RetryPeriod: 5e8}
	}
}

// holder is the holder of the test's lease.
func holder(ns string) string {
	lease, err := shared.kube.CoordinationV1().Leases(ns).Get(context.Background(), "volcano", metav1.GetOptions{})
	if err != nil || lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}
