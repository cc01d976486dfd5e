package capacity

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
)

// MayBeVictimQueue says that something of a queue might be reclaimed: it, and with ancestorReclaimLevel
// the ancestors that Reclaimable looks at, hold more than they deserve in at least one dimension. A
// dimension that deserved does not name counts as 0, so all that is held of it is above; a guarantee
// would have raised it.
func (p *plugin) MayBeVictimQueue(q, reclaimer ledger.QueueID) bool {
	if !p.bounds.known(q) || !p.bounds.known(reclaimer) || q == reclaimer {
		return false
	}
	shared := p.order.together(q, reclaimer)
	for at, level := q, int64(0); level <= p.level && p.rows[at].depth > shared; at, level = p.rows[at].up, level+1 {
		if !p.reclaim.exceeds(at) {
			return false
		}
	}
	return true
}

// exceeds says that a queue holds more than it deserves in some dimension.
func (rr *reclaimRule) exceeds(q ledger.QueueID) bool {
	for d := range resource.Dim(rr.p.bounds.dims) {
		if rr.p.bounds.offered(d) && rr.p.holds(q, d) > rr.p.bounds.deserved(q, d) {
			return true
		}
	}
	return false
}
