package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Statements holds the undo log of the open tries, the operations of statements that succeeded, and provisional places.
type Statements struct {
	l *Ledger

	undo        []entry
	depth       int
	count       uint64
	undone      uint64
	tx          Tx
	ops         []Op
	provisional []TaskID // their places hold for this cycle only, and are not written to the API
}

// OpKind is what a statement does to a task.
type OpKind uint8

// The operations of a statement.
const (
	OpAllocate      OpKind = iota // takes room that is there
	OpPipeline                    // waits for room that tasks are leaving: a provisional place, in no plan
	OpNominate                    // waits for room with a nomination
	OpEvict                       // is to leave its node
	OpEndNomination               // gives up its nomination for another task
)

// Op is one operation of a statement that succeeded.
type Op struct {
	Kind      OpKind
	Task      TaskID
	Node      NodeID
	Action    string // by which a task is evicted, or gives its nomination up
	Preemptor TaskID // of an eviction: the task it serves; NoTask when unknown

	Statement uint64 // equal for the operations of one outermost try
}

// entry is what undoing one move needs: the task's status, node, and neighbours in its lists. An entry without
// a task is about room that a try keeps or gives back (changeBeside), or waives.
type entry struct {
	task                TaskID
	status              model.Status
	node                NodeID
	at                  [numLists]neighbours
	provisional, waived bool
	covered             Covered
	chosen              Chosen
	kept                roomFor
	keeps               bool     // kept is room that was kept, not given back
	leaves              bool     // see Tx.Leave
	waives              [2]int32 // from where to where in KeptRoom.waived: see Tx.Waive
}

// Tx is what a try changes the ledger with. It is valid only inside the closure that it is passed to.
type Tx struct {
	l           *Ledger
	provisional bool
}

// Try runs f. When f returns true, its changes stay. When f returns false, every figure, list, PluginState and
// counter is as it was before. Tries nest. When the outermost try succeeds, Commit returns its operations,
// unless Provisional was called.
func (l *Ledger) Try(f func(*Tx) bool) bool {
	mark, ops, keep := len(l.Statements.undo), len(l.Statements.ops), l.Statements.tx.provisional
	nodes, figures := l.Changes.WithoutFailedTries()
	l.Statements.depth++
	ok := f(&l.Statements.tx)
	l.Statements.depth--
	if !ok {
		l.Statements.rollback(mark)
		l.Changes.vainNodes, l.Changes.vainFigures = l.Changes.Nodes.Now()-nodes, l.Changes.usageEpoch-figures
		l.Statements.ops, l.Statements.tx.provisional = l.Statements.ops[:ops], keep
		if l.Statements.depth == 0 {
			l.KeptRoom.waived = l.KeptRoom.waived[:0]
			l.KeptRoom.endTry(false)
		}
		return false
	}
	if l.Statements.depth == 0 {
		if slices.ContainsFunc(l.Statements.undo, l.frees) {
			l.Changes.roomEpoch++
		}
		l.Statements.undo = l.Statements.undo[:0]
		if l.Statements.tx.provisional {
			l.Statements.makeProvisional(ops)
		} else if len(l.Statements.ops) > ops {
			l.Statements.count++
		}
		l.Statements.tx.provisional = false
		l.KeptRoom.endWaivers()
		l.KeptRoom.endTry(true)
	}
	return true
}

// frees says that a task which a successful try moved does not use the room that is kept for it, or its
// nomination, on another node.
func (l *Ledger) frees(e entry) bool {
	if e.task == NoTask {
		return false
	}
	row := &l.Tasks.rows[e.task]
	kept := row.Commitment.Kind == CommitNominate || row.Commitment.Kind == CommitKeptRoom
	return kept && row.Node != row.Commitment.Node && !row.hasKeptRoom()
}

// Provisional makes the statement hold for this cycle only: its tasks keep their room, it stays out of the plan, and
// the next cycle takes it back before it decides (for a job that is pipelined and not ready; seed 003 §6.5).
func (tx *Tx) Provisional() { tx.provisional = true }

// Allocate gives a pending task room on a node.
func (tx *Tx) Allocate(t TaskID, n NodeID) {
	tx.l.Statements.step(t, model.Allocated, n, tx.l.PluginStates.choose(t, n))
	tx.l.Statements.op(Op{Kind: OpAllocate, Task: t, Node: n, Preemptor: NoTask})
}

