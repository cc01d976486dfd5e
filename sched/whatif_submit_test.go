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

// What becomes of a job that is submitted for a try is what becomes of it in the engine itself, and the copy is left as
// it was: the same job is told the same again.
func TestWhatIsSubmittedForATryIsWhatComes(t *testing.T) {
	started := 0
	rapid.Check(t, func(t *rapid.T) {
		var e *sched.Engine
		var now int64
		if rapid.Bool().Draw(t, "full") {
			e, now = fullCluster(t)
		} else {
			e, now = sched.RandomEngine(t, "enqueue", "allocate", "preempt", "reclaim", "backfill")
		}
		c, err := e.Copy()
		if err != nil {
			t.Fatal(err)
		}
		jobs := submitted(t)
		applied := whatif.Apply(whatif.ClusterOf(e.Ledger()), jobs)
		var tried [2][]string
		for i := range tried {
			whatif.Submit(c, now, applied, func(_ *sched.Engine, cycle int, plan sched.Plan) bool {
				if cycle == 1 {
					tried[i] = items(plan)
				}
				return true
			})
		}
		f := sched.Again(t, e)
		for _, x := range jobs {
			x.Version = 1 << 40
			f.Apply(x)
		}
		plan, _, _ := f.Decide(now)
		comes := items(plan)
		if !slices.Equal(tried[0], comes) || !slices.Equal(tried[1], comes) {
			t.Fatalf("tried %v, then %v; what comes is %v", tried[0], tried[1], comes)
		}
		if slices.ContainsFunc(comes, func(i string) bool { return i[:4] == "new-" }) {
			started++
		}
	})
	if started == 0 {
		t.Error("no job started that was submitted")
	}
}

// What a cluster has already, applied again, changes nothing: no pod comes or goes, and nothing is refused.
func TestWhatIsThereAppliedAgainChangesNothing(t *testing.T) {
	existed := 0
	rapid.Check(t, func(t *rapid.T) {
		e, now := sched.RandomEngine(t, "enqueue", "allocate", "preempt", "reclaim", "backfill")
		e.Decide(now)
		var jobs []model.Fact
		for _, f := range e.Facts() {
			if f.Object != nil && (f.Ref.Kind == model.KindPod || f.Ref.Kind == model.KindPodGroup) {
				jobs = append(jobs, f)
			}
		}
		there := whatif.ClusterOf(e.Ledger())
		applied := whatif.Apply(there, jobs)
		for k, is := range applied.There { // order-free: each by itself
			existed++
			if is.Come+is.Go+is.Later+len(is.Edits) > 0 {
				t.Fatalf("%s: %+v", k, is)
			}
		}
		for _, f := range applied.Facts {
			if is, _ := there.Fact(f.Ref); f.Ref.Kind == model.KindPod && is.Object != f.Object {
				t.Fatalf("%s is another", f.Ref)
			}
		}
	})
	if existed == 0 {
		t.Error("no cluster had a job")
	}
}

// submitted is a gang that is not there yet.
func submitted(t *rapid.T) (out []model.Fact) {
	cpu, size := rapid.Int64Range(1, 4).Draw(t, "cores"), rapid.IntRange(1, 3).Draw(t, "size")
	add := func(k model.Kind, name string, o model.Object) {
		out = append(out, model.Fact{Ref: model.Ref{Kind: k, Namespace: "new", Name: name}, UID: name, Object: o})
	}
	add(model.KindPodGroup, "new", &model.PodGroup{Meta: model.Meta{Namespace: "new", Name: "new", UID: "new"},
		Queue: "default", MinMember: int32(size), Phase: model.GroupPending})
	for i := range size {
		name := fmt.Sprintf("new-%d", i)
		add(model.KindPod, name, &model.Pod{Meta: model.Meta{Namespace: "new", Name: name, UID: name}, Ours: true,
			Group: "new", Index: int64(i), Spec: &model.Spec{Requests: resource.List{
				{Name: resource.CPUName, Value: cpu * 1000}, {Name: resource.PodsName, Value: 1}}}})
	}
	return out
}

// items are what a plan binds and evicts.
func items(p sched.Plan) (out []string) {
	for _, i := range p.Items {
		switch i.Kind {
		case sched.BindPod:
			out = append(out, i.Pod.Name+" to "+i.Node)
		case sched.EvictPod:
			out = append(out, i.Pod.Name+" leaves")
		}
	}
	return out
}

// Members above a gang's minimum wait in a live cluster until no more pods come. A try tells where they go, too, and
// takes all of it back without making the copy anew.
func TestMembersAboveTheMinimumAreSubmittedForATryToo(t *testing.T) {
	const second = 1_000_000_000
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}}}}, sched.WithPeriod(second, second/10))
	if err != nil {
		t.Fatal(err)
	}
	put := func(k model.Kind, namespace, name string, o model.Object) model.Fact {
		return model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: 1, Object: o}
	}
	e.Apply(put(model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n"}, Allocatable: resource.List{
		{Name: resource.CPUName, Value: 8000}, {Name: resource.PodsName, Value: 500}}}))
	e.Apply(put(model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q"}, Weight: 1}))
	e.Decide(second)
	c, err := e.Copy()
	if err != nil {
		t.Fatal(err)
	}
	jobs := []model.Fact{put(model.KindPodGroup, "ns", "elastic", &model.PodGroup{Meta: model.Meta{Namespace: "ns",
		Name: "elastic", UID: "elastic"}, Queue: "q", MinMember: 1, Phase: model.GroupPending})}
	for i := range 3 {
		name := fmt.Sprintf("elastic-%d", i)
		jobs = append(jobs, put(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name,
			UID: name}, Ours: true, Group: "elastic", Index: int64(i), Spec: &model.Spec{Requests: resource.List{
			{Name: resource.CPUName, Value: 1000}, {Name: resource.PodsName, Value: 1}}}}))
	}
	applied := whatif.Apply(whatif.ClusterOf(e.Ledger()), jobs)
	for range 2 {
		bound := []int{}
		whatif.Submit(c, 2*second, applied, func(_ *sched.Engine, _ int, plan sched.Plan) bool {
			n := 0
			for _, i := range plan.Items {
				if i.Kind == sched.BindPod {
					n++
				}
			}
			bound = append(bound, n)
			return true
		})
		sum := 0
		for _, n := range bound {
			sum += n
		}
		if bound[0] != 1 || sum != 3 {
			t.Errorf("cycles bind %v pods, want the minimum first, one, and three together", bound)
		}
	}
	if c.Remade() != 0 {
		t.Errorf("the copy was made anew %d times", c.Remade())
	}
}
