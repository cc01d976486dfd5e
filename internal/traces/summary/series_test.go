package summary_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/traces"
	"ashlar.sh/internal/traces/summary"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// weighed is the mean of a curve over its whole time.
func weighed(s *summary.Series, makespan summary.Seconds, values []summary.Share) float64 {
	sum := 0.0
	for i, x := range values {
		sum += float64(x) * float64(min(s.Step, makespan-summary.Seconds(i)*s.Step))
	}
	return sum / float64(makespan)
}

// The curves say the same as the figures: their mean is the mean, their highest point is
// the peak, and what the queues held is what was allocated.
func TestCurvesAgreeWithTheFigures(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := drawn(r)
		f := w.Figures(sched.Report{}, 0)
		if f.Series == nil {
			return
		}
		gpu, curve := f.Resources[0], f.Series.Resources[0]
		if n := len(curve.Allocated); n == 0 || n > 240 || len(f.Series.Waiting) != n || len(curve.Fragmented) != n {
			r.Fatalf("%d, %d and %d intervals", n, len(f.Series.Waiting), len(curve.Fragmented))
		}
		for name, pair := range map[string]struct {
			use   summary.Use
			curve []summary.Share
		}{"allocated": {gpu.Allocated, curve.Allocated}, "requested": {gpu.Requested, curve.Requested},
			"fragmented": {gpu.Fragmented, curve.Fragmented}} {
			if got := weighed(f.Series, f.Makespan, pair.curve); math.Abs(got-float64(pair.use.Mean)) > 2 {
				r.Errorf("%s: the curve's mean is %f, the figure's %d", name, got, pair.use.Mean)
			}
		}
		if got := slices.Max(curve.Peak); got > gpu.Allocated.Peak {
			r.Errorf("the curve's highest point is %d, the figure's %d", got, gpu.Allocated.Peak)
		}
		for i, all := range curve.Allocated {
			sum := summary.Share(0)
			for _, q := range f.Series.Queues {
				sum += q.Allocated[i]
			}
			if sum > all || all-sum > 20 {
				r.Fatalf("interval %d: queues hold %d of %d", i, sum, all)
			}
		}
		if n := len(f.Series.Queues); n > 12 {
			r.Errorf("%d queues have a curve", n)
		}
	})
}

// drawn is a run of jobs of one pod in many queues on a large node.
func drawn(r *rapid.T) *summary.Watch {
	gpus := func(n int64) resource.List { return resource.List{{Name: traces.GPU, Value: 1000 * n}} }
	items := []sim.Item{{Fact: model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: "n"},
		Object: &model.Node{Allocatable: gpus(64)}}}}
	var jobs []traces.Job
	n := rapid.IntRange(1, 30).Draw(r, "jobs")
	starts := make([]time.Duration, n)
	for i := range n {
		name := fmt.Sprint("j", i)
		j := traces.Job{Name: name, Queue: fmt.Sprint("q", rapid.IntRange(0, 15).Draw(r, "queue")), Members: 1, MinMembers: 1,
			HasDuration: true,
			Submit:      time.Duration(rapid.IntRange(0, 1000).Draw(r, "submit")) * time.Second,
			Duration:    time.Duration(rapid.IntRange(0, 500).Draw(r, "duration")) * time.Second,
			Spec:        &model.Spec{Requests: gpus(rapid.Int64Range(1, 2).Draw(r, "gpus"))}}
		starts[i] = j.Submit + time.Duration(rapid.IntRange(0, 100).Draw(r, "wait"))*time.Second
		jobs = append(jobs, j)
		items = append(items, sim.Item{Fact: model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: traces.Namespace,
			Name: name + "-0"},
			Object: &model.Pod{Group: name, Spec: j.Spec}}, SubmitAt: j.Submit, Duration: j.Duration, HasDuration: true})
	}
	w := summary.New(items, jobs, time.Second)
	for at := time.Duration(0); at <= 2000*time.Second; at += time.Second {
		var plan sched.Plan
		for i, start := range starts {
			if start == at {
				plan.Items = append(plan.Items, sched.Item{Kind: sched.BindPod, Node: "n",
					Pod: ledger.Key{Namespace: traces.Namespace, Name: fmt.Sprintf("j%d-0", i)}})
			}
		}
		w.See(sim.Cycle{At: at, Plan: plan})
	}
	return w
}

