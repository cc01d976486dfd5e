package persisted_test

import (
	"testing"
	"time"

	"ashlar.sh/internal/kube/persisted"
)

func TestWhatAsksForAStart(t *testing.T) {
	for text, want := range map[string]struct {
		step  time.Duration
		asked bool
		bad   bool
	}{
		"true": {0, true, false}, "false": {}, "10m": {10 * time.Minute, true, false}, "1s": {bad: true},
		"-10m": {bad: true}, "soon": {bad: true}, "": {bad: true}, "99999999h": {bad: true},
	} {
		step, asked, err := persisted.TellsStart(map[string]string{persisted.TellStart: text})
		if step != want.step || asked != want.asked || (err != nil) != want.bad {
			t.Errorf("%q: step %s, asked %t, %v; want %+v", text, step, asked, err, want)
		}
	}
	if _, asked, err := persisted.TellsStart(nil); asked || err != nil {
		t.Errorf("without the annotation: asked %t, %v", asked, err)
	}
}

// An estimate is told anew when what is known of it changes, or when it moved by more than a step: a tenth of the time
// ahead unless the owner says, and a minute at least.
func TestWhenAStartHasMoved(t *testing.T) {
	made := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	start := func(earliest, latest time.Duration) persisted.Start {
		s := persisted.Start{Made: made, Earliest: made.Add(earliest), Latest: made.Add(latest), Source: "enforced"}
		if latest == 0 {
			s.Latest, s.Unknown = time.Time{}, "EndsUnknown"
		}
		return s
	}
	for name, c := range map[string]struct {
		is, to persisted.Start
		step   time.Duration
		want   bool
	}{
		"not at all":            {start(time.Hour, 2*time.Hour), start(time.Hour, 2*time.Hour), 0, false},
		"by less than a tenth":  {start(time.Hour, 2*time.Hour), start(time.Hour, 2*time.Hour+11*time.Minute), 0, false},
		"by more than a tenth":  {start(time.Hour, 2*time.Hour), start(time.Hour, 2*time.Hour+14*time.Minute), 0, true},
		"the earliest":          {start(time.Hour, 2*time.Hour), start(30*time.Minute, 2*time.Hour), 0, true},
		"by less than asked":    {start(time.Hour, 2*time.Hour), start(30*time.Minute, 2*time.Hour), time.Hour, false},
		"by less than a minute": {start(time.Minute, time.Minute), start(90*time.Second, 90*time.Second), 0, false},
		"it is known no more":   {start(time.Hour, 2*time.Hour), start(time.Hour, 0), 0, true},
		"it is known now":       {start(time.Hour, 0), start(time.Hour, 2*time.Hour), time.Hour, true},
	} {
		if got := c.is.Moved(c.to, c.step); got != c.want {
			t.Errorf("%s: moved %t, want %t", name, got, c.want)
		}
	}
	if again, ok := persisted.ReadStart(start(time.Hour, 0).Text()); !ok || again != start(time.Hour, 0) {
		t.Errorf("%+v is read again as %+v", start(time.Hour, 0), again)
	}
	for _, text := range []string{"", "{}", "soon", `{"made":"soon"}`} {
		if s, ok := persisted.ReadStart(text); ok {
			t.Errorf("%q is read as %+v", text, s)
		}
	}
}
