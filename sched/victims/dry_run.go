package victims

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// plan is what has to happen so that a task has a place: the victims, and the node.
type plan struct {
	node    ledger.NodeID
	cost    Cost
	victims []victim
}

// victim is a task of a plan.
type victim struct {
	task   ledger.TaskID
	whole  bool
	tier   int
	served int // index in Search.served: the task it makes room for
}

// dryRun tries to make room on a node, inside a try that is taken back. found gets the cheapest set of
// units that is enough; dryRun returns false when no set is.
func (vs *Search) dryRun(n ledger.NodeID, wholeGangs bool, found *plan) (ok bool) {
	vs.consider(n)
	vs.steps++
	found.node, found.victims = n, found.victims[:0]
	vs.l.Try(func(tx *ledger.Tx) bool {
		vs.at, vs.tx = n, tx
		vs.preemptor.Lacks = vs.preemptor.Lacks[:0]
		vs.findLacks(n, 1)
		vs.gather(n, wholeGangs)
		vs.judgeAll()
		ok = vs.cheapest(found)
		return false
	})
	return ok
}

// consider counts a node as tried, once for each preemptor.
func (vs *Search) consider(n ledger.NodeID) {
	for len(vs.tried) <= int(n) {
		vs.tried = append(vs.tried, 0)
	}
	if vs.tried[n] != vs.preemptors {
		vs.tried[n] = vs.preemptors
		vs.considered++
		if rec := vs.rule.Trace; rec != nil && rec.On(trace.ConsideringNode) {
			rec.Add(trace.Event{Kind: trace.ConsideringNode, Action: vs.rule.Action, Task: vs.l.Task(vs.preemptor.Task).Key.String(), Node: vs.l.Node(n).Name})
		}
	}
}

// judge asks the plugins whether a unit may be evicted as things stand, and returns the first tier that
// permits it. For a whole gang, it asks about the members that are not evicted yet.
func (vs *Search) judge(u *unit) (int, trace.Reason) {
	asked := u.Unit
	if u.Whole {
		vs.rest = vs.rest[:0]
		for _, t := range u.Tasks {
			if standing(vs.l, t) {
				vs.rest = append(vs.rest, t)
			}
		}
		if asked.Tasks = vs.rest; len(vs.rest) == 0 {
			return policy.NoTier, trace.Reason{}
		}
	}
	if vs.rule.Scope == OtherQueues {
		return vs.set.Reclaimable(vs.preemptor, asked)
	}
	return vs.set.Preemptable(vs.preemptor, asked)
}

// judgeAll keeps the units that the deciding tier permits: the first tier that permits any unit of
// their kind (decisions 11 and 12). Surplus members are one kind, whole gangs the other.
func (vs *Search) judgeAll() {
	first := [2]int{policy.NoTier, policy.NoTier}
	for i := range vs.units {
		u := &vs.units[i]
		tier, why := vs.judge(u)
		u.tier = tier
		if k := candidateKeyOf(u); tier == policy.NoTier {
			vs.sparedFor(u, why)
		} else if first[k] == policy.NoTier || tier < first[k] {
			first[k] = tier
		}
	}
	kept := vs.units[:0]
	for _, u := range vs.units {
		if u.tier != policy.NoTier && u.tier == first[candidateKeyOf(&u)] {
			kept = append(kept, u)
		}
	}
	vs.units = kept
}

func candidateKeyOf(u *unit) int {
	if u.Whole {
		return 1
	}
	return 0
}

// cheapest finds the cheapest set of the gathered units, and leaves it in found. First units are
// evicted, the least important first, until the task fits; then those that are not needed are taken
// back, the most important first. Unless the result is provably the best, sets of units are searched.
func (vs *Search) cheapest(found *plan) bool {
	vs.measure()
	if !vs.greedy() {
		return vs.permutable() && vs.cheapestSet(found, nil)
	}
	vs.keep(found)
	if vs.proven(found.cost) {
		return true
	}
	vs.takeBackAll()
	best := found.cost
	vs.cheapestSet(found, &best)
	return true
}