// Nothing that happened is lost where many things fall into one interval: a crowd that
// waited for a moment in a long run shows.
func TestAMomentInALongRunShows(t *testing.T) {
	spec := &model.Spec{Requests: resource.List{{Name: traces.GPU, Value: 1000}}}
	items := []sim.Item{{Fact: model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: "n"},
		Object: &model.Node{Allocatable: resource.List{{Name: traces.GPU, Value: 10_000}}}}}}
	var jobs []traces.Job
	var plan, last sched.Plan
	for i := range 11 {
		j := traces.Job{Name: fmt.Sprint("j", i), Queue: "q", Members: 1, MinMembers: 1, HasDuration: true,
			Duration: 2 * time.Second, Spec: spec}
		at := &plan
		if i == 10 {
			j.Submit, at = 1000*time.Hour, &last
		}
		jobs = append(jobs, j)
		key := ledger.Key{Namespace: traces.Namespace, Name: j.Name + "-0"}
		items = append(items, sim.Item{Fact: model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: key.Namespace,
			Name: key.Name},
			Object: &model.Pod{Group: j.Name, Spec: spec}}, SubmitAt: j.Submit, Duration: j.Duration, HasDuration: true})
		at.Items = append(at.Items, sched.Item{Kind: sched.BindPod, Pod: key, Node: "n"})
	}
	w := summary.New(items, jobs, time.Second)
	w.See(sim.Cycle{At: 3 * time.Second, Plan: plan})
	w.See(sim.Cycle{At: 1000 * time.Hour, Plan: last})
	w.See(sim.Cycle{At: 1000*time.Hour + 3*time.Second})
	s := w.Figures(sched.Report{}, 0).Series
	if s.Waiting[0] != 10 || s.Resources[0].Peak[0] != 1_000_000 || s.Resources[0].Allocated[0] > 1000 {
		t.Errorf("waiting %d, at most %s and on average %s allocated; want 10, all, and nearly nothing", s.Waiting[0],
			s.Resources[0].Peak[0], s.Resources[0].Allocated[0])
	}
}

// A cluster that is being filled is looked at whenever requests pass a mark.
func TestAFillingClusterIsLookedAtOnItsWay(t *testing.T) {
	spec := &model.Spec{Requests: resource.List{{Name: traces.GPU, Value: 1000}}}
	items := []sim.Item{{Fact: model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: "n"},
		Object: &model.Node{Allocatable: resource.List{{Name: traces.GPU, Value: 10_000}}}}}}
	var jobs []traces.Job
	for i := range 12 {
		j := traces.Job{Name: fmt.Sprint("j", i), Members: 1, MinMembers: 1, Spec: spec,
			Submit: time.Duration(i) * time.Second}
		jobs = append(jobs, j)
		items = append(items, sim.Item{Fact: model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: traces.Namespace,
			Name: j.Name + "-0"},
			Object: &model.Pod{Group: j.Name, Spec: spec}}, SubmitAt: j.Submit})
	}
	w := summary.New(items, jobs, time.Second)
	w.Fill()
	for i := range 12 {
		c := sim.Cycle{At: time.Duration(i) * time.Second}
		if i < 9 { // a tenth never gets a place
			c.Plan.Items = []sched.Item{{Kind: sched.BindPod, Pod: ledger.Key{Namespace: traces.Namespace,
				Name: fmt.Sprintf("j%d-0", i)}, Node: "n"}}
		}
		w.See(c)
	}
	got := w.Figures(sched.Report{}, 0).Loads
	want := []summary.Share{800_000, 900_000, 900_000, 900_000, 900_000}
	if len(got) != len(want) {
		t.Fatalf("%d marks: %+v", len(got), got)
	}
	for i, share := range want {
		if got[i].Allocated != share || got[i].Requested != summary.Share(800_000+100_000*i) ||
			got[i].At != summary.Seconds(time.Duration(7+i)*time.Second) {
			t.Errorf("mark %d: %+v, want %s allocated", i, got[i], share)
		}
	}
}

// What -o json has of the curves -o csv has too, value by value.
func TestTheTableOfFiguresHasTheCurves(t *testing.T) {
	f := tiny(t)
	var table bytes.Buffer
	if err := f.CSV(&table); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range rows {
		key := strings.Join(r[:3], " ")
		if _, twice := got[key]; twice {
			t.Errorf("%s is there twice", key)
		}
		got[key] = r[3]
	}
	want := map[string]string{"series  step_s": f.Series.Step.String()}
	for i := range f.Series.Waiting {
		at := (f.Series.Begin + summary.Seconds(i)*f.Series.Step).String()
		want["series  waiting_at_"+at] = strconv.FormatInt(f.Series.Waiting[i], 10)
		for _, r := range f.Series.Resources {
			want["series "+r.Name+" allocated_at_"+at] = r.Allocated[i].String()
			want["series "+r.Name+" allocated_peak_at_"+at] = r.Peak[i].String()
			want["series "+r.Name+" requested_at_"+at] = r.Requested[i].String()
			want["series "+r.Name+" fragmented_at_"+at] = r.Fragmented[i].String()
		}
		for _, q := range f.Series.Queues {
			want["series_queue "+q.Name+" allocated_at_"+at] = q.Allocated[i].String()
		}
	}
	if len(f.Series.Waiting) < 100 || len(f.Series.Queues) != 2 {
		t.Fatalf("%d intervals, %d queues: too few to tell", len(f.Series.Waiting), len(f.Series.Queues))
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s is %q, want %q", key, got[key], value)
		}
	}
}
