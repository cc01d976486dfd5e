package ledger

import "ashlar.sh/sched/model"

// CommitKind is the kind of a decision about a task that its fact does not show yet.
type CommitKind uint8

// The kinds of commitments of a task, each with the API field that keeps it over a restart.
const (
	NoCommit             CommitKind = iota
	CommitBind                      // spec.nodeName, once the bind is through; lost before that
	CommitEvict                     // metadata.deletionTimestamp, once the delete is through; lost before that
	CommitNominate                  // status.nominatedNodeName (decision 13)
	CommitEvictionDenied            // not evicted again until then: denied, or taken back; lost at a restart
	CommitKeptRoom                  // room kept for it until other tasks have left it, see KeptRoom; lost at a restart
	CommitOpen                      // its queue gate is to go: spec.schedulingGates, once that is done; lost before that
)

// EvictedFor says for which task, of those that have a nomination by the eviction, a task is evicted.
type EvictedFor uint8

// What an eviction is for.
const (
	ForNoTask     EvictedFor = iota // no task has a nomination by it
	ForItsQueue                     // a task of its own queue
	ForOtherQueue                   // a task of another queue
)

// Commitment is a decision that the facts do not show yet.
type Commitment struct {
	Kind       CommitKind
	EvictedFor EvictedFor // CommitEvict
	Accepted   bool       // CommitEvict: the request was accepted, and the task will go
	Node       NodeID
	Item       uint64 // the plan item that asked for it; CommitEvictionDenied: it may be carried out yet, 0 if it will not
	// Statement is that of the item: evictions and the nominations they were made for share it.
	Statement uint64
	Until     int64         // nanoseconds since the epoch; 0: until the facts show it or a receipt denies it
	Planned   *PlannedStart // CommitKeptRoom: when the task is to start in that room; nil: no start is planned

	// Chosen is what Allocators chose along with the node. CommitBind: binding makes it effective first.
	// CommitNominate: what the task is to have (see PipelinedAllocator). CommitKeptRoom: what is kept (see Keeper).
	Chosen Chosen
}

// PlannedStart is when a job is to start in room that is kept for it, and what At was when it was planned first, in
// nanoseconds since the epoch. Few commitments have one, and binds are many: so it is not a part of each.
type PlannedStart struct{ At, First int64 }

// names returns the node to which the commitment alone assigns its task, or on which it keeps room for it;
// NoNode for a commitment that names no place for the task.
func (c *Commitment) names() NodeID {
	if c.Kind != CommitBind && c.Kind != CommitNominate && c.Kind != CommitKeptRoom {
		return NoNode
	}
	return c.Node
}

// stillOpen says that a pod's fact neither shows nor contradicts a commitment yet.
func stillOpen(c *Commitment, p *model.Pod) bool {
	finished := p.Phase.Finished()
	switch c.Kind {
	case CommitBind, CommitNominate:
		return p.Node == "" && !p.Deleting && !finished
	case CommitKeptRoom:
		return p.Ours && p.Node == "" && !p.Deleting && !finished && !p.Gated
	case CommitEvict, CommitEvictionDenied:
		return !p.Deleting && !finished
	case CommitOpen:
		return p.QueueGate == model.QueueGateShut && p.Node == "" && !p.Deleting && !finished
	default:
		return false
	}
}

// recommit replaces a row's commitment. It returns the node that the old one named, for dropUnnamed once the
// task has its new place. A task with a commitment of another kind may be evicted where it might not before, or
// the reverse, though it has not moved: its node is touched.
func (ts *Tasks) recommit(row *Task, c *Commitment) (was NodeID) {
	if row.Commitment != c {
		ts.l.Changes.recommitted.task(row.Key)
	}
	if row.Commitment.Kind != c.Kind && row.Node != NoNode {
		ts.l.Nodes.touch(row.Node)
	}
	was = row.Commitment.names()
	if n := c.names(); n != NoNode {
		ts.l.Nodes.rows[n].named++
	}
	if row.Commitment = c; was != NoNode {
		ts.l.Nodes.rows[was].named--
	}
	return was
}

