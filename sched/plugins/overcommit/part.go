package overcommit

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// within says that a job's queue would keep, with the job let in, no more of dimension d than its
// part of what is not in use. What other queues were promised does not refuse the job then.
func (p *plugin) within(job *ledger.Job, d resource.Dim, loan bool) bool {
	keeps, left := p.keeps(job, d, loan), p.left(d)
	return keeps <= left && keeps <= p.part(job.Queue, d, left)
}

// keeps is what a job's queue would keep of dimension d with the job let in.
func (p *plugin) keeps(job *ledger.Job, d resource.Dim, loan bool) int64 {
	return resource.Sum{}.Plus(p.l.Queue(job.Queue).Kept(d, loan)).Plus(job.Asks(d)).Int64()
}

// left is what of the budget is not in use.
func (p *plugin) left(d resource.Dim) int64 {
	return resource.Sum{}.Plus(p.mayBe(d)).Minus(p.used.of(p.l, d)).Int64()
}

// part is a queue's part of an amount that is left of dimension d: on each level of the tree, by
// weight among the queues there for which somebody asks or room is kept.
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

// Open forgets which jobs asked in the last cycle.
func (p *plugin) Open(*trace.Recorder) { p.askers = nil }

// askers are, by dimension, the queues for which room is kept or a job waits to be let in. They are
// found in a cycle when they are first asked for, and stand until it ends: which job is let in in between
// was one of them.
type askers []*asking

type asking struct {
	asks  []bool  // by queue: it does, or one below it
	below []int64 // by queue: the weights, summed, of those directly below that do
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
		if l.Queue(q).Kept(d, false) > 0 {
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
