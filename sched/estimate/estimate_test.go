package estimate_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

const (
	second = int64(1_000_000_000)
	now    = 1_000_000 * second
)

// cluster is an engine with one node of 4 cpus.
type cluster struct {
	*testing.T
	*sched.Engine
	version uint64
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}}}})
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{T: t, Engine: e}
	c.put(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
	c.put(model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n"}, Allocatable: cpus(4)})
	return c
}

func cpus(n int64) resource.List {
	return resource.List{{Name: "cpu", Value: n * 1000}, {Name: "pods", Value: n * 10}}
}

func (c *cluster) put(k model.Kind, ns, name string, o model.Object) {
	c.version++
	c.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: ns, Name: name}, UID: name, Version: c.version, Object: o})
}

// pod adds a pod of its own; on a node it runs since started.
func (c *cluster) pod(name, node string, cpu, started int64, times model.Times) *model.Pod {
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name, Created: now - 100*second}, Ours: true,
		Node: node, Index: -1, Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: cpu * 1000},
			{Name: "pods", Value: 1}}}}
	if node != "" {
		p.Phase, p.Started = model.PodRunning, started
	}
	p.SetRare(times)
	c.put(model.KindPod, "ns", name, p)
	return p
}

// starts runs a cycle and estimates.
func (c *cluster) starts(o estimate.Options) *estimate.Starts {
	c.Helper()
	c.Decide(now)
	s, err := estimate.Of(sched.CopiesOf(c.Engine), now, o)
	if err != nil {
		c.Fatal(err)
	}
	return s
}

// of is the estimate of a job that was made for one pod.
func (c *cluster) of(name string) trace.Start {
	c.Helper()
	s, known := c.starts(estimate.Options{}).Jobs[ledger.JobKey{Namespace: "ns", Name: name, Adopted: true}]
	if !known {
		c.Fatalf("there is no estimate for %s", name)
	}
	return s
}

func TestTheRangeIsFromGuessesToLimits(t *testing.T) {
	minutes := func(n int64) int64 { return n * 60 * second }
	const enforced, declared = model.TimeEnforced, model.TimeDeclared
	limit := func(guess int64) model.Times { return model.Times{Limit: minutes(10), Lasts: guess} }
	for name, x := range map[string]struct {
		started          int64
		times            model.Times
		earliest, latest int64 // from now
		source           model.TimeSource
	}{
		"a limit":                        {now, limit(0), minutes(10), minutes(10), enforced},
		"a guess and a limit":            {now, limit(minutes(4)), minutes(4), minutes(10), declared},
		"a guess":                        {now, model.Times{Lasts: minutes(4)}, minutes(4), 0, declared},
		"it ran for some time":           {now - minutes(3), limit(0), minutes(7), minutes(7), enforced},
		"a guess that it outlived":       {now - minutes(6), limit(minutes(4)), minutes(2), minutes(4), declared},
		"a limit that has passed":        {now - minutes(60), limit(0), second, second, enforced},
		"a start in the future":          {now + minutes(60), limit(0), minutes(10), minutes(10), enforced},
		"a start before there was time":  {math.MinInt64 / 2, limit(0), second, second, enforced},
		"a guess that is above a limit":  {now, limit(minutes(40)), minutes(10), minutes(10), enforced},
		"a guess as long as time can be": {now, limit(math.MaxInt64), minutes(10), minutes(10), enforced},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.pod("runs", "n", 4, x.started, x.times)
			c.pod("waits", "", 4, 0, model.Times{})
			got := c.of("waits")
			since := func(at int64) int64 {
				if at == 0 {
					return 0
				}
				return at - now
			}
			if since(got.Earliest) != x.earliest || since(got.Latest) != x.latest || got.Source != x.source {
				t.Errorf("from %d to %d s by %s, want %d to %d by %s", since(got.Earliest)/second, since(got.Latest)/second,
					got.Source, x.earliest/second, x.latest/second, x.source)
			}
			if x.latest == 0 && (got.Unknown != trace.EndsUnknown || !slices.Equal(got.Jobs, []string{"ns/runs"})) ||
				x.latest != 0 && got.Unknown != trace.UnknownNone {
				t.Errorf("unknown: %s %v", got.Unknown, got.Jobs)
			}
		})
	}
}

// TestEarlierRunsAreAGuess: those that start in the run have it, too, and what ends in the run changes no guess.
// A pod that should have been gone a minute ago is not counted on; one that still has hours to leave is, at their end.
func TestAPodThatShouldHaveGoneIsNotCountedOn(t *testing.T) {
	for goneBy, known := range map[int64]bool{now - 60*second: false, now - 59*second: true, now + 7200*second: true} {
		c := newCluster(t)
		p := *c.pod("old", "n", 4, now-9000*second, model.Times{GoneBy: goneBy})
		p.Deleting, p.Owner, p.OwnerID = true, "", ""
		c.put(model.KindPod, "ns", "old", &p)
		c.pod("waits", "", 4, 0, model.Times{})
		s := c.of("waits")
		if at := s.Earliest; (at != 0 && at != model.Never) != known || known && at < goneBy {
			t.Errorf("with a pod that should go by %d s from now, the job starts at %+v", (goneBy-now)/second, s)
		}
	}
}

