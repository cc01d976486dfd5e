package capacity

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// thousand is a thousand queues in four levels below root and five dimensions, with a
// task that waits and a hundred that run in one leaf, and one that runs in each other.
func thousand(t failer) (c *cluster, leaf ledger.QueueID, waits ledger.TaskID) {
	c = nested(t, "cpu=100000 memory=100000 gpu=1000 a.com/x=1000 a.com/y=1000")
	levels := [][]string{{"root"}}
	for i, n := range []int{4, 26, 170, 800} {
		var level []string
		for k := range n {
			name, above := fmt.Sprintf("q%d-%d", i, k), levels[i]
			c.queue(fmt.Sprintf("%s %s deserved:cpu=9,memory=9,gpu=9,a.com/x=9,a.com/y=9 guarantee:cpu=1 "+
				"capability:cpu=9000,gpu=900",
				name, above[k%len(above)]))
			level = append(level, name)
		}
		levels = append(levels, level)
	}
	c.ready()
	for i := range 100 {
		c.member("q3-0", "runs", fmt.Sprintf("runs-%d", i), "cpu=1 memory=1", true)
	}
	for i := 1; i < 800; i++ {
		c.member(fmt.Sprintf("q3-%d", i), fmt.Sprintf("runs-%d", i), fmt.Sprintf("runs-in-%d", i), "cpu=1 memory=1", true)
	}
	waits = c.pod("q3-0", "waits", "cpu=1 memory=1 gpu=1 a.com/x=1 a.com/y=1", false)
	return c, c.id("q3-0"), waits
}

// forget makes the figures of a queue, and what follows from them, wrong.
func (c *cluster) forget(q ledger.QueueID) {
	for d := range c.bounds.dims {
		if resource.Dim(d) != resource.Pods {
			c.bounds.placing.Put(int32(q), d, fair.QueueNode{})
		}
	}
	c.bounds.placing.Recompute()
	c.rows[q].put = false
	c.shape--
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
	c.queue("q0-3 root deserved:cpu=9 guarantee:cpu=1")
	c.ready()
	for name, f := range map[string]func(){
		"Allocatable":          func() { c.plugin.Allocatable(leaf, class, 8) },
		"CompareQueues":        func() { c.CompareQueues(leaf, other) },
		"CompareVictimQueues":  func() { c.CompareVictimQueues(leaf, other, leaf) },
		"a node that changed":  func() { c.forget(c.bounds.root); c.refresh() },
		"a queue that changed": func() { c.forget(c.id("q0-3")); c.specSeen--; c.refresh() },
		"Open without news":    func() { c.Open(&trace.Recorder{}) },
	} {
		f()
		equal(t, "allocations of "+name, testing.AllocsPerRun(20, f), 0)
	}
}

// Nor does putting all figures right after a fact, the ledger's part included.
func TestNewsAllocateNothing(t *testing.T) {
	c, _, _ := thousand(t)
	for name, turns := range news(c) {
		f := func() {
			for _, turn := range turns {
				turn()
				c.ExtendDims()
				c.refresh()
			}
		}
		for range 12 { // until the logs of what changed have their size
			f()
		}
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

// news are facts that change the figures, each in two versions that take turns.
func news(c *cluster) map[string][2]func() {
	node := func(offers string) func() {
		n := &model.Node{Meta: model.Meta{Name: "n1"}, Allocatable: list(offers)}
		return func() { c.tell("Node", "", "n1", n) }
	}
	named := func(name, parent string, amounts string) func() {
		q := &model.Queue{Meta: model.Meta{Name: name}, Parent: parent, Weight: 1, Guarantee: list("cpu=1"),
			Deserved: list(amounts), Capability: list(amounts)}
		return func() { c.tell("Queue", "", q.Name, q) }
	}
	all, more := "cpu=9000 memory=9000 gpu=900 a.com/x=900 a.com/y=900", "cpu=9001 memory=9001 gpu=901 a.com/x=901 "+
		"a.com/y=901"
	queue := func(parent string, amounts string) func() { return named("q1-3", parent, amounts) }
	turn, another := 0, [2]func(){named("q0-2", "root", all), named("q0-2", "root", more)}
	gone := func(name string) func() { return func() { c.tell("Queue", "", name, nil) } }
	return map[string][2]func(){
		"spec-of-one-queue":         {queue("q0-3", all), queue("q0-3", more)},
		"spec-of-one-queue,one-dim": {queue("q0-3", all), queue("q0-3", strings.Replace(all, "y=900", "y=800", 1))},
		"node,all-dims": {node("cpu=100000 memory=100000 gpu=1000 a.com/x=1000 a.com/y=1000"),
			node("cpu=100001 memory=100001 gpu=1001 a.com/x=1001 a.com/y=1001")},
		"node,cpu-and-memory": {node("cpu=100000 memory=100000 gpu=1000 a.com/x=1000 a.com/y=1000"),
			node("cpu=100001 memory=100001 gpu=1000 a.com/x=1000 a.com/y=1000")},
		"new-parent":                 {queue("q0-3", all), queue("q0-2", all)},
		"new-parent,a-leaf-in-use":   {named("q3-0", "q2-0", all), named("q3-0", "q2-1", all)},
		"created-and-removed":        {named("q3-new", "q2-7", all), gone("q3-new")},
		"a-team-created-and-removed": {gone("q0-2"), named("q0-2", "root", all)},
		"a-team-created-as-another": {gone("q0-2"), func() {
			turn++
			another[turn%2]()
		}},
	}
}

// BenchmarkOneFact is all figures right again after one fact: the ledger's part, which
// takes it in and extends its figures, and the plugin's.
func BenchmarkOneFact(b *testing.B) {
	c, _, _ := thousand(b)
	for name, turns := range news(c) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var took [2]time.Duration
			for range b.N {
				for i, turn := range turns {
					from := time.Now()
					turn()
					c.ExtendDims()
					c.refresh()
					took[i] += time.Since(from)
				}
			}
			b.ReportMetric(float64(max(took[0], took[1]).Nanoseconds())/float64(b.N)/1000, "µs/slower-of-two")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N)/1000, "µs/fact")
		})
		b.Run(name+",plugin-alone", func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				b.StopTimer()
				turns[0]()
				c.ExtendDims()
				b.StartTimer()
				c.refresh()
				b.StopTimer()
				turns[1]()
				c.ExtendDims()
				b.StartTimer()
				c.refresh()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N)/1000, "µs/fact")
		})
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
