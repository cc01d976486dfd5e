package class

import "ashlar.sh/sched/ledger"

// The heap is 4-ary: half the levels of a binary one, and the four children share a
// cache line or two. pos makes it addressable by node.

const arity = 4

// put inserts a node or moves it to where its new score belongs.
func (r *row) put(x *Index, e entry) {
	i := int(r.pos[e.node])
	if i < 0 {
		i = len(r.heap)
		r.heap = append(r.heap, e)
		r.pos[e.node] = int32(i)
		r.up(x, i)
		return
	}
	if r.heap[i] == e {
		return
	}
	r.heap[i] = e
	if !r.up(x, i) {
		r.down(x, i)
	}
}

// remove takes a node out, if it is in.
func (r *row) remove(x *Index, n ledger.NodeID) {
	i := int(r.pos[n])
	if i < 0 {
		return
	}
	last := len(r.heap) - 1
	moved := r.heap[last]
	r.heap = r.heap[:last]
	r.pos[n] = -1
	if i == last {
		return
	}
	r.heap[i] = moved
	r.pos[moved.node] = int32(i)
	if !r.up(x, i) {
		r.down(x, i)
	}
}

// up moves an entry towards the top; false when it stayed.
func (r *row) up(x *Index, i int) bool {
	e, start := r.heap[i], i
	for i > 0 {
		parent := (i - 1) / arity
		if !x.before(e, r.heap[parent]) {
			break
		}
		r.set(i, r.heap[parent])
		i = parent
	}
	r.set(i, e)
	return i != start
}

// down moves an entry towards the leaves.
func (r *row) down(x *Index, i int) {
	e := r.heap[i]
	for {
		first := i*arity + 1
		if first >= len(r.heap) {
			break
		}
		best := first
		for c := first + 1; c < min(first+arity, len(r.heap)); c++ {
			if x.before(r.heap[c], r.heap[best]) {
				best = c
			}
		}
		if !x.before(r.heap[best], e) {
			break
		}
		r.set(i, r.heap[best])
		i = best
	}
	r.set(i, e)
}

func (r *row) set(i int, e entry) {
	r.heap[i] = e
	r.pos[e.node] = int32(i)
}