// permutable says that the order in which units are evicted may change how many may be: a queue gives
// only as long as it is above what it deserves before the next eviction.
func (vs *Search) permutable() bool {
	return vs.rule.Scope == OtherQueues && len(vs.units) > 1 && len(vs.units) <= 16
}

// greedy evicts units in their order until the task fits, then takes back what is not needed, the last
// unit first. It returns false, with nothing evicted, when all units together are not enough.
func (vs *Search) greedy() bool {
	vs.out = vs.out[:0]
	fits := false
	for i := range vs.units {
		if fits = vs.fits(); fits {
			break
		}
		if tier, _ := vs.judge(&vs.units[i]); tier == vs.units[i].tier {
			vs.evict(i)
		}
	}
	if !fits && !vs.fits() {
		vs.takeBackAll()
		return false
	}
	for i := len(vs.units) - 1; i >= 0; i-- {
		if vs.units[i].gone == 0 || vs.wholeGone(vs.units[i].Job, i) {
			continue
		}
		vs.reprieve(i)
		if !vs.fits() {
			vs.evict(i)
		}
	}
	return true
}

// wholeGone says that a unit other than i evicts a job as a whole: then none of the job's members can
// stay.
func (vs *Search) wholeGone(j ledger.JobID, i int) bool {
	for k := range vs.units {
		if u := &vs.units[k]; k != i && u.Job == j && u.Whole && u.gone > 0 {
			return true
		}
	}
	return false
}

// evict evicts the tasks of a unit that are not evicted with another unit already.
func (vs *Search) evict(i int) {
	u := &vs.units[i]
	for _, t := range u.Tasks {
		if standing(vs.l, t) {
			vs.leave(vs.tx, t)
			vs.out = append(vs.out, victim{t, u.Whole, u.tier, 0})
			u.gone++
		}
	}
}

// reprieve takes a unit's own evictions back; those of other units stay.
func (vs *Search) reprieve(i int) {
	u := &vs.units[i]
	for _, t := range u.Tasks {
		at := -1
		for k := range vs.out {
			if vs.out[k].task == t && vs.out[k].whole == u.Whole {
				at = k
			}
		}
		if at >= 0 {
			vs.stay(vs.tx, t)
			vs.out = append(vs.out[:at], vs.out[at+1:]...)
		}
	}
	u.gone = 0
}

func (vs *Search) takeBackAll() {
	for i := range vs.units {
		if vs.units[i].gone > 0 {
			vs.reprieve(i)
		}
	}
}

// leave evicts a task, or releases its reservation where it holds only that. stay is the inverse.
func (vs *Search) leave(tx *ledger.Tx, t ledger.TaskID) {
	if reserved(vs.l, t) {
		tx.Release(t, vs.rule.Action, vs.preemptor.Task)
	} else {
		tx.Evict(t, vs.rule.Action, vs.preemptor.Task)
	}
}

func (vs *Search) stay(tx *ledger.Tx, t ledger.TaskID) {
	if vs.l.Task(t).Node == ledger.NoNode {
		tx.Restore(t)
	} else {
		tx.Reprieve(t)
	}
}

// fits says that the task has a place on the node with the victims evicted so far: there is room, every
// filter admits it, its queue may hold it, and, for reclaim, its queue may take from other queues.
func (vs *Search) fits() bool {
	for _, need := range vs.l.Class(vs.class).Need {
		if lacks(vs.l, vs.at, need.Dim, need.Amount) > 0 {
			return false
		}
	}
	return vs.allocatable() && vs.nodes.Takes(vs.preemptor.Task, vs.at, true)
}

// allocatable says that the queue may hold the task as things stand, and, for reclaim, that it may take
// from other queues.
func (vs *Search) allocatable() bool {
	if vs.set.Allocatable(vs.preemptor.Queue, vs.class, 1) < 1 {
		return false
	}
	if vs.rule.Scope != OtherQueues {
		return true
	}
	_, ok := vs.set.Preemptive(vs.preemptor)
	return ok
}

// keep copies the current victims into a plan, with their cost.
func (vs *Search) keep(p *plan) {
	p.victims = append(p.victims[:0], vs.out...)
	p.cost = nothing
	for _, v := range vs.out {
		p.cost = p.cost.with(vs.priorityOf(v.task), started(vs.l.Task(v.task)))
	}
}
