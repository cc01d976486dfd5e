package ledger

import "ashlar.sh/sched/model"

// OpKind is what a statement does to a task.
type OpKind uint8

// The operations of a statement.
const (
	OpAllocate OpKind = iota // takes room that is there
	OpPipeline               // waits for room that frees itself: a nomination of this cycle
	OpReserve                // waits for room freed by this statement's evictions: a reservation
	OpEvict                  // is to leave
	OpRelease                // gives its reservation up to somebody else
)

// Op is one operation of a statement that held.
type Op struct {
	Kind   OpKind
	Task   TaskID
	Node   NodeID
	Reason string // of an eviction: the action
	For    TaskID // of an eviction: whom it serves; NoTask when unknown

	Statement uint64 // the same for the operations of one outermost try
}

// entry is what undoing one move needs: where the task was, and between whom. Without a task it
// is about room that was kept beside (soft) or given back: see keepBeside.
type entry struct {
	task               TaskID
	status             model.Status
	node               NodeID
	jobPrev, jobNext   TaskID
	nodePrev, nodeNext TaskID
	nominated, waived  bool
	chosen             Chosen
}

// Tx is the hand with which a try changes the ledger. It is good only inside the
// closure it was given to.
type Tx struct {
	l    *Ledger
	keep bool
}

