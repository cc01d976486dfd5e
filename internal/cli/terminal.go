package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
)

// style fits text to the terminal, if stdout is one: between 80 and 120 columns, in
// colour unless NO_COLOR is set or the terminal has none.
func (p Process) style() explain.Style {
	width, ok := columns(p.Out)
	if !ok {
		return explain.Style{}
	}
	return explain.Style{Width: min(max(width, 80), 120), Color: p.Env("NO_COLOR") == "" && p.Env("TERM") != "dumb"}
}

// columns is the width of the terminal behind a writer, and false when there is none.
func columns(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, false
	}
	return width, true
}

// How long a run is silent, and how often it tells its progress after that.
const (
	silence = time.Second
	every   = 200 * time.Millisecond
)

// progress is one line on a terminal that is written over.
type progress struct {
	p     Process
	on    bool
	next  time.Time
	shown bool
}

// progress tells nothing where stderr is no terminal or has a log on it already.
func (p Process) progress(logged bool) *progress {
	_, terminal := columns(p.Err)
	return &progress{p: p, on: terminal && !logged, next: p.Now().Add(silence)}
}

func (s *progress) tick(w *sim.World) {
	if !s.on {
		return
	}
	now := s.p.Now()
	if now.Before(s.next) {
		return
	}
	s.next, s.shown = now.Add(every), true
	sum := w.Summary()
	fmt.Fprintf(s.p.Err, "\r\x1b[Kcycle %d, %s of virtual time: %d pods bound, %d waiting", sum.Cycles, sum.VirtualTime, sum.Bound, sum.Pending)
}

func (s *progress) clear() {
	if s.shown {
		fmt.Fprint(s.p.Err, "\r\x1b[K")
	}
}
