package pdb

import (
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
)

// disruptions keeps the tallies, updated by every change of the ledger. When a budget changes, all of
// them are counted again at the next call.
type disruptions struct {
	l       *ledger.Ledger
	tallies []tally
	at      uint64 // of Ledger.Budgeted, when the tallies were made
	made    bool
	found   map[template][]int32
}

// template is what pods have in common that are in the same budgets: pods of one template share their
// labels, so the labels' address identifies them. It is only used as a key to look up what was found
// before.
type template struct {
	namespace string
	labels    *model.Label
	n         int
}

// mostFound bounds what is kept of pods long gone.
const mostFound = 1 << 14

func newDisruptions(l *ledger.Ledger) *disruptions { return &disruptions{l: l} }

// follow brings the tallies up to date with the budgets.
func (b *disruptions) follow() {
	if b.made && b.at == b.l.Namespaces.BudgetEpoch() {
		return
	}
	b.made, b.at = true, b.l.Namespaces.BudgetEpoch()
	b.tallies, b.found = b.tallies[:0], map[template][]int32{}
	b.l.Namespaces.AllBudgets(func(x *model.Budget) bool {
		if !x.MatchesNothing {
			b.tallies = append(b.tallies, tally{budget: x})
		}
		return true
	})
	if len(b.tallies) == 0 {
		return
	}
	b.l.Tasks.Each(func(t ledger.TaskID) bool {
		b.expect(b.l.Task(t), 1)
		return true
	})
	b.l.PluginStates.Placements(func(_ ledger.TaskID, task *ledger.Task, _ ledger.NodeID, how ledger.Hold) bool {
		b.count(task, how, 1)
		return true
	})
}

// current says that there are budgets, and the tallies are up to date with them: only then are pods
// counted.
func (b *disruptions) current() bool {
	return b.made && len(b.tallies) > 0 && b.at == b.l.Namespaces.BudgetEpoch()
}

// of lists the budgets that select a pod.
func (b *disruptions) of(p *model.Pod) []int32 {
	k := template{namespace: p.Namespace, n: len(p.Labels)}
	if k.n > 0 {
		k.labels = &p.Labels[0]
	}
	if list, known := b.found[k]; known {
		return list
	}
	var list []int32
	for i := range b.tallies {
		if x := b.tallies[i].budget; x.Namespace == p.Namespace && match.Selects(x.Selector, p.Labels) {
			list = append(list, int32(i))
		}
	}
	if len(b.found) >= mostFound {
		clear(b.found)
	}
	b.found[k] = list
	return list
}

// expect counts a pod among the expected ones.
func (b *disruptions) expect(task *ledger.Task, x int32) {
	if task.Pod.Phase.Finished() {
		return
	}
	for _, i := range b.of(task.Pod) {
		b.tallies[i].expected += x
	}
}

// count counts a healthy pod on its node. A pod that is deleted by its fact, or that the status lists
// as disrupted, does not count.
func (b *disruptions) count(task *ledger.Task, how ledger.Hold, x int32) {
	p := task.Pod
	if how == ledger.Pipelined || p.Phase != model.PodRunning || !p.Healthy || p.Deleting {
		return
	}
	for _, i := range b.of(p) {
		t := &b.tallies[i]
		if _, gone := slices.BinarySearch(t.budget.Leaving, p.Name); gone {
			continue
		}
		if how == ledger.Leaving {
			t.going += x
		} else {
			t.healthy += x
		}
	}
}

// Name is how findings of an audit call it.
func (b *disruptions) Name() string { return "budgets" }

// Enter and Leave count the pods that exist.
func (b *disruptions) Enter(_ ledger.TaskID, task *ledger.Task) {
	if b.current() {
		b.expect(task, 1)
	}
}

// Leave takes an Enter back.
func (b *disruptions) Leave(_ ledger.TaskID, task *ledger.Task) {
	if b.current() {
		b.expect(task, -1)
	}
}

// Take counts a pod on its node.
func (b *disruptions) Take(_ ledger.TaskID, task *ledger.Task, _ ledger.NodeID, how ledger.Hold) {
	if b.current() {
		b.count(task, how, 1)
	}
}

// Give takes a Take back.
func (b *disruptions) Give(_ ledger.TaskID, task *ledger.Task, _ ledger.NodeID, how ledger.Hold) {
	if b.current() {
		b.count(task, how, -1)
	}
}

// Audit counts again from nothing and compares.
func (b *disruptions) Audit(func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) bool)) []string {
	b.follow()
	again := newDisruptions(b.l)
	again.follow()
	var found []string
	for i := range again.tallies {
		if kept, counted := b.tallies[i], again.tallies[i]; kept != counted {
			found = append(found, fmt.Sprintf("budget %s/%s: kept %d expected, %d healthy, %d going, counted %d, %d, %d",
				kept.budget.Namespace, kept.budget.Name, kept.expected, kept.healthy, kept.going,
				counted.expected, counted.healthy, counted.going))
		}
	}
	return found
}