// Pipeline has a pending task wait for room that tasks are leaving.
func (tx *Tx) Pipeline(t TaskID, n NodeID) {
	tx.l.Statements.step(t, model.Pipelined, n, tx.l.ChosenPipelined(t, n))
	tx.l.Statements.op(Op{Kind: OpPipeline, Task: t, Node: n, Preemptor: NoTask})
}

// Nominate has a pending task wait for room on a node, with a nomination (CommitNominate) until it is bound: room that
// this statement's evictions free, or room that is free while the rest of its job waits for such.
func (tx *Tx) Nominate(t TaskID, n NodeID) {
	tx.l.Statements.step(t, model.Pipelined, n, tx.l.ChosenPipelined(t, n))
	tx.l.Statements.op(Op{Kind: OpNominate, Task: t, Node: n, Preemptor: NoTask})
}

// Suppose counts a pending task, gated or not, for its job and queues as one that is pipelined, but on no
// node. It is for tries that return false.
func (tx *Tx) Suppose(t TaskID) { tx.l.Statements.step(t, model.Pipelined, NoNode, "") }

// Holding runs f as if a job held so much more, on no node: its queue and the queue's ancestors count it, and no task
// is moved. f must change nothing.
func (tx *Tx) Holding(j JobID, more resource.Sums, f func()) {
	tx.l.accounts.hold(j, more, 1)
	f()
	tx.l.accounts.hold(j, more, -1)
}

// Unpipeline takes back that a task is pipelined, so that the task can be allocated the room once it is free.
func (tx *Tx) Unpipeline(t TaskID) { tx.l.Statements.step(t, model.Pending, NoNode, "") }

// Evict makes a task leave its node for the preemptor. The task holds its room as Releasing until it is
// gone.
func (tx *Tx) Evict(t TaskID, action string, preemptor TaskID) {
	n := tx.l.Tasks.rows[t].Node
	tx.l.Statements.step(t, model.Releasing, n, tx.l.Tasks.rows[t].Chosen)
	tx.l.Statements.op(Op{Kind: OpEvict, Task: t, Node: n, Action: action, Preemptor: preemptor})
}

// Leave makes a task leave its node as Evict does, but for its job and its queues nothing changes, and it is no
// operation: that costs a fraction. It is for tasks that hold their room firmly, and for tries that return false, do
// nothing else with the task, and do not depend on what its job and its queues hold.
func (tx *Tx) Leave(t TaskID) {
	st := &tx.l.Statements
	st.undo = append(st.undo, entry{task: t, status: tx.l.Tasks.rows[t].Status, leaves: true})
	st.l.accounts.leaving(t, model.Releasing, 1)
}

// Reprieve undoes an eviction of this statement: the task is again where its fact shows it.
func (tx *Tx) Reprieve(t TaskID) {
	s, n := tx.l.Tasks.observed(&tx.l.Tasks.rows[t])
	tx.l.Statements.step(t, s, n, tx.l.Tasks.rows[t].Chosen)
}

// Stay counts a task with an eviction under way as one that stays. It is for tries that return false.
func (tx *Tx) Stay(t TaskID) {
	stays := tx.l.Tasks.rows[t]
	stays.Commitment = tx.l.Tasks.none
	s, n := tx.l.Tasks.observed(&stays)
	tx.l.Statements.step(t, s, n, stays.Chosen)
}

// EndNomination ends a task's nomination for the preemptor: the task is Pending again (decision 13, "may take the
// nomination over"). ResumeNomination undoes it within the statement.
func (tx *Tx) EndNomination(t TaskID, action string, preemptor TaskID) {
	n := tx.l.Tasks.rows[t].Node
	tx.l.Statements.step(t, model.Pending, NoNode, "")
	tx.l.Statements.op(Op{Kind: OpEndNomination, Task: t, Node: n, Action: action, Preemptor: preemptor})
}

// ResumeNomination is the inverse of EndNomination.
func (tx *Tx) ResumeNomination(t TaskID) {
	commitment := tx.l.Tasks.rows[t].Commitment
	tx.l.Statements.step(t, model.Pipelined, commitment.Node, commitment.Chosen)
}

// Try nests: see Ledger.Try.
func (tx *Tx) Try(f func(*Tx) bool) bool { return tx.l.Try(f) }

func (st *Statements) op(o Op) {
	o.Statement = st.count + 1
	st.ops = append(st.ops, o)
}

// step moves a task and notes how to undo that.
func (st *Statements) step(t TaskID, s model.Status, n NodeID, c Chosen) {
	st.note(t)
	st.l.accounts.movePlacing(t, s, n, c)
}

