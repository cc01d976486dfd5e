package victims

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// plan is what has to happen so that a task has a place: who leaves, and where it goes.
type plan struct {
	node    ledger.NodeID
	cost    Cost
	victims []victim
}

// victim is a task of a plan.
type victim struct {
	task  ledger.TaskID
	whole bool
	tier  int
	deed  int // of Hunt.deeds: the task it makes room for
}

// trial tries to make room on a node, inside a try that is taken back: found is the
// cheapest set of units that is enough, false when no set is.
func (h *Hunt) trial(n ledger.NodeID, wholes bool, found *plan) (ok bool) {
	h.consider(n)
	h.steps++
	found.node, found.victims = n, found.victims[:0]
	h.l.Try(func(tx *ledger.Tx) bool {
		h.at, h.tx = n, tx
		h.claim.Lacks = h.claim.Lacks[:0]
		h.findLacks(n, 1)
		h.gather(n, wholes)
		h.judgeAll()
		ok = h.cheapest(found)
		return false
	})
	return ok
}

// consider counts a node, once for a claim.
func (h *Hunt) consider(n ledger.NodeID) {
	for len(h.tried) <= int(n) {
		h.tried = append(h.tried, 0)
	}
	if h.tried[n] != h.claims {
		h.tried[n] = h.claims
		h.considered++
		if rec := h.rule.Trace; rec != nil && rec.On(trace.ConsideringNode) {
			rec.Add(trace.Event{Kind: trace.ConsideringNode, Action: h.rule.Action, Task: h.l.Task(h.claim.Task).Key.String(), Node: h.l.Node(n).Name})
		}
	}
}

// judge asks whether a unit may go as things stand: the first tier that permits it. Of a
// whole gang it is about those who are still there.
func (h *Hunt) judge(u *unit) (int, trace.Reason) {
	asked := u.Unit
	if u.Whole {
		h.rest = h.rest[:0]
		for _, t := range u.Tasks {
			if standing(h.l, t) {
				h.rest = append(h.rest, t)
			}
		}
		if asked.Tasks = h.rest; len(h.rest) == 0 {
			return policy.NoTier, trace.Reason{}
		}
	}
	if h.rule.Scope == OtherQueues {
		return h.set.Reclaimable(h.claim, asked)
	}
	return h.set.Preemptable(h.claim, asked)
}

// judgeAll leaves the units that the first tier permits which permits any of their kind
// (decisions 11 and 12): surplus is compared with surplus, wholes with wholes.
func (h *Hunt) judgeAll() {
	first := [2]int{policy.NoTier, policy.NoTier}
	for i := range h.units {
		u := &h.units[i]
		tier, why := h.judge(u)
		u.tier = tier
		if k := kindOf(u); tier == policy.NoTier {
			h.sparedFor(u, why)
		} else if first[k] == policy.NoTier || tier < first[k] {
			first[k] = tier
		}
	}
	kept := h.units[:0]
	for _, u := range h.units {
		if u.tier != policy.NoTier && u.tier == first[kindOf(&u)] {
			kept = append(kept, u)
		}
	}
	h.units = kept
}

func kindOf(u *unit) int {
	if u.Whole {
		return 1
	}
	return 0
}

// cheapest finds the cheapest set of the units that were gathered, and leaves it in found.
// First those least worth keeping go until the task fits, and the most important of them
// that are not needed come back; unless that is provably the best, sets are searched.
func (h *Hunt) cheapest(found *plan) bool {
	h.measure()
	if !h.greedy() {
		return h.permutable() && h.search(found, nil)
	}
	h.keep(found)
	if h.proven(found.cost) {
		return true
	}
	h.takeBackAll()
	best := found.cost
	h.search(found, &best)
	return true
}

// permutable says that the order in which units go may make a difference to how many may:
// a queue gives as long as it is above what it deserves before one goes.
func (h *Hunt) permutable() bool {
	return h.rule.Scope == OtherQueues && len(h.units) > 1 && len(h.units) <= 16
}

