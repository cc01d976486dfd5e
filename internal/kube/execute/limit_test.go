package execute

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/flowcontrol"
)

func TestALaneBearsMoreWhileAnswersComeInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRequestQueue(mostInFlight, nil)
		var flying, most atomic.Int64
		for range 20_000 {
			l.do(func() (time.Duration, bool) {
				if n := flying.Add(1); n > most.Load() {
					most.Store(n)
				}
				<-time.After(5 * time.Millisecond)
				flying.Add(-1)
				return 5 * time.Millisecond, false
			})
		}
		l.wait()
		if _, _, limit := l.load(); limit < 150 {
			t.Errorf("after twenty thousand answers in time %d may fly at once, want it to have grown beyond 150", limit)
		}
		if most.Load() > mostInFlight {
			t.Errorf("%d flew at once, want %d at most", most.Load(), mostInFlight)
		}
	})
}

func TestALaneBearsLessWhenTheServerIsOverloaded(t *testing.T) {
	for name, answer := range map[string]struct {
		latency    time.Duration
		overloaded bool
	}{
		"it says so":        {time.Millisecond, true},
		"it answers slowly": {2 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newRequestQueue(mostInFlight, nil)
				for range 2000 {
					l.do(func() (time.Duration, bool) {
						<-time.After(200 * time.Millisecond)
						return answer.latency, answer.overloaded
					})
				}
				l.wait()
				if _, _, limit := l.load(); limit != leastInFlight {
					t.Errorf("%d may fly at once, want the least, %d", limit, leastInFlight)
				}
			})
		})
	}
}

func TestAnswersOfOneRoundLowerTheLimitOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRequestQueue(mostInFlight, nil)
		before := l.limit
		for range 30 {
			l.learn(time.Millisecond, true)
		}
		if l.limit != before*0.7 {
			t.Errorf("the limit fell from %v to %v, want seven tenths", before, l.limit)
		}
	})
}

// What comes first by its order begins before what waited longer.
func TestWorkBeginsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRequestQueue(1, nil)
		var got []Order
		for _, o := range []Order{TextOnly, TextOnly, OtherPods, FirstReason, ChangedReason, OtherPods} {
			l.inOrder(o, func() (time.Duration, bool) {
				got = append(got, o)
				return 0, false
			})
		}
		if n := l.ahead(OtherPods); n != 4 {
			t.Errorf("%d wait of other pods and before, want 4", n)
		}
		l.wait()
		want := []Order{TextOnly, ChangedReason, FirstReason, OtherPods, OtherPods, TextOnly} // the first had begun
		if !slices.Equal(got, want) {
			t.Errorf("it went %v, want %v", got, want)
		}
	})
}

// A reason that changed is written within a second, however many conditions wait for their turn.
func TestAChangedReasonIsWrittenBeforeOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rate := newRequestQueue(mostConditions, nil), flowcontrol.NewTokenBucketRateLimiter(saidPerSecond, saidAtOnce)
		write := func(after func()) func() (time.Duration, bool) {
			return func() (time.Duration, bool) {
				if err := rate.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				after()
				return 0, false
			}
		}
		for i := range 3000 {
			l.inOrder([]Order{FirstReason, OtherPods, TextOnly}[i%3], write(func() {}))
		}
		<-time.After(5 * time.Second)
		began, took := time.Now(), time.Duration(0)
		l.inOrder(ChangedReason, write(func() { took = time.Since(began) }))
		l.wait()
		if took > time.Second || took == 0 {
			t.Errorf("it was written after %v", took)
		}
		if all := time.Since(began); all < 50*time.Second {
			t.Errorf("the others were written within %v: nothing waited", all)
		}
	})
}
