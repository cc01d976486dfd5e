// Package booking finds when the windows of a booking that recurs are (model.Recurrence). The engine knows no time
// zones and no cron: whatever tells it facts, the live scheduler and the simulator, has the next windows found here and
// tells them, and tells the next ones once the first has ended (Renew).
package booking

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // the image has no files

	"github.com/robfig/cron/v3"

	"ashlar.sh/sched/model"
)

// mostWindows is how many windows are told at a time. Decisions look at the next one alone; what is estimated ahead
// looks at all of them.
const mostWindows = 16

// mostBegins is how many begins are looked at to find them: windows that overlap are one.
const mostBegins = 256

var format = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// Check says what is wrong with a recurrence, nil for nothing.
func Check(r *model.Recurrence) error {
	s, zone, err := read(r)
	if err != nil {
		return err
	}
	if next := s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, zone)); next.IsZero() {
		return fmt.Errorf("%q never comes", r.Cron)
	}
	return nil
}

// Renew is a booking with the windows that have not ended at a time, nanoseconds since the epoch: the same one if it
// has them, or does not recur. One of which the recurrence is wrong has none.
func Renew(b *model.Booking, now int64) *model.Booking {
	if b.Every == nil || len(b.Windows) > 0 && b.Windows[0].To > now {
		return b
	}
	c := *b
	c.Windows = windows(b.Every, now)
	return &c
}

// windows are those that have not ended at a time.
func windows(r *model.Recurrence, now int64) (out []model.Window) {
	s, zone, err := read(r)
	if err != nil {
		return nil
	}
	from := time.Unix(0, model.After(now, -r.Lasts)).In(zone)
	for range mostBegins {
		if from = s.Next(from); from.IsZero() || len(out) > mostWindows {
			break
		}
		w := model.Window{From: from.UnixNano(), To: model.After(from.UnixNano(), r.Lasts)}
		switch n := len(out); {
		case w.To <= now:
		case n > 0 && w.From <= out[n-1].To:
			out[n-1].To = w.To
		default:
			out = append(out, w)
		}
	}
	return out[:min(len(out), mostWindows)]
}

func read(r *model.Recurrence) (cron.Schedule, *time.Location, error) {
	if strings.ContainsRune(r.Cron, '=') { // the library would read CRON_TZ= there
		return nil, nil, errors.New("it may not name a time zone: spec.timeZone does")
	}
	s, err := format.Parse(r.Cron)
	if err != nil {
		return nil, nil, fmt.Errorf("%q is no cron expression of five fields: %w", r.Cron, err)
	}
	if r.Zone == "Local" {
		return nil, nil, errors.New("time zone Local is another one for each reader: name one")
	}
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		return nil, nil, fmt.Errorf("time zone %q is not known: %w", r.Zone, err)
	}
	return s, zone, nil
}
