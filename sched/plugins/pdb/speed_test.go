package pdb_test

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// One question about one victim, among 2000 pods and 100 budgets.
func BenchmarkGuard(b *testing.B) {
	w := newWorld(b)
	for i := range 100 {
		w.budget(fmt.Sprintf("b-%d", i), model.Budget{MaxUnavailable: percent(10),
			Selector: []model.Requirement{{Key: "app", Op: model.In, Values: []string{fmt.Sprint(i)}}}})
	}
	var pods []ledger.TaskID
	for i := range 2000 {
		labels := []model.Label{{Key: "app", Value: fmt.Sprint(i % 100)}}
		pods = append(pods, w.pod(fmt.Sprintf("pod-%d", i), func(p *model.Pod) { p.Labels = labels }))
	}
	unit := policy.Unit{Tasks: pods[:1]}
	b.ReportAllocs()
	for b.Loop() {
		if w.Preemptable(policy.Preemptor{}, unit).Vote == policy.Reject {
			b.Fatal("two of twenty may be away, and none is")
		}
	}
}
