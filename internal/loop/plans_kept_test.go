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

// Where a copy takes longer than a client should wait, there is one before anybody asks, and it is renewed: no client
// waits for a copy, and no answer is older than 40 seconds. It is gone when the replica ends.
func TestACostlyCopyIsKeptWhileNobodyAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		x.busy(time.Second)
		go x.background.plans.follow(t.Context())
		<-time.After(20 * time.Second)
		x.busy(time.Second)
		first, starts, err := x.plan(10*time.Millisecond, nil)
		if err != nil || starts {
			t.Fatalf("the first plan, while no copy can be made: starts %v, %v", starts, err)
		}
		<-time.After(35 * time.Second)
		synctest.Wait()
		x.put(model.KindPod, "ns", "runs", nil)
		x.put(model.KindPod, "ns", "waits", nil)
		x.background.questions.decided()
		<-time.After(35 * time.Second)
		next, starts, err := x.plan(2*time.Second, nil)
		if err != nil || !starts || time.Since(next) > 40*time.Second || !next.After(first) {
			t.Errorf("later it is of %s ago, starts %v, %v", time.Since(next), starts, err)
		}
		x.background.questions.ending.Store(true)
		<-time.After(2 * idleLook)
		synctest.Wait()
		if x.background.plans.made.copy != nil {
			t.Error("a replica that ends keeps a copy")
		}
	})
}

// From the moment on at which another configuration holds no job is planned by the one before.
func TestPlansAreMadeByTheConfigurationThatHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		x.put(model.KindPod, "ns", "runs", nil)
		x.put(model.KindPod, "ns", "waits", nil)
		go x.background.plans.follow(t.Context())
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
