package sched

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// The guards of the cluster's own pods and of disruption budgets are asked though the profile
// names none, and a budget is spent once over the pods that are asked for together.
func TestGuardsAreAskedWhateverTheProfileNames(t *testing.T) {
	e := engine(t, policy.Profile{Actions: []string{"allocate"}, Tiers: [][]policy.Choice{{{Plugin: "gang"}}}})
	version := uint64(0)
	tell := func(kind model.Kind, namespace, name string, o model.Object) {
		version++
		e.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: name,
			Version: version, Object: o})
	}
	tell(model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n", UID: "n"},
		Allocatable: with(amounts(64, 64, 0), 110)})
	pod := func(namespace, name string, change func(*model.Pod)) ledger.Key {
		p := &model.Pod{Meta: model.Meta{Namespace: namespace, Name: name, UID: name}, Ours: true, Owner: "owner",
			Preemptable: true, Healthy: true,
			Phase: model.PodRunning, Node: "n", Labels: []model.Label{{Key: "app", Value: "a"}}, Spec: spec(0)}
		if change != nil {
			change(p)
		}
		tell(model.KindPod, namespace, name, p)
		return ledger.Key{Namespace: namespace, Name: name}
	}
	tell(model.KindBudget, "ns", "b", &model.Budget{Meta: model.Meta{Namespace: "ns", Name: "b"},
		Selector:     []model.Requirement{{Key: "app", Op: model.In, Values: []string{"a"}}},
		MinAvailable: &model.Portion{Value: 2}})
	a, b, c := pod("ns", "a", nil), pod("ns", "b", nil), pod("ns", "c", nil)
	free := pod("ns", "free", func(p *model.Pod) { p.Labels = nil })
	kept := pod("ns", "kept", func(p *model.Pod) { p.Labels, p.Preemptable = nil, false })
	system := pod("kube-system", "s", func(p *model.Pod) { p.Labels = nil })
	e.Decide(1)
	ask := []ledger.Key{a, b, c, free, kept, system, {Namespace: "ns", Name: "nobody"}}
	want := []trace.Code{"", trace.VictimBudget, trace.VictimBudget, "", trace.VictimKept,
		trace.VictimCritical, trace.VictimBusy}
	for i, r := range e.DeletionRefusals(ask) {
		if r.Code != want[i] {
			t.Errorf("%s: %+v, want %q", ask[i], r, want[i])
		}
	}
}
