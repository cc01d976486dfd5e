package estimate

import (
	"cmp"
	"slices"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// GroupUID is the GroupUID of the PodGroup of a job among those that were estimated, "" for an adopted one.
func (s *Starts) GroupUID(k ledger.JobKey) string { return s.uids[k] }

// Options say how the engine is run forward. The zero Options follow each end of a pod to the second, however many
// there are, up to DefaultSteps cycles.
type Options struct {
	Period int64 // nanoseconds from a decision to what it leads to, and between two cycles at least; 0: a second
	// Coarse bounds the cost of a far future: cycles are as far apart there as the time that is ahead, over a number that
	// is smaller the more jobs wait (fineness). Earliest and Latest then hold the whole step. Without it each end of a pod
	// has its own cycle.
	Coarse bool
	Steps  int // cycles of each run; 0: DefaultSteps
	// Idle says that the last two cycles have decided nothing: the first one to come is at Next, the time at which the
	// engine wants to be asked again (0: no matter when), or when a pod ends. Otherwise it is a Period from now.
	Idle bool
	Next int64

	Graces bool // evicted pods leave when their grace is over, not after a Period
	// Owned says that a pod is replaced when it was evicted; nil: pods with an owner or a PodGroup are.
	Owned func(ledger.Key) bool
	// Written and Freed are the facts that follow from what Allocators chose for a pod that is bound, and from a pod that
	// has ended: volumes and devices. nil: none do.
	Written func(bind sched.Item, see func(model.Ref) any) []model.Fact
	Freed   func(pod *model.Pod, see func(model.Ref) any) []model.Fact
	// Only are the jobs of which the starts are wanted; a run ends when they have started. nil: all that wait.
	Only map[ledger.JobKey]bool
	// See is called after each cycle with its time and plan, before that is carried out; guess says of which run. It must
	// not keep what belongs to the engine. nil: nothing is looked at.
	See func(guess bool, e *sched.Engine, at int64, plan sched.Plan)
	// Stop ends a run where it returns true; it is asked before each cycle, in the run's goroutine. nil: nothing does.
	Stop func() bool
	// Both calls two functions, at the same time if that is of use: limits and guesses are run forward apart. nil: one
	// after the other. The other functions here are then called at the same time, too.
	Both func(a, b func())
}

// DefaultSteps is how many cycles a run has at most.
const DefaultSteps = 100_000

// With leastFineness a start in six hours is told to the hour, and a day takes seventy cycles; with cyclesTimesJobs
// a run costs about as much whatever number of jobs wait.
const (
	leastFineness   = 6
	cyclesTimesJobs = 60_000
)

// second is the default Period.
const second = 1_000_000_000

// Starts are the estimates of all jobs that wait for their minimum.
type Starts struct {
	Made int64 // the time of the state that they were made from, in nanoseconds since the epoch
	Jobs map[ledger.JobKey]trace.Start
	// uids are the UIDs of their PodGroups.
	uids map[ledger.JobKey]string
	Runs int // of the engine: 1 where limits and guesses agree, else 2; 0 where no job waits
	// Cycles is how many cycles they took together; Cut says that one of them was ended before all jobs had started
	// that do.
	Cycles int
	Cut    bool
}

// Of estimates the starts of all jobs that wait, at a time in nanoseconds since the epoch. copies makes copies of the
// engine; each is used up. It returns the error of copies.
func Of(copies func() (*sched.Copy, error), now int64, o Options) (*Starts, error) {
	if o.Period <= 0 {
		o.Period = second
	}
	if o.Steps <= 0 {
		o.Steps = DefaultSteps
	}
	out := &Starts{Made: now, Jobs: map[ledger.JobKey]trace.Start{}}
	c, err := copies()
	if err != nil {
		return nil, err
	}
	late := newForward(c.Engine(), now, o, false)
	if len(late.waits) == 0 {
		return out, nil
	}
	early := late
	if out.Runs = 1; !late.guessed {
		late.run()
	} else {
		out.Runs = 2
		o.both(late.run, func() {
			if c, err = copies(); err == nil {
				early = newForward(c.Engine(), now, o, true)
				early.run()
			}
		})
		if err != nil {
			return nil, err
		}
	}
	out.Cycles, out.Cut = late.cycles, late.cut
	if early != late {
		out.Cycles, out.Cut = out.Cycles+early.cycles, out.Cut || early.cut
	}
	unknown := newUnknowns(late)
	out.uids = late.uids
	for _, k := range late.waiting {
		out.Jobs[k] = start(k, now, early, late, unknown)
	}
	return out, nil
}

// both calls two functions.
func (o Options) both(a, b func()) {
	if o.Both != nil {
		o.Both(a, b)
		return
	}
	a()
	b()
}

// start puts together what both runs say of a job.
func start(k ledger.JobKey, now int64, early, late *forward, unknown *unknowns) trace.Start {
	out := trace.Start{Made: now, Source: model.TimeEnforced, Deadline: late.ends[k]}
	e, soon := early.started[k]
	l, surely := late.started[k]
	switch {
	case soon && surely:
		out.Earliest, out.Latest, out.Source = e.after, l.at, e.source
		if l.after < e.after {
			out.Earliest, out.Latest, out.Source = l.after, e.at, l.source
		}
	case soon:
		out.Earliest, out.Source = e.after, e.source
	case surely:
		out.Earliest, out.Latest, out.Source = l.after, l.at, l.source
	}
	if !surely {
		unknown.explain(k, &out)
	}
	return out
}

// IntoQueues writes into queues of a report, as it is to be told at a time, when the first of the jobs starts that wait
// in the queue itself, by what is known; nil has none. queueOf is the queue of a job. No job is named.
func (s *Starts) IntoQueues(queues []sched.QueueReport, queueOf func(ledger.JobKey) string, now int64) {
	if s == nil {
		return
	}
	first := map[string]trace.Start{}
	for k, is := range s.Jobs { // order-free: the first by its times, then the surest
		is = is.At(now)
		q := queueOf(k)
		is.Jobs, is.More, is.Reason = nil, 0, trace.Reason{}
		is.First, is.Slip, is.Deadline = 0, 0, 0
		if was, some := first[q]; by(is) != 0 && q != "" && (!some || sooner(is, was)) {
			first[q] = is
		}
	}
	for i := range queues {
		queues[i].Start = first[queues[i].Name]
	}
}

// sooner says that a start is before another one.
func sooner(a, b trace.Start) bool {
	from := func(s trace.Start) int64 { return cmp.Or(s.Earliest, s.Latest) }
	return cmp.Or(cmp.Compare(from(a), from(b)), cmp.Compare(by(a), by(b)), cmp.Compare(b.Source, a.Source),
		cmp.Compare(a.Unknown, b.Unknown)) < 0
}

// Into writes the estimates into jobs of a report, as they are to be told at a time; nil has none.
func (s *Starts) Into(jobs []sched.JobReport, now int64) {
	if s == nil {
		return
	}
	for i := range jobs {
		if j := &jobs[i]; j.Reason.Is() && !j.HasMinimum() {
			j.Start = s.Of(j.Key(), now)
		}
	}
}

// Of returns the estimate of a job that waits, as it is to be told at a time.
func (s *Starts) Of(k ledger.JobKey, now int64) trace.Start {
	start, known := s.Jobs[k]
	if !known {
		return trace.Start{Made: s.Made, Unknown: trace.NotEstimated}
	}
	return start.At(now)
}

// AwaitsStart says that a job waits for its minimum.
func AwaitsStart(j *ledger.Job) bool {
	return j.Exists() && !j.Over() && !Begun(j) && (j.By[model.Pending] > 0 || j.By[model.Pipelined] > 0 ||
		j.AwaitsAdmission() || j.Tasks == 0 && j.MinMember > 0)
}

// Begun says that a job has its minimum, so that it does not wait for its start.
func Begun(j *ledger.Job) bool { return j.Placed() > 0 && j.Met((*ledger.Count).Placed) }

// sorted lists the jobs of an engine that wait, by name.
func sorted(l *ledger.Ledger) (out []ledger.JobKey) {
	l.Jobs.Each(func(j ledger.JobID) bool {
		if AwaitsStart(l.Job(j)) {
			out = append(out, l.Job(j).Key)
		}
		return true
	})
	slices.SortFunc(out, ledger.JobKey.Compare)
	return out
}
