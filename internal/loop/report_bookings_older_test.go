package loop

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/kube/api"
	"ashlar.sh/internal/kube/api/client"
	"ashlar.sh/internal/kube/execute"
)

// Under a CRD that is older than this version a status is not shown as it was written, or is refused: it is written
// again ever more rarely, and the statuses of others are written all the same.
func TestStatusesUnderAnOlderCRD(t *testing.T) {
	for _, c := range []struct {
		name string
		code int
		body string
	}{
		{"without statuses", http.StatusNotFound, `{"kind":"Status","status":"Failure","code":404,"reason":"NotFound"}`},
		{"statuses without fields", http.StatusOK,
			`{"apiVersion":"ashlar.sh/v1alpha1","kind":"Booking","metadata":{"name":"demo"}}`},
		{"refuses fields", http.StatusUnprocessableEntity,
			`{"kind":"Status","status":"Failure","code":422,"reason":"Invalid"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var writes, others atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Content-Type", "application/json")
				if r.URL.Path == "/apis/ashlar.sh/v1alpha1/bookings/other/status" {
					others.Add(1)
					_, _ = rw.Write([]byte(`{"apiVersion":"ashlar.sh/v1alpha1","kind":"Booking","metadata":{"name":"other"}}`))
					return
				}
				writes.Add(1)
				rw.WriteHeader(c.code)
				_, _ = rw.Write([]byte(c.body))
			}))
			t.Cleanup(server.Close)
			bookings, err := client.NewForConfig(&rest.Config{Host: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			w := &writer{loop: &loop{}}
			w.executor = execute.New(t.Context(), execute.Options{Clients: execute.Clients{Bookings: bookings,
				Events: fake.NewClientset()}})
			old, other, start := reportedBooking{uid: "u"}, reportedBooking{uid: "v"}, time.Now()
			shown := &api.BookingStatus{Phase: "Active"} // the fields that the CRD knows
			if c.code != http.StatusOK {
				shown = &api.BookingStatus{}
			}
			for at := time.Duration(0); at < time.Hour; at += reportBookingsEvery {
				last, before := old.at, other.at
				old.write(w.loop, "demo", &api.BookingStatus{Phase: "Active", Asked: 7}, shown, start.Add(at))
				if at%(10*time.Minute) == 0 {
					other.write(w.loop, "other", &api.BookingStatus{Phase: fmt.Sprint(at)}, &api.BookingStatus{}, start.Add(at))
				}
				if old.at != last || other.at != before {
					w.executor.WaitForStatuses(t.Context())
				}
			}
			if n := writes.Load(); n < 2 || n > 10 {
				t.Errorf("in an hour it was written %d times", n)
			}
			if n := others.Load(); n != 6 {
				t.Errorf("another one was written %d times, and should be with each of 6 statuses", n)
			}
		})
	}
}
