package player

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
)

// World is what is played: a sim.World, or an engine that decides no more.
type World interface {
	Engine() *sched.Engine
	// Next is the virtual time of the next cycle, and false when nothing more can happen. Step runs it.
	Next() (time.Duration, bool)
	Step() (sim.Cycle, bool)
	// Items are the objects as they are at a virtual time, and the moment from which they go on: see sim.World.
	Items(at time.Duration) (items []sim.Item, begin int64)
	// CoarseStarts estimates when the jobs that wait start if nothing new comes, on a copy: see sim.World. stop ends it.
	CoarseStarts(stop func() bool) (*estimate.Starts, error)
}

// Options say what is shown and how.
type Options struct {
	Title  string // of the page
	Source string // trace, files, dump or recording
	Begin  int64  // of virtual time, in nanoseconds since the epoch
	Speed  float64
	Paused bool // until somebody starts it
	// From is the virtual time that is shown first: what was before has run already, and can be wound back to.
	From time.Duration
	// Summary and Evictions are those of the run so far.
	Summary   func() explain.Summary
	Evictions func() []explain.Eviction
	// Problems are those that the engine does not know; nil: there are none.
	Problems func() []explain.Problem
	// Grain is how near to each other moments are kept at first, in virtual time; 0: what is good for a fast run.
	Grain time.Duration
	// Make and Parse are those of a Copy; without Make there is no what-if. Start is what the run began with, and when;
	// nil: it cannot begin again. Configuration is the text that holds, "" where it is not known.
	Make          Make
	Parse         func(text string) ([]sim.Item, error)
	Start         func() ([]sim.Item, int64)
	Configuration func() string
	Now           func() time.Time // nil: time.Now
}

// Bounds of the speed: virtual seconds in a second.
const (
	Slowest = 1.0
	Fastest = 1e6
)

// Bounds of a player.
const (
	mostFrames = 1200
	pastFrames = 150 // of them at most are of before Options.From
	mostRows   = 3_000_000
	tick       = 100 * time.Millisecond
	stepWithin = 60 * time.Millisecond  // of a tick, for cycles
	frameEach  = 250 * time.Millisecond // while it plays, at least
	frameShare = 4                      // frames take at most one part in so many of the time
	firstGrain = 20 * time.Second       // virtual, between two frames of a fast run
	cheapFrame = 10 * time.Millisecond  // of the wall's time: so cheap that none is left out where Grain is given
	fewRows    = 1000                   // so few that none is left out either, however busy the machine is
)

// Player plays a world. Its methods may be called by any goroutine; Run is called once.
type Player struct {
	o     Options
	world sync.Mutex // guards w: it is held while cycles run
	w     World

	mu      sync.Mutex
	ring    ring
	past    past
	shown   int           // index of the frame that is shown; the last one's while it follows the run
	pos     time.Duration // virtual time that is shown
	speed   float64
	playing bool
	ended   bool
	changed chan struct{} // is closed when something of this changes
	copying chan struct{} // has a place for one what-if
	whatIf  http.Handler

	framed time.Time     // when the last frame was made, and what it cost; guarded by world
	cost   time.Duration // of the wall's time
	asked  uint64        // the number of the last frame for which starts were estimated; Run's
}

// State is where a player is.
type State struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Title      string    `json:"title"`
	Source     string    `json:"source"`
	Cycle      uint64    `json:"cycle"`
	At         time.Time `json:"at"`
	Simulated  bool      `json:"simulated"` // its times are those of a simulation
	Play       *Play     `json:"play,omitempty"`
	Problems   int       `json:"problems"`
	WhatIf     bool      `json:"whatIf"`
}

// Play is how a run is shown. Times are virtual seconds.
type Play struct {
	Playing bool      `json:"playing"`
	Ended   bool      `json:"ended"` // nothing more can happen
	Speed   float64   `json:"speed"`
	Began   time.Time `json:"began"` // the time of virtual time 0
	Now     float64   `json:"now"`
	Edge    float64   `json:"edge"` // how far the run has come
	Frame   uint64    `json:"frame"`
}

