package booking_test

import (
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/booking"
	"ashlar.sh/sched/model"
)

func at(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixNano()
}

func TestWindowsFollowTheTimeZone(t *testing.T) {
	b := &model.Booking{Every: &model.Recurrence{Cron: "30 1 * * 0", Zone: "Europe/Berlin", Lasts: int64(2 * time.Hour)}}
	// In the night to 2026-10-25 summer time ends.
	got := booking.Renew(b, at(t, "2026-10-18T01:00:00Z")).Windows
	for i, want := range []string{"2026-10-17T23:30:00Z", "2026-10-24T23:30:00Z", "2026-11-01T00:30:00Z"} {
		if got[i].From != at(t, want) || got[i].To != got[i].From+int64(2*time.Hour) {
			t.Errorf("window %d is from %s for %s, want from %s", i, time.Unix(0, got[i].From).UTC(),
				time.Duration(got[i].To-got[i].From), want)
		}
	}
	if len(got) != 16 {
		t.Errorf("%d windows are told, want 16", len(got))
	}
}

func TestWindowsAreRenewedOnceTheFirstHasEnded(t *testing.T) {
	b := &model.Booking{Every: &model.Recurrence{Cron: "0 * * * *", Lasts: int64(time.Minute)}}
	now := at(t, "2026-01-01T00:30:00Z")
	first := booking.Renew(b, now)
	if same := booking.Renew(first, now+int64(30*time.Minute)); same != first {
		t.Error("the windows are found anew although the first has just begun")
	}
	next := booking.Renew(first, now+int64(31*time.Minute))
	if next == first || next.Windows[0] != first.Windows[1] {
		t.Errorf("once the first window has ended the next is %v, want %v", next.Windows[0], first.Windows[1])
	}
	if once := (&model.Booking{Windows: []model.Window{{From: 1, To: 2}}}); booking.Renew(once, now) != once {
		t.Error("a booking that does not recur got other windows")
	}
}

func TestWindowsThatOverlapAreOne(t *testing.T) {
	b := &model.Booking{Every: &model.Recurrence{Cron: "0,30 9 * * *", Lasts: int64(time.Hour)}}
	got := booking.Renew(b, at(t, "2026-01-01T09:45:00Z")).Windows
	if want := at(t, "2026-01-01T10:30:00Z"); got[0].From != at(t, "2026-01-01T09:00:00Z") || got[0].To != want {
		t.Errorf("the windows of 9:00 and 9:30, an hour each, are %v", got[0])
	}
}

func TestWhatIsWrongWithARecurrence(t *testing.T) {
	for name, c := range map[string]struct {
		r    model.Recurrence
		says string
	}{
		"right":          {model.Recurrence{Cron: "0 3 * * 1", Zone: "America/New_York"}, ""},
		"no cron":        {model.Recurrence{Cron: "every day"}, "no cron expression"},
		"six fields":     {model.Recurrence{Cron: "0 0 3 * * 1"}, "no cron expression"},
		"never":          {model.Recurrence{Cron: "0 0 30 2 *"}, "never comes"},
		"zone":           {model.Recurrence{Cron: "0 3 * * 1", Zone: "Mars/Olympus"}, "not known"},
		"zone in cron":   {model.Recurrence{Cron: "CRON_TZ=UTC 0 3 * * 1"}, "spec.timeZone"},
		"zone in cron 2": {model.Recurrence{Cron: "TZ="}, "spec.timeZone"},
		"path":           {model.Recurrence{Cron: "0 3 * * 1", Zone: "../../etc/passwd"}, "not known"},
		"local":          {model.Recurrence{Cron: "0 3 * * 1", Zone: "Local"}, "Local"},
	} {
		t.Run(name, func(t *testing.T) {
			err := booking.Check(&c.r)
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("it says %v, want %q", err, c.says)
			}
		})
	}
}

// TestWindowsAtTheBordersOfSummerTime: in the night of 2026-03-29 the hour from 2:00 to 3:00 is left out in Berlin, and
// in that of 2026-10-25 it comes twice.
func TestWindowsAtTheBordersOfSummerTime(t *testing.T) {
	for name, c := range map[string]struct {
		cron  string
		lasts time.Duration
		now   string
		want  []string // from and to of the first windows
	}{
		"a window over the hour that is left out lasts as long as ever": {"0 22 * * *", 8 * time.Hour,
			"2026-03-28T20:00:00Z",
			[]string{"2026-03-28T21:00:00Z 2026-03-29T05:00:00Z", "2026-03-29T20:00:00Z 2026-03-30T04:00:00Z"}},
		"one over the hour that comes twice, too": {"0 22 * * *", 8 * time.Hour, "2026-10-24T12:00:00Z",
			[]string{"2026-10-24T20:00:00Z 2026-10-25T04:00:00Z", "2026-10-25T21:00:00Z 2026-10-26T05:00:00Z"}},
		"the one in which it is made, after the border": {"0 22 * * *", 8 * time.Hour, "2026-03-29T02:30:00Z",
			[]string{"2026-03-28T21:00:00Z 2026-03-29T05:00:00Z"}},
		"one that begins in the hour that is left out does not come that day": {"30 2 * * *", time.Hour,
			"2026-03-28T12:00:00Z", []string{"2026-03-30T00:30:00Z 2026-03-30T01:30:00Z"}},
		"one that begins in the hour that comes twice comes twice": {"30 2 * * *", 10 * time.Minute,
			"2026-10-24T12:00:00Z",
			[]string{"2026-10-25T00:30:00Z 2026-10-25T00:40:00Z", "2026-10-25T01:30:00Z 2026-10-25T01:40:00Z"}},
		"on a day that few years have": {"0 0 29 2 *", 24 * time.Hour, "2026-01-01T00:00:00Z",
			[]string{"2028-02-28T23:00:00Z 2028-02-29T23:00:00Z", "2032-02-28T23:00:00Z 2032-02-29T23:00:00Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := &model.Booking{Every: &model.Recurrence{Cron: c.cron, Zone: "Europe/Berlin", Lasts: int64(c.lasts)}}
			got := booking.Renew(b, at(t, c.now)).Windows
			for i, want := range c.want {
				text := func(at int64) string { return time.Unix(0, at).UTC().Format(time.RFC3339) }
				if is := text(got[i].From) + " " + text(got[i].To); is != want {
					t.Errorf("window %d is %s, want %s", i, is, want)
				}
			}
		})
	}
}