func TestEarlierRunsAreAGuess(t *testing.T) {
	c := newCluster(t)
	of := func(name, node string, started int64) {
		p := *c.pod(name, node, 4, started, model.Times{})
		p.Template = 7
		c.put(model.KindPod, "ns", name, &p)
	}
	done := *c.pod("ran", "n", 4, now-1000*second, model.Times{})
	done.Template, done.Phase = 7, model.PodSucceeded
	done.SetRare(model.Times{Ended: now - 760*second})
	c.put(model.KindPod, "ns", "ran", &done)
	of("runs", "n", now)
	of("first", "", 0)
	of("second", "", 0)
	for name, after := range map[string]int64{"first": 240, "second": 481} { // a pod needs a second to start
		got := c.of(name)
		if got.Earliest != now+after*second || got.Latest != 0 || got.Source != model.TimePredicted ||
			got.Unknown != trace.EndsUnknown {
			t.Errorf("%s starts %d s from now at the earliest, by %s (%s), want %d s, predicted", name,
				(got.Earliest-now)/second, got.Source, got.Unknown, after)
		}
	}
}

// TestAJobBehindAnotherCounts: the room goes to the jobs in their order, and their own run times count.
func TestAJobBehindAnotherCounts(t *testing.T) {
	c := newCluster(t)
	c.pod("runs", "n", 4, now, model.Times{Limit: 60 * second})
	c.pod("first", "", 4, 0, model.Times{Limit: 30 * second})
	c.pod("second", "", 4, 0, model.Times{})
	c.pod("third", "", 4, 0, model.Times{Limit: second})
	// first is bound at 60 s, runs from 61 s, and ends at 91 s.
	if first, second1 := c.of("first"), c.of("second"); first.Latest != now+60*second || second1.Latest != now+91*second {
		t.Errorf("first at %d s, second at %d s", (first.Latest-now)/second, (second1.Latest-now)/second)
	}
	if third := c.of("third"); third.Unknown != trace.EndsUnknown || !slices.Equal(third.Jobs, []string{"ns/second"}) {
		t.Errorf("third: %+v", third)
	}
}

func TestWhyAStartIsNotKnown(t *testing.T) {
	for name, x := range map[string]struct {
		make func(c *cluster)
		want trace.Unknown
	}{
		"more than any node has": {func(c *cluster) { c.pod("waits", "", 5, 0, model.Times{}) }, trace.DoesNotStart},
		"pods that never end":    {func(c *cluster) { c.pod("waits", "", 4, 0, model.Times{}) }, trace.EndsUnknown},
		"besides, a pod on a node that is gone": {func(c *cluster) {
			c.pod("lost", "gone", 1, now, model.Times{})
			c.pod("waits", "", 4, 0, model.Times{})
		}, trace.EndsUnknown},
		"a gate": {func(c *cluster) {
			p := *c.pod("waits", "", 1, 0, model.Times{})
			p.Gated = true
			c.put(model.KindPod, "ns", "waits", &p)
		}, trace.DoesNotStart},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.pod("runs", "n", 4, now, model.Times{})
			x.make(c)
			if got := c.of("waits"); got.Unknown != x.want || got.Earliest != 0 || got.Latest != 0 {
				t.Errorf("%+v, want %s", got, x.want)
			}
		})
	}
	c := newCluster(t)
	c.put(model.KindPodGroup, "ns", "podless", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "podless"},
		MinMember: 2})
	s := c.starts(estimate.Options{})
	if got := s.Jobs[ledger.JobKey{Namespace: "ns", Name: "podless"}]; got.Unknown != trace.PodsNotMade {
		t.Errorf("a gang without pods: %+v", got)
	}
}

// TestBothRunsAtOnceSayTheSame: and nothing is told of where the second copy fails.
func TestBothRunsAtOnceSayTheSame(t *testing.T) {
	c := newCluster(t)
	c.pod("runs", "n", 4, now, model.Times{Limit: 600 * second, Lasts: 60 * second})
	for i := range 9 {
		c.pod(fmt.Sprintf("waits-%d", i), "", 1+int64(i%4), 0, model.Times{Limit: 90 * second, Lasts: int64(i) * second})
	}
	atOnce := func(a, b func()) {
		var other sync.WaitGroup
		other.Go(b)
		a()
		other.Wait()
	}
	one, both := c.starts(estimate.Options{}), c.starts(estimate.Options{Both: atOnce})
	if one.Runs != 2 || !reflect.DeepEqual(one, both) {
		t.Errorf("one after the other: %+v; at once: %+v", one, both)
	}
	copies, failed := sched.CopiesOf(c.Engine), errors.New("no second copy")
	made := 0
	if s, err := estimate.Of(func() (*sched.Copy, error) {
		if made++; made > 1 {
			return nil, failed
		}
		return copies()
	}, now, estimate.Options{Both: atOnce}); s != nil || !errors.Is(err, failed) {
		t.Errorf("%v, %v", s, err)
	}
}

