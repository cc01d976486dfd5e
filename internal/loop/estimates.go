package loop

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
)

// estimates are when waiting jobs start, as they were found last, in a goroutine of their own: the loop only hands over
// what a copy of the engine is made of. No decision knows of them.
type estimates struct {
	l      *loop
	latest atomic.Pointer[estimate.Starts] // nil: there are none yet

	mu     sync.Mutex // of firsts
	firsts estimate.Firsts

	// What the latest were made of: where it has not changed, and no start has passed, they hold.
	of    *sched.Engine
	epoch uint64
}

const (
	longestEstimate = 10 * time.Second // then a run is ended, and what was found until then is told
	estimatePace    = 10               // they are made for at most this part of the time
)

// run makes estimates at most as often as it is told, until ctx ends.
func (x *estimates) run(ctx context.Context, every time.Duration) {
	pause := every
	for {
		if !waitUntil(ctx, time.Now().Add(pause)) {
			return
		}
		began := time.Now()
		if panicked := crash.Handler(x.l.panicked).Recover("estimating starts", func() {
			x.refresh(ctx)
			x.writeStarts(x.latest.Load())
		}); panicked != nil {
			x.latest.Store(nil)
			pause = max(every, afterFailure)
			continue
		}
		pause = max(every, estimatePace*time.Since(began))
	}
}

// refresh makes estimates anew, if something has changed.
func (x *estimates) refresh(ctx context.Context) {
	x.l.background.copying <- struct{}{}
	defer func() { <-x.l.background.copying }()
	var copies func() (*sched.Copy, error)
	now := x.l.now()
	if x.l.background.questions.handOver(ctx, func(e *sched.Engine, _ readapi.Moment) {
		if epoch := e.Ledger().Changes.StateEpoch(); x.of != e || x.epoch != epoch || x.passed(now) {
			x.of, x.epoch, copies = e, epoch, sched.CopiesOf(e)
		}
	}) != nil || copies == nil {
		return // another replica acts, or nothing has changed
	}
	began := time.Now()
	end := began.Add(longestEstimate)
	s, err := estimate.Of(copies, now, forward(func() bool { return ctx.Err() != nil || time.Now().After(end) }))
	if err != nil {
		klog.ErrorS(err, "It is not known when jobs start")
		return
	}
	x.mu.Lock()
	x.firsts.Note(s)
	x.mu.Unlock()
	x.latest.Store(s)
	x.l.metrics.ofCosts.estimating.Set(time.Since(began).Seconds())
}

// both calls two functions, at the same time where a processor is left beside them for the loop. It panics where one of
// them does, when both are over.
func both(a, b func()) {
	if runtime.GOMAXPROCS(0) <= 2 {
		a()
		b()
		return
	}
	atOnce(a, b)
}

func atOnce(a, b func()) {
	var panicked error
	func() {
		var other sync.WaitGroup
		defer other.Wait()
		other.Go(func() {
			defer func() {
				if cause := recover(); cause != nil {
					panicked = fmt.Errorf("%v\n%s", cause, debug.Stack())
				}
			}()
			b()
		})
		a()
	}()
	if panicked != nil {
		panic(panicked)
	}
}

// passed says that a start was estimated for a time that is over.
func (x *estimates) passed(now int64) bool {
	s := x.latest.Load()
	if s == nil {
		return true
	}
	for _, start := range s.Jobs {
		if start.Earliest != 0 && start.Earliest < now {
			return true
		}
	}
	return false
}

// started measures by how much jobs that start with a plan are later than was estimated first.
func (x *estimates) started(items []sched.Item) {
	if x.latest.Load() == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	l, now := x.l.engine.Ledger(), x.l.now()
	for _, i := range items {
		if i.Kind != sched.BindPod {
			continue
		}
		t, there := l.Tasks.Find(i.Pod)
		if !there || l.Task(t).Job == ledger.NoJob || !estimate.Begun(l.Job(l.Task(t).Job)) {
			continue
		}
		if first, known := x.firsts.Started(l.Job(l.Task(t).Job).Key); known {
			x.l.metrics.ofCosts.slip.Observe(time.Duration(first.Slip(now)).Seconds())
		}
	}
}
