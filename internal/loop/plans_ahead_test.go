package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

var newPod = []ledger.JobKey{{Namespace: "ns", Name: "new", Adopted: true}}

// queued has pods come that start one after the other before the one that is planned.
func (x *estimating) queued(n int) {
	for i := range n {
		x.pod(fmt.Sprintf("before-%02d", i), "", time.Minute)
	}
	x.engine.Decide(x.now())
	x.background.questions.decided()
}

// However long it takes to look ahead, it ends after five seconds, with the cycle that runs then. What was found until
// then is told, and that it was cut.
func TestLookingAheadEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		x.queued(20)
		go x.background.plans.run(t.Context())
		if _, _, err := x.plan(2*time.Second, nil); err != nil {
			t.Fatal(err)
		}
		const cycle = 2 * time.Second
		for _, c := range []struct {
			cycle time.Duration
			known bool
		}{{0, true}, {cycle, false}} {
			began := time.Now()
			got, err := x.foresee(t.Context(), readapi.Foresight{Jobs: newPod, Starts: true,
				See: func(bool, *sched.Engine, int64, sched.Plan) { <-time.After(c.cycle) }})
			if err != nil {
				t.Fatal(err)
			}
			took, start := time.Since(began), got.Starts.Jobs[newPod[0]]
			if c.known != (start.Latest > 0) || c.known == got.Starts.Cut || c.known == (start.Unknown == trace.NotReached) {
				t.Errorf("with cycles of %s: cut %v, %+v", c.cycle, got.Starts.Cut, start)
			}
			if took > 5*time.Second+c.cycle || took < 2*c.cycle {
				t.Errorf("with cycles of %s it takes %s", c.cycle, took)
			}
		}
	})
}

// When the scheduler loses its Lease, clients are told so at once, and that another one will answer: those that wait
// for a copy to plan on, for their turn, or while it is looked ahead for them. Nothing is answered of what it knew.
func TestAPlanWhileTheLeaseIsLost(t *testing.T) {
	for name, ask := range map[string]func(*estimating) error{
		"waiting for a copy": func(x *estimating) error {
			x.busy(time.Minute)
			go x.background.plans.run(x.t.Context())
			_, _, err := x.plan(time.Hour, nil)
			return err
		},
		"waiting for its turn": func(x *estimating) error {
			x.background.plans.from = time.Now().Add(time.Minute)
			go x.background.plans.run(x.t.Context())
			_, _, err := x.plan(time.Hour, nil)
			return err
		},
		"waiting to be planned": func(x *estimating) error {
			_, _, err := x.plan(time.Hour, nil)
			return err
		},
		"being planned": func(x *estimating) error {
			go x.background.plans.run(x.t.Context())
			_, _, err := x.plan(time.Hour, func() { <-time.After(10 * time.Second) })
			return err
		},
		"waiting for a look ahead": func(x *estimating) error {
			go x.background.plans.run(x.t.Context())
			if _, _, err := x.plan(time.Hour, nil); err != nil {
				return err
			}
			<-x.background.plans.slot
			_, err := x.foresee(x.t.Context(), readapi.Foresight{Jobs: newPod, Starts: true})
			return err
		},
		"looking ahead": func(x *estimating) error {
			x.queued(200)
			go x.background.plans.run(x.t.Context())
			if _, _, err := x.plan(time.Hour, nil); err != nil {
				return err
			}
			_, err := x.foresee(x.t.Context(), readapi.Foresight{Jobs: newPod, Starts: true,
				See: func(bool, *sched.Engine, int64, sched.Plan) { <-time.After(time.Second) }})
			return err
		},
		"why": func(x *estimating) error {
			x.busy(time.Minute)
			return x.background.questions.Ask(context.WithoutCancel(x.t.Context()), readapi.Brief,
				func(*sched.Engine, readapi.Moment) {})
		},
		"would run": func(x *estimating) error {
			_, err := x.background.questions.WouldRun(x.t.Context(), newPod[0], func(readapi.Tried) bool { return true })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newEstimating(t)
				began := time.Now()
				go func() {
					<-time.After(3 * time.Second)
					x.background.questions.end(errLost)
				}()
				err := ask(x)
				var unready *readapi.Unready
				if !errors.As(err, &unready) || unready.Reason != readapi.Ending ||
					!strings.Contains(unready.Message, "has lost its Lease") {
					t.Errorf("the answer: %v", err)
				}
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("it was told after %s", took)
				}
				<-time.After(time.Hour) // what was busy is not any more
			})
		})
	}
}
