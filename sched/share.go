package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// ShareGrows says, for a refusal by a queue's share, that the share would grow with the cluster: in every
// dimension that falls short, what the queue would hold is within the capability of the queue and of every
// queue above it.
func ShareGrows(led *ledger.Ledger, r *trace.Reason) bool {
	q, ok := led.Queues.Find(r.Queue)
	if !ok || len(r.Shorts) == 0 || r.Text == trace.CapabilityHeld {
		return false
	}
	for ; q != ledger.NoQueue; q = led.Queues.Parent(q) {
		for _, s := range r.Shorts {
			dim, ok := led.Dims.Lookup(s.Dim)
			if !ok {
				continue
			}
			bound, limited := led.Queue(q).Capability.Bound(dim)
			// Overused: Need is what it deserves and Have what it holds, and it wants more.
			if limited && (s.Need > bound || r.Code == trace.QueueOverused && s.Have >= bound) {
				return false
			}
		}
	}
	return true
}

// named is a refusal by what a queue deserves, told as one by its capability where that bounds what it deserves:
// then more weight or more nodes would change nothing.
func (rp *reports) named(r trace.Reason) trace.Reason {
	if r.Cause != nil {
		cause := rp.named(*r.Cause)
		r.Cause = &cause
		return r
	}
	if r.Code != trace.QueueDeserved && r.Code != trace.QueueOverused {
		return r
	}
	q, ok := rp.e.l.Queues.Find(r.Queue)
	if !ok {
		return r
	}
	var shorts []trace.Short
	for _, s := range r.Shorts {
		deserved, held := s.Have, s.Need // with the pod
		if r.Code == trace.QueueOverused {
			deserved, held = s.Need, s.Have
		}
		if bound, limited := rp.capability(q, s.Dim); limited && deserved >= bound && held >= bound {
			shorts = append(shorts, trace.Short{Dim: s.Dim, Need: held, Have: bound})
		}
	}
	if len(shorts) == 0 {
		return r
	}
	if r.Code == trace.QueueOverused {
		r.Text = trace.CapabilityHeld
	}
	r.Code, r.Shorts = trace.QueueCapability, shorts
	return r
}

// namedEach is named for the causes of why no action evicts pods.
func (rp *reports) namedEach(r *trace.Reason) *trace.Reason {
	for e := r; e != nil; e = e.Evicting {
		if e.Cause != nil {
			cause := rp.named(*e.Cause)
			e.Cause = &cause
		}
	}
	return r
}

// capability is what a queue may hold of a resource by its own capability, false where it names none.
func (rp *reports) capability(q ledger.QueueID, dim string) (int64, bool) {
	d, ok := rp.e.l.Dims.Lookup(dim)
	if !ok {
		return 0, false
	}
	return rp.e.l.Queue(q).Capability.Bound(d)
}
