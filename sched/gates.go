package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// queueGates opens the scheduling gates of pods that wait for their queue.
type queueGates struct {
	e *Engine

	seen map[ledger.Key]struct{} // pods that are, or were, at the gate of their queue: see atGates
}

// note records pods seen at the gate of their queue, so that a cycle looks at these only. The ledger knows
// which of them still matter.
func (qg *queueGates) note(f model.Fact) {
	p, ok := f.Object.(*model.Pod)
	if !ok || p.QueueGate == model.NoQueueGate || p.Node != "" {
		return
	}
	if qg.seen == nil {
		qg.seen = map[ledger.Key]struct{}{}
	}
	qg.seen[ledger.Key{Namespace: p.Namespace, Name: p.Name}] = struct{}{}
}

// open lets queues open their gates (scheduling.volcano.sh/queue-allocation-gate) for the pods that they
// have room for, so that autoscalers see these pods and no others. Such a pod is placed like any other from
// the next cycle on. A queue's room is what is left when all pods that passed the gate before, and have no
// node yet, count as held. All members of a gang pass that the queue has room for, if they and those without a gate
// make up its minimum; else none does.
func (qg *queueGates) open() {
	shut := qg.atGates()
	if len(shut) == 0 {
		return
	}
	var jobs []ledger.JobID
	for j := range shut { // order-free: sorted below
		if !qg.e.session.Blocked(j).Is() {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, func(a, b ledger.JobID) int {
		if qa, qb := qg.e.l.Job(a).Queue, qg.e.l.Job(b).Queue; qa != qb {
			return qg.e.policy.CompareQueues(qa, qb)
		}
		return qg.e.policy.CompareJobs(a, b)
	})
	jobs = slices.DeleteFunc(jobs, func(j ledger.JobID) bool {
		return !qg.e.session.TryAdmit(j) || qg.e.policy.ValidateJob(j).Is()
	})
	var open []ledger.TaskID
	qg.e.l.Try(func(tx *ledger.Tx) bool {
		qg.supposeOpened(tx)
		for _, j := range jobs {
			open = append(open, qg.letThrough(tx, j, shut[j])...)
		}
		return false
	})
	for _, t := range open {
		task := qg.e.l.Task(t)
		id := qg.e.add(Item{Kind: OpenGate, Pod: task.Key, UID: task.Pod.UID})
		qg.e.l.SetCommitment(t, ledger.Commitment{Kind: ledger.CommitOpen, Node: ledger.NoNode, Item: id})
	}
}

// atGates lists by job the members at a shut gate that is not being opened, and drops the pods that have
// passed theirs.
func (qg *queueGates) atGates() map[ledger.JobID][]ledger.TaskID {
	var out map[ledger.JobID][]ledger.TaskID
	for k := range qg.seen { // order-free: sorted by letThrough
		t, ok := qg.e.l.Tasks.Find(k)
		if !ok || qg.e.l.Task(t).Pod.QueueGate == model.NoQueueGate || qg.e.l.Task(t).Pod.Node != "" {
			delete(qg.seen, k)
			continue
		}
		task := qg.e.l.Task(t)
		if task.Pod.QueueGate != model.QueueGateShut || task.Status != model.Pending || task.Job == ledger.NoJob ||
			task.Unsound || task.Commitment.Kind != ledger.NoCommit {
			continue
		}
		if out == nil {
			out = map[ledger.JobID][]ledger.TaskID{}
		}
		out[task.Job] = append(out[task.Job], t)
	}
	return out
}

// supposeOpened counts pods with a gate that is open, or is being opened, as holding room.
func (qg *queueGates) supposeOpened(tx *ledger.Tx) {
	for k := range qg.seen { // order-free: sums
		t, _ := qg.e.l.Tasks.Find(k)
		task := qg.e.l.Task(t)
		opened := task.Pod.QueueGate == model.QueueGateOpen || task.Commitment.Kind == ledger.CommitOpen
		if opened && task.Status == model.Pending && task.Job != ledger.NoJob && !task.Unsound {
			tx.Suppose(t)
		}
	}
}

// refusal returns why a queue takes no further task; no reason when it does, or would with more nodes: an
// autoscaler has to see the pods that wait for nodes (decision 26).
func (qg *queueGates) refusal(q ledger.QueueID, t ledger.TaskID) trace.Reason {
	r, over := qg.e.policy.Overused(q)
	if !over {
		class := qg.e.l.Task(t).Class
		if qg.e.policy.Allocatable(q, class, 1) >= 1 {
			return trace.Reason{}
		}
		r = qg.e.policy.WhyNotAllocatable(q, class)
	}
	if ShareGrows(qg.e.l, r.Root()) {
		return trace.Reason{}
	}
	return r
}

// letThrough returns the members of a job that its queue has room for, in task order, and counts them; none where they
// do not make up the job's minimum, be it for want of room or since others have another gate: nodes that were made for
// them would be idle. Without a plugin that starts gangs whole no minimum is asked for.
func (qg *queueGates) letThrough(tx *ledger.Tx, j ledger.JobID, shut []ledger.TaskID) (open []ledger.TaskID) {
	slices.SortFunc(shut, qg.e.policy.CompareTasks)
	job := qg.e.l.Job(j)
	var refusal trace.Reason
	if !tx.Try(func(tx *ledger.Tx) bool {
		for _, t := range shut {
			if refusal = qg.refusal(job.Queue, t); refusal.Is() {
				break
			}
			tx.Suppose(t)
			open = append(open, t)
		}
		free := job.By[model.Pending] - job.Gated // are placed without any gate
		return job.PlacedOrPipelined()+free >= job.MinMember || qg.e.policy.HoldsInPart()
	}) {
		open = nil
	}
	if refusal.Is() && qg.e.session.Pending.Reason(j).Code == trace.SchedulingGated {
		qg.e.session.Pending.Wait(j, trace.Reason{Code: trace.QueueGateShut, Have: len(shut) - len(open),
			Queue: refusal.Queue, Cause: &refusal})
	}
	return open
}
