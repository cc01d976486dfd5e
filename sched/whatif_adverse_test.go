package sched_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/whatif"
)

// small is an engine with one node of 4 cpu, told of objects one by one.
type small struct {
	*sched.Engine
	version uint64
}

func oneNode(t *testing.T) *small {
	t.Helper()
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}, {Plugin: "nodeorder"}}}})
	if err != nil {
		t.Fatal(err)
	}
	w := &small{Engine: e}
	w.tell(model.KindNode, "", "n1", &model.Node{Allocatable: resource.List{{Name: "cpu", Value: 4000},
		{Name: "pods", Value: 110}}})
	w.tell(model.KindQueue, "", "q", &model.Queue{Weight: 1})
	return w
}

func (w *small) tell(k model.Kind, namespace, name string, o model.Object) {
	w.version++
	m := o.Common()
	m.Namespace, m.Name, m.UID = namespace, name, name
	w.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: w.version,
		Object: o})
}

func (w *small) gang(name string, least, pods int, cpu int64, edit func(*model.PodGroup, *model.Pod)) {
	g := &model.PodGroup{Queue: "q", MinMember: int32(least)}
	for i := range pods {
		p := &model.Pod{Ours: true, Group: name, Index: int64(i), Preemptable: true, Spec: &model.Spec{
			Requests: resource.List{{Name: "cpu", Value: cpu}, {Name: "pods", Value: 1}}}}
		edit(g, p)
		w.tell(model.KindPod, "ns", fmt.Sprintf("%s-%d", name, i), p)
	}
	w.tell(model.KindPodGroup, "ns", name, g)
}

func asWritten(*model.PodGroup, *model.Pod) {}

func (w *small) wouldRun(t *testing.T, name string, within whatif.Limits) (trace.WouldRun, bool) {
	t.Helper()
	before := w.state(t)
	c, err := w.Copy()
	if err != nil {
		t.Fatal(err)
	}
	out, waits := whatif.New(c, w.Now()).Job(ledger.JobKey{Namespace: "ns", Name: name}, within)
	if after := w.state(t); after != before {
		t.Errorf("the engine was changed:\n%s\n%s", before, after)
	}
	return out, waits
}

func (w *small) state(t *testing.T) string {
	t.Helper()
	out, err := json.Marshal([]any{w.Commitments(), w.Report()})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestNothingIsSaidOfJobsThatDoNotWait(t *testing.T) {
	w := oneNode(t)
	w.gang("runs", 1, 1, 1000, asWritten)
	w.gang("others", 1, 1, 9000, func(_ *model.PodGroup, p *model.Pod) { p.Ours, p.Scheduler = false, "other" })
	w.Decide(1)
	for _, name := range []string{"runs", "nowhere"} {
		if out, waits := w.wouldRun(t, name, whatif.Limits{}); waits {
			t.Errorf("%s would run: %+v", name, out)
		}
	}
	if out, _ := w.wouldRun(t, "others", whatif.Limits{}); len(out.Ways) > 0 {
		t.Errorf("pods of another scheduler would run: %+v", out)
	}
}

func TestAJobThatStartsByItselfNeedsNothing(t *testing.T) {
	w := oneNode(t)
	w.Decide(1)
	w.gang("late", 2, 2, 1000, asWritten)
	if out, waits := w.wouldRun(t, "late", whatif.Limits{}); !waits || out.Soon != 1 || len(out.Ways) > 0 {
		t.Errorf("it would run: %+v", out)
	}
}

// Members that have not come are no matter of room.
func TestAGangThatLacksPodsMayBeSmaller(t *testing.T) {
	w := oneNode(t)
	w.gang("short", 5, 3, 1000, asWritten)
	w.Decide(1)
	out, _ := w.wouldRun(t, "short", whatif.Limits{})
	if len(out.Ways) != 1 || out.Ways[0].Changes[0].Kind != trace.ChangeGang || out.Ways[0].Changes[0].To != 3 {
		t.Errorf("it would run: %+v", out)
	}
}

// Equal clusters give equal answers, whatever their history, and a search that is cut is a part of the whole one.
func TestASearchIsBoundedAndTheSame(t *testing.T) {
	w := oneNode(t)
	w.gang("large", 4, 4, 2000, asWritten)
	w.gang("first", 1, 3, 1000, func(g *model.PodGroup, _ *model.Pod) { g.PriorityClass = "" })
	w.Decide(1)
	whole, _ := w.wouldRun(t, "large", whatif.Limits{})
	again, _ := w.wouldRun(t, "large", whatif.Limits{})
	if fmt.Sprint(whole) != fmt.Sprint(again) {
		t.Errorf("asked twice:\n%+v\n%+v", whole, again)
	}
	if whole.Cut || len(whole.Ways) == 0 {
		t.Fatalf("it would run: %+v", whole)
	}
	for runs := 1; runs < whole.Runs; runs++ {
		found := 0
		part, _ := w.wouldRun(t, "large", whatif.Limits{Runs: runs, Found: func(trace.Way) { found++ }})
		if !part.Cut || part.Runs > runs || found != len(part.Ways) {
			t.Errorf("with %d cycles: %+v, %d told when found", runs, part, found)
		}
	}
	asked := 0
	stopped, _ := w.wouldRun(t, "large", whatif.Limits{Stop: func() bool { asked++; return asked > 2 }})
	if !stopped.Cut || stopped.Runs > 2 {
		t.Errorf("stopped after two cycles: %+v", stopped)
	}
}

// What would make one of very many waiting jobs run is found in so many cycles as for one that waits alone.
func TestOneOfManyThatWait(t *testing.T) {
	w := oneNode(t)
	w.gang("holds", 1, 1, 3000, asWritten)
	w.Decide(1)
	w.gang("asked", 1, 1, 2000, asWritten)
	for i := range 10_000 {
		w.gang(fmt.Sprintf("waits-%05d", i), 1, 1, 5000+int64(i), asWritten)
	}
	w.Decide(2)
	out, _ := w.wouldRun(t, "asked", whatif.Limits{})
	if !slices.ContainsFunc(out.Ways, func(way trace.Way) bool {
		return way.Changes[0].Kind == trace.ChangeEnd && slices.Equal(way.Changes[0].Jobs, []string{"ns/holds"})
	}) {
		t.Errorf("it would run: %+v", out)
	}
}
