package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/manifest"
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

// screen is a writer that says how wide it is: a stand-in for a terminal.
type screen interface {
	io.Writer
	Columns() int
}

// columns is the width of the terminal behind a writer, and false when there is none.
func columns(w io.Writer) (int, bool) {
	if o, is := w.(*output); is {
		w = o.Writer
	}
	if s, ok := w.(screen); ok {
		return s.Columns(), true
	}
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

// How long work is silent on a terminal, and how often it tells its progress after that;
// and how often elsewhere, where every word stays.
const (
	silence    = time.Second
	every      = 200 * time.Millisecond
	everyPlain = 5 * time.Second
)

// progress is one line on a terminal that is written over, or a line now and then
// elsewhere.
type progress struct {
	p     Process
	on    bool
	width int // of the terminal; 0: there is none
	next  time.Time
	shown bool
}

// progress is that of a run, which tells nothing where stderr is no terminal or has a log
// on it already.
func (p Process) progress(logged bool) *progress {
	width, terminal := columns(p.Err)
	return &progress{p: p, on: terminal && !logged, width: width, next: p.Now().Add(silence)}
}

// loading is the progress of reading the input, which is told wherever stderr is.
func (p Process) loading() *progress {
	width, terminal := columns(p.Err)
	s := &progress{p: p, on: true, width: width, next: p.Now().Add(silence)}
	if !terminal {
		s.width, s.next = 0, p.Now().Add(everyPlain)
	}
	return s
}

func (s *progress) tick(w *sim.World) {
	s.show(func() string {
		sum := w.Summary()
		return fmt.Sprintf("cycle %d, %s of virtual time: %s bound, %d waiting", sum.Cycles, sum.VirtualTime,
			explain.Count(sum.Bound, "pod"), sum.Pending)
	})
}

// load is told how far reading has come.
func (s *progress) load(l manifest.Progress) {
	s.show(func() string {
		const mb = 1_000_000
		switch {
		case l.File == "":
			return explain.Count(l.Objects, "object") + " made ready"
		case l.Of == 0:
			return fmt.Sprintf("reading %s: %d MB have come", printable(l.File), l.Bytes/mb)
		default:
			return fmt.Sprintf("reading %s: %d of %d MB, %s", printable(l.File), l.Bytes/mb, l.Of/mb,
				explain.Count(l.Objects, "object"))
		}
	})
}

// show shows a text when it is time to.
func (s *progress) show(text func() string) {
	if !s.on {
		return
	}
	now := s.p.Now()
	if now.Before(s.next) {
		return
	}
	if s.width == 0 {
		s.next = now.Add(everyPlain)
		fmt.Fprintln(s.p.Err, text())
		return
	}
	s.next, s.shown = now.Add(every), true
	line := []rune(text())
	fmt.Fprintf(s.p.Err, "\r\x1b[K%s", string(line[:min(len(line), max(s.width-1, 1))]))
}

// printable keeps a file's name from moving the cursor.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
}

// end clears it, and nothing more is told.
func (s *progress) end() {
	s.clear()
	s.on = false
}

func (s *progress) clear() {
	if s.shown {
		fmt.Fprint(s.p.Err, "\r\x1b[K")
	}
}

// working shows that something is being done, until the function that it returns is called.
func (p Process) working(what string) (done func()) {
	show := p.progress(false)
	began, over, ended := p.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer show.clear()
		every := time.NewTicker(silence)
		defer every.Stop()
		for {
			select {
			case <-over:
				return
			case <-every.C:
				show.show(func() string { return fmt.Sprintf("%s: %s", what, p.Now().Sub(began).Round(time.Second)) })
			}
		}
	}()
	return func() { close(over); <-ended }
}
