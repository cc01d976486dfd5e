package summary_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/traces"
	"ashlar.sh/internal/traces/summary"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// world is a trace about to be replayed.
type world struct {
	*sim.World
	trace *traces.Trace
	watch *summary.Watch
}

// load makes a world of two tables, under the default configuration.
func load(t *testing.T, nodes, jobs string) world {
	t.Helper()
	var files []traces.File
	for _, name := range []string{nodes, jobs} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files = append(files, traces.File{Name: filepath.Base(name), Reader: f})
	}
	trace, err := traces.Read(files[0], files[1])
	if err != nil {
		t.Fatal(err)
	}
	items := trace.Items
	for _, q := range trace.Queues {
		items = append(items, traces.Queue(q))
	}
	w, err := sim.New(profile.Of(config.Default()), items, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return world{w, trace, summary.New(items, trace.Jobs, sim.DefaultPeriod)}
}

// replay runs a world to its end.
func (w world) replay() *summary.Figures {
	for {
		c, more := w.Step()
		if !more {
			return w.watch.Figures(w.Engine().Report(), 0)
		}
		w.watch.See(c)
	}
}

func tiny(t *testing.T) *summary.Figures {
	return load(t, "testdata/tiny.nodes.csv", "testdata/tiny.jobs.csv").replay()
}

// Two nodes of two GPUs. In seconds, with one for a pod to start:
//
//	two   0 to 11 on a node of its own
//	one   0 to 21 on the other
//	half  5 to 11 beside one
//	gang  from 5 on wants both nodes whole: 21 to 32
func TestTheFiguresOfATinyTraceAreThoseReckonedByHand(t *testing.T) {
	f := tiny(t)
	f.Series = nil // has tests of its own
	const s = summary.Seconds(time.Second)
	one := func(x summary.Seconds) summary.Spread { return summary.Spread{Mean: x, P50: x, P90: x, P99: x, Max: x} }
	want := &summary.Figures{APIVersion: "ashlar.sh/v1alpha1", Kind: "TraceReport", Cycles: f.Cycles,
		VirtualTime: f.VirtualTime, Passed: &summary.Passed{},
		Makespan: 32 * s, Decisions: 5,
		All: summary.Group{Name: "all", Jobs: 4, Started: 4, Finished: 4,
			Delay:      summary.Spread{Mean: 4 * s, P90: 16 * s, P99: 16 * s, Max: 16 * s},                    // 0 0 0 16
			Completion: summary.Spread{Mean: 65 * s / 4, P50: 11 * s, P90: 27 * s, P99: 27 * s, Max: 27 * s}}, // 6 11 21 27
		Queues: []summary.Group{
			{Name: "default", Jobs: 3, Started: 3, Finished: 3,
				Delay:      summary.Spread{Mean: 5_333_333_333, P90: 16 * s, P99: 16 * s, Max: 16 * s},
				Completion: summary.Spread{Mean: 19_666_666_666, P50: 21 * s, P90: 27 * s, P99: 27 * s, Max: 27 * s}},
			{Name: "other", Jobs: 1, Started: 1, Finished: 1, Completion: one(6 * s)},
		},
		Users: []summary.Group{
			{Name: "ann", Jobs: 2, Started: 2, Finished: 2, Completion: summary.Spread{Mean: 16 * s, P50: 11 * s, P90: 21 * s,
				P99: 21 * s, Max: 21 * s}},
			{Name: "bob", Jobs: 2, Started: 2, Finished: 2,
				Delay:      summary.Spread{Mean: 8 * s, P90: 16 * s, P99: 16 * s, Max: 16 * s},
				Completion: summary.Spread{Mean: 33 * s / 2, P50: 6 * s, P90: 27 * s, P99: 27 * s, Max: 27 * s}},
		},
		GangSizes: []summary.Group{
			{Name: "1", Jobs: 3, Started: 3, Finished: 3, Completion: summary.Spread{Mean: 38 * s / 3, P50: 11 * s, P90: 21 * s,
				P99: 21 * s, Max: 21 * s}},
			{Name: "2", Jobs: 1, Started: 1, Finished: 1, Delay: one(16 * s), Completion: one(27 * s)},
		},
		// GPU seconds of 4 x 32 = 128: two 22, one 21, half 3, gang 4 x 11 allocated, 4 x 27 requested.
		Resources: []summary.Resource{{Name: traces.GPU, Capacity: "4",
			Allocated:  summary.Use{Mean: 703_125, Peak: 1_000_000, PeakAt: 21 * s},
			Requested:  summary.Use{Mean: 1_203_125, Peak: 1_875_000, PeakAt: 5 * s},
			Fragmented: summary.Use{Mean: 89_062, Peak: 150_000}}},
		// Of 5 pods 3 ask for 2 GPUs, 1 for 1, 1 for a half. An idle GPU beside one is of no use to 3 of
		// 5, the half beside one and half to 4 of 5: 5 s x 0.6 + 6 s x 0.4 + 10 s x 0.6 = 11.4 of 128.
		Fragmentation: &summary.Fragmentation{Resource: traces.GPU, Mean: 89_062, Peak: 150_000},
		Waiting:       []summary.Waiting{}, Problems: []summary.Problem{}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("the figures (-want +got):\n%s", diff)
	}
}

