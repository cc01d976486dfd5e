package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// A claim is room on a node that is kept for a task which waits, while others still hold it:
// nobody who comes after the task's job gets that room when they leave. On its node it counts
// as Pipelined. The task waits as before: it is Pending, on no node, and promised nothing that
// its job or queue is allocated; its queues have what is claimed as Claimed.
//
// A claim is there as long as its task is Pending. It can be waived inside a try, for who
// goes before; when the outermost try is over, claims that were waived are there again.

// Claim keeps room for a pending task on a node until a time.
func (l *Ledger) Claim(t TaskID, n NodeID, until int64) {
	l.Hold(t, Commitment{Kind: CommitClaim, Node: n, Until: until})
}

// Claims says that room is kept for somebody.
func (l *Ledger) Claims() bool { return l.claims > 0 }

// Claimants lists the jobs for which room is kept, in no order that may be decided by. The
// slice is good until the next change.
func (l *Ledger) Claimants() []JobID {
	l.claimants = slices.DeleteFunc(l.claimants, func(j JobID) bool {
		job := &l.jobs[j]
		job.claiming = !job.free && job.Claims > 0
		return !job.claiming
	})
	return l.claimants
}

// Claimed lists the tasks of a job that wait and have a claim, in no order that may be decided
// by.
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

// ClaimedOn is what is claimed on each node, without what is waived, and kept beside; nil where
// nothing is.
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

// claims says that room is kept for a task, on no node's list of tasks.
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

// Waive lets a try do without a task's claim.
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

// unwaive has the claims there again that a try which held did without.
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
