package sim_test

import (
	"fmt"
	"testing"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// TestAJobStartsWhenItWasEstimated: where pods run for as long as their limits say, and nothing new comes, each job
// starts at the moment that was estimated, and one without an estimate does not start: with gangs, queues with limits
// and in order, planned starts, priorities and evictions. The copy on which it is found is a scheduler that has just
// been started, so the one of the world is started anew, too.
func TestAJobStartsWhenItWasEstimated(t *testing.T) {
	estimated, unknown, evicted, later := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := draw{t}
		w := d.estimatedWorld()
		starts, before := d.starts(w), len(w.Evictions())
		if err := w.Restart(); err != nil {
			t.Fatal(err)
		}
		began := startsOf(w, starts.Jobs)
		for k, s := range starts.Jobs {
			at := began[k]
			switch {
			case s.Unknown != trace.UnknownNone && at != 0:
				t.Fatalf("%s starts at %v and was to be unknown: %+v", k, time.Duration(at), s)
			case s.Unknown == trace.UnknownNone && (s.Earliest != s.Latest || at != s.Earliest):
				t.Fatalf("%s starts at %v, and was to start between %v and %v", k, time.Duration(at),
					time.Duration(s.Earliest), time.Duration(s.Latest))
			case s.Unknown == trace.UnknownNone:
				if estimated++; at > starts.Made+int64(5*time.Second) {
					later++
				}
			default:
				unknown++
			}
		}
		evicted += len(w.Evictions()) - before
	})
	t.Logf("%d estimates, %d of more than 5 s; %d unknown; %d evictions afterwards", estimated, later, unknown, evicted)
	if later == 0 || unknown == 0 {
		t.Error("the worlds are too simple")
	}
}

// TestAnEvictionIsPartOfAnEstimate: a job with a higher priority starts as soon as the pod is gone that is evicted for
// it, and that pod's replacement when the job has ended.
func TestAnEvictionIsPartOfAnEstimate(t *testing.T) {
	limit := func(d time.Duration) edit {
		return func(i *sim.Item) {
			i.Duration, i.HasDuration = d, true
			i.Fact.Object.(*model.Pod).SetRare(model.Times{Limit: int64(d), Lasts: int64(d)})
		}
	}
	plain := func(*sim.Item) {}
	gated := as(func(p *model.Pod) { p.Gated, p.QueueGate = true, model.QueueGateShut }) // a new pod has its gate again
	for _, gate := range []edit{plain, gated} {
		for _, stop := range []time.Duration{5 * time.Second, 6 * time.Second} { // the eviction is decided, and shows
			w, err := sim.New(profile("preempt"), append(priorities(), node("n", 2), classed("low", 1, 1),
				classed("high", 1, 2),
				pod("low-0", 2, of("low"), owned, limit(time.Hour), gate),
				pod("high-0", 2, of("high"), owned, limit(time.Minute), at(5*time.Second))), sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			w.Run(stop)
			startsAsEstimated(t, w, "low", "high")
		}
	}
}

// startsAsEstimated runs a world in which a pod is evicted for another, and compares when jobs start.
func startsAsEstimated(t *testing.T, w *sim.World, jobs ...string) {
	t.Helper()
	stop := w.Now()
	starts, err := w.Starts(nil)
	if err != nil {
		t.Fatal(err)
	}
	waiting := map[ledger.JobKey]trace.Start{}
	for _, name := range jobs {
		waiting[ledger.JobKey{Namespace: "ns", Name: name}] = trace.Start{}
	}
	began := startsOf(w, waiting)
	if len(w.Evictions()) != 1 {
		t.Fatalf("%d evictions", len(w.Evictions()))
	}
	for k, s := range starts.Jobs {
		if began[k] == 0 || s.Latest != began[k] || s.Earliest != began[k] {
			t.Errorf("after %v: %s starts at %v, and was to start at %v", stop, k, time.Duration(began[k]),
				time.Duration(s.Latest))
		}
	}
}

// priorities are priority classes, each called by its value.
func priorities() (out []sim.Item) {
	for n := range int32(3) {
		name := fmt.Sprint(n)
		out = append(out, sim.Item{Fact: model.Fact{Ref: model.Ref{Kind: model.KindPriorityClass, Name: name},
			Object: &model.PriorityClass{Value: n}}})
	}
	return out
}

// classed is a PodGroup of such a class.
func classed(name string, minMember, priority int32, edits ...edit) sim.Item {
	g := group(name, minMember, edits...)
	g.Fact.Object.(*model.PodGroup).PriorityClass = fmt.Sprint(priority)
	return g
}

// TestAnEstimateHoldsWithoutARestart: a scheduler that goes on remembers refusals, and in some worlds decides otherwise
// than one that has just been started. These are few.
func TestAnEstimateHoldsWithoutARestart(t *testing.T) {
	estimated, wrong := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := draw{t}
		w := d.estimatedWorld()
		starts := d.starts(w)
		began := startsOf(w, starts.Jobs)
		for k, s := range starts.Jobs {
			if estimated++; s.Latest != began[k] {
				wrong++
			}
		}
	})
	t.Logf("%d of %d starts are not as estimated", wrong, estimated)
	if wrong*50 > estimated {
		t.Error("these are more than 2 %")
	}
}

