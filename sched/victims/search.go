package victims

import (
	"math"

	"ashlar.sh/sched/ledger"
)

// measure notes what the node lacks before anybody leaves, and the most that one task of
// the units gives of it.
func (h *Hunt) measure() {
	needs := h.l.Class(h.class).Need
	h.short, h.most = h.short[:0], h.most[:0]
	for _, need := range needs {
		h.short = append(h.short, lacks(h.l, h.at, need.Dim, need.Amount))
		h.most = append(h.most, 0)
	}
	for i := range h.units {
		for _, t := range h.units[i].Tasks {
			if h.l.Task(t).Node != h.at {
				continue
			}
			for k, need := range needs {
				h.most[k] = max(h.most[k], h.l.Class(h.l.Task(t).Class).Request.Get(need.Dim))
			}
		}
	}
}

// atLeast is how many victims it takes to free what is short, when each gives the most
// that any of them does; -1 when no number does.
func (h *Hunt) atLeast(short []int64) int32 {
	count := int32(0)
	for k, lack := range short {
		if lack <= 0 {
			continue
		}
		if h.most[k] == 0 {
			return -1
		}
		count = max(count, int32(min((lack+h.most[k]-1)/h.most[k], math.MaxInt32)))
	}
	return count
}

// proven says that no set can be cheaper than one that the greedy way found: its most
// important victim is the least important there can be, since all below it were not
// enough, and it has as few victims as amounts allow, each as cheap as can be. Where the
// order matters in which units go, those below it might have been enough in another.
func (h *Hunt) proven(c Cost) bool {
	if c.Count == 0 {
		return true // nobody need go: others who went left the room
	}
	if c.Highest > h.units[0].priority && h.permutable() {
		return false
	}
	if c.Count == 1 {
		return true
	}
	if c.Count != h.atLeast(h.short) {
		return false
	}
	least, others := raised(c.Highest), c.Count-1
	for i := range h.units {
		n := min(others, int32(len(h.units[i].Tasks)))
		others -= n
		least += int64(n) * raised(h.units[i].priority)
	}
	return c.Sum == least
}

// search looks through sets of units for one cheaper than best (nil: any), least important
// first, each set once in whatever order it is reached, until the budget is spent. It
// leaves the cheapest in found and says whether there is one.
func (h *Hunt) search(found *plan, best *Cost) bool {
	if len(h.units) > 64 {
		h.exhausted = true
		return best != nil
	}
	h.seen.reset()
	w := walk{h: h, found: found}
	if best != nil {
		w.best, w.any = *best, true
	}
	w.from(0, nothing)
	return w.any
}

// walk is one search.
type walk struct {
	h     *Hunt
	found *plan
	best  Cost
	any   bool
}

// from adds one unit more to the set that is evicted, each in turn.
func (w *walk) from(set uint64, cost Cost) {
	h := w.h
	for i := range h.units {
		u := &h.units[i]
		if set>>i&1 == 1 || w.any && u.priority > w.best.Highest {
			continue
		}
		with := cost
		for _, t := range u.Tasks {
			if standing(h.l, t) {
				with = with.with(h.priorityOf(t), started(h.l.Task(t)))
			}
		}
		if w.any && with.compareSets(w.best) >= 0 || h.seen.has(set|1<<i) {
			continue
		}
		if h.steps++; h.steps > h.budget {
			h.exhausted = true
			return
		}
		// A set that this unit may not complete another one may.
		if tier, _ := h.judge(u); tier == u.tier && h.spareable(u) {
			h.seen.add(set | 1<<i)
			w.step(i, set|1<<i, with)
		}
	}
}

// spareable says that a surplus member is one still, after others of its job went from
// other nodes.
func (h *Hunt) spareable(u *unit) bool {
	t := u.Tasks[0]
	if u.Whole || !standing(h.l, t) || reserved(h.l, t) {
		return true
	}
	job := h.l.Job(u.Job)
	if sub := h.l.Task(t).Sub; sub >= 0 && subSpare(job, &job.Subs[sub]) <= 0 {
		return false
	}
	return spare(job) > 0 && roleSpare(&job.Roles[h.l.Task(t).Role]) > 0
}

// step evicts a unit, sees whether that is enough, and goes on from there if not.
func (w *walk) step(i int, set uint64, cost Cost) {
	h := w.h
	h.l.Try(func(tx *ledger.Tx) bool {
		was, out := h.tx, len(h.out)
		h.tx = tx
		h.evict(i)
		if h.enough() {
			w.best, w.any = cost, true
			h.keep(w.found)
		} else if w.worth(cost) {
			w.from(set, cost)
		}
		h.tx, h.out, h.units[i].gone = was, h.out[:out], 0
		return false
	})
}

// worth says that more victims could still make the set cheaper than the best.
func (w *walk) worth(cost Cost) bool {
	if !w.any {
		return true
	}
	h := w.h
	h.left = h.left[:0]
	for range h.most {
		need := h.l.Class(h.class).Need[len(h.left)]
		h.left = append(h.left, lacks(h.l, h.at, need.Dim, need.Amount))
	}
	more := int32(1)
	if len(h.most) > 0 {
		if more = h.atLeast(h.left); more < 0 {
			return false
		}
	}
	cost.Sum += int64(max(1, more)) * raised(h.units[0].priority)
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

// has says that a set was put in.
func (s *sets) has(set uint64) bool {
	i := s.slot(set)
	return s.marks[i] == s.mark
}

// add puts a set in. There is room for every set that a budget allows.
func (s *sets) add(set uint64) {
	i := s.slot(set)
	s.slots[i], s.marks[i] = set, s.mark
}

// slot is where a set is, or would be.
func (s *sets) slot(set uint64) uint64 {
	mask := uint64(len(s.slots) - 1)
	i := set * 0x9e3779b97f4a7c15 >> 40 & mask
	for s.marks[i] == s.mark && s.slots[i] != set {
		i = (i + 1) & mask
	}
	return i
}
