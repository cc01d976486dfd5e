package execute

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
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
