package sim

import (
	"cmp"
	"slices"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// World is nodes that obey, a clock and an engine. It is not safe for concurrent use.
type World struct {
	engine       *sched.Engine
	begin        int64 // see Options
	period       time.Duration
	audit        bool
	recordsFacts bool // in Cycle.Came what the engine was told

	written func(sched.Item, func(model.Ref) any) []model.Fact // see Options
	freed   func(*model.Pod, func(model.Ref) any) []model.Fact // the same

	now   time.Duration // of the last cycle
	shows time.Duration // of the cycle that shows what changes now
	next  time.Duration // at which the engine wants to be asked again; 0: no matter when
	still int           // cycles in a row without a new fact or a decision
	alone int           // cycles in a row in which nothing came from outside

	version uint64

	cycles, bound int
	evictions     []Eviction
	objects       objects
}

// New makes a world for a profile. The queues root and default are added when no item
// brings them. The error is the profile's: an action, a plugin or an argument that is
// not known. What is wrong with items is a Problem of the engine's report.
func New(p policy.Profile, items []Item, o Options) (*World, error) {
	engine, err := sched.New(p, o.Engine...)
	if err != nil {
		return nil, err
	}
	engine.SetVerbosity(o.Verbosity)
	w := (&World{engine: engine, begin: o.Begin, period: o.Period, audit: o.Audit, recordsFacts: o.Came,
		written: o.Written, freed: o.Freed, objects: objects{lives: map[model.Ref]*life{},
			changed: map[model.Ref]*life{}, homeless: map[string][]*life{}, recurs: map[model.Ref]bool{}}}).wire()
	if w.period <= 0 {
		w.period = DefaultPeriod
	}
	for _, name := range []string{model.RootQueue, model.DefaultQueue} {
		ref := model.Ref{Kind: model.KindQueue, Name: name}
		if !slices.ContainsFunc(items, func(i Item) bool { return i.Fact.Ref == ref }) {
			w.Submit(Item{Fact: model.Fact{Ref: ref, Object: &model.Queue{
				Meta: model.Meta{Name: name}, Weight: 1, Reclaimable: name != model.RootQueue}}})
		}
	}
	w.Submit(items...)
	return w, nil
}

// Now is the virtual time of the last cycle, 0 before the first.
func (w *World) Now() time.Duration { return w.now }

// Engine is the engine, for its report. Facts come to it from the world alone.
func (w *World) Engine() *sched.Engine { return w.engine }

// Step runs the next cycle that can matter, and returns false when nothing more can
// happen: two cycles in a row without a decision, nothing to come, and no time at
// which the engine wants to be asked again. Stretches in which nothing happens are
// skipped; only the clock shows it.
func (w *World) Step() (Cycle, bool) {
	at, ok := w.due()
	if !ok {
		return Cycle{}, false
	}
	return w.cycle(at), true
}

// Run runs all cycles up to and including a virtual time, or, with 0 or less, until
// nothing more can happen. What is done to the world afterwards shows in a cycle after
// that time, whether or not one ran at it.
func (w *World) Run(until time.Duration) {
	until = min(until, horizon)
	for {
		at, ok := w.due()
		if !ok || until > 0 && at > until {
			break
		}
		w.cycle(at)
	}
	if until > 0 {
		w.shows = max(w.shows, (until/w.period+1)*w.period)
	}
}

// patience is how many cycles in a row a world may run on its own decisions alone
// before it counts as going round in a circle; there are as many more as it has
// objects, since each may need one to be placed.
const patience = 20_000

func (w *World) endless() bool { return w.alone > patience+len(w.objects.lives) }

// Next is the virtual time of the cycle that Step would run now, and false when nothing
// more can happen.
func (w *World) Next() (time.Duration, bool) { return w.due() }

// due is the time of the next cycle that can matter.
func (w *World) due() (time.Duration, bool) {
	if w.shows > horizon || w.endless() {
		return 0, false
	}
	if w.still < 2 || len(w.objects.changed) > 0 {
		return w.shows, true
	}
	at := never
	if e, ok := w.objects.upcoming(); ok {
		at = e.at
	}
	if w.next > 0 {
		at = min(at, w.next)
	}
	if at > horizon {
		return 0, false
	}
	return max(w.shows, (at+w.period-1)/w.period*w.period), true
}

// cycle runs the cycle at a time: what is due happens, the engine sees it and decides,
// and the nodes obey.
func (w *World) cycle(at time.Duration) Cycle {
	w.now, w.shows = at, at
	w.alone++
	w.objects.happen()
	w.objects.renew()
	var came []Came
	if facts := w.facts(); len(facts) > 0 {
		w.still = 0
		if w.recordsFacts {
			came = CameTo(w.engine, facts)
		}
		w.engine.Apply(facts...)
	}
	plan, events, next := w.engine.Decide(w.clock(at))
	if w.still++; len(plan.Items) > 0 {
		w.still = 0
	}
	w.next = 0
	if next > 0 {
		w.next = time.Duration(model.Between(w.begin, next))
	}
	w.cycles++
	w.shows = at + w.period
	c := Cycle{Number: w.number(), At: at, Plan: sched.Plan{Items: slices.Clone(plan.Items)}, Events: slices.Clone(events),
		Came: came}
	w.execute(c.Plan)
	if w.audit {
		c.Audit = w.engine.Audit()
	}
	return c
}

// clock is a virtual time in nanoseconds since the epoch.
func (w *World) clock(at time.Duration) int64 { return model.After(w.begin, int64(at)) }

func (w *World) number() int { return int(w.now/w.period) + 1 }

// facts are the observations that tell the engine what changed, one for each object.
func (w *World) facts() []model.Fact {
	out := make([]model.Fact, 0, len(w.objects.changed))
	for ref, l := range w.objects.changed { // order-free: sorted below
		f := model.Fact{Ref: ref, UID: l.uid}
		if w.objects.lives[ref] == l {
			f.Object = l.object
		}
		out = append(out, f)
	}
	clear(w.objects.changed)
	slices.SortFunc(out, func(a, b model.Fact) int {
		return cmp.Or(cmp.Compare(a.Ref.Kind, b.Ref.Kind), cmp.Compare(a.Ref.Namespace, b.Ref.Namespace),
			cmp.Compare(a.Ref.Name, b.Ref.Name))
	})
	for i := range out {
		w.version++
		out[i].Version = w.version
	}
	return out
}

// wire tells the parts what they are parts of.
func (w *World) wire() *World {
	w.objects.w = w
	return w
}
