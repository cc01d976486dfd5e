package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// OpKind is what a statement does to a task.
type OpKind uint8

// The operations of a statement.
const (
	OpAllocate OpKind = iota // takes room that is there
	OpPipeline               // waits for room that tasks are leaving: a nomination of this cycle
	OpReserve                // waits for room freed by this statement's evictions: a reservation
	OpEvict                  // is to leave its node
	OpRelease                // gives up its reservation for another task
)

// Op is one operation of a statement that held.
type Op struct {
	Kind   OpKind
	Task   TaskID
	Node   NodeID
	Reason string // of an eviction: the action
	For    TaskID // of an eviction: the task it serves; NoTask when unknown

	Statement uint64 // equal for the operations of one outermost try
}

// entry is what undoing one move needs: the task's status, node, and neighbours in its lists. An entry without
// a task is about room that a try keeps or gives back: see keepBeside.
type entry struct {
	task               TaskID
	status             model.Status
	node               NodeID
	jobPrev, jobNext   TaskID
	nodePrev, nodeNext TaskID
	nominated, waived  bool
	chosen             Chosen
}

// Tx is what a try changes the ledger with. It is valid only inside the closure that it is passed to.
type Tx struct {
	l    *Ledger
	keep bool
}

// Try runs f. When f returns true, its changes stay. When f returns false, every figure, list, PluginState and
// counter is as it was before. Tries nest. When the outermost try succeeds, Committed returns its operations,
// unless Keep was called.
func (l *Ledger) Try(f func(*Tx) bool) bool {
	mark, ops, keep := len(l.undo), len(l.ops), l.tx.keep
	nodes, figures := l.Settled()
	l.depth++
	ok := f(&l.tx)
	l.depth--
	if !ok {
		l.rollback(mark)
		l.vainNodes, l.vainFigures = l.Changes.Nodes.Now()-nodes, l.usageEpoch-figures
		l.ops, l.tx.keep = l.ops[:ops], keep
		if l.depth == 0 {
			l.waived = l.waived[:0]
		}
		return false
	}
	if l.depth == 0 {
		if slices.ContainsFunc(l.undo, l.frees) {
			l.roomEpoch++
		}
		l.undo = l.undo[:0]
		if l.tx.keep {
			l.nominate(ops)
		} else if len(l.ops) > ops {
			l.statements++
		}
		l.tx.keep = false
		l.unwaive()
	}
	return true
}

// frees says that a task which a successful try moved does not use the room that is kept for it: a claim or a
// reservation on another node.
func (l *Ledger) frees(e entry) bool {
	if e.task == NoTask {
		return false
	}
	row := &l.tasks[e.task]
	kept := row.Held.Kind == CommitReserve || row.Held.Kind == CommitClaim
	return kept && row.Node != row.Held.Node && !row.claims()
}

// Keep makes the statement hold for this cycle only: its tasks keep their room, it stays out of the plan, and
// the next cycle takes it back before it decides (for a job that is pipelined and not ready; seed 003 §6.5).
func (tx *Tx) Keep() { tx.keep = true }

// Allocate gives a pending task room on a node.
func (tx *Tx) Allocate(t TaskID, n NodeID) {
	tx.l.step(t, model.Allocated, n, tx.l.choose(t, n))
	tx.l.op(Op{Kind: OpAllocate, Task: t, Node: n, For: NoTask})
}

// Pipeline promises a pending task room that tasks are leaving.
func (tx *Tx) Pipeline(t TaskID, n NodeID) {
	tx.l.step(t, model.Pipelined, n, tx.l.Promised(t, n))
	tx.l.op(Op{Kind: OpPipeline, Task: t, Node: n, For: NoTask})
}

// Reserve promises a pending task the room that this statement's evictions free.
func (tx *Tx) Reserve(t TaskID, n NodeID) {
	tx.l.step(t, model.Pipelined, n, tx.l.Promised(t, n))
	tx.l.op(Op{Kind: OpReserve, Task: t, Node: n, For: NoTask})
}

// Suppose counts a pending task, gated or not, for its job and queues as one that is promised room, but on no
// node. It is for tries that return false.
func (tx *Tx) Suppose(t TaskID) { tx.l.step(t, model.Pipelined, NoNode, "") }

// Withdraw takes back the promise made to a task, so that the task can be allocated the room once it is free.
func (tx *Tx) Withdraw(t TaskID) { tx.l.step(t, model.Pending, NoNode, "") }

// Evict makes a task leave its node for the beneficiary. The task holds its room as Releasing until it is
// gone.
func (tx *Tx) Evict(t TaskID, reason string, beneficiary TaskID) {
	n := tx.l.tasks[t].Node
	tx.l.step(t, model.Releasing, n, tx.l.tasks[t].Chosen)
	tx.l.op(Op{Kind: OpEvict, Task: t, Node: n, Reason: reason, For: beneficiary})
}

