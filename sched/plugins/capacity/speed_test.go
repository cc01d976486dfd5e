package capacity

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// thousand is a thousand queues in four levels below root and five dimensions, with a
// task that waits and a hundred that run in one leaf.
func thousand(t failer) (c *cluster, leaf ledger.QueueID, waits ledger.TaskID) {
	c = nested(t, "cpu=100000 memory=100000 gpu=1000 a.com/x=1000 a.com/y=1000")
	levels := [][]string{{"root"}}
	for i, n := range []int{4, 26, 170, 800} {
		var level []string
		for k := range n {
			name, above := fmt.Sprintf("q%d-%d", i, k), levels[i]
			c.queue(fmt.Sprintf("%s %s deserved:cpu=9,memory=9,gpu=9,a.com/x=9,a.com/y=9 guarantee:cpu=1 capability:cpu=9000,gpu=900",
				name, above[k%len(above)]))
			level = append(level, name)
		}
		levels = append(levels, level)
	}
	c.ready()
	for i := range 100 {
		c.member("q3-0", "runs", fmt.Sprintf("runs-%d", i), "cpu=1 memory=1", true)
	}
	waits = c.pod("q3-0", "waits", "cpu=1 memory=1 gpu=1 a.com/x=1 a.com/y=1", false)
	return c, c.id("q3-0"), waits
}

// change is a task that is placed, and everything that is asked about queues after it.
func change(c *cluster, leaf, other ledger.QueueID, waits ledger.TaskID) {
	c.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(waits, 0)
		c.refresh()
		c.CompareQueues(leaf, other)
		c.plugin.Allocatable(leaf, c.Task(waits).Class, 8)
		return false
	})
}

func TestWhatIsAskedOftenAllocatesNothing(t *testing.T) {
	c, leaf, waits := thousand(t)
	other, class := c.id("q3-5"), c.Task(waits).Class
	for name, f := range map[string]func(){
		"Allocatable":         func() { c.plugin.Allocatable(leaf, class, 8) },
		"CompareQueues":       func() { c.CompareQueues(leaf, other) },
		"CompareVictimQueues": func() { c.CompareVictimQueues(leaf, other, leaf) },
		"a change of a spec":  func() { c.shape++; c.refresh() },
		"Open without news":   func() { c.Open(&trace.Recorder{}) },
	} {
		f()
		equal(t, "allocations of "+name, testing.AllocsPerRun(20, f), 0)
	}
}

// BenchmarkOneChange is a task placed and taken back, with its queue compared and asked.
func BenchmarkOneChange(b *testing.B) {
	c, leaf, waits := thousand(b)
	other := c.id("q3-5")
	for range 3000 {
		change(c, leaf, other, waits)
	}
	b.ReportAllocs()
	for b.Loop() {
		change(c, leaf, other, waits)
	}
}

// BenchmarkOneSpec is all figures worked out anew, after one queue's spec changed.
func BenchmarkOneSpec(b *testing.B) {
	c, _, _ := thousand(b)
	b.ReportAllocs()
	for b.Loop() {
		c.shape++
		c.refresh()
	}
}

func BenchmarkAllocatable(b *testing.B) {
	c, leaf, waits := thousand(b)
	class := c.Task(waits).Class
	b.ReportAllocs()
	for b.Loop() {
		c.plugin.Allocatable(leaf, class, 8)
	}
}

func BenchmarkCompareQueues(b *testing.B) {
	c, leaf, _ := thousand(b)
	other := c.id("q3-5")
	b.ReportAllocs()
	for b.Loop() {
		c.CompareQueues(leaf, other)
	}
}