// greedy evicts units in their order until the task fits, then spares again whom it can,
// the last first; false, with nobody evicted, when all of them are not enough.
func (h *Hunt) greedy() bool {
	h.out = h.out[:0]
	fits := false
	for i := range h.units {
		if fits = h.fits(); fits {
			break
		}
		if tier, _ := h.judge(&h.units[i]); tier == h.units[i].tier {
			h.evict(i)
		}
	}
	if !fits && !h.fits() {
		h.takeBackAll()
		return false
	}
	for i := len(h.units) - 1; i >= 0; i-- {
		if h.units[i].gone == 0 || h.wholeGone(h.units[i].Job, i) {
			continue
		}
		h.reprieve(i)
		if !h.fits() {
			h.evict(i)
		}
	}
	return true
}

// wholeGone says that a job leaves as a whole by another unit than i: then none of its
// members can stay behind alone.
func (h *Hunt) wholeGone(j ledger.JobID, i int) bool {
	for k := range h.units {
		if u := &h.units[k]; k != i && u.Job == j && u.Whole && u.gone > 0 {
			return true
		}
	}
	return false
}

// evict asks the tasks of a unit to go that have not gone with another.
func (h *Hunt) evict(i int) {
	u := &h.units[i]
	for _, t := range u.Tasks {
		if standing(h.l, t) {
			h.leave(h.tx, t)
			h.out = append(h.out, victim{t, u.Whole, u.tier, 0})
			u.gone++
		}
	}
}

// reprieve takes a unit's eviction back; others' stay.
func (h *Hunt) reprieve(i int) {
	u := &h.units[i]
	for _, t := range u.Tasks {
		at := -1
		for k := range h.out {
			if h.out[k].task == t && h.out[k].whole == u.Whole {
				at = k
			}
		}
		if at >= 0 {
			h.stay(h.tx, t)
			h.out = append(h.out[:at], h.out[at+1:]...)
		}
	}
	u.gone = 0
}

func (h *Hunt) takeBackAll() {
	for i := range h.units {
		if h.units[i].gone > 0 {
			h.reprieve(i)
		}
	}
}

// leave and stay are an eviction and its inverse; of a reservation, that it is given up.
func (h *Hunt) leave(tx *ledger.Tx, t ledger.TaskID) {
	if reserved(h.l, t) {
		tx.Release(t, h.rule.Action, h.claim.Task)
	} else {
		tx.Evict(t, h.rule.Action, h.claim.Task)
	}
}

func (h *Hunt) stay(tx *ledger.Tx, t ledger.TaskID) {
	if h.l.Task(t).Node == ledger.NoNode {
		tx.Restore(t)
	} else {
		tx.Reprieve(t)
	}
}

// fits says that the task has a place on the node with those gone who are: room, every
// filter, its queue's limits, and for reclaim its queue's right to take.
func (h *Hunt) fits() bool {
	for _, need := range h.l.Class(h.class).Need {
		if lacks(h.l, h.at, need.Dim, need.Amount) > 0 {
			return false
		}
	}
	return h.lawful() && h.nodes.Takes(h.claim.Task, h.at, true)
}

// lawful says that the queue may hold the task as things stand.
func (h *Hunt) lawful() bool {
	if h.set.Allocatable(h.claim.Queue, h.class, 1) < 1 {
		return false
	}
	if h.rule.Scope != OtherQueues {
		return true
	}
	_, ok := h.set.Preemptive(h.claim)
	return ok
}

// keep copies the victims of this moment into a plan.
func (h *Hunt) keep(p *plan) {
	p.victims = append(p.victims[:0], h.out...)
	p.cost = nothing
	for _, v := range h.out {
		p.cost = p.cost.with(h.priorityOf(v.task), started(h.l.Task(v.task)))
	}
}