// note notes a task's status, node and neighbours for undo.
func (st *Statements) note(t TaskID) {
	row := &st.l.Tasks.rows[t]
	st.undo = append(st.undo, entry{task: t, status: row.Status, node: row.Node, at: row.at,
		provisional: row.provisional, waived: row.waived, covered: row.covered, chosen: row.Chosen})
}

// rollback undoes moves, the last first. Lists get their old order back, because each task is put between the
// neighbours that it had.
func (st *Statements) rollback(mark int) {
	if len(st.undo) > mark {
		st.undone++
	}
	for i := len(st.undo) - 1; i >= mark; i-- {
		st.takeBack(&st.undo[i])
	}
	st.undo = st.undo[:mark]
}

func (st *Statements) takeBack(e *entry) {
	if e.task == NoTask {
		if from, to := e.waives[0], e.waives[1]; from < to {
			st.l.KeptRoom.unwaive(st.l.KeptRoom.waived[from:to])
			return
		}
		st.l.KeptRoom.countBeside(e.kept, !e.keeps)
		return
	}
	row := &st.l.Tasks.rows[e.task]
	if e.leaves {
		st.l.accounts.leaving(e.task, e.status, -1)
		return
	}
	was := st.l.accounts.contributionOf(row)
	st.l.accounts.removeFromNode(e.task)
	if row.Job != NoJob {
		st.l.Tasks.unlink(inJob, st.l.Jobs.headOf(row), e.task)
	}
	row.Status, row.Node, row.provisional, row.waived, row.Chosen = e.status, e.node, e.provisional, e.waived, e.chosen
	row.at, row.covered = e.at, e.covered
	if row.Job != NoJob {
		st.l.Tasks.relink(inJob, st.l.Jobs.headOf(row), e.task)
		st.l.accounts.recount(row, was, st.l.accounts.contributionOf(row))
	}
	if row.Node != NoNode {
		st.l.Tasks.relink(onNode, &st.l.Nodes.rows[row.Node].first, e.task)
		st.l.Nodes.count(row, 1)
		st.l.PluginStates.take(e.task, row)
	} else if row.hasKeptRoom() {
		st.l.KeptRoom.count(row, 1)
	}
}

// makeProvisional makes the places of the operations from index i on provisional.
func (st *Statements) makeProvisional(i int) {
	st.l.Changes.stateEpoch++
	for _, op := range st.ops[i:] {
		st.markProvisional(op.Task)
		if op.Kind == OpEvict || op.Kind == OpEndNomination {
			st.l.Changes.roomEpoch++
		}
	}
	st.ops = st.ops[:i]
}

func (st *Statements) markProvisional(t TaskID) {
	if row := &st.l.Tasks.rows[t]; !row.provisional {
		row.provisional = true
		st.provisional = append(st.provisional, t)
	}
}

// TakeBackProvisional takes back every provisional place. Each cycle begins with it.
func (st *Statements) TakeBackProvisional() {
	if len(st.provisional) > 0 {
		st.l.Changes.stateEpoch++
	}
	for _, t := range st.provisional {
		if st.l.Tasks.rows[t].provisional && !st.l.Tasks.rows[t].free {
			st.l.Tasks.rebase(t)
		}
	}
	st.provisional = st.provisional[:0]
}

// Count is the number of statements so far that succeeded and did something.
func (st *Statements) Count() uint64 { return st.count }

// Undone is the number of tries so far that were undone after they had changed something.
func (st *Statements) Undone() uint64 { return st.undone }

// Uncommitted lists the operations of statements that succeeded and are not commitments yet, and those of an open
// try. The slice is valid until the next change.
func (st *Statements) Uncommitted() []Op { return st.ops }

// Displaced calls f for every task that the outermost try evicts, or of which it ends the nomination.
func (st *Statements) Displaced(f func(t TaskID)) {
	for i := len(st.ops) - 1; i >= 0 && st.ops[i].Statement > st.count; i-- {
		op := &st.ops[i]
		row := &st.l.Tasks.rows[op.Task]
		switch {
		case op.Kind == OpEvict && row.Status == model.Releasing,
			op.Kind == OpEndNomination && row.Status == model.Pending && row.Commitment.Kind == CommitNominate:
			f(op.Task)
		}
	}
}

// Evicting calls f for every task that is evicted by the open try, or by statements of this cycle that are not
// in the plan yet, in order.
func (st *Statements) Evicting(f func(t TaskID)) {
	for i := range st.ops {
		if t := st.ops[i].Task; st.ops[i].Kind == OpEvict && st.l.Tasks.rows[t].Status == model.Releasing {
			f(t)
		}
	}
}
