package proportion

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
)

// MayBeVictimQueue says that something of a queue might be reclaimed: it holds more than it deserves in
// at least one dimension (see Reclaimable). No unit of any other queue can be permitted, whatever it
// frees.
func (p *plugin) MayBeVictimQueue(q, reclaimer ledger.QueueID) bool {
	if !p.known(q) || !p.known(reclaimer) || q == reclaimer {
		return false
	}
	held := p.l.Queue(q).Allocated
	for d, deserved := range p.rows[q].deserved {
		if d := resource.Dim(d); p.counts(d) && held.Get(d) > deserved {
			return true
		}
	}
	return false
}
