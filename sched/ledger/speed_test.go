package ledger

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// park is a cluster of many nodes and a job with pending members of cpu, memory and a
// place among the pods, in a queue so many levels below root.
func park(nodes, levels int) (*cluster, []TaskID) {
	c := newCluster()
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		c.tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name}, Allocatable: resource.List{
			{Name: resource.CPUName, Value: 64000}, {Name: resource.MemoryName, Value: 256 << 30}, {Name: resource.PodsName,
				Value: 110}}})
	}
	queue := model.RootQueue
	for i := range levels {
		name := fmt.Sprintf("q%d", i)
		c.queueUnder(name, queue)
		queue = name
	}
	c.group("g", model.PodGroup{Queue: queue, MinMember: 8, HasMin: true, Phase: model.GroupInqueue,
		MinResources: resource.List{{Name: resource.CPUName, Value: 8000}, {Name: resource.MemoryName, Value: 16 << 30}}})
	var tasks []TaskID
	for i := range 8 {
		tasks = append(tasks, c.pod(fmt.Sprintf("p%d", i), 0, member("g"), func(p *model.Pod) {
			p.Spec.Requests = resource.List{{Name: resource.CPUName, Value: 1000}, {Name: resource.MemoryName, Value: 2 << 30},
				{Name: resource.PodsName, Value: 1}}
		}))
	}
	c.ExtendDims()
	return c, tasks
}

func TestATryThatFailsAllocatesNoMemory(t *testing.T) {
	for name, levels := range map[string]int{"a queue below root": 1, "a tree of three levels": 3} {
		t.Run(name, func(t *testing.T) {
			c, tasks := park(10, levels)
			try := func() {
				c.Try(func(tx *Tx) bool {
					for i, p := range tasks {
						tx.Allocate(p, NodeID(i))
					}
					return false
				})
			}
			for range 2000 { // the journal reaches its full length
				try()
			}
			equal(t, "the number of allocations in a try", testing.AllocsPerRun(100, try), 0)
		})
	}
}

// BenchmarkAllocateUndo is one Allocate taken back: what trying a node costs.
func BenchmarkAllocateUndo(b *testing.B) {
	c, tasks := park(5000, 1)
	i := 0
	for b.Loop() {
		n := NodeID(i * 7919 % 5000)
		c.Try(func(tx *Tx) bool { tx.Allocate(tasks[0], n); return false })
		i++
	}
}
