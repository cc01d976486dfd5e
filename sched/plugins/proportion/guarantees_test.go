package proportion_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Whatever comes and goes, in whatever order, and whatever all deserve: if the guarantees
// together are within the cluster, what a queue is guaranteed and does not hold is free,
// and it may take it.
func TestAGuaranteeIsAlwaysThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const cores = 20
		c := newCluster(t, cores)
		names := []string{"a", "b", "c", "d"}
		guarantee, held := map[string]int64{}, map[string]int64{}
		for _, name := range names {
			guarantee[name] = rapid.Int64Range(0, cores/4).Draw(t, "guarantee")
			c.queue(queue{name: name, weight: rapid.Int32Range(1, 3).Draw(t, "weight"), guarantee: guarantee[name]})
		}
		var running []lodger
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			if n := len(running); n > 0 && rapid.IntRange(0, 3).Draw(t, "one goes") == 0 {
				gone := rapid.IntRange(0, n-1).Draw(t, "gone")
				p := running[gone]
				held[p.queue] -= p.asks[0].Value / 1000
				c.tell(model.KindPod, "ns", c.l.Task(p.task).Key.Name, nil)
				running = append(running[:gone], running[gone+1:]...)
				c.open()
				continue
			}
			name, size := rapid.SampledFrom(names).Draw(t, "queue"), rapid.Int64Range(1, 6).Draw(t, "size")
			pod := fmt.Sprintf("pod-%d", i)
			task := c.pod(pod, name, cpu(size), "")
			c.open()
			may := c.p.Allocatable(c.id(name), c.l.Task(task).Class, 1) == 1
			if within := held[name]+size <= guarantee[name]; within && !may {
				t.Fatalf("%s is guaranteed %d, holds %d and may not take %d", name, guarantee[name], held[name], size)
			}
			if !may || held["a"]+held["b"]+held["c"]+held["d"]+size > cores { // the node is full
				continue
			}
			held[name] += size
			running = append(running, lodger{queue: name, asks: cpu(size), task: c.pod(pod, name, cpu(size), "node")})
			total := int64(0)
			for _, name := range names {
				total += max(held[name], guarantee[name])
			}
			if total > cores {
				t.Fatalf("with %d in %s, %d of %d are held or kept", size, name, total, cores)
			}
		}
	})
}

// A guarantee is the least a queue has (seed 000 §3): what is deserved must not
// come out of what another is guaranteed and does not hold yet.
func TestWhatIsDeservedDoesNotComeOutOfAGuarantee(t *testing.T) {
	c := newCluster(t, 100, queue{name: "a", guarantee: 30}, queue{name: "b", running: 70}, queue{name: "c"})
	task := c.pod("c-waits", "c", cpu(1), "")
	c.pod("c-more", "c", cpu(60), "")
	c.open()
	id, class := c.id("c"), c.l.Task(task).Class
	if got := c.figures("c").Deserved.Get(resource.CPU); got != 35_000 {
		t.Fatalf("c deserves %d milli, want 35000", got)
	}
	if n := c.p.Allocatable(id, class, 9); n != 0 {
		t.Errorf("c may take %d cores that a is guaranteed", n)
	}
	why := c.p.(interface {
		WhyNot(ledger.QueueID, ledger.ClassID) trace.Reason
	}).WhyNot(id, class)
	want := trace.Short{Dim: resource.CPUName, Need: 101_000, Have: 100_000}
	if why.Code != trace.QueueCapability || why.Text != trace.CountsGuarantees || len(why.Shorts) != 1 ||
		why.Shorts[0] != want {
		t.Errorf("refused with %+v", why)
	}
	c.pod("b-runs", "b", cpu(66), "node") // four of the seventy go
	c.open()
	if n := c.p.Allocatable(id, class, 9); n != 4 {
		t.Errorf("c may take %d of the four cores that became free", n)
	}
	own := c.pod("a-waits", "a", cpu(1), "")
	c.open()
	if n := c.p.Allocatable(c.id("a"), c.l.Task(own).Class, 90); n != 30 {
		t.Errorf("a may take %d of the thirty cores it is guaranteed", n)
	}
}
