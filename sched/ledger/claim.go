package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// A claim is room on a node that is kept for a waiting task while other tasks still hold it: when they leave,
// no job that comes after the task's job gets that room. On its node it counts as Pipelined. The task's status
// does not change: it is Pending, has no node, and adds nothing to Allocated of its job and queue. Its queues
// count it as Claimed.
//
// A claim ends when its task is not Pending any more. Inside a try it can be waived, for a job that goes
// before. When the outermost try is over, waived claims count again.

// Claim keeps room for a pending task on a node until a time.
func (l *Ledger) Claim(t TaskID, n NodeID, until int64) {
	l.Hold(t, Commitment{Kind: CommitClaim, Node: n, Until: until})
}

// Claims says that room is kept for some task.
func (l *Ledger) Claims() bool { return l.claims > 0 }

// Claimants lists the jobs that have claims. Decisions must not depend on the order. The slice is valid until
// the next change.
func (l *Ledger) Claimants() []JobID {
	l.claimants = slices.DeleteFunc(l.claimants, func(j JobID) bool {
		job := &l.jobs[j]
		job.claiming = !job.free && job.Claims > 0
		return !job.claiming
	})
	return l.claimants
}

// Claimed lists the pending tasks of a job that have a claim. Decisions must not depend on the order.
func (l *Ledger) Claimed(j JobID) (out []TaskID) {
	if l.jobs[j].Claims == 0 {
		return nil
	}
	l.JobTasks(j, model.Pending, func(t TaskID) bool {
		if l.tasks[t].claims() {
			out = append(out, t)
		}
		return true
	})
	return out
}

// ClaimedOn returns, by node, what claims that are not waived and lost members' room (Tx.Beside) hold there;
// nil if there are none.
func (l *Ledger) ClaimedOn() map[NodeID]resource.Vec {
	if !l.Claims() && len(l.aside) == 0 {
		return nil
	}
	out := map[NodeID]resource.Vec{}
	for _, b := range l.aside { // order-free: sums
		out[b.node] = out[b.node].Add(l.classes[b.class].Request)
	}
	for _, j := range l.Claimants() { // order-free: sums
		for _, t := range l.Claimed(j) {
			if row := &l.tasks[t]; !row.waived {
				out[row.Held.Node] = out[row.Held.Node].Add(l.classes[row.Class].Request)
			}
		}
	}
	return out
}

// claims says that the task has a claim. Such a task is on no node's list of tasks.
func (t *Task) claims() bool { return t.Held.Kind == CommitClaim && t.Status == model.Pending }

// claim counts a task's claim (sign 1), or takes it away (-1).
func (l *Ledger) claim(row *Task, sign int64) {
	job := &l.jobs[row.Job]
	job.Claims += int32(sign)
	l.claims += int(sign)
	if job.Claims > 0 && !job.claiming {
		job.claiming = true
		l.claimants = append(l.claimants, row.Job)
	}
	if row.waived {
		return
	}
	n := row.Held.Node
	again := l.nodes[n].far
	for _, need := range l.classes[row.Class].Need {
		d := int(need.Dim)
		l.cols.pipelined[d][n] += need.Amount * sign
		l.rerun(d, n)
		again = again || far(l.cols.idle[d][n], l.cols.releasing[d][n], l.cols.pipelined[d][n])
		if need.Dim == resource.Pods {
			continue
		}
		job.claimed = job.claimed.Set(need.Dim, job.claimed.Get(need.Dim)+need.Amount*sign)
		l.usageEpoch++
		for q := job.Queue; q != NoQueue; q = l.queues[q].up {
			l.queues[q].Claimed[d] = l.queues[q].Claimed[d].Plus(need.Amount * sign)
		}
	}
	l.reweigh(n, row, sign, again)
}

// Waive makes a task's claim not count within the try.
func (tx *Tx) Waive(t TaskID) {
	row := &tx.l.tasks[t]
	if !row.claims() || row.waived {
		return
	}
	tx.l.note(t)
	tx.l.removeFromNode(t)
	row.waived = true
	tx.l.addToNode(t)
	tx.l.waived = append(tx.l.waived, t)
}

// unwaive makes the claims that a successful try waived count again.
func (l *Ledger) unwaive() {
	for _, t := range l.waived {
		switch row := &l.tasks[t]; {
		case row.waived && row.claims():
			l.removeFromNode(t)
			row.waived = false
			l.addToNode(t)
		default:
			row.waived = false
		}
	}
	l.waived = l.waived[:0]
}
