package cli

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/policy"
)

func TestProgressIsSilentForASecondAndThenOneLine(t *testing.T) {
	w, err := sim.New(policy.Profile{}, nil, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	now := time.Unix(0, 0)
	show := Process{Err: &errs, Now: func() time.Time { return now }}.progress(false)
	if show.on {
		t.Error("a buffer is taken for a terminal")
	}
	show.on, show.width = true, 80
	now = now.Add(900 * time.Millisecond)
	show.tick(w)
	show.clear()
	if errs.Len() > 0 {
		t.Errorf("a short run shows progress: %q", errs.String())
	}
	for range 3 {
		now = now.Add(150 * time.Millisecond)
		show.tick(w)
	}
	show.clear()
	got := errs.String()
	if n := strings.Count(got, "pods bound"); n != 2 || strings.Contains(got, "\n") ||
		!strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("want two updates of one line that is cleared at the end, got %q", got)
	}
}

// tty is a terminal as wide as it says.
type tty struct {
	bytes.Buffer
	width int
}

func (t *tty) Columns() int { return t.width }

// slowly is a process with a clock that advances by a step whenever it is read.
func slowly(errs, out io.Writer, step time.Duration) Process {
	now := time.Unix(0, 0)
	return Process{Args: []string{"ashlar", "simulate", "-f", "-", "-o", "json"}, Out: out, Err: errs,
		Env: func(string) string {
			return ""
		},
		In: strings.NewReader(strings.Repeat("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n---\n", 40)),
		Now: func() time.Time {
			now = now.Add(step)
			return now
		}}
}

func TestLoadingTellsItsProgressOnATerminalAndErasesIt(t *testing.T) {
	var out bytes.Buffer
	errs := &tty{width: 30}
	if code := slowly(errs, &out, 300*time.Millisecond).Run(); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	lines := strings.Split(errs.String(), "\r\x1b[K")
	objects := 0
	for _, l := range lines {
		if len(l) > 29 || strings.Contains(l, "\n") {
			t.Errorf("%q does not fit on one line of 30 columns", l)
		}
		if strings.HasPrefix(l, "reading -: 0 of 0 MB, ") {
			objects++
		}
	}
	if objects < 20 || lines[len(lines)-1] != "" {
		t.Errorf("told %d times how far reading came, and left %q: %q", objects, lines[len(lines)-1], lines)
	}
	if strings.Contains(out.String(), "reading") {
		t.Error("progress is in the report")
	}
}

func TestProgressIsErasedByEveryVerbThatReadsFiles(t *testing.T) {
	for _, args := range [][]string{{"queues", "-f", "-"}, {"jobs", "-f", "-", "-o", "json"},
		{"why", "queue", "default", "-f", "-"}, {"plan", "-f", "-", "--on", os.DevNull}} {
		var out bytes.Buffer
		errs := &tty{width: 30}
		p := slowly(errs, &out, 300*time.Millisecond)
		p.Args = append([]string{"ashlar"}, args...)
		p.Run()
		lines := strings.Split(errs.String(), "\r\x1b[K")
		if len(lines) < 20 || strings.Contains(lines[len(lines)-1], "made ready") {
			t.Errorf("%v: told %d times how far reading came, and left %q", args, len(lines), lines[len(lines)-1])
		}
	}
}

func TestLoadingTellsAPlainLineNowAndThenElsewhere(t *testing.T) {
	var out, errs bytes.Buffer
	if code := slowly(&errs, &out, 300*time.Millisecond).Run(); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	lines := strings.Split(strings.TrimSuffix(errs.String(), "\n"), "\n")
	if len(lines) < 2 || len(lines) > 6 || strings.Contains(errs.String(), "\x1b") ||
		!strings.HasPrefix(lines[0], "reading -: 0 of 0 MB, ") {
		t.Errorf("in 12 seconds: %q", errs.String())
	}
	errs.Reset()
	if code := slowly(&errs, &out, time.Millisecond).Run(); code != 0 || errs.Len() > 0 {
		t.Errorf("exit code %d; reading that is quick says %q", code, errs.String())
	}
	if strings.Contains(out.String(), "reading") {
		t.Error("progress is in the report")
	}
}

func TestStyleWithoutATerminalIsPlain(t *testing.T) {
	if s := (Process{Out: &bytes.Buffer{}, Env: func(string) string { return "" }}).style(); s.Color || s.Width != 0 {
		t.Errorf("a report that is piped gets style %+v", s)
	}
}
