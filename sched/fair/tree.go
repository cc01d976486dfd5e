package fair

import "ashlar.sh/sched/resource"

// QueueNode is a queue in one dimension of a tree of queues, as its owner wrote it. No
// amount is negative.
type QueueNode struct {
	Up         int32 // row of the queue above, which stands before this one; -1 for a top
	Deserved   int64
	Guarantee  int64
	Capability Limit // what it names; of a top: what bounds the whole tree
}

// QueueLimits is what follows for a QueueNode from those above and beside it.
type QueueLimits struct {
	Capability Limit // what it names, else its parent's
	Real       Limit // the most it can ever hold; never above its parent's
	Guarantee  int64 // within its capability and what its parent can hold
	Deserved   int64 // within Real, at least Guarantee
}

// Tree works out trees of queues (seed 001, §3.2). The zero Tree is ready; it keeps
// memory from one call to the next.
type Tree struct{ promised []resource.Sum }

// Settle fills out, one QueueLimits for each row. A top's Real is its Capability. Below it,
// level by level, realCapability is what no sibling's guarantee keeps of the parent's
// and the queue's own guarantee, within its capability; where nothing bounds the
// parent, its capability alone. No queue is guaranteed, deserves or may hold more than
// its parent can hold, whatever its owner wrote: a promise that cannot be kept hurts
// no queue outside the parent that made it.
func (t *Tree) Settle(rows []QueueNode, out []QueueLimits) {
	t.promised = t.promised[:0]
	for range rows {
		t.promised = append(t.promised, resource.Sum{})
	}
	for _, r := range rows {
		if r.Up >= 0 {
			t.promised[r.Up] = t.promised[r.Up].Plus(r.Guarantee)
		}
	}
	for i, r := range rows {
		if r.Up < 0 {
			out[i] = r.top()
		} else {
			r.below(&out[r.Up], t.promised[r.Up].Int64(), &out[i])
		}
	}
}

// top is what follows for a row that is below no other.
func (r *QueueNode) top() QueueLimits {
	b := QueueLimits{Capability: r.Capability, Real: r.Capability}
	b.Guarantee = b.Real.Clip(r.Guarantee)
	b.Deserved = max(b.Real.Clip(r.Deserved), b.Guarantee)
	return b
}

// below puts into b what follows for a row from its parent, and from what the parent's
// children are promised together; it says whether that is something else to those below
// the row than what was there: what it deserves is nothing to them.
func (r *QueueNode) below(up *QueueLimits, promised int64, b *QueueLimits) (matters bool) {
	capability := r.Capability
	if !capability.Bounded {
		capability = up.Capability
	}
	guarantee, real := capability.Clip(r.Guarantee), capability
	if up.Real.Bounded {
		guarantee = min(guarantee, up.Real.Value)
		most := RealCapability(up.Real.Value, promised, guarantee, capability)
		real = Limit{Value: min(most, up.Real.Value), Bounded: true}
	}
	matters = real != b.Real || capability != b.Capability
	b.Capability, b.Real, b.Guarantee = capability, real, guarantee
	b.Deserved = max(real.Clip(r.Deserved), guarantee)
	return matters
}
