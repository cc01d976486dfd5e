package drf

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Reclaimable permits a unit when, where the paths of the two queues part, the preemptor's side then
// has a smaller weighted share than the unit's side is left with: the order of queues after the room
// changed hands (Volcano's hierarchical reclaim). Equal is not smaller, so that no queue can take the
// same room back. It abstains when one of the queues has no sound position.
func (h *hierarchical) Reclaimable(c policy.Preemptor, u policy.Unit) policy.Opinion {
	asks, gives, ok := h.tree.upToDate().part(c.Queue, u.Queue)
	if !ok {
		return policy.Opinion{}
	}
	h.weigh(u)
	with, left := dominant(h.l, asks.holds, c.Want), dominant(h.l, gives.holds, h.loss)
	if with.CompareWeighted(asks.weight, left, gives.weight) < 0 {
		return policy.Opinion{Vote: policy.Permit, Guard: true}
	}
	o := unfair(with, left)
	o.Guard, o.EqualPriority = true, false // as every rule about what a queue may keep (decision 11)
	return o
}

// MayBeVictimQueue is false for a queue on a side that already has no larger weighted share than the
// reclaimer's: the preemptor adds to the one, a victim takes from the other.
func (h *hierarchical) MayBeVictimQueue(q, reclaimer ledger.QueueID) bool {
	asks, gives, ok := h.tree.upToDate().part(reclaimer, q)
	return !ok || asks.share.CompareWeighted(asks.weight, gives.share, gives.weight) < 0
}
