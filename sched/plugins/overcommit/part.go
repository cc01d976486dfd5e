package overcommit

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// within says that a job's queue, with the job admitted, would have no more inqueue in dimension d than its part of
// what is not in use. Then what is inqueue in other queues does not refuse the job.
func (p *plugin) within(job *ledger.Job, d resource.Dim, loan bool) bool {
	with, left := p.queueWith(job, d, loan), p.left(d)
	return with <= left && with <= p.part(job.Queue, d, left)
}

// queueWith is what would be inqueue in a job's queue if the job were admitted.
func (p *plugin) queueWith(job *ledger.Job, d resource.Dim, loan bool) int64 {
	return resource.Sum{}.Plus(p.l.Queue(job.Queue).InqueueAmount(d, loan)).Plus(job.Asks(d)).Int64()
}

// left is what of the budget is not in use.
func (p *plugin) left(d resource.Dim) int64 {
	return resource.Sum{}.Plus(p.most(d)).Minus(p.used.of(p.l, d)).Int64()
}

// part is a queue's part of an amount that is left of dimension d: on each level of the tree, by weight among the
// queues that ask for some of it.
func (p *plugin) part(q ledger.QueueID, d resource.Dim, left int64) int64 {
	a := p.askers.of(p.l, d)
	for up := p.l.Queues.Parent(q); up != ledger.NoQueue; q, up = up, p.l.Queues.Parent(up) {
		weight := p.l.Queue(q).Weight()
		all := a.below[up]
		if !a.asks[q] {
			all += weight
		}
		left = resource.MulDiv(left, weight, all)
	}
	return left
}

// Open forgets which queues asked in the last cycle.
func (p *plugin) Open(*trace.Recorder) { p.askers = nil }

// askers are, by dimension, the queues with an inqueue amount or with a job that waits to be admitted. They are found
// when a cycle first needs them, and hold until it ends: a job that is admitted meanwhile was counted already.
type askers []*asking

type asking struct {
	asks  []bool  // by queue: it asks, or a queue below it does
	below []int64 // by queue: the weights, summed, of its children that ask
}

func (a *askers) of(l *ledger.Ledger, d resource.Dim) *asking {
	for len(*a) <= int(d) {
		*a = append(*a, nil)
	}
	if (*a)[d] == nil || len((*a)[d].asks) < l.Queues.Len() {
		(*a)[d] = find(l, d)
	}
	return (*a)[d]
}

func find(l *ledger.Ledger, d resource.Dim) *asking {
	a := &asking{asks: make([]bool, l.Queues.Len()), below: make([]int64, l.Queues.Len())}
	l.Queues.Each(func(q ledger.QueueID) bool {
		if l.Queue(q).InqueueAmount(d, false) > 0 {
			a.add(l, q)
		}
		return true
	})
	for _, j := range l.Jobs.Active() { // order-free: each queue counts once
		if job := l.Job(j); job.AwaitsAdmission() && job.Asks(d) > 0 && l.Queue(job.Queue).State() == model.QueueOpen {
			a.add(l, job.Queue)
		}
	}
	return a
}

// add notes that a queue asks, and those above it.
func (a *asking) add(l *ledger.Ledger, q ledger.QueueID) {
	for ; q != ledger.NoQueue && !a.asks[q]; q = l.Queues.Parent(q) {
		a.asks[q] = true
		if up := l.Queues.Parent(q); up != ledger.NoQueue {
			a.below[up] += l.Queue(q).Weight()
		}
	}
}
