package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
)

// findRings sorts the queues that may give something into rings around the claim's queue:
// those of the nearest subtree first (seed 001 §9).
func (h *Hunt) findRings() {
	own := h.claim.Queue
	h.rings, h.edges, h.gives = h.rings[:0], h.edges[:0], h.gives[:0]
	h.l.Queues(func(q ledger.QueueID) bool {
		row := h.l.Queue(q)
		if q != own && row.Jobs > 0 && h.reclaimable(q) && h.set.MayGive(q, own) {
			h.rings = append(h.rings, q)
		}
		return true
	})
	slices.SortFunc(h.rings, func(a, b ledger.QueueID) int {
		return cmp.Or(h.set.NearerVictimQueue(a, b, own), cmp.Compare(h.l.Queue(a).Name, h.l.Queue(b).Name))
	})
	for i := range h.rings {
		if i+1 == len(h.rings) || h.set.NearerVictimQueue(h.rings[i], h.rings[i+1], own) != 0 {
			h.edges = append(h.edges, i+1)
		}
	}
}

// numRings is how many times the circle can be widened; 1 where queues play no part.
func (h *Hunt) numRings() int {
	if h.rule.Scope != OtherQueues {
		return 1
	}
	return len(h.edges)
}

// enter widens the circle to the rings up to one.
func (h *Hunt) enter(ring int) {
	if h.rule.Scope != OtherQueues {
		return
	}
	h.gives = h.gives[:0]
	for range h.l.NumQueues() {
		h.gives = append(h.gives, false)
	}
	for _, q := range h.rings[:h.edges[ring]] {
		h.gives[q] = true
	}
}

// inRing says that a queue's tasks count within the circle at hand.
func (h *Hunt) inRing(q ledger.QueueID) bool { return int(q) < len(h.gives) && h.gives[q] }
