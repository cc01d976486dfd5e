package evict

import (
	"math"

	"ashlar.sh/sched/ledger"
)

// measure notes what the node lacks before any eviction, and the most that one task of the units frees,
// both by dimension.
func (dr *dryRun) measure() {
	needs := dr.p.l.Class(dr.p.class).Need
	dr.short, dr.most = dr.short[:0], dr.most[:0]
	for _, need := range needs {
		dr.short = append(dr.short, lacks(dr.p.l, dr.at, need.Dim, need.Amount))
		dr.most = append(dr.most, 0)
	}
	for i := range dr.units {
		for _, t := range dr.units[i].Tasks {
			if dr.p.l.Task(t).Node != dr.at {
				continue
			}
			for k, need := range needs {
				dr.most[k] = max(dr.most[k], dr.p.l.Request(t).Get(need.Dim))
			}
		}
	}
}

// atLeast is the fewest victims that could free what is short, if each freed as much as the largest
// does; -1 when no number can.
func (dr *dryRun) atLeast(short []int64) int32 {
	count := int32(0)
	for k, lack := range short {
		if lack <= 0 {
			continue
		}
		if dr.most[k] == 0 {
			return -1
		}
		count = max(count, int32(min((lack+dr.most[k]-1)/dr.most[k], math.MaxInt32)))
	}
	return count
}

// proven says that no set can be cheaper than the one that greedy found: its most important victim is
// the least important that there can be, since all units below it were not enough, and it has as few
// victims as amounts allow, each as cheap as can be. Where the order of evictions matters, the units
// below it might have been enough in another order.
func (dr *dryRun) proven(c Cost) bool {
	if c.Count == 0 {
		return true // no victim is needed: earlier evictions freed the room
	}
	if c.Highest > dr.units[0].priority && dr.permutable() {
		return false
	}
	if c.Count == 1 {
		return true
	}
	if c.Count != dr.atLeast(dr.short) {
		return false
	}
	least, others := raised(c.Highest), c.Count-1
	for i := range dr.units {
		n := min(others, int32(len(dr.units[i].Tasks)))
		others -= n
		least += int64(n) * raised(dr.units[i].priority)
	}
	return c.Sum == least
}

// cheapestSet searches the sets of units for one that is cheaper than best (nil: any), the least
// important first, until the budget is used up. Each set is tried once, in whatever order it is
// reached. enough says that the victims evicted so far are enough. It leaves the cheapest set in found and
// returns whether there is one.
func (dr *dryRun) cheapestSet(found *candidate, best *Cost, enough func() bool) bool {
	if len(dr.units) > 64 {
		dr.p.exhausted = true
		return best != nil
	}
	dr.seen.reset()
	w := branchAndBound{dry: dr, found: found, enough: enough}
	if best != nil {
		w.best, w.any = *best, true
	}
	w.from(0, nothing)
	return w.any
}

// branchAndBound is one search.
type branchAndBound struct {
	dry    *dryRun
	found  *candidate
	enough func() bool
	best   Cost
	any    bool
}

// from adds one more unit to the set that is evicted, each unit in turn.
func (w *branchAndBound) from(set uint64, cost Cost) {
	dr := w.dry
	for i := range dr.units {
		u := &dr.units[i]
		if set>>i&1 == 1 || w.any && u.priority > w.best.Highest {
			continue
		}
		with := cost
		for _, t := range u.Tasks {
			if evictableState(dr.p.l, t) {
				with = dr.p.costOf(with, t)
			}
		}
		if w.any && with.compareSets(w.best) >= 0 || dr.seen.has(set|1<<i) {
			continue
		}
		if dr.p.steps++; dr.p.steps > dr.p.budget {
			dr.p.exhausted = true
			return
		}
		// A set that this unit may not complete may still be completed by another unit.
		if dr.stillPermitted(u) && dr.stillSurplus(u) {
			dr.seen.add(set | 1<<i)
			w.step(i, set|1<<i, with)
		}
	}
}

// stillSurplus says that a surplus member still is one, after members of its job were evicted on other
// nodes.
func (dr *dryRun) stillSurplus(u *unit) bool {
	t := u.Tasks[0]
	return u.Whole || !evictableState(dr.p.l, t) || pipelined(dr.p.l, t) || isSurplus(dr.p.l, t)
}

// step evicts a unit, checks whether the set is enough, and continues from there if it is not.
func (w *branchAndBound) step(i int, set uint64, cost Cost) {
	dr := w.dry
	dr.p.l.Try(func(tx *ledger.Tx) bool {
		was, out := dr.tx, len(dr.out)
		dr.tx = tx
		dr.evict(i)
		if w.enough() {
			w.best, w.any = cost, true
			dr.copyTo(w.found)
		} else if w.worth(cost) {
			w.from(set, cost)
		}
		dr.tx, dr.out, dr.units[i].gone = was, dr.out[:out], 0
		return false
	})
}

// worth says that more victims could still make the set cheaper than the best.
func (w *branchAndBound) worth(cost Cost) bool {
	if !w.any {
		return true
	}
	dr := w.dry
	dr.left = dr.left[:0]
	for range dr.most {
		need := dr.p.l.Class(dr.p.class).Need[len(dr.left)]
		dr.left = append(dr.left, lacks(dr.p.l, dr.at, need.Dim, need.Amount))
	}
	more := int32(1)
	if len(dr.most) > 0 {
		if more = dr.atLeast(dr.left); more < 0 {
			return false
		}
	}
	cost.Sum += int64(max(1, more)) * raised(dr.units[0].priority)
	cost.Count += max(1, more)
	return cost.compareSets(w.best) < 0
}

// sets remembers which sets of units were looked at.
type sets struct {
	slots []uint64
	marks []uint32
	mark  uint32
}

// reset forgets all of them.
func (s *sets) reset() {
	s.mark++
	if s.slots == nil || s.mark == 0 {
		s.slots, s.marks, s.mark = make([]uint64, 1<<14), make([]uint32, 1<<14), 1
	}
}

// has says that a set was added.
func (s *sets) has(set uint64) bool {
	i := s.slot(set)
	return s.marks[i] == s.mark
}

// add adds a set. There is room for every set that a budget allows.
func (s *sets) add(set uint64) {
	i := s.slot(set)
	s.slots[i], s.marks[i] = set, s.mark
}

// slot is where a set is stored, or would be.
func (s *sets) slot(set uint64) uint64 {
	mask := uint64(len(s.slots) - 1)
	i := set * 0x9e3779b97f4a7c15 >> 40 & mask
	for s.marks[i] == s.mark && s.slots[i] != set {
		i = (i + 1) & mask
	}
	return i
}