// Reprieve undoes an eviction of this statement: the task is again where its fact shows it.
func (tx *Tx) Reprieve(t TaskID) {
	s, n := tx.l.observed(&tx.l.tasks[t])
	tx.l.step(t, s, n, tx.l.tasks[t].Chosen)
}

// Stay counts a task with an eviction under way as one that stays. It is for tries that return false.
func (tx *Tx) Stay(t TaskID) {
	stays := tx.l.tasks[t]
	stays.Held = tx.l.none
	s, n := tx.l.observed(&stays)
	tx.l.step(t, s, n, stays.Chosen)
}

// Release ends a task's reservation for the beneficiary: the task is Pending again (decision 13, "may take the
// reservation over"). Restore undoes it within the statement.
func (tx *Tx) Release(t TaskID, reason string, beneficiary TaskID) {
	n := tx.l.tasks[t].Node
	tx.l.step(t, model.Pending, NoNode, "")
	tx.l.op(Op{Kind: OpRelease, Task: t, Node: n, Reason: reason, For: beneficiary})
}

// Restore is the inverse of Release.
func (tx *Tx) Restore(t TaskID) {
	held := tx.l.tasks[t].Held
	tx.l.step(t, model.Pipelined, held.Node, held.Chosen)
}

// Try nests: see Ledger.Try.
func (tx *Tx) Try(f func(*Tx) bool) bool { return tx.l.Try(f) }

func (l *Ledger) op(o Op) {
	o.Statement = l.statements + 1
	l.ops = append(l.ops, o)
}

// step moves a task and notes how to undo that.
func (l *Ledger) step(t TaskID, s model.Status, n NodeID, c Chosen) {
	l.note(t)
	l.movePlacing(t, s, n, c)
}

// note notes a task's status, node and neighbours for undo.
func (l *Ledger) note(t TaskID) {
	row := &l.tasks[t]
	l.undo = append(l.undo, entry{t, row.Status, row.Node, row.jobPrev, row.jobNext,
		row.nodePrev, row.nodeNext, row.nominated, row.waived, row.Chosen})
}

// rollback undoes moves, the last first. Lists get their old order back, because each task is put between the
// neighbours that it had.
func (l *Ledger) rollback(mark int) {
	for i := len(l.undo) - 1; i >= mark; i-- {
		l.takeBack(&l.undo[i])
	}
	l.undo = l.undo[:mark]
}

func (l *Ledger) takeBack(e *entry) {
	if e.task == NoTask {
		l.countBeside(beside{QueueID(e.jobNext), ClassID(e.jobPrev), e.node}, !e.nominated)
		return
	}
	row := &l.tasks[e.task]
	was := l.partOf(row)
	l.removeFromNode(e.task)
	if row.Job != NoJob {
		l.unlinkJob(e.task)
	}
	row.Status, row.Node, row.nominated, row.waived, row.Chosen = e.status, e.node, e.nominated, e.waived, e.chosen
	row.jobPrev, row.jobNext, row.nodePrev, row.nodeNext = e.jobPrev, e.jobNext, e.nodePrev, e.nodeNext
	if row.Job != NoJob {
		l.relinkJob(e.task)
		l.recount(row, was, l.partOf(row))
	}
	if row.Node != NoNode {
		l.relinkNode(e.task)
		l.onNode(row, 1)
		l.updatePluginStates(e.task, row, true)
	} else if row.claims() {
		l.claim(row, 1)
	}
}

// nominate makes nominations of this cycle of the operations from index i on.
func (l *Ledger) nominate(i int) {
	l.stateEpoch++
	for _, op := range l.ops[i:] {
		l.markNominated(op.Task)
		if op.Kind == OpEvict || op.Kind == OpRelease {
			l.roomEpoch++
		}
	}
	l.ops = l.ops[:i]
}

func (l *Ledger) markNominated(t TaskID) {
	if row := &l.tasks[t]; !row.nominated {
		row.nominated = true
		l.nominated = append(l.nominated, t)
	}
}

// NominatedThisCycle says that a task's place is a nomination of this cycle, to be decided anew next cycle.
func (l *Ledger) NominatedThisCycle(t TaskID) bool { return l.tasks[t].nominated }

// ReleaseNominated takes back every nomination of this cycle. Each cycle begins with it.
func (l *Ledger) ReleaseNominated() {
	if len(l.nominated) > 0 {
		l.stateEpoch++
	}
	for _, t := range l.nominated {
		if l.tasks[t].nominated && !l.tasks[t].free {
			l.rebase(t)
		}
	}
	l.nominated = l.nominated[:0]
}

