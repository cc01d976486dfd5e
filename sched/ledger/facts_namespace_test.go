package ledger

import (
	"slices"
	"testing"

	"ashlar.sh/sched/model"
)

func TestBudgetsAreANamespacesByName(t *testing.T) {
	l := New()
	tell := func(name string, version uint64, b *model.Budget) {
		f := model.Fact{Ref: model.Ref{Kind: model.KindBudget, Namespace: "web", Name: name}, Version: version}
		if b != nil {
			b.Namespace, b.Name = "web", name
			f.Object = b
		}
		l.Apply(f)
	}
	names := func() (out []string) {
		for _, b := range l.Namespaces.budgets["web"] {
			out = append(out, b.Name)
		}
		return out
	}
	tell("b", 1, &model.Budget{Allowed: 1})
	tell("a", 2, &model.Budget{})
	tell("odd", 3, &model.Budget{Meta: model.Meta{Faults: []model.Fault{{Field: "spec.minAvailable", Fatal: true}}}})
	if got := names(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%v; what is set aside is no budget", got)
	}
	was, room := l.Namespaces.BudgetEpoch(), l.Changes.RoomEpoch()
	tell("b", 4, &model.Budget{Allowed: 2})
	if l.Namespaces.budgets["web"][1].Allowed != 2 || l.Namespaces.BudgetEpoch() == was {
		t.Error("a budget that changed is the one that holds, and the change is counted")
	}
	if l.Changes.RoomEpoch() != room {
		t.Error("a budget frees no room")
	}
	tell("b", 3, &model.Budget{Allowed: 9})
	if l.Namespaces.budgets["web"][1].Allowed != 2 {
		t.Error("an older fact holds no more")
	}
	tell("a", 5, nil)
	tell("b", 6, nil)
	if got := names(); got != nil || l.Namespaces.budgets["elsewhere"] != nil {
		t.Errorf("%v; they are gone", got)
	}
}
