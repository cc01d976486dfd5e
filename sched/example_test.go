package sched_test

import (
	"fmt"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// profile is a small configuration: jobs are let in, gangs are placed whole.
func profile(plugins ...string) policy.Profile {
	tier := []policy.Choice{{Plugin: "gang"}, {Plugin: "predicates"}}
	for _, name := range plugins {
		tier = append(tier, policy.Choice{Plugin: name})
	}
	return policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{tier}}
}

// observed makes facts of objects, all seen at one version. Their names serve as UIDs.
func observed(version uint64, objects ...model.Object) []model.Fact {
	var facts []model.Fact
	for _, o := range objects {
		var ref model.Ref
		switch o := o.(type) {
		case *model.Node:
			ref = model.Ref{Kind: model.KindNode, Name: o.Name}
		case *model.Queue:
			ref = model.Ref{Kind: model.KindQueue, Name: o.Name}
		case *model.PodGroup:
			ref = model.Ref{Kind: model.KindPodGroup, Namespace: o.Namespace, Name: o.Name}
		case *model.Pod:
			ref = model.Ref{Kind: model.KindPod, Namespace: o.Namespace, Name: o.Name}
		}
		facts = append(facts, model.Fact{Ref: ref, UID: ref.Name, Version: version, Object: o})
	}
	return facts
}

func node(name string, cpu int64) *model.Node {
	has := resource.List{{Name: "cpu", Value: cpu * 1000}, {Name: "pods", Value: 110}}
	return &model.Node{Meta: model.Meta{Name: name, UID: name}, Allocatable: has, Capacity: has}
}

func gang(name string, members int) []model.Object {
	in := model.Meta{Namespace: "ml", Name: name, UID: name}
	out := []model.Object{&model.PodGroup{Meta: in, Queue: "default", MinMember: int32(members),
		Phase: model.GroupPending}}
	spec := &model.Spec{Requests: resource.List{{Name: "cpu", Value: 2000}, {Name: "pods", Value: 1}}}
	for i := range members {
		pod := fmt.Sprintf("%s-%d", name, i)
		out = append(out, &model.Pod{Meta: model.Meta{Namespace: "ml", Name: pod, UID: pod}, Group: name, Index: int64(i),
			Ours: true, Preemptable: true, Spec: spec})
	}
	return out
}

func show(plan sched.Plan) {
	bound := 0
	for _, item := range plan.Items {
		if item.Kind == sched.BindPod {
			fmt.Printf("bind %s to %s\n", item.Pod, item.Node)
			bound++
		}
	}
	if bound == 0 {
		fmt.Println("no pod is bound")
	}
}

// An engine decides from facts alone: a gang of two pods starts when both have room, and not before.
func Example() {
	engine, err := sched.New(profile())
	if err != nil {
		fmt.Println(err)
		return
	}
	engine.Apply(observed(1, &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1}, node("n1", 2))...)
	engine.Apply(observed(2, gang("train", 2)...)...)
	now := int64(1_000_000_000)
	plan, _, _ := engine.Decide(now)
	show(plan)

	engine.Apply(observed(3, node("n2", 2))...)
	plan, _, _ = engine.Decide(now + 1_000_000_000)
	show(plan)
	// Output:
	// no pod is bound
	// bind ml/train-0 to n2
	// bind ml/train-1 to n1
}

// smallFirst orders the jobs of a queue: those with fewer pods are served first.
type smallFirst struct{ l *ledger.Ledger }

// CompareJobs implements policy.JobOrder.
func (s smallFirst) CompareJobs(a, b ledger.JobID) int {
	return int(s.l.Job(a).Tasks - s.l.Job(b).Tasks)
}

// A plugin is compiled in by its definition and named in the profile like any other.
func ExampleWithPlugin() {
	engine, err := sched.New(profile("smallfirst"), sched.WithPlugin(policy.Definition{
		Name: "smallfirst",
		New:  func(_ policy.Choice, l *ledger.Ledger) (any, error) { return smallFirst{l}, nil },
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	engine.Apply(observed(1, &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1}, node("n1", 2))...)
	engine.Apply(observed(2, gang("large", 1)...)...)
	engine.Apply(observed(3, gang("small", 1)...)...)
	engine.Apply(observed(4, &model.Pod{Meta: model.Meta{Namespace: "ml", Name: "large-1", UID: "large-1"}, Group: "large",
		Index: 1, Ours: true, Preemptable: true, Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 2000}}}})...)
	plan, _, _ := engine.Decide(1_000_000_000)
	show(plan)
	// Output:
	// bind ml/small-0 to n1
}
