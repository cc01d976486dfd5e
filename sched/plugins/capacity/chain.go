package capacity

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
)

// links says which dimensions queues could claim from other queues, and what they might then hold above
// what they deserve: a link leads from a dimension that a queue asks for and deserves something of, to
// one of which it asks for more than it deserves. What queues ask for does not change while room moves
// between them.
type links struct {
	dims  int
	world uint64
	count []int32 // by from × to: the number of queues
	known bool
	more  map[ledger.QueueID]resource.Sums // what evicted pods would ask for again
}

// find counts the links of all queues, unless nothing has changed.
func (k *links) find(p *plugin) {
	if k.known && k.world == p.l.Changes.StateEpoch() && k.dims == p.bounds.dims {
		return
	}
	k.known, k.world, k.dims = true, p.l.Changes.StateEpoch(), p.bounds.dims
	k.count = make([]int32, p.bounds.dims*p.bounds.dims)
	k.more = map[ledger.QueueID]resource.Sums{}
	p.l.Statements.Evicting(func(t ledger.TaskID) {
		task := p.l.Task(t)
		q := p.l.Job(task.Job).Queue
		k.more[q] = k.more[q].Add(p.l.Class(task.Class).Request)
	})
	p.l.Queues.Each(func(q ledger.QueueID) bool {
		if p.bounds.known(q) && p.l.Queue(q).Jobs > 0 {
			k.each(p, q, func(from, to resource.Dim) { k.count[int(from)*k.dims+int(to)]++ })
		}
		return true
	})
}

// each calls f for the links of one queue.
func (k *links) each(p *plugin, q ledger.QueueID, f func(from, to resource.Dim)) {
	asks := func(d resource.Dim) int64 {
		return p.asked(q, d, k.more[q].Get(d))
	}
	for from := range resource.Dim(k.dims) {
		if !p.bounds.offered(from) || asks(from) <= 0 || !p.reclaim.owes(q, from) {
			continue
		}
		for to := range resource.Dim(k.dims) {
			if to != from && p.bounds.offered(to) && asks(to) > p.bounds.deserved(q, to) {
				f(from, to)
			}
		}
	}
}

// owes says that a queue, or an ancestor by which it may claim, deserves something of a dimension.
func (rr *reclaimRule) owes(q ledger.QueueID, d resource.Dim) bool {
	for at, level := q, int64(0); level <= rr.p.level && rr.p.rows[at].depth > 0; at, level = rr.p.rows[at].up, level+1 {
		if rr.p.bounds.deserved(at, d) > 0 {
			return true
		}
	}
	return false
}

// chained says that a waiting queue might get a dimension above what it deserves by claiming what the
// preemptor would have above its own, or by claiming what a queue that did so would have, and so on.
func (m *move) chained(d resource.Dim) bool {
	if m.chain == nil {
		m.chain = make([]bool, m.bounds.dims)
		m.findChain()
	}
	return m.chain[d]
}

func (m *move) findChain() {
	var todo []resource.Dim
	for d := range resource.Dim(m.bounds.dims) {
		if m.preemptor.Want.Get(d) > 0 && m.bounds.offered(d) &&
			sum(m.holds(m.preemptor.Queue, d), m.preemptor.All(d)) > m.bounds.deserved(m.preemptor.Queue, d) {
			todo = append(todo, d)
		}
	}
	if len(todo) == 0 {
		return
	}
	k := &m.links
	k.find(m.plugin)
	own := map[[2]resource.Dim]bool{}
	k.each(m.plugin, m.preemptor.Queue, func(from, to resource.Dim) { own[[2]resource.Dim{from, to}] = true })
	for len(todo) > 0 {
		from := todo[0]
		todo = todo[1:]
		for to := range resource.Dim(m.bounds.dims) {
			others := k.count[int(from)*k.dims+int(to)]
			if own[[2]resource.Dim{from, to}] {
				others--
			}
			if others > 0 && !m.chain[to] {
				m.chain[to] = true
				todo = append(todo, to)
			}
		}
	}
}