// New makes a player that shows the world after its first cycle.
func New(w World, o Options) *Player {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Problems == nil {
		o.Problems = func() []explain.Problem { return nil }
	}
	p := &Player{o: o, w: w, ring: ring{most: mostFrames, heavy: mostRows, grain: cmp.Or(o.Grain, firstGrain)},
		speed:   min(Fastest, max(Slowest, o.Speed)),
		playing: !o.Paused, changed: make(chan struct{}), copying: make(chan struct{}, 1)}
	p.whatIf = Answers(p.copying, p.copied)
	p.cycle()
	p.take()
	p.shown, p.pos = 0, p.ring.frames[0].now
	p.begin(o.From)
	return p
}

// begin runs the world to a virtual time, as fast as it can, and keeps moments of it.
func (p *Player) begin(from time.Duration) {
	if from <= 0 {
		return
	}
	p.ring.grain = max(p.ring.grain, from/pastFrames)
	p.world.Lock()
	defer p.world.Unlock()
	for at, more := p.w.Next(); more && at <= from; at, more = p.w.Next() {
		if p.isDue(at) {
			p.take() // as it is before that cycle
		}
		p.cycle()
	}
	p.take()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.pos = max(p.pos, from)
	}
}

// take makes a frame of the world as it is. The caller has locked the world.
func (p *Player) take() {
	begun := p.o.Now()
	defer func() {
		p.framed = p.o.Now()
		p.cost = p.framed.Sub(begun)
	}()
	before := &frame{}
	p.mu.Lock()
	if n := len(p.ring.frames); n > 0 {
		before = p.ring.frames[n-1]
	}
	p.mu.Unlock()
	f, weight := p.frame(before, nil)
	_, more := p.w.Next()
	p.mu.Lock()
	defer p.mu.Unlock()
	follows := p.shown >= len(p.ring.frames)-1
	var at *frame
	if !follows {
		at = p.ring.frames[p.shown]
	}
	p.past.reasons(before, f)
	p.ring.add(f, weight)
	p.ended = !more
	if follows {
		p.shown, p.pos = len(p.ring.frames)-1, max(p.pos, f.now) // it may stand still since before the last cycles
	} else {
		p.shown = p.ring.find(at.now)
	}
	p.wake()
}

// wake wakes all that wait for a change. The lock is held.
func (p *Player) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// Run plays until stop is closed.
func (p *Player) Run(stop <-chan struct{}) {
	last := p.o.Now()
	beat := time.NewTicker(tick)
	defer beat.Stop()
	dirty := false
	for {
		select {
		case <-stop:
			return
		case <-beat.C:
		}
		now := p.o.Now()
		dirty = p.advance(now.Sub(last)) || dirty
		last = now
		if !dirty {
			p.estimate()
			continue
		}
		p.world.Lock()
		if now.Sub(p.framed) >= max(frameEach, frameShare*p.cost) {
			p.take()
			dirty, last = false, p.o.Now()
		}
		p.world.Unlock()
	}
}

// advance lets time pass by so much of the wall's: over frames that are there, and beyond them in the world. It says
// whether cycles ran.
func (p *Player) advance(wall time.Duration) (ran bool) {
	p.mu.Lock()
	if !p.playing {
		p.mu.Unlock()
		return false
	}
	target := p.pos + time.Duration(float64(min(wall, time.Second))*p.speed)
	edge := len(p.ring.frames) - 1
	if p.shown < edge {
		p.pos = target
		if i := p.ring.find(target); i != p.shown {
			p.shown = i
			p.wake()
		}
		p.mu.Unlock()
		return false
	}
	if p.ended {
		p.playing, p.pos = false, p.ring.frames[edge].now
		p.wake()
		p.mu.Unlock()
		return false
	}
	p.mu.Unlock()
	reached, ran := p.step(target)
	p.mu.Lock()
	if p.shown == len(p.ring.frames)-1 { // a command that came meanwhile may have gone to another moment
		p.pos = max(p.pos, reached)
	}
	p.mu.Unlock()
	return ran
}

