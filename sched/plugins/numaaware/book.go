package numaaware

import (
	"cmp"
	"fmt"

	"ashlar.sh/sched/ledger"
)

// containerCounts counts, node by node, the containers that have cpus of their own, by how many they
// have. Where those cpus lie it does not know.
type containerCounts struct {
	l   *ledger.Ledger
	use ledger.InUse[size]
}

// use is how many containers have so many cpus each, by how their tasks sit.
type use = ledger.Use[size]

// size is how many cpus a container has.
type size int32

// String implements fmt.Stringer.
func (s size) String() string { return fmt.Sprintf("%d cpus:", int32(s)) }

// Name is how findings of an audit call it.
func (b *containerCounts) Name() string { return "numa-aware" }

// Take counts the containers of a pod, of whichever scheduler it is.
func (b *containerCounts) Take(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	b.add(task, n, how, 1)
}

// Give takes a Take back.
func (b *containerCounts) Give(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	b.add(task, n, how, -1)
}

func (b *containerCounts) add(task *ledger.Task, n ledger.NodeID, how ledger.Hold, x int32) {
	if d := task.Pod.Spec.NUMA; d != nil {
		for _, cores := range d.Cores {
			b.use.Add(n, size(cores), how, x)
		}
	}
}

// Audit counts again from nothing and compares.
func (b *containerCounts) Audit(sits func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID,
	ledger.Hold) bool)) []string {
	again := &containerCounts{l: b.l}
	sits(func(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) bool {
		again.Take(t, task, n, how)
		return true
	})
	return b.use.Against(&again.use, b.l, cmp.Compare[size])
}
