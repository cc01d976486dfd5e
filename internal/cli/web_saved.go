//go:build !simulator

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/web/player"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
)

// saved makes what the page shows of what a live scheduler saved: a recording, or one moment.
func (p pages) saved(s watching, path string) (*player.Player, error) {
	read, err := recording.Open(path)
	if err != nil {
		return nil, badInput("error: " + err.Error())
	}
	if read.IsRecording() {
		return p.recorded(s, path, read)
	}
	defer read.Close()
	if s.from > 0 {
		return nil, badInput("error: --from: a saved state is one moment")
	}
	chosen, err := playing(p).configured(s.config, path, read.Base.Configuration)
	if err != nil {
		return nil, err
	}
	held := recording.Setting{Configuration: read.Base.Configuration, UTCOffset: read.Base.UTCOffset}
	if s.config != "" {
		if held.Configuration, err = p.configurationText(s.simulation, nil); err != nil {
			return nil, err
		}
	}
	engine, plan, _, err := playing(p).decideOn(read.Base, chosen, 0)
	if err != nil {
		return nil, err
	}
	summary := summaryOf(plan)
	evicted := explain.NewEvictions(evictionsOf(plan))
	return player.New(&still{engine, read.Base.Now}, player.Options{Title: filepath.Base(path), Source: "dump",
		Begin: read.Base.Now, Speed: 1, Paused: true,
		Summary:       func() explain.Summary { return summary },
		Evictions:     func() []explain.Eviction { return evicted },
		Parse:         p.parsed(s.simulation),
		Make:          p.makes(path, held),
		Configuration: func() string { return cmp.Or(held.Configuration, config.DefaultText) }}), nil
}

// makes makes worlds of items, by the setting that holds or by another configuration.
func (p pages) makes(path string, held recording.Setting) player.Make {
	return func(items []sim.Item, begin int64, configuration string) (*sim.World, error) {
		var chosen *config.Scheduler
		var err error
		if configuration == "" {
			chosen, err = playing(p).configured("", path, held.Configuration)
		} else {
			chosen, err = p.given(configuration)
		}
		if err != nil {
			return nil, err
		}
		return sim.New(profile.Local(profile.Of(chosen), held.UTCOffset), items, sim.Options{Engine: p.engine(),
			Begin: begin, Written: written, Freed: freed})
	}
}

// recorded makes what the page shows of a recording: each of its cycles, decided again. It begins with the first one.
func (p pages) recorded(s watching, path string, read *recording.Reader) (*player.Player, error) {
	if s.config != "" {
		return nil, badInput("error: --scheduler-conf: a recording is shown as it was decided")
	}
	w := &recorded{path: path, read: read, player: playing(p).player(path, 0)}
	if err := w.player.Begin(read.Base); err != nil {
		return nil, err
	}
	if w.look(); w.err != nil && w.next == nil {
		return nil, badInput("error: " + w.err.Error())
	}
	w.begin = read.Base.Now
	if w.next != nil {
		w.begin = w.next.Cycle.Now
	}
	return player.New(w, player.Options{Title: filepath.Base(path), Source: "recording", Begin: w.begin, Speed: s.speed,
		Paused: s.paused, From: s.from, Grain: time.Millisecond,
		Summary:   func() explain.Summary { return w.summary },
		Evictions: func() []explain.Eviction { return w.evicted },
		Problems:  w.problems,
		Parse:     p.parsed(s.simulation),
		Make: func(items []sim.Item, begin int64, configuration string) (*sim.World, error) {
			return p.makes(path, w.held)(items, begin, configuration)
		},
		Configuration: func() string { return cmp.Or(w.player.Setting().Configuration, config.DefaultText) }}), nil
}

// recorded is a recording as player.World: what came in comes in again, and is decided again, cycle by cycle. It ends
// with the first cycle that is decided otherwise than it was, since what follows rests on what was decided then.
type recorded struct {
	path   string
	read   *recording.Reader
	player *recording.Player

	before []*recording.Step // without a cycle, before next
	next   *recording.Step   // with the next cycle; nil: there is none
	err    error             // why the rest cannot be shown; nil: all was read
	begin  int64             // the time of the first cycle
	at     time.Duration     // of the last one since then

	summary explain.Summary
	evicted []explain.Eviction
	held    recording.Setting // when Items was called last: only one what-if is computed at a time
}

