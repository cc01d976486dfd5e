package loop

import (
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// busy keeps the loop from answering for so long.
func (x *estimating) busy(d time.Duration) {
	go func() { _, _ = x.background.questions.ask(x.t.Context(), takes(d)) }()
	synctest.Wait()
}

// Where a copy takes longer than a client should wait, there is one before anybody asks. It is renewed without a
// question, where something has changed: so no client waits for one, also while none can be made, and no answer is
// older than 40 seconds. It is gone when the replica ends.
func TestACostlyCopyIsKeptWhileNobodyAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := estimatingOn(t, answeringAfter(t, time.Second))
		go x.background.plans.run(t.Context())
		last := time.Time{}
		for _, quiet := range []time.Duration{10 * time.Second, 25 * time.Second, 41 * time.Second, time.Minute,
			97 * time.Second, 10 * time.Minute, time.Second, 39 * time.Second} {
			for end := time.Now().Add(quiet); time.Now().Before(end); <-time.After(time.Second) {
				x.changed(time.Since(last))
			}
			asked := time.Now()
			at, _, err := x.plan(10*time.Millisecond, nil)
			if err != nil || time.Since(asked) > 0 {
				t.Fatalf("asked after %s, while no copy can be made: told after %s, %v", quiet, time.Since(asked), err)
			}
			if age := time.Since(at); age > 40*time.Second || quiet > 40*time.Second && !at.After(last) {
				t.Errorf("asked after %s: the answer is of %s ago", quiet, age)
			}
			last = at
		}
		x.background.questions.end(nil)
		<-time.After(2 * idleLook)
		synctest.Wait()
		if x.background.plans.made.copy != nil {
			t.Error("a replica that ends keeps a copy")
		}
	})
}

// A costly copy is made once of what does not change: while nothing changes, asking again makes no new copy. What has
// changed is known to the second answer after it, once a copy is as old as ten times what making it takes.
func TestACostlyCopyIsMadeOnceOfWhatDoesNotChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := estimatingOn(t, answeringAfter(t, time.Second))
		x.changed(0)
		go x.background.plans.run(t.Context())
		<-time.After(2 * time.Second) // the first one is made
		plan := func() (of time.Time) {
			of, _, err := x.plan(10*time.Millisecond, nil)
			if err != nil {
				t.Fatal(err)
			}
			<-time.After(3 * time.Second) // time for the next copy
			return of
		}
		first := plan()
		for began := time.Now(); time.Since(began) < idleHolds; {
			if of := plan(); !of.Equal(first) {
				t.Fatalf("%s after the first answer, while nothing changes, another copy is made", of.Sub(first))
			}
		}
		x.changed(time.Hour)
		plan()
		next := plan()
		if !next.After(first) {
			t.Error("something has changed, and no copy is made")
		}
		for range 2 {
			if of := plan(); !of.Equal(next) {
				t.Errorf("%s after that, while nothing changes, another copy is made", of.Sub(next))
			}
		}
	})
}

// A copy that takes a moment to make is made anew for a question after a change, in a small cluster on a busy machine,
// too: a person that has just submitted a job is not told of the state before.
func TestAPlanAfterAChangeIsOfTheStateNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took := cheapCopy + time.Millisecond
		x := estimatingOn(t, answeringAfter(t, took))
		go x.background.plans.run(t.Context())
		for range 10 {
			<-time.After(5 * time.Second)
			x.changed(0)
			changed := time.Now()
			at, _, err := x.plan(time.Second, nil)
			if err != nil || at.Before(changed) {
				t.Errorf("a plan %s after the change is of %s before it: %v", time.Since(changed), changed.Sub(at), err)
			}
			if wait := time.Since(changed); wait > 2*took {
				t.Errorf("it is answered after %s", wait)
			}
		}
		x.changed(0)
		x.busy(10 * time.Second)
		<-time.After(5 * time.Second)
		asked := time.Now()
		if _, _, err := x.plan(time.Second, nil); err != nil || time.Since(asked) > quickWait {
			t.Errorf("while no copy can be made it is answered after %s, want %s at most: %v", time.Since(asked), quickWait, err)
		}
		<-time.After(10 * time.Second) // the loop has answered what it was asked
	})
}

// changed has the loop decide after a change.
func (x *estimating) changed(limit time.Duration) {
	_, _ = x.background.questions.ask(x.t.Context(), func(e *sched.Engine, _ readapi.Moment) {
		x.pod("waits", "", limit)
		e.Decide(x.now())
		x.background.questions.decided()
	})
}

// A copy that takes a moment to make is kept only while it is asked for.
func TestACheapCopyIsGoneWhileNobodyAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		go x.background.plans.run(t.Context())
		if _, _, err := x.plan(2*time.Second, nil); err != nil {
			t.Fatal(err)
		}
		<-time.After(5 * time.Second)
		synctest.Wait()
		if x.background.plans.made.copy != nil {
			t.Error("it is kept")
		}
	})
}

// From the moment on at which another configuration holds no job is planned by the one before.
func TestPlansAreMadeByTheConfigurationThatHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		x.put(model.KindPod, "ns", "runs", nil)
		x.put(model.KindPod, "ns", "waits", nil)
		go x.background.plans.run(t.Context())
		if _, starts, err := x.plan(2*time.Second, nil); err != nil || !starts {
			t.Fatalf("starts %v, %v", starts, err)
		}
		next, err := sched.New(policy.Profile{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.background.questions.ask(t.Context(), func(*sched.Engine, readapi.Moment) {
			next.Apply(x.engine.Facts()...)
			x.engine = next
			x.background.plans.noteState() // as reload does
		}); err != nil {
			t.Fatal(err)
		}
		if _, starts, err := x.plan(2*time.Second, nil); err != nil || starts {
			t.Errorf("by a configuration that starts nothing: starts %v, %v", starts, err)
		}
	})
}
