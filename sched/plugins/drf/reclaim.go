package drf

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Reclaimable permits a unit when, where the ways of the two queues part, the claim's
// side comes out with less of its due than the unit's side is left with: the order of
// queues once the room has changed hands (Volcano's hierarchical reclaim). Level is not
// less, so that nobody can take the same room back. It has no opinion about queues of
// which one is out of place.
func (h *hierarchical) Reclaimable(c policy.Preemptor, u policy.Unit) policy.Opinion {
	claims, gives, ok := h.tree.settled().part(c.Queue, u.Queue)
	if !ok {
		return policy.Opinion{}
	}
	h.weigh(u)
	with, left := dominant(h.l, claims.holds, c.Want), dominant(h.l, gives.holds, h.loss)
	if with.CompareWeighted(claims.weight, left, gives.weight) < 0 {
		return policy.Opinion{Vote: policy.Permit}
	}
	o := unfair(with, left)
	o.Guard, o.Equal = true, false // as every rule of what a queue may keep (decision 11)
	return o
}

// MayBeVictimQueue is false for a queue whose side holds no more of its due than the reclaimer's
// does already: a claim adds to the one, a victim takes from the other.
func (h *hierarchical) MayBeVictimQueue(q, reclaimer ledger.QueueID) bool {
	claims, gives, ok := h.tree.settled().part(reclaimer, q)
	return !ok || claims.share.CompareWeighted(claims.weight, gives.share, gives.weight) < 0
}