func TestTheSameFiguresComeAsTextJSONAndCSV(t *testing.T) {
	f := tiny(t)
	var text, doc, table bytes.Buffer
	for _, err := range []error{f.Text(&text), f.JSON(&doc), f.CSV(&table)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var back struct {
		Kind          string
		Makespan      float64
		Fragmentation struct{ Mean float64 }
		Queues        []struct{ Completion struct{ Mean float64 } }
	}
	if err := json.Unmarshal(doc.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Kind != "TraceReport" || back.Makespan != 32 || back.Fragmentation.Mean != 0.089062 ||
		back.Queues[0].Completion.Mean != 19.666666666 {
		t.Errorf("the document says %+v:\n%s", back, doc.String())
	}
	for _, line := range []string{"run,,makespan_s,32\n", "all,,delay_p90_s,16\n", "queue,other,completion_mean_s,6\n",
		"user,bob,delay_mean_s,8\n", "gang,2,jobs,1\n", "resource,nvidia.com/gpu,allocated_mean,0.703125\n"} {
		if !strings.Contains(table.String(), line) {
			t.Errorf("the table lacks %q:\n%s", line, table.String())
		}
	}
	for _, part := range []string{"4 jobs: 4 started, 4 finished, 0 wait", "makespan 32s of virtual time",
		"fragmented: mean", "8.9  15.0", "queue other", "user ann", "members 2"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("the text lacks %q:\n%s", part, text.String())
		}
	}
}

// An evicted pod gives its room back a cycle later, and its job ends when the pod that
// replaces it has run its whole time again; the delay is that of the first start.
func TestAnEvictionSendsAJobBackToWork(t *testing.T) {
	const s = time.Second
	gpu := resource.List{{Name: traces.GPU, Value: 1000}}
	spec := &model.Spec{Requests: gpu}
	items := []sim.Item{
		{Fact: model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: "n"}, Object: &model.Node{Allocatable: gpu}}},
		{Fact: model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: traces.Namespace, Name: "j-0"},
			Object: &model.Pod{Group: "j", Spec: spec}}, Duration: 10 * s, HasDuration: true},
	}
	w := summary.New(items, []traces.Job{{Name: "j", Queue: "q", Duration: 10 * s, HasDuration: true, Members: 1,
		MinMembers: 1, Spec: spec}}, s)
	cycle := func(at time.Duration, kind sched.ItemKind) {
		w.See(sim.Cycle{At: at, Plan: sched.Plan{Items: []sched.Item{
			{Kind: kind, Pod: ledger.Key{Namespace: traces.Namespace, Name: "j-0"}, Node: "n"}}}})
	}
	cycle(2*s, sched.BindPod)
	cycle(6*s, sched.EvictPod) // gone at 7: 5 seconds for nothing
	cycle(8*s, sched.BindPod)  // runs from 9 to 19
	w.See(sim.Cycle{At: 19 * s})
	f := w.Figures(sched.Report{}, 5*s)
	if got := f.All; got.Delay.Mean != summary.Seconds(2*s) || got.Completion.Mean != summary.Seconds(19*s) ||
		f.Evictions != 1 {
		t.Errorf("%d evictions, delay %s, completion %s: want 1, 2, 19", f.Evictions, got.Delay.Mean, got.Completion.Mean)
	}
	if got := f.Resources[0].Allocated.Mean; got != 842_105 { // (5 + 11) / 19
		t.Errorf("allocated on average %s, want 0.842105", got)
	}
	if f.PerSecond != 0 || f.Decisions != 3 {
		t.Errorf("%d decisions, %d a second: want 3 and, in 5 s, 0", f.Decisions, f.PerSecond)
	}
}
