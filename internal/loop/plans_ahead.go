package loop

import (
	"context"
	"time"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/whatif"
)

// longestAhead is how long one client is looked ahead for: what was found until then is told.
const longestAhead = 5 * time.Second

// ahead looks ahead for jobs that were planned, on copies that have them: what would make them run is tried on one, and
// the same one is then run forward until they have started. It is done in the goroutine of its client, one at a time,
// for a quarter of the time at most: plans that only ask for the next cycles do not wait for it.
func (x *plans) ahead(copies func() (*sched.Copy, error), now int64) readapi.Foresee {
	return func(ctx context.Context, wanted readapi.Foresight) (out readapi.Foreseen, err error) {
		from, err := x.awaitSlot(ctx)
		if err != nil {
			return out, err
		}
		defer func() { x.slot <- from }()
		questions := x.l.background.questions
		select { // the copies that others make
		case x.l.background.copying <- struct{}{}:
			defer func() { <-x.l.background.copying }()
		case <-questions.over:
			return out, questions.Ready()
		case <-ctx.Done():
			return out, noTime
		}
		ctx, stop := context.WithTimeout(ctx, longestAhead)
		defer stop()
		began := time.Now()
		panicked := crash.Handler(x.l.panicked).Recover("looking ahead for planned jobs", func() {
			out, err = lookAhead(func() bool { return ctx.Err() != nil || questions.isOver() }, copies, now, wanted)
		})
		if earliest := began.Add(-burst); from.Before(earliest) {
			from = earliest
		}
		if from = from.Add(planPace * time.Since(began)); panicked != nil {
			from, err = time.Now().Add(afterFailure), errPlanning
		} else if unready := questions.Ready(); unready != nil {
			return out, unready // what another one that acts by now knows is newer
		}
		return out, err
	}
}

// awaitSlot waits until a client may look ahead, unless that comes too late for it. What it returns has to be put back.
func (x *plans) awaitSlot(ctx context.Context) (from time.Time, err error) {
	questions := x.l.background.questions
	select {
	case from = <-x.slot:
	case <-questions.over:
		return from, questions.Ready()
	case <-ctx.Done():
		return from, noTime
	}
	if deadline, limited := ctx.Deadline(); limited && deadline.Before(from) {
		x.slot <- from
		return from, noTime
	}
	if err := questions.wait(ctx, from); err != nil {
		x.slot <- from
		return from, err
	}
	return from, nil
}

// lookAhead looks ahead until stop.
func lookAhead(stop func() bool, copies func() (*sched.Copy, error), now int64, wanted readapi.Foresight) (
	out readapi.Foreseen, err error) {
	out.Made = now
	first, err := copies()
	if err != nil {
		return out, err
	}
	if wanted.WouldRun > 0 {
		out.WouldRun = map[ledger.JobKey]trace.WouldRun{}
		end := time.Now().Add(wanted.WouldRun)
		with := whatif.New(first, now)
		for _, k := range wanted.Jobs {
			w, _ := with.Job(k, whatif.Limits{Stop: func() bool { return stop() || time.Now().After(end) }})
			out.WouldRun[k] = w
		}
	}
	if !wanted.Starts {
		return out, nil
	}
	only := map[ledger.JobKey]bool{}
	for _, k := range wanted.Jobs {
		only[k] = true
	}
	o := forward(stop)
	o.Only, o.See = only, wanted.See
	out.Starts, err = estimate.Of(func() (*sched.Copy, error) {
		if c := first; c != nil {
			first = nil
			return c, nil
		}
		return copies()
	}, now, o)
	return out, err
}

// forward are the options by which the engine is run forward, until stop.
func forward(stop func() bool) estimate.Options {
	return estimate.Options{Coarse: true, Graces: true, Both: both, Stop: stop,
		Written: filters.Bound, Freed: filters.Over}
}