// look reads up to the next step with a cycle.
func (w *recorded) look() {
	for w.next = nil; w.err == nil; {
		s, err := w.read.Next()
		switch {
		case errors.Is(err, io.EOF) && w.read.Cut:
			w.err = errors.New("its end is missing: what came after these cycles is lost")
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			w.err = err
		case s.Cycle != nil:
			w.next = s
			return
		default:
			w.before = append(w.before, s)
		}
	}
}

// Engine implements player.World.
func (w *recorded) Engine() *sched.Engine { return w.player.Engine() }

// Next implements player.World. A clock that was set back does not take the page back.
func (w *recorded) Next() (time.Duration, bool) {
	if w.next == nil {
		return 0, false
	}
	return max(w.at, time.Duration(w.next.Cycle.Now-w.begin)), true
}

// Step implements player.World.
func (w *recorded) Step() (sim.Cycle, bool) {
	at, more := w.Next()
	if !more {
		return sim.Cycle{}, false
	}
	var came []sim.Came
	for _, s := range w.before {
		came = append(came, sim.CameTo(w.Engine(), s.Facts)...)
		if _, w.err = w.player.Step(s); w.err != nil {
			w.next = nil
			return sim.Cycle{}, false
		}
	}
	w.before = nil
	came = append(came, sim.CameTo(w.Engine(), w.next.Facts)...)
	played, err := w.player.Step(w.next)
	switch {
	case err != nil:
		w.err = err
	case played.Panic != nil:
		w.err = fmt.Errorf("cycle %d panics: %v", played.Step.Cycle.Number, played.Panic)
	case played.Difference != nil:
		w.err = fmt.Errorf("it is decided otherwise than it was, and ends here: %s", played.Difference)
	}
	if err != nil {
		w.next = nil
		return sim.Cycle{}, false
	}
	w.at = at
	w.count(played)
	w.look()
	return sim.Cycle{Number: int(played.Step.Cycle.Number), At: at, Plan: played.Plan, Came: came,
		Took: time.Duration(played.Step.Cycle.Took)}, true
}

// count takes a cycle into the figures of the run.
func (w *recorded) count(c *recording.Played) {
	more := summaryOf(c.Plan)
	w.summary.Cycles, w.summary.VirtualTime = int(c.Step.Cycle.Number), explain.Duration(w.at)
	w.summary.Bound += more.Bound
	w.summary.Evicted += more.Evicted
	for _, e := range explain.NewEvictions(evictionsOf(c.Plan)) {
		e.Cycle, e.Time = w.summary.Cycles, w.summary.VirtualTime
		w.evicted = append(w.evicted, e)
	}
}

// CoarseStarts implements player.World.
func (w *recorded) CoarseStarts(stop func() bool) (*estimate.Starts, error) {
	return startsOf(w.Engine(), stop)
}

// Items implements player.World. What was decided and is not seen yet is decided anew.
func (w *recorded) Items(time.Duration) ([]sim.Item, int64) {
	w.held = w.player.Setting()
	return recording.Items(w.Engine().Facts()), w.begin + int64(w.at)
}

// problems are why the page does not show all that the file should have.
func (w *recorded) problems() []explain.Problem {
	if w.err == nil {
		return nil
	}
	return []explain.Problem{{Object: filepath.Base(w.path), Message: w.err.Error()}}
}

// still is an engine that decides no more.
type still struct {
	engine *sched.Engine
	now    int64 // nanoseconds since the epoch
}

// Engine implements player.World.
func (s *still) Engine() *sched.Engine { return s.engine }

// Next implements player.World.
func (s *still) Next() (time.Duration, bool) { return 0, false }

// Step implements player.World.
func (s *still) Step() (sim.Cycle, bool) { return sim.Cycle{}, false }

// CoarseStarts implements player.World.
func (s *still) CoarseStarts(stop func() bool) (*estimate.Starts, error) {
	return startsOf(s.engine, stop)
}

// Items implements player.World. What was decided and is not seen yet is decided anew.
func (s *still) Items(time.Duration) ([]sim.Item, int64) {
	return recording.Items(s.engine.Facts()), s.now
}
