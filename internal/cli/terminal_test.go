package cli

import (
	"bytes"
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
	show.on = true
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
	if n := strings.Count(got, "pods bound"); n != 2 || strings.Contains(got, "\n") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("want two updates of one line that is cleared at the end, got %q", got)
	}
}

func TestStyleWithoutATerminalIsPlain(t *testing.T) {
	if s := (Process{Out: &bytes.Buffer{}, Env: func(string) string { return "" }}).style(); s.Color || s.Width != 0 {
		t.Errorf("a report that is piped gets style %+v", s)
	}
}
