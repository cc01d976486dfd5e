package sched

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched/actions"
	"ashlar.sh/sched/actions/backfill"
	"ashlar.sh/sched/class"
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/plugins"
	"ashlar.sh/sched/plugins/booking"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/session"
)

// Option adds to what an engine can be configured with.
type Option func(*options)

type options struct {
	plugins []policy.Definition
	actions []session.Action
	watch   policy.Stopwatch
	period  int64
	quiet   int64
}

// WithPeriod sets the scheduling period and the quiet time, in nanoseconds. What comes one by one within a
// period is placed together: members above a gang's minimum are placed after the minimums of all that come in
// that time, or once nothing came for the quiet time and no gang lacks its minimum. Without it each cycle is a
// period.
func WithPeriod(period, quiet int64) Option {
	return func(o *options) { o.period, o.quiet = period, quiet }
}

// WithStopwatch has the parts of cycles measured.
func WithStopwatch(w policy.Stopwatch) Option {
	return func(o *options) { o.watch = w }
}

// WithPlugin adds a plugin. This is the only way to add plugins from outside this repository. It replaces a
// built-in plugin of the same name.
func WithPlugin(d policy.Definition) Option {
	return func(o *options) { o.plugins = append([]policy.Definition{d}, o.plugins...) }
}

// WithAction adds an action.
func WithAction(a session.Action) Option {
	return func(o *options) { o.actions = append(o.actions, a) }
}

// New returns an engine for a profile. It returns an error for unknown actions or plugins, and for bad
// arguments.
func New(p policy.Profile, with ...Option) (*Engine, error) {
	o := options{
		plugins: plugins.All(),
		watch:   policy.NoStopwatch{},
	}
	for _, w := range with {
		w(&o)
	}
	for _, d := range o.plugins {
		if err := d.Check(); err != nil {
			return nil, err
		}
	}
	e := (&Engine{l: ledger.New(), profile: p, with: with, watch: o.watch}).wire()
	set, err := build(p, o.plugins, e.l)
	if err != nil {
		return nil, err
	}
	e.policy = set
	set.Explain(true) // what is asked between cycles
	nodes := class.New(e.l, set)
	e.session = session.Session{L: e.l, NodeIndex: nodes, Pending: pending.New(e.l, nodes, set), Policy: set,
		Profile: &e.profile,
		Trace:   &e.rec, Admit: e.admit, Surplus: session.Surplus{Period: o.period, Quiet: o.quiet}}
	e.evictor = evict.New(&e.session)
	known := actions.All()
	for _, a := range o.actions {
		known = append(known, actions.Definition{Name: a.Name(),
			New: func(policy.Arguments, *evict.Evictor) (session.Action, error) { return a, nil }})
	}
	if err := soundActions(known); err != nil {
		return nil, err
	}
	for _, name := range p.Actions {
		i := slices.IndexFunc(known, func(d actions.Definition) bool { return d.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("action %q is not known", name)
		}
		a, err := known[i].New(p.ActionArguments[name], e.evictor)
		if err != nil {
			return nil, err
		}
		if b, is := a.(backfill.Action); is {
			e.session.Backfill = b.Backfill
			for key := range p.ActionArguments[name] { // order-free: whether there is one
				e.session.Backfill.AllQueues = e.session.Backfill.AllQueues || strings.HasPrefix(key, "backfill.")
			}
		}
		e.actions = append(e.actions, a)
	}
	return e, nil
}

// build makes the plugins of a profile, and the one that no configuration names: bookings count wherever there are any.
func build(p policy.Profile, known []policy.Definition, l *ledger.Ledger) (*policy.Set, error) {
	p.Tiers = append(slices.Clone(p.Tiers), []policy.Choice{{Plugin: booking.Name}})
	return policy.Build(p, append(known, booking.Definition()), l)
}

// soundActions returns an error for an action without a name, and for two of one name: one of them would never run.
func soundActions(known []actions.Definition) error {
	var names []string
	for _, d := range known {
		switch {
		case d.Name == "":
			return errors.New("WithAction: an action has no name")
		case slices.Contains(names, d.Name):
			return fmt.Errorf("WithAction: there is an action %q already", d.Name)
		}
		names = append(names, d.Name)
	}
	return nil
}
