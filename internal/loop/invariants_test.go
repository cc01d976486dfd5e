package loop

import (
	"testing"

	dto "github.com/prometheus/client_model/go"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// A binding to a node that has less than nothing left of what the pod asks for is counted, and no other is.
func TestABindingAboveWhatANodeOffersIsCounted(t *testing.T) {
	l := ledger.New()
	apply := func(kind model.Kind, name string, o model.Object) {
		ref := model.Ref{Kind: kind, Name: name}
		if kind == model.KindPod {
			ref.Namespace = "ns"
		}
		l.Apply(model.Fact{Ref: ref, UID: name, Version: 1, Object: o})
	}
	apply(model.KindNode, "n", &model.Node{Meta: model.Meta{Name: "n", UID: "n"},
		Allocatable: resource.List{{Name: "cpu", Value: 2000}, {Name: "memory", Value: 100}, {Name: "pods", Value: 10}}})
	m := newMetrics()
	for _, step := range []struct {
		name  string
		asks  resource.Amount
		wrong float64
	}{
		{"all", resource.Amount{Name: "cpu", Value: 2000}, 0},
		{"more", resource.Amount{Name: "cpu", Value: 1}, 1},
		{"other", resource.Amount{Name: "memory", Value: 100}, 1},
	} {
		apply(model.KindPod, step.name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: step.name, UID: step.name},
			Node: "n", Phase: model.PodRunning, Spec: &model.Spec{Requests: resource.List{step.asks}}})
		l.Settle()
		item := sched.Item{Kind: sched.BindPod, Pod: ledger.Key{Namespace: "ns", Name: step.name}, Node: "n"}
		evicted := item
		evicted.Kind = sched.EvictPod
		m.check(l, []sched.Item{item, evicted})
		var is dto.Metric
		if err := m.wrong.WithLabelValues(nodesHold).Write(&is); err != nil {
			t.Fatal(err)
		}
		if got := is.GetCounter().GetValue(); got != step.wrong {
			t.Errorf("after %s it counts %v, want %v", step.name, got, step.wrong)
		}
	}
}
