package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// QueueWhy explains a queue's figures.
type QueueWhy struct {
	Queue string
	// Gate is why the queue takes no jobs; no reason when it does.
	Gate trace.Reason
	// Sums is the arithmetic by dimension, cpu and memory first; none for a queue that takes no part in
	// sharing, or where no plugin of the profile shares among queues.
	Sums     []trace.Arithmetic
	Tenants  []trace.TenantShare // where its tenants stand, the first served first; none where they are not ordered
	Problems []Problem           // what is wrong with it
}

// QueueWhy returns the arithmetic of a queue's figures by the present facts; false for a name of no queue that
// is known or named.
func (e *Engine) QueueWhy(name string) (QueueWhy, bool) {
	e.l.ExtendDims()
	q, known := e.l.Queues.Find(name)
	if !known {
		return QueueWhy{}, false
	}
	w := QueueWhy{Queue: name}
	if name != model.RootQueue {
		w.Gate = e.session.QueueClosed(q)
	}
	w.Sums, _ = e.policy.QueueArithmetic(q)
	if order := e.policy.TenantOrder(); order != nil && order.OrdersTenants(q) {
		w.Tenants = order.TenantShares(q)
	}
	if fact := e.l.Queue(q).Fact; fact != nil {
		w.Problems = faults(model.KindQueue, fact)
	}
	return w, true
}

// served returns the order in which queues would be served now, from 1, for queues with waiting jobs that may
// have a turn, and the number of these jobs.
func (rp *reports) served() (turn, waiting map[ledger.QueueID]int) {
	var order []ledger.QueueID
	turn, waiting = map[ledger.QueueID]int{}, map[ledger.QueueID]int{}
	for _, j := range rp.e.l.Jobs.Active() {
		job := rp.e.l.Job(j)
		if !needsPlaces(job) || rp.e.session.Blocked(j).Is() {
			continue
		}
		if waiting[job.Queue]++; waiting[job.Queue] == 1 {
			order = append(order, job.Queue)
		}
	}
	slices.SortFunc(order, rp.e.policy.CompareQueues)
	for i, q := range order {
		turn[q] = i + 1
	}
	return turn, waiting
}

// needsPlaces says that a job has pods to place, or waits for admission.
func needsPlaces(j *ledger.Job) bool {
	return j.By[model.Pending] > j.Gated || j.By[model.Pipelined] > 0 || j.Exists() && j.AwaitsAdmission()
}

// closedBy returns the queue above that closes a queue which is itself open, "" when none does.
func (rp *reports) closedBy(q ledger.QueueID) string {
	row := rp.e.l.Queue(q)
	if row.Fact == nil || row.Fact.State != model.QueueOpen || row.State() == model.QueueOpen {
		return ""
	}
	for at := rp.e.l.Queues.Parent(q); at != ledger.NoQueue; at = rp.e.l.Queues.Parent(at) {
		if f := rp.e.l.Queue(at).Fact; f != nil && f.State != model.QueueOpen {
			return f.Name
		}
	}
	return ""
}
