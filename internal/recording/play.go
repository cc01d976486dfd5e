package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

// Setting is what an engine is made of, beside what is compiled in.
type Setting struct {
	Configuration string // the text; "": Volcano's default
	UTCOffset     string
	Period        time.Duration
}

// Player runs the steps of a recording on an engine of its own, and compares what that decides with what was recorded.
type Player struct {
	// Make makes an engine. It is called at the beginning, and where the configuration changed.
	Make func(Setting) (*sched.Engine, error)
	// Verbosity of the events, as for Engine.Record.
	Verbosity int
	// Before, if set, is called before a step, with the engine as it was.
	Before func(*Step, *sched.Engine)
	// After is called after each cycle.
	After func(*Played) error

	engine  *sched.Engine
	setting Setting
}

// Played is a cycle that was decided again.
type Played struct {
	Step   *Step
	Engine *sched.Engine
	Plan   sched.Plan
	Events []trace.Event
	// Panic is what the cycle panicked with; nil: it did not.
	Panic any
	// Difference is the first one between what is decided now and what was recorded, nil for none.
	Difference *Difference
}

// Difference is where a cycle that was decided again differs from what was recorded. One side is "" where there is
// nothing: one plan is longer.
type Difference struct {
	Cycle            uint64
	Item             int // from 1; 0: it is not in an item
	Recorded, Played string
}

// String says what differs.
func (d *Difference) String() string {
	what := "the time of the next cycle"
	if d.Item > 0 {
		what = fmt.Sprintf("item %d of its plan", d.Item)
	}
	return fmt.Sprintf("cycle %d differs in %s:\n  recorded: %s\n  now:      %s", d.Cycle, what, orNothing(d.Recorded),
		orNothing(d.Played))
}

func orNothing(s string) string {
	if s == "" {
		return "(nothing)"
	}
	return s
}

// Play plays a recording up to its end or the first difference, which it returns. next returns the steps, as
// Reader.Next does.
func (p *Player) Play(base State, next func() (*Step, error)) (*Difference, error) {
	if err := p.Begin(base); err != nil {
		return nil, err
	}
	for {
		s, err := next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		played, err := p.Step(s)
		if err != nil || played != nil && played.Difference != nil {
			return played.difference(), err
		}
	}
}

// Begin makes the engine of the state that a recording begins with.
func (p *Player) Begin(base State) (err error) {
	p.setting = Setting{Configuration: base.Configuration, UTCOffset: base.UTCOffset, Period: base.Period}
	if p.engine, err = p.Make(p.setting); err != nil {
		return err
	}
	p.engine.Apply(base.Facts...)
	p.engine.Restore(base.Commitments)
	return nil
}

// Engine is the engine as it is after what was played. Where the configuration changes it is another one.
func (p *Player) Engine() *sched.Engine { return p.engine }

// Setting is what the engine was made of.
func (p *Player) Setting() Setting { return p.setting }

// Step plays one step after Begin. It returns the cycle that was decided, nil for a step without one.
func (p *Player) Step(s *Step) (*Played, error) {
	if p.Before != nil {
		p.Before(s, p.engine)
	}
	p.engine.Apply(s.Facts...)
	p.engine.Receive(s.Receipts...)
	if s.Remade != nil {
		if err := p.remake(*s.Remade); err != nil {
			return nil, err
		}
	}
	if s.Cycle == nil {
		return nil, nil
	}
	played := &Played{Step: s, Engine: p.engine}
	var next int64
	p.engine.SetVerbosity(p.Verbosity)
	func() {
		defer func() { played.Panic = recover() }()
		played.Plan, played.Events, next = p.engine.Decide(s.Cycle.Now)
	}()
	var err error
	if played.Difference, err = compare(s.Cycle, played, next); err != nil {
		return nil, err
	}
	if p.After != nil {
		err = p.After(played)
	}
	if played.Panic != nil && err == nil {
		err = p.renew() // as the scheduler did
	}
	return played, err
}

// difference is that of a cycle; nil for none.
func (p *Played) difference() *Difference {
	if p == nil {
		return nil
	}
	return p.Difference
}

// remake moves facts and commitments to an engine of another configuration, as the scheduler did.
func (p *Player) remake(r Remade) error {
	p.setting.Configuration, p.setting.UTCOffset = r.Configuration, r.UTCOffset
	p.engine.Checkpoint()
	return p.renew()
}

// renew moves facts and what was handed over to a new engine.
func (p *Player) renew() error {
	next, err := p.Make(p.setting)
	if err != nil {
		return err
	}
	next.Apply(p.engine.Facts()...)
	next.Restore(p.engine.LastCheckpoint())
	p.engine = next
	return nil
}

// compare compares the texts of the two plans, byte for byte.
func compare(c *Cycle, is *Played, next int64) (*Difference, error) {
	switch {
	case is.Panic != nil && c.Open:
		return nil, nil
	case is.Panic != nil:
		return &Difference{Cycle: c.Number, Item: 1, Recorded: "a plan", Played: fmt.Sprint("a panic: ", is.Panic)}, nil
	case c.Open:
		return nil, nil // it ended after the cycle, or before its result was noted
	}
	for i := range max(len(c.Items), len(is.Plan.Items)) {
		was, err := textAt(c.Items, i)
		if err != nil {
			return nil, err
		}
		now, err := textAt(is.Plan.Items, i)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(was, now) {
			return &Difference{Cycle: c.Number, Item: i + 1, Recorded: string(was), Played: string(now)}, nil
		}
	}
	if c.Next != next {
		return &Difference{Cycle: c.Number, Recorded: fmt.Sprint(c.Next), Played: fmt.Sprint(next)}, nil
	}
	return nil, nil
}

// textAt is the text of an item, empty after the last one.
func textAt(items []sched.Item, i int) ([]byte, error) {
	if i >= len(items) {
		return nil, nil
	}
	return json.Marshal(textOf(items[i]))
}