// Committed makes commitments of the operations of the statements that succeeded since the last call, and
// returns these operations in order. An Allocate becomes a bind under way, an Evict an eviction under way, a
// Reserve a reservation until the time of its Booking, a Pipeline a nomination of this cycle; a Release ends a
// reservation. An eviction or a release that its own statement undid is left out. item is called for each
// operation that belongs in the plan and returns its Booking. The slice is valid until the next try.
func (l *Ledger) Committed(item func(Op) Booking) []Op {
	ops := l.ops
	l.makeRoom(len(ops))
	for _, op := range ops {
		row := &l.tasks[op.Task]
		l.stateEpoch++
		switch op.Kind {
		case OpPipeline:
			l.markNominated(op.Task)
			continue
		case OpAllocate:
			b := item(op)
			if row.Held.Kind == CommitClaim {
				l.roomEpoch++
			}
			was := l.commit(row, Commitment{Kind: CommitBind, Node: op.Node, Item: b.Item, Statement: b.Statement, Chosen: row.Chosen})
			l.move(op.Task, model.Binding, op.Node)
			l.awaitCharge(op.Task)
			l.dropUnnamed(NoJob, was)
		case OpReserve:
			if row.Status != model.Pipelined || row.Node != op.Node {
				continue
			}
			b := item(op)
			was := l.commit(row, Commitment{Kind: CommitReserve, Node: op.Node, Item: b.Item, Statement: b.Statement,
				Until: b.Until, Chosen: row.Chosen})
			l.dropUnnamed(NoJob, was)
		case OpEvict:
			if row.Status != model.Releasing || row.Held.Kind == CommitEvict {
				continue
			}
			b := item(op)
			l.commit(row, Commitment{Kind: CommitEvict, For: b.For, Node: op.Node, Item: b.Item, Statement: b.Statement,
				Until: b.Until})
			l.roomEpoch++
		case OpRelease:
			l.roomEpoch++
			if row.Status != model.Pending || row.Held.Kind != CommitReserve {
				continue
			}
			item(op)
			l.dropUnnamed(NoJob, l.recommit(row, l.none))
		}
	}
	l.ops = l.ops[:0]
	return ops
}

// manyCommitments is how many commitments are allocated at once: one by one would cost an allocation for each
// bind.
const manyCommitments = 64

func (l *Ledger) makeRoom(commitments int) {
	if cap(l.commitments)-len(l.commitments) < commitments {
		l.commitments = make([]Commitment, 0, max(commitments, manyCommitments))
	}
}

// commit gives a task a commitment, or ends it (NoCommit); it returns what recommit returns.
func (l *Ledger) commit(row *Task, c Commitment) (was NodeID) {
	if c.Kind == NoCommit {
		return l.recommit(row, l.none)
	}
	l.makeRoom(1)
	l.commitments = append(l.commitments, c)
	return l.recommit(row, &l.commitments[len(l.commitments)-1])
}

// Booking is the plan item, and its statement, that carries an operation out, and the time until which it
// holds at most: a reservation, or the record of a denied eviction.
type Booking struct {
	Item, Statement uint64
	Until           int64
	For             Beneficiary // of an eviction
}

// Hold makes a commitment outside of any try, as a restart does. Drop ends one, because a receipt denied it or
// its time is over. After both, the task has the status and node of its fact and commitment.
func (l *Ledger) Hold(t TaskID, c Commitment) {
	row := &l.tasks[t]
	if row.claims() {
		l.roomEpoch++
	}
	if c.Kind == CommitClaim || row.Held.Kind == CommitClaim {
		l.mark(row.Job)
	}
	placed := row.Node != NoNode
	if !placed {
		l.removeFromNode(t)
	}
	row.waived = false
	was := l.commit(row, c)
	if !placed {
		l.addToNode(t)
	}
	l.stateEpoch++
	if j := l.tasks[t].Job; j != NoJob {
		l.jobs[j].Changed++ // a task that is pending again may find a place that other tasks of its job do not
	}
	l.rebase(t)
	l.dropUnnamed(NoJob, was)
}

// Tell notes that the request for a task's eviction was accepted. This changes nothing else before the fact
// shows the eviction.
func (l *Ledger) Tell(t TaskID) {
	if held := *l.tasks[t].Held; held.Kind == CommitEvict {
		held.Told = true
		l.commit(&l.tasks[t], held)
	}
}

// Drop ends a task's commitment.
func (l *Ledger) Drop(t TaskID) { l.Hold(t, Commitment{}) }

// Restore takes over a commitment of an earlier engine, unless the task's fact shows or contradicts it. It
// says whether the commitment is held now.
func (l *Ledger) Restore(t TaskID, c Commitment) bool {
	if !stillOpen(&c, l.tasks[t].Pod) {
		l.dropUnnamed(NoJob, c.names()) // NameNode may have made the row for this commitment alone
		return false
	}
	l.Hold(t, c)
	return true
}

// Statements is the number of statements so far that succeeded and did something.
func (l *Ledger) Statements() uint64 { return l.statements }
