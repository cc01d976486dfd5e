package estimate

import (
	"cmp"
	"slices"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// forward is one run of an engine from an end of a pod to the next.
type forward struct {
	o     Options
	e     *sched.Engine
	base  int64
	now   int64 // of the last cycle
	guess bool  // pods end when they are expected to, not at their limits

	agenda   *session.Heap[event] // what will happen to pods
	newFacts facts                // what the next cycle is told
	next     int64                // when the engine wants to be asked again; 0: no matter when
	still    int                  // cycles in a row without a fact or a decision
	waiting  []ledger.JobKey
	crowd    int                    // how many jobs wait at the begin, whether or not they are wanted
	waits    map[ledger.JobKey]bool // those that have not started yet
	uids     map[ledger.JobKey]string
	ends     map[ledger.JobKey]int64 // by their controllers' deadlines, of those that have one
	started  map[ledger.JobKey]moment
	source   model.TimeSource // the least certain figure that the run rests on so far
	guessed  bool             // limits and guesses of some pod are not the same
	cycles   int
	cut      bool
	births   uint64
}

// moment is when a job starts in a run: at a cycle, after the one before it.
type moment struct {
	after, at int64
	source    model.TimeSource
}

func newForward(e *sched.Engine, now int64, o Options, guess bool) *forward {
	f := &forward{o: o, e: e, base: now, now: now, guess: guess, waits: map[ledger.JobKey]bool{},
		started: map[ledger.JobKey]moment{}, source: model.TimeEnforced}
	f.agenda = session.NewHeap(byTime)
	f.newFacts.of = map[model.Ref]int{}
	if f.next = o.Next; o.Idle {
		f.still = 2
	}
	f.waiting = sorted(e.Ledger())
	if f.crowd = len(f.waiting); o.Only != nil {
		f.waiting = slices.DeleteFunc(f.waiting, func(k ledger.JobKey) bool { return !o.Only[k] })
	}
	f.uids, f.ends = make(map[ledger.JobKey]string, len(f.waiting)), map[ledger.JobKey]int64{}
	for _, k := range f.waiting {
		f.waits[k] = true
		if j, there := e.Ledger().Jobs.Find(k); there {
			f.uids[k] = e.Ledger().Job(j).GroupUID()
			if at := e.Ledger().Jobs.Deadline(j); at != 0 {
				f.ends[k] = at
			}
		}
	}
	if len(f.waits) > 0 {
		e.Ledger().Tasks.Each(func(t ledger.TaskID) bool {
			f.foresee(e.Ledger().Task(t))
			return true
		})
	}
	return f
}

// patience is how many cycles in a row may decide something although no pod ends any more, or run in vain because the
// engine wants to be asked again: evictions could go round in a circle, and hours come and go for ever.
const patience = 1000

// run runs until all jobs have started, nothing more can happen, or the bounds are reached.
func (f *forward) run() {
	alone := 0
	for len(f.waits) > 0 {
		at, more := f.due()
		if !more {
			return
		}
		if f.cycles >= f.o.Steps || alone > patience || f.o.Stop != nil && f.o.Stop() {
			f.cut = true
			return
		}
		ended := f.cycle(at)
		if alone++; ended {
			alone = 0
		}
	}
}

// cycle runs the cycle at a time, and says whether a pod has ended before it.
func (f *forward) cycle(at int64) (ended bool) {
	before := at // what leads to its decisions happened after that
	if step := f.step(at); step > f.o.Period {
		before = max(f.now, at-step)
	}
	f.now = at
	ended = f.happen()
	if facts := f.newFacts.take(); len(facts) > 0 {
		f.still = 0
		f.e.Apply(facts...)
	}
	plan, _, _ := f.e.Decide(at)
	if f.still++; len(plan.Items) > 0 {
		f.still = 0
	}
	f.cycles, f.next = f.cycles+1, f.e.NextUndisturbed()
	if f.o.See != nil {
		f.o.See(f.guess, f.e, at, plan)
	}
	f.note(plan, before)
	receipts := make([]sched.Receipt, 0, len(plan.Items))
	for _, i := range plan.Items {
		receipts = append(receipts, sched.Receipt{Item: i, Outcome: f.obey(i)})
	}
	f.e.Receive(receipts...)
	f.e.Ledger().Changes.TakeRecommitted() // nothing is taken back
	return ended
}

// note notes which jobs start with a plan.
func (f *forward) note(plan sched.Plan, before int64) {
	l := f.e.Ledger()
	for _, i := range plan.Items {
		if i.Kind != sched.BindPod {
			continue
		}
		t, there := l.Tasks.Find(i.Pod)
		if !there || l.Task(t).Job == ledger.NoJob {
			continue
		}
		if j := l.Job(l.Task(t).Job); f.waits[j.Key] && Begun(j) {
			f.started[j.Key] = moment{before, f.now, f.source}
			delete(f.waits, j.Key)
		}
	}
}

// due is the time of the next cycle that can matter; false when nothing more can happen.
func (f *forward) due() (int64, bool) {
	step := f.step(f.now)
	if f.still < 2 || len(f.newFacts.list) > 0 {
		return model.After(f.now, step), true
	}
	at := int64(model.Never)
	if f.agenda.Len() > 0 {
		at = f.agenda.First().at
	}
	if f.next > 0 {
		at = min(at, f.next)
	}
	if at == model.Never {
		return 0, false
	}
	step = f.step(at)
	steps := max(1, (model.Between(f.now, at)+step-1)/step)
	if steps > (model.Never-f.now)/step {
		return 0, false
	}
	return f.now + steps*step, true
}

// step is how far cycles are apart at a time: whole periods.
func (f *forward) step(at int64) int64 {
	if !f.o.Coarse {
		return f.o.Period
	}
	fineness := max(leastFineness, cyclesTimesJobs/int64(max(1, f.crowd)))
	return max(1, (at-f.base)/fineness/f.o.Period) * f.o.Period
}

// happening is what happens to a pod. Of one moment, pods leave before others come.
type happening uint8

const (
	gone  happening = iota // it was asked to leave, and is gone
	ended                  // it has run for its time
	runs                   // it is bound, and runs
)

type event struct {
	at     int64
	what   happening
	pod    ledger.Key
	uid    string
	source model.TimeSource // of ended: where the time is from
}

func (f *forward) add(e event) {
	if e.at != model.Never {
		f.agenda.Push(e)
	}
}

// byTime orders what will happen to pods, the earliest first.
func byTime(a, b event) int {
	switch {
	case a.at != b.at:
		return cmp.Compare(a.at, b.at)
	case a.what != b.what:
		return cmp.Compare(a.what, b.what)
	}
	return a.pod.Compare(b.pod)
}

// facts are what changed since the last cycle, one for each object, in the order in which they changed first.
type facts struct {
	list []model.Fact
	of   map[model.Ref]int
}

// see is an object as the next cycle is told of it; false when there is none.
func (f *forward) see(r model.Ref) (model.Fact, bool) {
	if i, told := f.newFacts.of[r]; told {
		return f.newFacts.list[i], f.newFacts.list[i].Object != nil
	}
	return f.e.Ledger().Fact(r)
}

// addFact has the next cycle told of an object.
func (f *forward) addFact(now model.Fact) {
	if i, told := f.newFacts.of[now.Ref]; told {
		now.Version = f.newFacts.list[i].Version
		f.newFacts.list[i] = now
		return
	}
	is, _ := f.e.Ledger().Fact(now.Ref)
	now.Version = max(now.Version, is.Version) + 1
	f.newFacts.of[now.Ref] = len(f.newFacts.list)
	f.newFacts.list = append(f.newFacts.list, now)
}

// take returns what is to be told, valid until the next fact.
func (x *facts) take() []model.Fact {
	out := x.list
	x.list = x.list[:0]
	clear(x.of)
	return out
}

// content is what an object is that only PluginStates understand; nil when there is none.
func (f *forward) content(r model.Ref) any {
	if is, there := f.see(r); there {
		if o, opaque := is.Object.(*model.Opaque); opaque {
			return o.Content
		}
	}
	return nil
}

// follow tells of what follows from a bind, or from the end of a pod.
func (f *forward) follow(list []model.Fact) {
	for _, x := range list {
		is, _ := f.see(x.Ref)
		x.UID = is.UID
		f.addFact(x)
	}
}

// reason is why a job waits at the end of the run.
func (f *forward) reason(k ledger.JobKey) trace.Reason {
	if j, there := f.e.Ledger().Jobs.Find(k); there {
		return f.e.Refusal(j).Clone()
	}
	return trace.Reason{}
}
