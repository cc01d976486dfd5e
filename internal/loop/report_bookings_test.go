package loop

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/kube/api"
	"ashlar.sh/internal/kube/api/client"
	"ashlar.sh/internal/kube/execute"
)

// writer is a loop of which the executor writes statuses of bookings to a server that keeps them.
type writer struct {
	*loop
	mu     sync.Mutex
	writes []map[string]any
	events *fake.Clientset
}

func newWriter(t *testing.T) *writer {
	w := &writer{loop: &loop{}, events: fake.NewClientset()}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Method != http.MethodPatch ||
			r.URL.Path != "/apis/ashlar.sh/v1alpha1/bookings/demo/status" {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		w.mu.Lock()
		w.writes = append(w.writes, body)
		w.mu.Unlock()
		rw.Header().Set("Content-Type", "application/json")
		_, _ = rw.Write([]byte(`{"apiVersion":"ashlar.sh/v1alpha1","kind":"Booking","metadata":{"name":"demo"}}`))
	}))
	t.Cleanup(server.Close)
	bookings, err := client.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	w.executor = execute.New(t.Context(), execute.Options{Clients: execute.Clients{Bookings: bookings, Events: w.events}})
	return w
}

func (w *writer) written() []map[string]any {
	w.executor.WaitForStatuses(context.Background())
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.writes
}

// TestAStatusIsWrittenOnce: not again while it may be under way, and not while it is shown; again after ever longer
// times where it does not come to be shown; another one not at once.
func TestAStatusIsWrittenOnce(t *testing.T) {
	w, start := newWriter(t), time.Now()
	r := reportedBooking{uid: "u"}
	shown, pending := &api.BookingStatus{}, &api.BookingStatus{Phase: "Pending", NodeCount: 1, Nodes: []string{"n1"}}
	active := &api.BookingStatus{Phase: "Active"}
	for i, step := range []struct {
		after         time.Duration
		status, shown *api.BookingStatus
		want          int
	}{
		{0, pending, shown, 1},
		{20 * time.Second, pending, shown, 1},
		{31 * time.Second, pending, shown, 2}, // it was lost
		{62 * time.Second, pending, shown, 2},
		{92 * time.Second, pending, shown, 3},
		{93 * time.Second, pending, pending, 3},
		{94 * time.Second, active, pending, 3}, // a moment ago
		{103 * time.Second, active, pending, 4},
		{104 * time.Second, active, active, 4},
		{1000 * time.Second, pending, active, 5},
	} {
		r.write(w.loop, "demo", step.status, step.shown, start.Add(step.after))
		if got := len(w.written()); got != step.want {
			t.Errorf("step %d, after %s: %d writes, want %d", i, step.after, got, step.want)
		}
	}
	const want = `{"metadata":{"uid":"u"},"status":{"asked":null,"conflictCount":null,"conflicts":null,` +
		`"endedEarly":null,"message":null,"nodeCount":null,"nodes":null,"overlaps":null,"phase":"Active","window":null}}`
	if text, _ := json.Marshal(w.written()[3]); string(text) != want {
		t.Errorf("what is gone is not removed: %s", text)
	}
}

// TestConflictsAreToldOnce for a window, also where another scheduler told them before, and without names.
func TestConflictsAreToldOnce(t *testing.T) {
	w := newWriter(t)
	status := func(to string, n int32) *api.BookingStatus {
		return &api.BookingStatus{ConflictCount: n, Window: &api.BookingWindow{From: "a", To: to},
			Conflicts: []api.BookingConflict{{Namespace: "secret", Pod: "secret", Node: "n1"}}}
	}
	none := &api.BookingStatus{}
	tell := func(r *reportedBooking, status, shown *api.BookingStatus, want int) {
		t.Helper()
		r.conflicts(w.loop, "demo", status, shown)
		w.executor.WaitForStatuses(context.Background())
		if got := len(w.events.Actions()); got != want {
			t.Errorf("%d events, want %d", got, want)
		}
	}
	r := &reportedBooking{uid: "u"}
	tell(r, status("b", 0), none, 0)
	tell(r, status("b", 3), none, 1)
	tell(r, status("b", 4), none, 1)
	tell(r, status("b", 0), none, 1)
	tell(r, status("b", 1), none, 1)
	tell(r, status("c", 1), none, 2)
	tell(&reportedBooking{uid: "u"}, status("c", 1), status("c", 2), 2)
	tell(&reportedBooking{uid: "u"}, status("c", 1), status("c", 0), 3)
	for _, a := range w.events.Actions() {
		if text, _ := json.Marshal(a); strings.Contains(string(text), "secret") {
			t.Errorf("an event names a pod: %s", text)
		}
	}
}
