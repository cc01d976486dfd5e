package ledger

import (
	"fmt"
	"maps"
	"testing"

	"ashlar.sh/sched/model"
)

// drawer is a PluginState that chooses: the lowest number that no task has.
type drawer struct {
	*recorder
	name string
	has  map[string]int
}

func (d *drawer) Name() string { return d.name }

func (d *drawer) Choose(TaskID, *Task, NodeID) string {
	for i := 0; ; i++ {
		if d.has[fmt.Sprint(i)] == 0 {
			return fmt.Sprint(i)
		}
	}
}

func (d *drawer) Take(t TaskID, task *Task, n NodeID, how Hold) {
	d.recorder.Take(t, task, n, how)
	d.has[task.Chosen.Of(d.name)]++
}

func (d *drawer) Give(t TaskID, task *Task, n NodeID, how Hold) {
	d.recorder.Give(t, task, n, how)
	d.has[task.Chosen.Of(d.name)]--
	maps.DeleteFunc(d.has, func(_ string, n int) bool { return n == 0 })
}

func newDrawer(name string) *drawer { return &drawer{newRecorder(), name, map[string]int{}} }

func TestAChoiceIsReadByItsAllocatorOnly(t *testing.T) {
	c := Choose("volumes", "a") + Choose("devices", "b") + Choose("nothing", "")
	for name, want := range map[string]string{"volumes": "a", "devices": "b", "nothing": "", "unknown": "", "": ""} {
		if got := c.Of(name); got != want {
			t.Errorf("of %q: %q, want %q", name, got, want)
		}
	}
}

// TestAChoiceStaysWithItsTask has a task choose when it could not have the best, and
// then goes through all that may happen to it: the choice is made once.
func TestAChoiceStaysWithItsTask(t *testing.T) {
	c := newCluster()
	n := c.node("n", 8000)
	d, e := newDrawer("volumes"), newDrawer("devices")
	c.PluginStates.Add(d)
	c.PluginStates.Add(e)
	p, q := c.pod("p", 1000), c.pod("q", 1000)
	both := func(name string, task TaskID, want string) {
		t.Helper()
		if v, x := c.Task(task).Chosen.Of("volumes"), c.Task(task).Chosen.Of("devices"); v != want || x != want {
			t.Errorf("%s: chosen are %q and %q, want %q", name, v, x, want)
		}
		if found := append(d.findings, e.findings...); found != nil {
			t.Errorf("%s: %v", name, found)
		}
	}
	c.Try(func(tx *Tx) bool {
		tx.Allocate(q, n)
		both("tried", q, "0")
		return false
	})
	both("the try failed", q, "")
	c.Try(func(tx *Tx) bool {
		tx.Allocate(p, n)
		tx.Allocate(q, n)
		return true
	})
	both("allocated", q, "1")
	c.Commit(func(Op) PlanItem { return PlanItem{Item: 7} })
	both("binding", q, "1")
	c.Drop(p)
	both("its better is gone", p, "")
	c.Try(func(tx *Tx) bool {
		tx.Evict(q, "test", NoTask)
		both("leaving", q, "1")
		return false
	})
	both("taken back", q, "1")
	held := *c.Task(q).Commitment
	c.Drop(q)
	if len(d.has) != 0 {
		t.Errorf("with no pod there %v is held", d.has)
	}
	if !c.Restore(q, held) {
		t.Error("the commitment was not restored")
	}
	both("restored", q, "1")
	fact, _ := c.Fact(model.Ref{Kind: model.KindPod, Namespace: c.Task(q).Key.Namespace, Name: "q"})
	bound := *fact.Object.(*model.Pod)
	bound.Node = "n"
	fact.Object = &bound
	c.Apply(fact)
	both("its fact shows the node", q, "")
}
