package owners

import (
	"iter"
	"slices"
	"time"
)

// fewest is how many owners are kept without checking which pods name them.
const fewest = 1 << 12

// young is how long an owner is kept whether a pod names it or not: the pod that does
// may be on its way.
const young = time.Minute

// Crowded says that so many owners are known that it is worth a look which of them pods
// still name.
func (r *Reader) Crowded() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.owners) > r.most
}

// Retain forgets all owners but those given and what is above them.
func (r *Reader) Retain(named iter.Seq[*Owner]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep++
	for o := range named {
		for n := 0; o != nil && n < mostOwners && o.marked != r.sweep; n++ {
			o.marked = r.sweep
			o = o.above
		}
	}
	gone := func(o *Owner) bool { return o.dropped }
	for k, o := range r.owners {
		if o.marked != r.sweep && time.Since(o.seen) > young {
			o.dropped = true
			delete(r.owners, k)
		}
	}
	for _, o := range r.owners {
		o.below = slices.DeleteFunc(o.below, gone)
	}
	r.most = max(fewest, 2*len(r.owners))
}