// Try runs f; when f returns true its changes stay, when false they never were: every
// figure, list, book and counter is as before. Tries nest. When the outermost try
// holds, its operations are those that Committed returns; see Keep for the other way
// to hold.
func (l *Ledger) Try(f func(*Tx) bool) bool {
	mark, ops, keep := len(l.undo), len(l.ops), l.tx.keep
	nodes, figures := l.Settled()
	l.depth++
	ok := f(&l.tx)
	l.depth--
	if !ok {
		l.rollback(mark)
		l.vainNodes, l.vainFigures = l.Now()-nodes, l.usageEpoch-figures
		l.ops, l.tx.keep = l.ops[:ops], keep
		if l.depth == 0 {
			l.waived = l.waived[:0]
		}
		return false
	}
	if l.depth == 0 {
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

// Keep makes the statement hold for this cycle only: it takes its room and stays out
// of the plan, and the next cycle takes it back before it decides (a job that is
// pipelined and not ready; seed 003 §6.5).
func (tx *Tx) Keep() { tx.keep = true }

// Allocate gives a pending task room on a node.
func (tx *Tx) Allocate(t TaskID, n NodeID) {
	tx.l.step(t, model.Allocated, n, tx.l.choose(t, n))
	tx.l.op(Op{Kind: OpAllocate, Task: t, Node: n, For: NoTask})
}

// Pipeline promises a pending task room on a node that is being freed.
func (tx *Tx) Pipeline(t TaskID, n NodeID) {
	tx.l.step(t, model.Pipelined, n, "")
	tx.l.op(Op{Kind: OpPipeline, Task: t, Node: n, For: NoTask})
}

// Reserve promises a pending task the room that this statement's evictions free.
func (tx *Tx) Reserve(t TaskID, n NodeID) {
	tx.l.step(t, model.Pipelined, n, "")
	tx.l.op(Op{Kind: OpReserve, Task: t, Node: n, For: NoTask})
}

// Suppose counts a pending task, gated or not, as one that has room somewhere: for its job
// and its queues, and on no node. It is for tries that end in false.
func (tx *Tx) Suppose(t TaskID) { tx.l.step(t, model.Pipelined, NoNode, "") }

// Withdraw takes back the promise made to a task, so that it can be given its room
// now that the room is there.
func (tx *Tx) Withdraw(t TaskID) { tx.l.step(t, model.Pending, NoNode, "") }

// Evict asks a task to leave its node for another's sake; it holds its room as
// Releasing until it is gone.
func (tx *Tx) Evict(t TaskID, reason string, beneficiary TaskID) {
	n := tx.l.tasks[t].Node
	tx.l.step(t, model.Releasing, n, tx.l.tasks[t].Chosen)
	tx.l.op(Op{Kind: OpEvict, Task: t, Node: n, Reason: reason, For: beneficiary})
}

// Reprieve takes back an eviction of this statement: the task stays where its fact shows
// it.
func (tx *Tx) Reprieve(t TaskID) {
	s, n := tx.l.observed(&tx.l.tasks[t])
	tx.l.step(t, s, n, tx.l.tasks[t].Chosen)
}

// Stay counts a task whose eviction is under way as one that stays. It is for tries that end
// in false.
func (tx *Tx) Stay(t TaskID) {
	stays := tx.l.tasks[t]
	stays.Held = tx.l.none
	s, n := tx.l.observed(&stays)
	tx.l.step(t, s, n, stays.Chosen)
}

// Release ends a task's reservation for another's sake: it waits anew (decision 13,
// "may take the reservation over"). Reserve gives it back within the statement.
func (tx *Tx) Release(t TaskID, reason string, beneficiary TaskID) {
	n := tx.l.tasks[t].Node
	tx.l.step(t, model.Pending, NoNode, "")
	tx.l.op(Op{Kind: OpRelease, Task: t, Node: n, Reason: reason, For: beneficiary})
}

// Restore gives a released task its reservation back: the inverse of Release.
func (tx *Tx) Restore(t TaskID) {
	tx.l.step(t, model.Pipelined, tx.l.tasks[t].Held.Node, "")
}

// Try nests: see Ledger.Try.
func (tx *Tx) Try(f func(*Tx) bool) bool { return tx.l.Try(f) }

func (l *Ledger) op(o Op) {
	o.Statement = l.statements + 1
	l.ops = append(l.ops, o)
}

// step moves a task and notes how to take it back.
func (l *Ledger) step(t TaskID, s model.Status, n NodeID, c Chosen) {
	l.note(t)
	l.movePlacing(t, s, n, c)
}

// note notes how a task stands.
func (l *Ledger) note(t TaskID) {
	row := &l.tasks[t]
	l.undo = append(l.undo, entry{t, row.Status, row.Node, row.jobPrev, row.jobNext,
		row.nodePrev, row.nodeNext, row.nominated, row.waived, row.Chosen})
}

// rollback takes moves back, the last first. Lists come back in their old order
// because each task goes back between the neighbours it was taken from.
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

// nominate turns the operations from index i on into nominations of this cycle.
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

// ReleaseNominated takes back every nomination of this cycle: the first step of a cycle.
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

// Committed returns the operations of the statements that held since the last call,
// in their order, having made commitments of them: an Allocate is a bind under way,
// an Evict an eviction under way, a Reserve a reservation until the time given; a
// Pipeline becomes a nomination of this cycle; a Release ends a reservation. An eviction or a release that
// the statement itself took back is none. item is called for each operation that belongs
// in the plan and says under which item it is booked. The slice is good until the next
// try.
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
			was := l.commit(row, Commitment{Kind: CommitReserve, Node: op.Node, Item: b.Item, Statement: b.Statement, Until: b.Until})
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

// manyCommitments are made at once: a cycle would otherwise allocate for every bind.
const manyCommitments = 64

func (l *Ledger) makeRoom(commitments int) {
	if cap(l.commitments)-len(l.commitments) < commitments {
		l.commitments = make([]Commitment, 0, max(commitments, manyCommitments))
	}
}

// commit gives a task a commitment, or takes it back; it returns what recommit does.
func (l *Ledger) commit(row *Task, c Commitment) (was NodeID) {
	if c.Kind == NoCommit {
		return l.recommit(row, l.none)
	}
	l.makeRoom(1)
	l.commitments = append(l.commitments, c)
	return l.recommit(row, &l.commitments[len(l.commitments)-1])
}

// Booking is under which plan item, of which statement, an operation is carried out, and
// until when it holds at most: a reservation, or the record that an eviction was denied.
type Booking struct {
	Item, Statement uint64
	Until           int64
	For             Beneficiary // of an eviction
}

// Hold makes a commitment outside any try, as a restart does; Drop ends one, because
// a receipt denied it or its time is over. Both leave the task where its fact and
// commitment say it stands.
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
		l.jobs[j].Changed++ // who waits again may find the place that others of its job do not
	}
	l.rebase(t)
	l.dropUnnamed(NoJob, was)
}

// Tell notes of a task whose eviction is under way that the request went through. Nothing
// changes for anybody before its fact shows it.
func (l *Ledger) Tell(t TaskID) {
	if held := *l.tasks[t].Held; held.Kind == CommitEvict {
		held.Told = true
		l.commit(&l.tasks[t], held)
	}
}

// Drop ends a task's commitment.
func (l *Ledger) Drop(t TaskID) { l.Hold(t, Commitment{}) }

// Restore takes a commitment over from an earlier life, unless the task's fact shows
// or contradicts it; it says whether the commitment is held now.
func (l *Ledger) Restore(t TaskID, c Commitment) bool {
	if !stillOpen(&c, l.tasks[t].Pod) {
		l.dropUnnamed(NoJob, c.names()) // NameNode may have made the row for nothing else
		return false
	}
	l.Hold(t, c)
	return true
}

// Statements is the number of statements so far that held and did something.
func (l *Ledger) Statements() uint64 { return l.statements }
