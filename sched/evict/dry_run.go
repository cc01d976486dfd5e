package evict

import (
	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// dryRun is a dry run: the victims on one node, or on those of a gang, that are evicted on trial.
type dryRun struct {
	p *preemptor

	at       ledger.NodeID
	tx       *ledger.Tx
	here     []ledger.TaskID
	slab     []ledger.TaskID
	units    []unit
	jobLeft  int32 // how many tasks a job, its roles and its sub-groups can still spare: see countSurplus
	roleLeft []int32
	subLeft  []int32
	rest     []ledger.TaskID
	later    []ledger.TaskID // scratch of surplusFirst
	out      []victim
	seen     sets
	short    []int64 // by dimension asked for: what the node lacks before any eviction
	most     []int64 // … and the most that one task of the units frees
	left     []int64 // … and what it lacks now
	census   census  // what was found for each task; nil: it is not noted
}

// candidate is a node with victims that are enough for a task, as Kubernetes' preemption calls it.
type candidate struct {
	node    ledger.NodeID
	cost    Cost
	victims []victim
}

// victim is a task of a candidate.
type victim struct {
	task   ledger.TaskID
	whole  bool
	judged policy.Judgment
	served int // index in Result.served: the task it makes room for
}

// run tries to make room on a node, inside a try that is taken back. It leaves the cheapest set of units
// that is enough in found, and returns false when no set is enough.
func (dr *dryRun) run(n ledger.NodeID, wholeGangs bool, found *candidate) (ok bool) {
	dr.p.consider(n)
	found.node, found.victims = n, found.victims[:0]
	dr.p.l.Try(func(tx *ledger.Tx) bool {
		dr.open(tx, n, wholeGangs)
		ok = dr.cheapestOnNode(found)
		return false
	})
	return ok
}

// open begins a dry run on one node: it finds the units that may be evicted there.
func (dr *dryRun) open(tx *ledger.Tx, n ledger.NodeID, wholeGangs bool) {
	dr.tx, dr.out = tx, dr.out[:0]
	dr.p.ShortOnNode = dr.p.ShortOnNode[:0]
	dr.p.findShortOnNode(n, 1)
	dr.gather(n, wholeGangs, false)
	dr.judgeAll()
}

// judge asks the plugins whether a unit may be evicted as things stand, and returns the first tier that
// permits it. For a whole gang, it asks about the members that are not evicted yet.
func (dr *dryRun) judge(u *unit) (policy.Judgment, trace.Reason) {
	asked := u.Unit
	if u.Whole {
		dr.rest = dr.rest[:0]
		for _, t := range u.Tasks {
			if evictableState(dr.p.l, t) {
				dr.rest = append(dr.rest, t)
			}
		}
		if asked.Tasks = dr.rest; len(dr.rest) == 0 {
			return policy.Judgment{Tier: policy.NoTier}, trace.Reason{}
		}
		asked.Surplus = dr.surplusFirst(u.Job, dr.rest)
	}
	if dr.p.o.Scope == OtherQueues {
		return dr.p.set.Eviction.Reclaimable(dr.p.Preemptor, asked)
	}
	return dr.p.set.Eviction.Preemptable(dr.p.Preemptor, asked)
}

// judgeAll keeps the units that the deciding tier permits: the first tier that permits any unit of
// their kind (decisions 11 and 12). Surplus members are one kind, whole gangs the other.
func (dr *dryRun) judgeAll() {
	first := [2]int{policy.NoTier, policy.NoTier}
	for i := range dr.units {
		u := &dr.units[i]
		judged, why := dr.judge(u)
		u.judged = judged
		if k := kindOf(u); judged.Tier == policy.NoTier {
			dr.sparedFor(u, why)
		} else if first[k] == policy.NoTier || judged.Tier < first[k] {
			first[k] = judged.Tier
		}
	}
	kept := dr.units[:0]
	for _, u := range dr.units {
		if u.judged.Tier != policy.NoTier && u.judged.Tier == first[kindOf(&u)] {
			kept = append(kept, u)
		}
	}
	dr.units = kept
}

// stillPermitted says that the tier which permitted a unit permits it as things stand, and notes which of its plugins
// do.
func (dr *dryRun) stillPermitted(u *unit) bool {
	judged, _ := dr.judge(u)
	if judged.Tier != u.judged.Tier {
		return false
	}
	u.judged = judged
	return true
}

// kindOf is 1 for a whole gang, 0 for a surplus member.
func kindOf(u *unit) int {
	if u.Whole {
		return 1
	}
	return 0
}

// cheapestOnNode finds the cheapest set of the gathered units, and leaves it in found. First units are
// evicted, the least important first, until the task fits; then those that are not needed are taken
// back, the most important first. Unless the result is provably the best, sets of units are searched.
func (dr *dryRun) cheapestOnNode(found *candidate) bool {
	dr.measure()
	if !dr.greedy() {
		return dr.permutable() && dr.cheapestSet(found, nil, dr.fits)
	}
	dr.copyTo(found)
	if dr.proven(found.cost) {
		return true
	}
	dr.takeBackAll()
	best := found.cost
	dr.cheapestSet(found, &best, dr.fits)
	return true
}

// permutable says that the order in which units are evicted may change how many may be: a queue gives
// only as long as it is above what it deserves before the next eviction.
func (dr *dryRun) permutable() bool {
	return dr.p.o.Scope == OtherQueues && len(dr.units) > 1 && len(dr.units) <= 16
}

// greedy evicts units in their order until the task fits, then takes back what is not needed, the last
// unit first. It returns false, with nothing evicted, when all units together are not enough.
func (dr *dryRun) greedy() bool {
	dr.out = dr.out[:0]
	fits := false
	for i := range dr.units {
		if fits = dr.fits(); fits {
			break
		}
		if dr.stillPermitted(&dr.units[i]) {
			dr.evict(i)
		}
	}
	if !fits && !dr.fits() {
		dr.takeBackAll()
		return false
	}
	for i := len(dr.units) - 1; i >= 0; i-- {
		if dr.units[i].gone == 0 || dr.wholeGangGone(dr.units[i].Job, i) {
			continue
		}
		dr.reprieve(i)
		if !dr.fits() {
			dr.evict(i)
		}
	}
	return true
}

// wholeGangGone says that a unit other than i evicts a job as a whole: then none of the job's members can
// stay.
func (dr *dryRun) wholeGangGone(j ledger.JobID, i int) bool {
	for k := range dr.units {
		if u := &dr.units[k]; k != i && u.Job == j && u.Whole && u.gone > 0 {
			return true
		}
	}
	return false
}

// evict evicts the tasks of a unit that are not evicted with another unit already.
func (dr *dryRun) evict(i int) {
	u := &dr.units[i]
	for _, t := range u.Tasks {
		if evictableState(dr.p.l, t) {
			dr.leave(dr.tx, t)
			dr.out = append(dr.out, victim{t, u.Whole, u.judged, 0})
			u.gone++
		}
	}
}

// reprieve takes a unit's own evictions back; those of other units stay.
func (dr *dryRun) reprieve(i int) {
	u := &dr.units[i]
	for _, t := range u.Tasks {
		at := -1
		for k := range dr.out {
			if dr.out[k].task == t && dr.out[k].whole == u.Whole {
				at = k
			}
		}
		if at >= 0 {
			dr.stay(dr.tx, t)
			dr.out = append(dr.out[:at], dr.out[at+1:]...)
		}
	}
	u.gone = 0
}

func (dr *dryRun) takeBackAll() {
	for i := range dr.units {
		if dr.units[i].gone > 0 {
			dr.reprieve(i)
		}
	}
}

// leave evicts a task, or releases its nomination where it holds only that. stay is the inverse.
func (dr *dryRun) leave(tx *ledger.Tx, t ledger.TaskID) {
	if pipelined(dr.p.l, t) {
		tx.EndNomination(t, dr.p.o.Action, dr.p.Task)
	} else {
		tx.Evict(t, dr.p.o.Action, dr.p.Task)
	}
}

func (dr *dryRun) stay(tx *ledger.Tx, t ledger.TaskID) {
	if dr.p.l.Task(t).Node == ledger.NoNode {
		tx.ResumeNomination(t)
	} else {
		tx.Reprieve(t)
	}
}

// fits says that the task has a place on the node with the victims evicted so far: there is room, every
// filter admits it, its queue may hold it, and, for reclaim, its queue may take from other queues.
func (dr *dryRun) fits() bool {
	for _, need := range dr.p.l.Class(dr.p.class).Need {
		if lacks(dr.p.l, dr.at, need.Dim, need.Amount) > 0 {
			return false
		}
	}
	return dr.p.allocatable() && dr.p.nodeIndex.Takes(dr.p.Task, dr.at, class.InFuture)
}

// copyTo copies the current victims into a candidate, with their cost.
func (dr *dryRun) copyTo(found *candidate) {
	found.victims = append(found.victims[:0], dr.out...)
	found.cost = nothing
	for _, v := range dr.out {
		found.cost = dr.p.costOf(found.cost, v.task)
	}
}
