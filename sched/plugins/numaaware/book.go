package numaaware

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// book counts, node by node, the containers that have cpus of their own, by how many they
// have. Where those cpus lie it does not know.
type book struct {
	l      *ledger.Ledger
	byNode [][]use
}

// use is how many containers have so many cpus each, by how their tasks sit. One without
// any is not kept.
type use struct {
	size int32
	by   [holds]int32 // by ledger.Hold
}

// holds is the number of ways to sit on a node.
const holds = ledger.Promised + 1

// String is a use as an audit shows it.
func (u use) String() string {
	return fmt.Sprintf("%d cpus: %d held, %d leaving, %d promised", u.size, u.by[ledger.Firm], u.by[ledger.Leaving], u.by[ledger.Promised])
}

// on lists what is in use on a node, in no order that may be decided by.
func (b *book) on(n ledger.NodeID) []use {
	if int(n) < len(b.byNode) {
		return b.byNode[n]
	}
	return nil
}

// Name is how findings of an audit call the book.
func (b *book) Name() string { return "numa-aware" }

// Take counts the containers of a pod, of whichever scheduler it is.
func (b *book) Take(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	b.add(task, n, how, 1)
}

// Give takes a Take back.
func (b *book) Give(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	b.add(task, n, how, -1)
}

func (b *book) add(task *ledger.Task, n ledger.NodeID, how ledger.Hold, x int32) {
	d := task.Pod.Spec.NUMA
	if d == nil {
		return
	}
	for len(b.byNode) <= int(n) {
		b.byNode = append(b.byNode, nil)
	}
	for _, size := range d.Cores {
		b.count(n, size, how, x)
	}
}

func (b *book) count(n ledger.NodeID, size int32, how ledger.Hold, x int32) {
	used := b.byNode[n]
	i := slices.IndexFunc(used, func(u use) bool { return u.size == size })
	if i < 0 {
		i = len(used)
		used = append(used, use{size: size})
	}
	if used[i].by[how] += x; used[i].by == [holds]int32{} {
		last := len(used) - 1
		used[i] = used[last]
		used = used[:last]
	}
	b.byNode[n] = used
}

// Fact ignores foreign facts: the ledger keeps the reports.
func (b *book) Fact(model.Fact) {}

// Reads implements ledger.Book: no facts beside the engine's own.
func (b *book) Reads(model.Kind) bool { return false }

// Audit counts again from nothing and compares.
func (b *book) Audit(sits func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) bool)) []string {
	again := &book{l: b.l}
	sits(func(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) bool {
		again.Take(t, task, n, how)
		return true
	})
	var found []string
	for i := range max(len(b.byNode), len(again.byNode)) {
		n := ledger.NodeID(i)
		if kept, counted := sorted(b.on(n)), sorted(again.on(n)); !slices.Equal(kept, counted) {
			found = append(found, fmt.Sprintf("node %s: kept %v, counted %v", b.l.Node(n).Name, kept, counted))
		}
	}
	slices.Sort(found)
	return found
}

func sorted(used []use) []use {
	return slices.SortedFunc(slices.Values(used), func(a, b use) int { return cmp.Compare(a.size, b.size) })
}
