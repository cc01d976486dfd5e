package loop

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// plan asks what would become of a pod of a millicore, and says of which moment the answer is. How long ago that was is
// told, unless nothing has changed since.
func (x *estimating) plan(within time.Duration, see func()) (at time.Time, starts bool, err error) {
	ctx, stop := context.WithTimeout(x.t.Context(), within)
	defer stop()
	pod := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "new", UID: "new"}, Ours: true, Index: -1,
		Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1}, {Name: "pods", Value: 1}}}}
	jobs := []model.Fact{{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "new"}, UID: "new",
		Object: pod}}
	look := func(_ *sched.Engine, c readapi.PlannedCycle) {
		if age := time.Since(c.At); c.Age != age && !(c.Age == 0 && x.background.plans.current()) {
			x.t.Errorf("an answer of %s ago is told to be of %s ago, though something has changed", age, c.Age)
		}
		if see != nil {
			see()
		}
		at = c.At
		for _, i := range c.Plan.Items {
			starts = starts || i.Kind == sched.BindPod && i.Pod.Name == "new"
		}
	}
	x.foresee, err = x.background.questions.Plan(ctx, jobs, look)
	return at, starts, err
}

// Plans are answered on a copy that is kept while somebody asks: on a small cluster no answer is older than a second,
// and none waits for the copies that others make.
func TestPlansAreMadeOnACopyThatIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		go x.background.plans.run(t.Context())
		epoch := x.engine.Ledger().Changes.StateEpoch()
		first, starts, err := x.plan(2*time.Second, nil)
		if err != nil || starts { // "runs" has the whole node
			t.Fatalf("starts %v, %v", starts, err)
		}
		<-time.After(time.Second / 2)
		if again, _, err := x.plan(2*time.Second, nil); err != nil || !again.Equal(first) {
			t.Errorf("half a second later of %v and not of %v: %v", again, first, err)
		}
		x.put(model.KindPod, "ns", "runs", nil)
		x.put(model.KindPod, "ns", "waits", nil)
		<-time.After(time.Second)
		x.background.copying <- struct{}{} // an estimate is being made
		if next, starts, err := x.plan(2*time.Second, nil); err != nil || !starts || !next.After(first) {
			t.Errorf("while an estimate is made: of %v, after %v; starts %v: %v", next, first, starts, err)
		}
		<-x.background.copying
		<-time.After(5 * time.Second)
		synctest.Wait()
		if x.background.plans.made.copy != nil {
			t.Error("the copy is kept although nobody asks")
		}
		if _, there := x.engine.Ledger().Fact(model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "new"}); there ||
			epoch == x.engine.Ledger().Changes.StateEpoch() {
			t.Error("the engine that decides was told of the plan")
		}
	})
}

// A plan that makes the engine panic costs that answer, and a minute without others; a replica that does not decide
// answers none.
func TestPlansThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		go x.background.plans.run(t.Context())
		if _, _, err := x.plan(2*time.Second, func() { panic("a defect") }); !errors.Is(err, errPlanning) {
			t.Errorf("a panic: %v", err)
		}
		var unready *readapi.Unready
		if _, _, err := x.plan(2*time.Second, nil); !errors.As(err, &unready) || unready.Reason != readapi.Busy {
			t.Errorf("right after it: %v", err)
		}
		<-time.After(afterFailure)
		if _, _, err := x.plan(2*time.Second, nil); err != nil {
			t.Errorf("a minute after it: %v", err)
		}
		x.acting = false
		<-time.After(5 * time.Second)
		if _, _, err := x.plan(2*time.Second, nil); !errors.As(err, &unready) || unready.Reason != readapi.Starting {
			t.Errorf("a replica that does not decide: %v", err)
		}
	})
}

// A plan can be looked ahead of, on the state that it is about: when its job starts, and what would make it run. That
// holds up no other plan. A second one waits until that has cost a quarter of the time at most, or is told that there
// is none. After a panic there is none for a minute.
func TestAPlanIsLookedAheadOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		go x.background.plans.run(t.Context())
		if _, _, err := x.plan(2*time.Second, nil); err != nil {
			t.Fatal(err)
		}
		of, foresee := []ledger.JobKey{{Namespace: "ns", Name: "new", Adopted: true}}, x.foresee
		got, err := foresee(t.Context(), readapi.Foresight{Jobs: of, Starts: true, WouldRun: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if at := time.Duration(got.Starts.Jobs[of[0]].Latest - x.now()); len(got.Starts.Jobs) != 1 || at != time.Minute {
			t.Errorf("it starts after %s: %+v", at, got.Starts.Jobs)
		}
		if len(got.WouldRun[of[0]].Ways) == 0 {
			t.Errorf("it would run if: %+v", got.WouldRun)
		}
		x.background.copying <- struct{}{} // another copy is being made
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := foresee(short, readapi.Foresight{Jobs: of, Starts: true}); !errors.Is(err, noTime) {
			t.Errorf("while another copy is made: %v", err)
		}
		if _, _, err := x.plan(time.Second, nil); err != nil {
			t.Errorf("a plan meanwhile: %v", err)
		}
		<-x.background.copying
		if _, err := foresee(t.Context(), readapi.Foresight{Jobs: of, Starts: true,
			See: func(bool, *sched.Engine, int64, sched.Plan) { panic("a defect") }}); !errors.Is(err, errPlanning) {
			t.Errorf("a panic: %v", err)
		}
		within, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := foresee(within, readapi.Foresight{Jobs: of, Starts: true}); !errors.Is(err, noTime) ||
			within.Err() != nil {
			t.Errorf("right after it: %v, and it was waited for", err)
		}
		<-time.After(afterFailure)
		if _, err := foresee(t.Context(), readapi.Foresight{Jobs: of, Starts: true}); err != nil {
			t.Errorf("a minute after it: %v", err)
		}
	})
}

// Jobs of a client that has gone are not tried, and those of one that goes while they are tried no longer than a cycle.
func TestAPlanOfAClientThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		go x.background.plans.run(t.Context())
		if _, _, err := x.plan(2*time.Second, nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the goroutine that answers goes on after its answer, and what comes now is in its place
		ctx, stop := context.WithCancel(t.Context())
		stop()
		p := &planned{ctx: ctx, see: func(*sched.Engine, readapi.PlannedCycle) { t.Error("they are tried") }}
		if _, err := x.background.plans.reply(t.Context(), p); !errors.Is(err, noTime) {
			t.Errorf("a client that has gone: %v", err)
		}
	})
}
