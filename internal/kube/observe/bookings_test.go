package observe

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/api"
	"ashlar.sh/sched/model"
)

// Windows of a booking pass by the engine's time, which setting the machine's clock does not move: for both the window
// that the engine is in is there, and it is gone once it is over for the engine.
func TestWindowsPassByTheEnginesTime(t *testing.T) {
	noon := time.Date(2036, 3, 1, 12, 0, 0, 0, time.UTC) // years from the machine's time
	at := noon
	w := (&Observer{queue: newQueue(), options: Options{Now: func() int64 { return at.UnixNano() }}}).wire()
	daily := &api.Booking{ObjectMeta: metav1.ObjectMeta{Name: "daily", UID: "u", ResourceVersion: "1"},
		Spec: api.BookingSpec{Maintenance: true, Schedule: "0 11 * * *", Duration: "2h"}}
	first := func(facts []model.Fact) time.Time {
		if len(facts) != 1 || len(facts[0].Object.(*model.Booking).Windows) == 0 {
			t.Fatalf("it tells %v, want one booking with windows", facts)
		}
		return time.Unix(0, facts[0].Object.(*model.Booking).Windows[0].From).UTC()
	}
	w.queue.add(daily, false)
	facts, _ := w.Drain()
	if from := first(facts); !from.Equal(noon.Add(-time.Hour)) {
		t.Errorf("at %s the first window begins at %s, want the one that began at eleven", at, from)
	}
	if facts, _ = w.Drain(); len(facts) > 0 {
		t.Errorf("in the middle of a window it tells %v", facts)
	}
	at = noon.Add(time.Hour)
	facts, _ = w.Drain()
	if from := first(facts); !from.Equal(noon.Add(23 * time.Hour)) {
		t.Errorf("at %s the first window begins at %s, want the next day's", at, from)
	}
}
