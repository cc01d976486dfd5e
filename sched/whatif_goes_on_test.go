package sched_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/whatif"
)

// A job that is submitted for a try starts in the cycle in which it would start, also where a cycle before it did
// something for other jobs alone: the gangs that leave for another job leave more room than that one takes.
func TestWhatIsSubmittedForATryStartsWhenItWould(t *testing.T) {
	later := 0
	rapid.Check(t, func(t *rapid.T) {
		e := gangsAndAnUrgentJob(t)
		const now = int64(101e9)
		c, err := e.Copy()
		if err != nil {
			t.Fatal(err)
		}
		jobs := submitted(t)
		if g := jobs[0].Object.(*model.PodGroup); rapid.Bool().Draw(t, "let in") {
			g.Phase = model.GroupInqueue
		}
		isNew := func(i string) bool { return i[:4] == "new-" }
		told, comes := 0, 0
		applied := whatif.Apply(whatif.ClusterOf(e.Ledger()), jobs)
		whatif.Submit(c, now, applied, func(_ *sched.Engine, cycle int, plan sched.Plan) bool {
			if told == 0 && slices.ContainsFunc(items(plan), isNew) {
				told = cycle
			}
			return true
		})
		f := sched.Again(t, e)
		for _, x := range jobs {
			x.Version = 1 << 40
			f.Apply(x)
		}
		for cycle := 1; cycle <= 3 && comes == 0; cycle++ {
			plan, _, _ := f.Decide(now)
			if slices.ContainsFunc(items(plan), isNew) {
				comes = cycle
			}
			for _, i := range slices.Clone(plan.Items) {
				follow(f, i)
			}
		}
		if told != comes {
			t.Fatalf("the job is told to start in cycle %d, and starts in cycle %d", told, comes)
		}
		if comes > 1 {
			later++
		}
	})
	if later == 0 {
		t.Error("no job started later than in the first cycle")
	}
}

// gangsAndAnUrgentJob is a full cluster to which a job has come that may evict others, and no cycle has run since.
func gangsAndAnUrgentJob(t *rapid.T) *sched.Engine {
	w := &full{t: t}
	var err error
	w.e, err = sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "preempt", "backfill"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
			{{Plugin: "predicates"}, {Plugin: "proportion"}, {Plugin: "nodeorder"}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.tell(model.KindPriorityClass, "", "high", &model.PriorityClass{Value: 10})
	for i := range 1 + w.n(1) {
		w.tell(model.KindNode, "", fmt.Sprint("n", i), &model.Node{Allocatable: resource.List{{Name: "cpu", Value: 8000},
			{Name: "pods", Value: 10}}})
	}
	gang := func(name, class string, pods int, cpu int64, least int) {
		w.tell(model.KindPodGroup, "ns", name, &model.PodGroup{Queue: "default", MinMember: int32(least),
			PriorityClass: class})
		for i := range pods {
			w.tell(model.KindPod, "ns", fmt.Sprintf("%s-%d", name, i), &model.Pod{Ours: true, Group: name,
				Index: int64(i), Preemptable: true, PriorityClass: class, Spec: &model.Spec{
					Requests: resource.List{{Name: "cpu", Value: cpu * 1000}, {Name: "pods", Value: 1}}}})
		}
	}
	w.tell(model.KindQueue, "", "default", &model.Queue{Weight: 1, Reclaimable: true})
	for i := range 2 {
		gang(fmt.Sprint("low", i), "", 2, 4, 1+w.n(1))
	}
	for range 2 {
		plan, _, _ := w.e.Decide(100e9)
		w.run(plan, 100e9)
	}
	gang("urgent", "high", 1+w.n(1), int64(1+w.n(5)), 1)
	return w.e
}
