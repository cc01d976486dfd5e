package loop

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// wouldRun asks for what would make the pod run that waits.
func (x *estimating) wouldRun(within time.Duration, still bool) (readapi.Tried, error) {
	ctx, stop := context.WithTimeout(x.t.Context(), within)
	defer stop()
	return x.background.questions.WouldRun(ctx, ledger.JobKey{Namespace: "ns", Name: "waits", Adopted: true},
		func(readapi.Tried) bool { return still })
}

// What would make a job run is found on a copy, told again for a while, and found anew where it holds no more. What is
// asked at one time is answered by one copy.
func TestChangesAreTriedOnACopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		go x.background.searches.run(t.Context())
		epoch := x.engine.Ledger().Changes.StateEpoch()
		first, err := x.wouldRun(2*time.Second, true)
		if err != nil || len(first.Ways) == 0 || !first.Reason.Is() {
			t.Fatalf("%+v, %v", first, err)
		}
		for _, w := range first.Ways {
			for _, c := range w.Changes {
				if c.Kind == trace.ChangeEnd && c.Jobs[0] != "ns/runs" {
					t.Errorf("after %v", c.Jobs)
				}
			}
		}
		<-time.After(10 * time.Second)
		if again, err := x.wouldRun(2*time.Second, true); err != nil || !again.At.Equal(first.At) {
			t.Errorf("it was found anew: %v, %v", again.At, err)
		}
		var all sync.WaitGroup
		var at [3]time.Time
		for i := range at {
			all.Go(func() {
				anew, err := x.wouldRun(2*time.Second, false)
				if at[i] = anew.At; err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if !at[0].After(first.At) || !at[1].Equal(at[0]) || !at[2].Equal(at[0]) {
			t.Errorf("found at %v, first at %v", at, first.At)
		}
		if x.engine.Ledger().Changes.StateEpoch() != epoch {
			t.Error("the engine that decides was changed")
		}
	})
}

// While the share of the time is used up, or an estimate has the one copy that there may be, no client is kept
// waiting in vain.
func TestChangesAreTriedWithinAShareOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		go x.background.searches.run(t.Context())
		busy := func(what string, within, want time.Duration) {
			t.Helper()
			began := time.Now()
			_, err := x.wouldRun(within, false)
			var unready *readapi.Unready
			if !errors.As(err, &unready) || unready.Reason != readapi.Busy || time.Since(began) != want {
				t.Errorf("%s: %v after %s", what, err, time.Since(began))
			}
		}
		x.background.searches.next = time.Now().Add(time.Minute)
		busy("the share is used up", 2*time.Second, 0)
		<-time.After(time.Minute)
		x.background.copying <- struct{}{}
		busy("an estimate has the copy", 2*time.Second, 2*time.Second)
		<-x.background.copying
		synctest.Wait()
		if _, err := x.wouldRun(2*time.Second, false); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		x.acting = false
		var unready *readapi.Unready
		if _, err := x.wouldRun(2*time.Second, false); !errors.As(err, &unready) || unready.Reason != readapi.Starting {
			t.Errorf("a replica that does not decide: %v", err)
		}
	})
}