// starts estimates, twice, and leaves the world as it is.
func (d draw) starts(w *sim.World) *estimate.Starts {
	report := text(d.T, w.Engine().Report(), w.Engine().Commitments())
	var out [2]*estimate.Starts
	for i := range out {
		var err error
		if out[i], err = w.Starts(nil); err != nil {
			d.Fatal(err)
		}
	}
	if listed(d.T, out[0]) != listed(d.T, out[1]) {
		d.Fatal("two estimates of one state are not the same")
	}
	if text(d.T, w.Engine().Report(), w.Engine().Commitments()) != report {
		d.Fatal("the estimate has changed the world")
	}
	return out[0]
}

// listed is the estimates as text, by job.
func listed(t *rapid.T, s *estimate.Starts) string {
	jobs := map[string]trace.Start{}
	for k, start := range s.Jobs {
		jobs[k.String()] = start
	}
	return text(t, jobs)
}

// startsOf runs a world to its end, and returns when jobs that waited got their minimum, in nanoseconds since the
// epoch.
func startsOf(w *sim.World, waiting map[ledger.JobKey]trace.Start) map[ledger.JobKey]int64 {
	out := map[ledger.JobKey]int64{}
	for {
		if _, more := w.Step(); !more {
			return out
		}
		l := w.Engine().Ledger()
		for k := range waiting {
			if j, there := l.Jobs.Find(k); there && out[k] == 0 && l.Job(j).Placed() > 0 &&
				l.Job(j).Met((*ledger.Count).Placed) {
				out[k] = w.Engine().Now()
			}
		}
	}
}

// estimatedWorld is a world in which all has come.
func (d draw) estimatedWorld() *sim.World {
	p := profile()
	if d.yes() {
		p.Actions = append(p.Actions, "preempt", "reclaim")
	}
	if d.yes() {
		p.ActionArguments = map[string]policy.Arguments{"backfill": {"backfill.depth": "1", "backfill.resolution": "1s"}}
	}
	w, err := sim.New(p, d.estimatedItems(), sim.Options{Begin: int64(time.Hour)})
	if err != nil {
		d.Fatal(err)
	}
	w.Run(time.Duration(d.n(11, 25)) * time.Second)
	return w
}

// estimatedItems are objects that come within ten seconds; pods end at their limits, and some have none.
func (d draw) estimatedItems() []sim.Item {
	out := priorities()
	nodes := d.n(1, 4)
	for i := range nodes {
		out = append(out, node(fmt.Sprintf("n%d", i), int64(d.n(2, 8))))
	}
	for _, name := range []string{"a", "b"} {
		q := &model.Queue{Weight: int32(d.n(1, 3)), Reclaimable: true, FIFO: d.n(0, 2) == 0}
		if d.n(0, 2) == 0 {
			q.Capability = resource.List{{Name: resource.CPUName, Value: int64(d.n(2, 8)) * 1000}}
		}
		out = append(out, sim.Item{Fact: model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: name}, Object: q}})
	}
	for i := range d.n(3, 10) {
		out = append(out, d.estimatedGang(fmt.Sprintf("j%d", i), d.n(1, nodes+1))...)
	}
	return out
}

func (d draw) estimatedGang(name string, members int) []sim.Item {
	submitted := time.Duration(d.n(0, 10)) * time.Second
	priority := int32(d.n(0, 2))
	g := classed(name, int32(members), priority, at(submitted))
	of := of(name)
	o := g.Fact.Object.(*model.PodGroup)
	o.Queue = []string{"a", "b", "default"}[d.n(0, 2)]
	if d.yes() {
		o.MinResources = resource.List{{Name: resource.CPUName, Value: int64(d.n(1, 6)) * 1000}}
	}
	out := []sim.Item{g}
	cpu, lasts, endless := int64(d.n(1, 3)), time.Duration(d.n(1, 60))*time.Second, d.n(0, 9)
	for k := range members + d.n(0, 1) {
		p := pod(fmt.Sprintf("%s-%d", name, k), cpu, at(submitted), of, owned, as(func(p *model.Pod) {
			p.Priority, p.HasPriority = priority, true
			if endless > 0 {
				p.SetRare(model.Times{Lasts: int64(lasts), Limit: int64(lasts)})
			}
		}))
		if endless > 0 {
			p.Duration, p.HasDuration = lasts, true
		}
		out = append(out, p)
	}
	return out
}
