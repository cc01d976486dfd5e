package booking_test

import (
	"math"
	"testing"
	"time"

	"ashlar.sh/internal/booking"
	"ashlar.sh/sched/model"
)

// Any schedule in any time zone: it is refused, or its windows follow each other and the first has not ended; those
// that are found once it has ended are later ones.
func FuzzRecurrence(f *testing.F) {
	for _, text := range []string{"30 1 * * 0", "0,30 9-17/2 1 jan mon-fri", "0 0 29 2 *", "@daily", "* * * * *",
		"0 0 31 2 *", "CRON_TZ=UTC 0 0 * * *", "?", "60 0 * * *", "0 0 1 1 7"} {
		f.Add(text, "Europe/Berlin", int64(2*time.Hour), int64(1_790_000_000e9))
	}
	f.Add("0 0 29 2 *", "../etc/localtime", int64(10*365*24*time.Hour), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, text, zone string, lasts, now int64) {
		if lasts <= 0 || lasts > int64(10*365*24*time.Hour) || now < 0 {
			t.Skip() // translate bounds them
		}
		b := &model.Booking{Every: &model.Recurrence{Cron: text, Zone: zone, Lasts: lasts}}
		if booking.Check(b.Every) != nil {
			return
		}
		for range 3 {
			b = booking.Renew(b, now)
			for i, w := range b.Windows {
				if w.To <= now || w.From >= w.To || i > 0 && w.From <= b.Windows[i-1].To {
					t.Fatalf("at %d the windows are %v", now, b.Windows)
				}
			}
			if len(b.Windows) == 0 {
				return
			}
			now = b.Windows[0].To
		}
	})
}