// TestARunThatIsCutSaysHowFarItCame: what was found before holds.
func TestARunThatIsCutSaysHowFarItCame(t *testing.T) {
	c := newCluster(t)
	c.pod("runs", "n", 4, now, model.Times{Limit: 60 * second})
	c.pod("first", "", 4, 0, model.Times{Limit: 30 * second})
	c.pod("second", "", 4, 0, model.Times{})
	for _, o := range []estimate.Options{{Steps: 4}, {Stop: stopAfter(4)}} {
		s := c.starts(o)
		first, second1 := s.Of(ledger.JobKey{Namespace: "ns", Name: "first", Adopted: true}, now),
			s.Of(ledger.JobKey{Namespace: "ns", Name: "second", Adopted: true}, now)
		if !s.Cut || first.Latest != now+60*second || second1.Unknown != trace.NotReached || second1.Until < first.Latest {
			t.Errorf("first %+v, second %+v", first, second1)
		}
	}
}

func stopAfter(n int) func() bool {
	return func() bool {
		n--
		return n < 0
	}
}

// TestCoarseStepsHoldTheExactStart: with steps that grow, the range holds the step.
func TestCoarseStepsHoldTheExactStart(t *testing.T) {
	c := newCluster(t)
	c.pod("runs", "n", 4, now, model.Times{Limit: 36_007 * second})
	for i := range 20_000 { // many jobs: few steps
		c.put(model.KindPodGroup, "ns", string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676)),
			&model.PodGroup{Meta: model.Meta{Namespace: "ns"}, MinMember: 1})
	}
	c.pod("waits", "", 4, 0, model.Times{})
	s := c.starts(estimate.Options{Coarse: true})
	got := s.Jobs[ledger.JobKey{Namespace: "ns", Name: "waits", Adopted: true}]
	if exact := now + 36_007*second; got.Earliest > exact || got.Latest < exact || got.Latest-got.Earliest > 7200*second {
		t.Errorf("from %d to %d s", (got.Earliest-now)/second, (got.Latest-now)/second)
	}
}

func TestWhatHasPassedIsNotKnown(t *testing.T) {
	s := trace.Start{Made: 1, Earliest: 10, Latest: 20, First: 15, Slip: 5}
	if at := s.At(20); at.Unknown != trace.UnknownNone || at.Latest != 20 {
		t.Errorf("at its time: %+v", at)
	}
	if at := s.At(21); at.Unknown != trace.Passed || at.Earliest != 0 || at.Latest != 0 || at.Until != 20 {
		t.Errorf("after it: %+v", at)
	}
	if at := s.At(12); at.Earliest != 12 || at.Latest != 20 {
		t.Errorf("after the earliest start, and before the latest, it is told as %+v", at)
	}
	guess := trace.Start{Made: 1, Earliest: 10, Unknown: trace.EndsUnknown}
	if at := guess.At(11); at.Earliest != 0 || at.Unknown != trace.EndsUnknown {
		t.Errorf("a guess that has passed: %+v", at)
	}
	if back := s.At(-5); back.Latest != 20 {
		t.Errorf("a clock that went back: %+v", back)
	}
}

func TestTheFirstEstimateStays(t *testing.T) {
	k := ledger.JobKey{Namespace: "ns", Name: "job"}
	made := func(at int64, s trace.Start) *estimate.Starts {
		s.Made = at
		return &estimate.Starts{Made: at, Jobs: map[ledger.JobKey]trace.Start{k: s}}
	}
	var f estimate.Firsts
	for _, x := range []struct {
		s           trace.Start
		first, slip int64
	}{
		{trace.Start{Unknown: trace.EndsUnknown}, 0, 0},
		{trace.Start{Earliest: 100, Latest: 200}, 200, 0},
		{trace.Start{Earliest: 150, Latest: 260}, 200, 60},
		{trace.Start{Unknown: trace.NotReached}, 200, 0},
		{trace.Start{Earliest: 90, Latest: 180}, 200, -20},
	} {
		s := made(1, x.s)
		f.Note(s)
		if got := s.Jobs[k]; got.First != x.first || got.Slip != x.slip {
			t.Errorf("%+v: first %d, slip %d", x, got.First, got.Slip)
		}
	}
	first, known := f.Started(k)
	if !known || first.Slip(230) != 30 || first.Slip(120) != 0 ||
		!first.Holds(120) || first.Holds(99) || first.Holds(201) {
		t.Errorf("%+v, %t", first, known)
	}
	if _, known := f.Started(k); known {
		t.Error("a job that has started is still known")
	}
	f.Recall(k, first)
	f.Note(&estimate.Starts{Jobs: map[ledger.JobKey]trace.Start{}})
	if _, known := f.Started(k); known {
		t.Error("a job that is gone is still known")
	}
}
