package ledger

import (
	"testing"

	"ashlar.sh/sched/model"
)

func TestAKeepInsideATryThatFailsIsUndone(t *testing.T) {
	c := newCluster()
	n := c.node("n", 4000)
	p := c.pod("p", 1000)
	c.Try(func(tx *Tx) bool {
		tx.Allocate(p, n)
		tx.Try(func(tx *Tx) bool { tx.Provisional(); return false })
		return true
	})
	equal(t, "the number of operations in the plan", len(c.Commit(nextItem())), 1)
	equal(t, "the status", c.Task(p).Status, model.Binding)
}

func TestOccupiedRoomIsThatOfNoQueueAndIsGivenBack(t *testing.T) {
	c := newCluster()
	n := c.node("n", 4000)
	p := c.pod("p", 1000)
	before := fingerprint(c.Ledger)
	c.Try(func(tx *Tx) bool {
		kept := c.Queue(c.Job(c.Task(p).Job).Queue).KeptRoom[0]
		tx.Occupy(c.Task(p).Class, n, 3)
		tx.Occupy(c.Task(p).Class, n, 1)
		equal(t, "room for more", c.Nodes.FutureIdle(0, n), 0)
		equal(t, "room in the report of nodes", c.KeptRoom.On()[n].Get(0), 4000)
		equal(t, "what its queue keeps", c.Queue(c.Job(c.Task(p).Job).Queue).KeptRoom[0], kept)
		return false
	})
	equal(t, "the ledger after it", fingerprint(c.Ledger), before)
}

func TestAKeepHoldsForItsStatementOnly(t *testing.T) {
	c := newCluster()
	n := c.node("n", 4000)
	p, q := c.pod("p", 1000), c.pod("q", 1000)
	c.Try(func(tx *Tx) bool { tx.Allocate(p, n); tx.Provisional(); return true })
	c.Try(func(tx *Tx) bool { tx.Allocate(q, n); return true })
	equal(t, "p's place being provisional", c.Task(p).provisional, true)
	equal(t, "the number of operations in the plan", len(c.Commit(nextItem())), 1)
	equal(t, "idle in this cycle", c.Nodes.Idle(0)[n], 2000)
	c.Statements.TakeBackProvisional()
	equal(t, "p's status in the next cycle", c.Task(p).Status, model.Pending)
	equal(t, "q's status in the next cycle", c.Task(q).Status, model.Binding)
	equal(t, "idle in the next cycle", c.Nodes.Idle(0)[n], 3000)
}

func TestWhatHoldsBecomesCommitments(t *testing.T) {
	c := newCluster()
	n := c.node("n", 4000)
	bind, wait, reserve := c.pod("bind", 1000), c.pod("wait", 1000), c.pod("reserve", 1000)
	evict := c.pod("evict", 1000, on("n"))
	c.Try(func(tx *Tx) bool {
		tx.Allocate(bind, n)
		tx.Pipeline(wait, n)
		tx.Evict(evict, "preempt", reserve)
		return tx.Try(func(tx *Tx) bool { tx.Nominate(reserve, n); return true })
	})
	item := nextItem()
	c.Commit(func(op Op) PlanItem {
		if op.Kind == OpPipeline {
			t.Error("a provisional place was asked for an item of the plan")
		}
		if op.Kind == OpEvict && (op.Preemptor != reserve || op.Action != "preempt") {
			t.Errorf("the eviction serves task %d because of %q, want %d because of preempt", op.Preemptor, op.Action, reserve)
		}
		return item(op)
	})
	want := map[TaskID]Commitment{
		bind:    {Kind: CommitBind, Node: n, Item: 1, Statement: 9},
		wait:    {},
		evict:   {Kind: CommitEvict, Node: n, Item: 2, Statement: 9, Until: 2000},
		reserve: {Kind: CommitNominate, Node: n, Item: 3, Statement: 9, Until: 3000},
	}
	for task, held := range want {
		equal(t, "what is held for "+c.Task(task).Key.Name, *c.Task(task).Commitment, held)
	}
	c.Statements.TakeBackProvisional()
	equal(t, "what waits softly, in the next cycle", c.Task(wait).Status, model.Pending)
	equal(t, "what is reserved, in the next cycle", c.Task(reserve).Status, model.Pipelined)
	c.Drop(evict)
	c.Drop(reserve)
	equal(t, "an eviction that was denied", c.Task(evict).Status, model.Running)
	equal(t, "a nomination that ended", c.Task(reserve).Status, model.Pending)
	sound(t, c.Ledger)
}

// nextItem numbers the items of a plan from 1; each holds until its number of
// microseconds.
func nextItem() func(Op) PlanItem {
	n := uint64(0)
	return func(Op) PlanItem { n++; return PlanItem{Item: n, Statement: 9, Until: int64(n) * 1000} }
}

func TestACommitmentIsRestoredUnlessTheFactsSayOtherwise(t *testing.T) {
	c := newCluster()
	n := c.node("n", 4000)
	waits, runs := c.pod("waits", 1000), c.pod("runs", 1000, on("n"))
	bind := Commitment{Kind: CommitBind, Node: n, Item: 1}
	equal(t, "restoring a bind of a pod without a node", c.Restore(waits, bind), true)
	equal(t, "restoring a bind that is through", c.Restore(runs, bind), false)
	equal(t, "what the pod that waited holds", c.Task(waits).Status, model.Binding)
	equal(t, "what is held for the pod that runs", c.Task(runs).Commitment.Kind, NoCommit)
}
