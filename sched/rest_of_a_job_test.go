package sched

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// A job above its minimum gets a place for one pod and is refused the rest in the same cycle. Whether it lends the
// room that its queue keeps for it follows from the pods that still wait, and an engine that is made anew finds the
// same in the next cycle.
func TestTheRestOfAJobLendsByWhatStillWaits(t *testing.T) {
	meta := func(name string) model.Meta { return model.Meta{Namespace: "ns", Name: name, UID: name} }
	pod := func(name string, priority int32, cpu, memory int64, selector ...model.Label) *model.Pod {
		return &model.Pod{Meta: meta(name), Ours: true, Group: "job", Priority: priority, Phase: model.PodPending,
			Spec: &model.Spec{Selector: selector, Requests: resource.List{{Name: "cpu", Value: cpu},
				{Name: "memory", Value: memory}}}}
	}
	running := func(name, node string) *model.Pod {
		p := pod(name, 0, 500, 1)
		p.Node, p.Phase = node, model.PodRunning
		return p
	}
	nowhere := model.Label{Key: "zone", Value: "a"}
	for name, c := range map[string]struct {
		pods []*model.Pod
		soon ledger.Lending // what becomes of the kept room in the cycle that places a pod
		then ledger.Lending // … and in the next one
	}{
		"no node may ever take the rest": {
			[]*model.Pod{pod("a", 2, 500, 0), pod("b", 1, 500, 0, nowhere)}, ledger.LendsAll, ledger.LendsAll},
		"the rest waits for room": {
			[]*model.Pod{pod("a", 2, 500, 0), pod("b", 1, 0, 4)}, ledger.Lends, ledger.Lends},
		"what waits for room comes before the pod that got a place": {
			[]*model.Pod{pod("a", 3, 0, 4), pod("b", 2, 500, 0), pod("c", 1, 500, 0, nowhere)}, ledger.Lends, ledger.Lends},
		"nodes refuse the first, the queue the last": {
			[]*model.Pod{pod("a", 3, 0, 4), pod("b", 2, 500, 0), pod("c", 1, 1000, 0)}, ledger.LendsNone, ledger.Lends},
	} {
		t.Run(name, func(t *testing.T) {
			profile := policy.Profile{Actions: []string{"enqueue", "allocate"},
				Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "predicates"}, {Plugin: "proportion"}}}}
			e := engine(t, profile)
			version := uint64(0)
			tell := func(k model.Kind, namespace, name string, o model.Object) {
				version++
				e.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name,
					Version: version, Object: o})
			}
			tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1,
				Capability: resource.List{{Name: "cpu", Value: 2000}}})
			for _, n := range []string{"n1", "n2"} {
				tell(model.KindNode, "", n, &model.Node{Meta: model.Meta{Name: n, UID: n},
					Allocatable: resource.List{{Name: "cpu", Value: 2000}, {Name: "memory", Value: 4}, {Name: "pods", Value: 10}}})
			}
			tell(model.KindPodGroup, "ns", "job", &model.PodGroup{Meta: meta("job"), Queue: "default",
				Phase: model.GroupRunning, HasMin: true, MinResources: resource.List{{Name: "memory", Value: 6}}})
			for _, p := range append(c.pods, running("x", "n1"), running("y", "n2")) {
				tell(model.KindPod, "ns", p.Name, p)
			}
			lends := func(e *Engine) ledger.Lending {
				j, _ := e.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "job"})
				return e.l.WaitingJobs.Lending(j)
			}

			plan, _, _ := e.Decide(second)
			bound := 0
			for _, i := range plan.Items {
				if i.Kind == BindPod {
					bound++
				}
			}
			if bound != 1 || lends(e) != c.soon {
				t.Fatalf("%d pods get a place and it lends %v; want one, and %v", bound, lends(e), c.soon)
			}
			other := again(t, e)
			_, was := answers(t, e, second)
			_, is := answers(t, other, second)
			same(t, "an engine restored from facts and commitments decides otherwise", was, is)
			if lends(e) != c.then || lends(other) != c.then {
				t.Errorf("in the next cycle it lends %v, and made anew %v; want %v", lends(e), lends(other), c.then)
			}
		})
	}
}