// step runs the cycles up to a virtual time, for a bounded time. It returns how far it came.
func (p *Player) step(target time.Duration) (reached time.Duration, ran bool) {
	p.world.Lock()
	defer p.world.Unlock()
	begun := p.o.Now()
	for {
		at, more := p.w.Next()
		if !more {
			return target, true // a frame says that it has ended
		}
		if at > target {
			return target, ran
		}
		p.cycle()
		ran = true
		now := p.o.Now()
		if p.isDue(at) && (now.Sub(p.framed) >= frameShare*p.cost || p.o.Grain > 0 && (p.cost < cheapFrame || p.isSmall())) {
			p.take()
		}
		if now.Sub(begun) > stepWithin {
			return at, true
		}
	}
}

// cycle runs one cycle, and keeps what it means for jobs. The caller has locked the world.
func (p *Player) cycle() {
	c, ran := p.w.Step()
	if !ran {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.past.cycle(p.w.Engine(), &c)
}

// isDue says that a cycle is so far from the last frame that it gets one of its own.
func (p *Player) isDue(at time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return at-p.ring.frames[len(p.ring.frames)-1].now >= p.ring.grain
}

// isSmall says that the last frame has few rows.
func (p *Player) isSmall() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.ring.frames[len(p.ring.frames)-1]
	return len(f.jobs.list)+len(f.queues.list)+len(f.nodes.list)+len(f.pods.list) <= fewRows
}

// Command changes how a run is shown; nil leaves a part as it is.
type Command struct {
	Playing *bool    `json:"playing,omitempty"`
	Speed   *float64 `json:"speed,omitempty"`
	Seek    *float64 `json:"seek,omitempty"`  // virtual seconds; beyond the run's edge: the edge
	Frame   *int     `json:"frame,omitempty"` // so many frames on, or back
}

// Do carries a command out. An error says what is wrong with it.
func (p *Player) Do(c Command) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.Speed != nil && !(*c.Speed >= Slowest && *c.Speed <= Fastest) {
		return fmt.Errorf("speed %v: expected %v to %v", *c.Speed, Slowest, Fastest)
	}
	if c.Seek != nil && !(*c.Seek >= 0 && *c.Seek < 1e10) {
		return errors.New("seek: expected a number of seconds from 0")
	}
	if c.Speed != nil {
		p.speed = *c.Speed
	}
	if c.Seek != nil {
		p.show(p.ring.find(time.Duration(*c.Seek * float64(time.Second))))
	}
	if c.Frame != nil {
		p.show(p.shown + *c.Frame)
	}
	if c.Playing != nil {
		p.playing = *c.Playing && !(p.ended && p.shown == len(p.ring.frames)-1)
	}
	p.wake()
	return nil
}

// show moves to a frame. The lock is held.
func (p *Player) show(i int) {
	p.shown = min(len(p.ring.frames)-1, max(0, i))
	p.pos = p.ring.frames[p.shown].now
}

// at returns the frame that is shown, the state, and what is closed when either changes.
func (p *Player) at() (*frame, State, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.ring.frames[p.shown]
	edge := p.ring.frames[len(p.ring.frames)-1]
	s := State{APIVersion: apiVersion, Kind: "SchedulerState", Title: p.o.Title, Source: p.o.Source, Cycle: f.cycle,
		At: f.at, Simulated: p.o.Source == "files" || p.o.Source == "trace", Problems: len(f.problems),
		WhatIf: p.o.Make != nil}
	if p.o.Source != "dump" {
		s.Play = &Play{Playing: p.playing, Ended: p.ended, Speed: p.speed, Began: time.Unix(0, p.o.Begin).UTC(),
			Now: p.pos.Seconds(), Edge: edge.now.Seconds(), Frame: f.number}
	}
	return f, s, p.changed
}

// isEdge says that a frame shows the world as it is.
func (p *Player) isEdge(f *frame) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ring.frames[len(p.ring.frames)-1] == f
}
