package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// noteGate records pods seen at the gate of their queue, so that a cycle looks at these only. The ledger knows
// which of them still matter.
func (e *Engine) noteGate(f model.Fact) {
	p, ok := f.Object.(*model.Pod)
	if !ok || p.QueueGate == model.NoQueueGate || p.Node != "" {
		return
	}
	if e.gates == nil {
		e.gates = map[ledger.Key]struct{}{}
	}
	e.gates[ledger.Key{Namespace: p.Namespace, Name: p.Name}] = struct{}{}
}

// openGates lets queues open their gates (scheduling.volcano.sh/queue-allocation-gate) for the pods that they
// have room for, so that autoscalers see these pods and no others. Such a pod is placed like any other from
// the next cycle on. A queue's room is what is left when all pods that passed the gate before, and have no
// node yet, count as held. A gang passes as far as its minimum needs, or not at all.
func (e *Engine) openGates() {
	shut := e.atGates()
	if len(shut) == 0 {
		return
	}
	var jobs []ledger.JobID
	for j := range shut { // order-free: sorted below
		if !e.session.Gate(j).Is() {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, func(a, b ledger.JobID) int {
		if qa, qb := e.l.Job(a).Queue, e.l.Job(b).Queue; qa != qb {
			return e.policy.CompareQueues(qa, qb)
		}
		return e.policy.CompareJobs(a, b)
	})
	jobs = slices.DeleteFunc(jobs, func(j ledger.JobID) bool { return !e.session.TryAdmit(j) || e.policy.ValidateJob(j).Is() })
	var open []ledger.TaskID
	e.l.Try(func(tx *ledger.Tx) bool {
		e.supposeOpened(tx)
		for _, j := range jobs {
			open = append(open, e.letThrough(tx, j, shut[j])...)
		}
		return false
	})
	for _, t := range open {
		task := e.l.Task(t)
		id := e.add(Item{Kind: OpenGate, Pod: task.Key, UID: task.Pod.UID})
		e.l.Hold(t, ledger.Commitment{Kind: ledger.CommitOpen, Node: ledger.NoNode, Item: id})
	}
}

// atGates lists by job the members at a shut gate that is not being opened, and drops the pods that have
// passed theirs.
func (e *Engine) atGates() map[ledger.JobID][]ledger.TaskID {
	var out map[ledger.JobID][]ledger.TaskID
	for k := range e.gates { // order-free: sorted by letThrough
		t, ok := e.l.FindTask(k)
		if !ok || e.l.Task(t).Pod.QueueGate == model.NoQueueGate || e.l.Task(t).Pod.Node != "" {
			delete(e.gates, k)
			continue
		}
		task := e.l.Task(t)
		if task.Pod.QueueGate != model.QueueGateShut || task.Status != model.Pending || task.Job == ledger.NoJob ||
			task.Unsound || task.Held.Kind != ledger.NoCommit {
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
func (e *Engine) supposeOpened(tx *ledger.Tx) {
	for k := range e.gates { // order-free: sums
		t, _ := e.l.FindTask(k)
		task := e.l.Task(t)
		opened := task.Pod.QueueGate == model.QueueGateOpen || task.Held.Kind == ledger.CommitOpen
		if opened && task.Status == model.Pending && task.Job != ledger.NoJob && !task.Unsound {
			tx.Suppose(t)
		}
	}
}

// refusal returns why a queue takes no further task; no reason when it does, or would with more nodes: an
// autoscaler has to see the pods that wait for nodes (decision 26).
func (e *Engine) refusal(q ledger.QueueID, t ledger.TaskID) trace.Reason {
	r, over := e.policy.Overused(q)
	if !over {
		class := e.l.Task(t).Class
		if e.policy.Allocatable(q, class, 1) >= 1 {
			return trace.Reason{}
		}
		r = e.policy.WhyNotAllocatable(q, class)
	}
	if ShareGrows(e.l, r.Root()) {
		return trace.Reason{}
	}
	return r
}

// letThrough returns the members of a job that its queue has room for, in task order, and counts them; none
// where they do not make up the job's minimum.
func (e *Engine) letThrough(tx *ledger.Tx, j ledger.JobID, shut []ledger.TaskID) (open []ledger.TaskID) {
	slices.SortFunc(shut, e.policy.CompareTasks)
	job := e.l.Job(j)
	var refusal trace.Reason
	if !tx.Try(func(tx *ledger.Tx) bool {
		for _, t := range shut {
			if refusal = e.refusal(job.Queue, t); refusal.Is() {
				break
			}
			tx.Suppose(t)
			open = append(open, t)
		}
		free := job.By[model.Pending] - job.Gated // are placed without any gate
		return job.Placed()+job.Waiting()+free >= job.MinMember || len(open) == len(shut)
	}) {
		open = nil
	}
	if refusal.Is() && e.session.WaitRecord(j).Reason.Code == trace.SchedulingGated {
		e.session.Waits(j, trace.Reason{Code: trace.QueueGateShut, Have: len(shut) - len(open), Queue: refusal.Queue, Cause: &refusal})
	}
	return open
}
