package loop

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// estimating is a loop with a node that a pod holds for a minute, and a pod that waits for it.
type estimating struct {
	*loop
	t       *testing.T
	version uint64
	foresee readapi.Foresee // of the last plan
}

func newEstimating(t *testing.T) *estimating {
	t.Helper()
	return estimatingOn(t, answeringLoop(t))
}

func estimatingOn(t *testing.T, l *loop) *estimating {
	t.Helper()
	var err error
	l.engine, err = sched.New(policy.Profile{Actions: []string{"allocate"}, Tiers: [][]policy.Choice{{{Plugin: "gang"},
		{Plugin: "predicates"}}}})
	if err != nil {
		t.Fatal(err)
	}
	l.began = time.Now()
	l.background.questions.decided()
	x := &estimating{loop: l, t: t}
	x.put(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
	x.put(model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n"},
		Allocatable: resource.List{{Name: "cpu", Value: 1000}, {Name: "pods", Value: 10}}})
	x.pod("runs", "n", time.Minute)
	x.pod("waits", "", time.Hour)
	x.engine.Decide(x.now())
	return x
}

func (x *estimating) put(k model.Kind, ns, name string, o model.Object) {
	x.version++
	x.engine.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: ns, Name: name}, UID: name, Version: x.version,
		Object: o})
}

func (x *estimating) pod(name, node string, limit time.Duration) {
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Node: node, Index: -1,
		Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000}, {Name: "pods", Value: 1}}}}
	if node != "" {
		p.Phase, p.Started = model.PodRunning, x.now()
	}
	p.SetRare(model.Times{Limit: int64(limit)})
	x.put(model.KindPod, "ns", name, p)
}

// waits is the estimate of the pod that waits, from now.
func (x *estimating) waits() (time.Duration, trace.Start) {
	x.t.Helper()
	s := x.background.estimates.latest.Load()
	if s == nil {
		x.t.Fatal("there are no estimates")
	}
	start := s.Of(ledger.JobKey{Namespace: "ns", Name: "waits", Adopted: true}, x.now())
	return time.Duration(start.Latest - x.now()), start
}

// Estimates follow what changes, are not made anew where nothing does, and end when the time has passed.
func TestEstimatesFollowTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		ctx, stop := context.WithCancel(t.Context())
		go x.background.estimates.run(ctx, 10*time.Second)
		<-time.After(11 * time.Second)
		synctest.Wait()
		if left, s := x.waits(); left != 49*time.Second {
			t.Errorf("after 11 s it starts in %v: %+v", left, s)
		}
		made := x.background.estimates.latest.Load()
		<-time.After(20 * time.Second)
		synctest.Wait()
		if x.background.estimates.latest.Load() != made {
			t.Error("nothing has changed, and the estimates were made anew")
		}
		if _, err := x.background.questions.ask(t.Context(), func(e *sched.Engine, _ readapi.Moment) { // in the loop
			x.pod("runs", "n", 2*time.Minute) // its limit is raised: it starts over
			e.Decide(x.now())
		}); err != nil {
			t.Fatal(err)
		}
		<-time.After(10 * time.Second)
		synctest.Wait()
		if left, s := x.waits(); left != 110*time.Second || time.Duration(s.Slip) != 91*time.Second {
			t.Errorf("it starts in %v, %v later than was estimated first", left, time.Duration(s.Slip))
		}
		stop()
		synctest.Wait()
		if _, s := x.waits(); s.Unknown != trace.UnknownNone {
			t.Errorf("%+v", s)
		}
		<-time.After(time.Hour)
		if _, s := x.waits(); s.Unknown != trace.Passed {
			t.Errorf("after an hour: %+v", s)
		}
	})
}

// The slip of a job that starts is measured, once.
func TestTheSlipIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		x.background.estimates.refresh(t.Context())
		<-time.After(150 * time.Second)
		x.put(model.KindPod, "ns", "runs", nil)
		plan, _, _ := x.engine.Decide(x.now())
		for range 2 {
			x.background.estimates.started(plan.Items)
		}
		samples, sum := histogram(t, x.metrics.ofCosts.slip)
		if samples != 1 || sum != 90 {
			t.Errorf("%d samples, %v s together; want 1 of 90 s", samples, sum)
		}
	})
}

// No estimate is made by a replica that does not decide.
func TestAStandbyEstimatesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEstimating(t)
		x.acting = false
		x.background.estimates.refresh(t.Context())
		if x.background.estimates.latest.Load() != nil {
			t.Error("it estimates")
		}
	})
}

// Where one of two functions panics, the other is over before that is told.
func TestWhatPanicsAtOnceIsToldWhenBothAreOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var over atomic.Int64
		last := func() {
			<-time.After(time.Second)
			over.Add(1)
		}
		bug := func() { panic("a bug") }
		for _, x := range [][2]func(){{bug, last}, {last, bug}} {
			if err := crash.Handler(nil).Recover("two things", func() { atOnce(x[0], x[1]) }); err == nil ||
				!strings.Contains(err.Error(), "a bug") {
				t.Errorf("the error is %v", err)
			}
		}
		if atOnce(last, last); over.Load() != 4 {
			t.Errorf("%d functions were over, want 4", over.Load())
		}
	})
}

// histogram is how many values a histogram has, and their sum.
func histogram(t *testing.T, h prometheus.Histogram) (samples uint64, sum float64) {
	t.Helper()
	var is dto.Metric
	if err := h.Write(&is); err != nil {
		t.Fatal(err)
	}
	return is.GetHistogram().GetSampleCount(), is.GetHistogram().GetSampleSum()
}
