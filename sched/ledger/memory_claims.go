package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Claims holds the room that is kept for tasks that wait, while others that came later still hold it.
type Claims struct {
	l *Ledger

	pending   int     // pending tasks with a claim
	claimants []JobID // their jobs, and maybe jobs that have none any more
	waived    []TaskID
	aside     []keptRoom
}

// A claim is room on a node that is kept for a waiting task while other tasks still hold it: when they leave,
// no job that comes after the task's job gets that room. On its node it counts as Pipelined. The task's status
// does not change: it is Pending, has no node, and adds nothing to Allocated of its job and queue. Its queues
// count it as Claimed.
//
// A claim ends when its task is not Pending any more. Inside a try it can be waived, for a job that goes
// before. When the outermost try is over, waived claims count again.

// Set keeps room for a pending task on a node until a time.
func (cl *Claims) Set(t TaskID, n NodeID, until int64) {
	cl.l.Hold(t, Commitment{Kind: CommitClaim, Node: n, Until: until})
}

// Any says whether room is kept for some task; it is no number.
func (cl *Claims) Any() bool { return cl.pending > 0 }

// Claimants lists the jobs that have claims. Decisions must not depend on the order. The slice is valid until
// the next change.
func (cl *Claims) Claimants() []JobID {
	cl.claimants = slices.DeleteFunc(cl.claimants, func(j JobID) bool {
		job := &cl.l.Jobs.rows[j]
		job.marks.claiming = !job.marks.free && job.Claims > 0
		return !job.marks.claiming
	})
	return cl.claimants
}

// Of lists the pending tasks of a job that have a claim. Decisions must not depend on the order.
func (cl *Claims) Of(j JobID) (out []TaskID) {
	if cl.l.Jobs.rows[j].Claims == 0 {
		return nil
	}
	cl.l.Jobs.Tasks(j, model.Pending, func(t TaskID) bool {
		if cl.l.Tasks.rows[t].claims() {
			out = append(out, t)
		}
		return true
	})
	return out
}

// On returns, by node, what claims that are not waived and lost members' room (Tx.Beside) hold there;
// nil if there are none.
func (cl *Claims) On() map[NodeID]resource.Vec {
	if !cl.Any() && len(cl.aside) == 0 {
		return nil
	}
	out := map[NodeID]resource.Vec{}
	for _, b := range cl.aside { // order-free: sums
		out[b.node] = out[b.node].Add(cl.l.Classes.rows[b.class].Request)
	}
	for _, j := range cl.Claimants() { // order-free: sums
		for _, t := range cl.Of(j) {
			if row := &cl.l.Tasks.rows[t]; !row.waived {
				out[row.Held.Node] = out[row.Held.Node].Add(cl.l.Classes.rows[row.Class].Request)
			}
		}
	}
	return out
}

// claims says that the task has a claim. Such a task is on no node's list of tasks.
func (t *Task) claims() bool { return t.Held.Kind == CommitClaim && t.Status == model.Pending }

// count counts a task's claim (sign 1), or takes it away (-1).
func (cl *Claims) count(row *Task, sign int64) {
	job := &cl.l.Jobs.rows[row.Job]
	job.Claims += int32(sign)
	cl.pending += int(sign)
	if job.Claims > 0 && !job.marks.claiming {
		job.marks.claiming = true
		cl.claimants = append(cl.claimants, row.Job)
	}
	if row.waived {
		return
	}
	for _, need := range cl.l.Classes.rows[row.Class].Need {
		if need.Dim != resource.Pods {
			job.claimed = job.claimed.Set(need.Dim, job.claimed.Get(need.Dim)+need.Amount*sign)
		}
	}
	again := cl.keep(keptRoom{job.Queue, row.Class, row.Held.Node}, sign)
	cl.l.Nodes.reweigh(row.Held.Node, row, sign, again)
}

// keptRoom is room of a node that is kept for a task of a class, and counts as claimed in a queue.
type keptRoom struct {
	queue QueueID
	class ClassID
	node  NodeID
}

// keep adds kept room (sign 1) to the figures of its node and of its queue and the queue's ancestors, or takes it
// away (-1). It returns whether some figure of the node is, or was, too large to be updated: see reweigh.
func (cl *Claims) keep(r keptRoom, sign int64) (again bool) {
	again = cl.l.Nodes.rows[r.node].far
	for _, need := range cl.l.Classes.rows[r.class].Need {
		d := int(need.Dim)
		cols := &cl.l.Nodes.cols
		cols.pipelined[d][r.node] += need.Amount * sign
		cl.l.Nodes.rerun(d, r.node)
		again = again || far(cols.idle[d][r.node], cols.releasing[d][r.node], cols.pipelined[d][r.node])
		if need.Dim == resource.Pods {
			continue
		}
		cl.l.Changes.usageEpoch++
		for q := r.queue; q != NoQueue; q = cl.l.Queues.rows[q].up {
			cl.l.Queues.rows[q].Claimed[d] = cl.l.Queues.rows[q].Claimed[d].Plus(need.Amount * sign)
		}
	}
	return again
}

// Waive makes a task's claim not count within the try.
func (tx *Tx) Waive(t TaskID) {
	row := &tx.l.Tasks.rows[t]
	if !row.claims() || row.waived {
		return
	}
	tx.l.Statements.note(t)
	tx.l.accounts.removeFromNode(t)
	row.waived = true
	tx.l.accounts.addToNode(t)
	tx.l.Claims.waived = append(tx.l.Claims.waived, t)
}

// unwaive makes the claims that a successful try waived count again.
func (cl *Claims) unwaive() {
	for _, t := range cl.waived {
		switch row := &cl.l.Tasks.rows[t]; {
		case row.waived && row.claims():
			cl.l.accounts.removeFromNode(t)
			row.waived = false
			cl.l.accounts.addToNode(t)
		default:
			row.waived = false
		}
	}
	cl.waived = cl.waived[:0]
}