// Commit makes commitments of the operations of the statements that succeeded since the last call, and
// returns these operations in order. An Allocate becomes a bind under way, an Evict an eviction under way, a
// Nominate a nomination until the time of its PlanItem, a Pipeline a provisional place; an EndNomination ends a
// nomination. An eviction or an end of a nomination that its own statement undid is left out. item is called for each
// operation that belongs in the plan and returns its PlanItem. The slice is valid until the next try.
func (l *Ledger) Commit(item func(Op) PlanItem) []Op {
	ops := l.Statements.ops
	l.Tasks.makeRoom(len(ops))
	for _, op := range ops {
		row := &l.Tasks.rows[op.Task]
		l.Changes.stateEpoch++
		switch op.Kind {
		case OpPipeline:
			l.Statements.markProvisional(op.Task)
			continue
		case OpAllocate:
			in := item(op)
			if row.Commitment.Kind == CommitKeptRoom {
				l.Changes.roomEpoch++
			}
			was := l.Tasks.commit(row, Commitment{Kind: CommitBind, Node: op.Node, Item: in.Item, Statement: in.Statement,
				Chosen: row.Chosen})
			row.provisional = false // an earlier statement of the cycle may have given it a provisional place; the bind stays
			l.accounts.move(op.Task, model.Binding, op.Node)
			l.Charges.await(op.Task)
			l.Tasks.dropUnnamed(NoJob, was)
		case OpNominate:
			if row.Status != model.Pipelined || row.Node != op.Node {
				continue
			}
			in := item(op)
			was := l.Tasks.commit(row, Commitment{Kind: CommitNominate, Node: op.Node, Item: in.Item,
				Statement: in.Statement, Until: in.Until, Chosen: row.Chosen})
			l.Tasks.dropUnnamed(NoJob, was)
		case OpEvict:
			if row.Status != model.Releasing || row.Commitment.Kind == CommitEvict {
				continue
			}
			in := item(op)
			l.Tasks.commit(row, Commitment{Kind: CommitEvict, EvictedFor: in.EvictedFor, Node: op.Node, Item: in.Item,
				Statement: in.Statement, Until: in.Until})
			l.Changes.roomEpoch++
		case OpEndNomination:
			l.Changes.roomEpoch++
			if row.Status != model.Pending || row.Commitment.Kind != CommitNominate {
				continue
			}
			item(op)
			l.Tasks.dropUnnamed(NoJob, l.Tasks.recommit(row, l.Tasks.none))
		}
	}
	l.Statements.ops = l.Statements.ops[:0]
	return ops
}

// manyCommitments is how many commitments are allocated at once: one by one would cost an allocation for each
// bind.
const manyCommitments = 64

func (ts *Tasks) makeRoom(commitments int) {
	if cap(ts.commitments)-len(ts.commitments) < commitments {
		ts.commitments = make([]Commitment, 0, max(commitments, manyCommitments))
	}
}

// commit gives a task a commitment, or ends it (NoCommit); it returns what recommit returns.
func (ts *Tasks) commit(row *Task, c Commitment) (was NodeID) {
	if c.Kind == NoCommit {
		return ts.recommit(row, ts.none)
	}
	ts.makeRoom(1)
	ts.commitments = append(ts.commitments, c)
	return ts.recommit(row, &ts.commitments[len(ts.commitments)-1])
}

// PlanItem says which item of the plan, and of which statement, carries an operation out, and until when it holds at
// most: a nomination, or the record of a denied eviction.
type PlanItem struct {
	Item, Statement uint64
	Until           int64
	EvictedFor      EvictedFor // of an eviction
}

// SetCommitment makes a commitment outside of any try, as a restart does. Drop ends one, because a receipt denied it or
// its time is over. After both, the task has the status and node of its fact and commitment.
func (l *Ledger) SetCommitment(t TaskID, c Commitment) {
	row := &l.Tasks.rows[t]
	if row.hasKeptRoom() {
		l.Changes.roomEpoch++
	}
	if c.Kind == CommitKeptRoom || row.Commitment.Kind == CommitKeptRoom {
		l.Changes.mark(row.Job)
	}
	placed := row.Node != NoNode
	if !placed {
		l.accounts.removeFromNode(t)
	}
	row.waived, row.covered = false, 0
	was := l.Tasks.commit(row, c)
	if !placed {
		l.accounts.addToNode(t)
	}
	l.Changes.stateEpoch++
	if j := l.Tasks.rows[t].Job; j != NoJob {
		l.Jobs.rows[j].Changed++ // a task that is pending again may find a place that other tasks of its job do not
	}
	l.Tasks.rebase(t)
	l.Tasks.dropUnnamed(NoJob, was)
}

// Accept notes that the request for a task's eviction was accepted. This changes nothing else before the fact
// shows the eviction, but where it was taken back too late: the task goes.
func (l *Ledger) Accept(t TaskID) {
	switch commitment := *l.Tasks.rows[t].Commitment; commitment.Kind {
	case CommitEvict:
		commitment.Accepted = true
		l.Tasks.commit(&l.Tasks.rows[t], commitment)
	case CommitEvictionDenied:
		commitment.Kind, commitment.Accepted = CommitEvict, true
		l.SetCommitment(t, commitment)
	}
}

// Drop ends a task's commitment.
func (l *Ledger) Drop(t TaskID) { l.SetCommitment(t, Commitment{}) }

// Restore takes over a commitment of an earlier engine, unless the task's fact shows or contradicts it. It
// says whether it did.
func (l *Ledger) Restore(t TaskID, c Commitment) bool {
	if !stillOpen(&c, l.Tasks.rows[t].Pod) {
		l.Tasks.dropUnnamed(NoJob, c.names()) // Nodes.Named may have made the row for this commitment alone
		return false
	}
	l.SetCommitment(t, c)
	return true
}
