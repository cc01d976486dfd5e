package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
)

// Up to so many units on so many nodes, the victims of a gang are looked for all at once:
// one member after the other each take what is cheapest for it, which need not be the
// cheapest for all, and may leave too little for the last.
const (
	fewUnits = 20
	fewNodes = 32
)

// jointly looks for the victims of a gang of one class all at once, where there are few to
// choose from, and takes the cheapest set that is enough. tried is false when there are
// too many, or the search was given up: then members are placed one after the other.
func (h *Hunt) jointly(tx *ledger.Tx, tasks []ledger.TaskID) (found, tried bool) {
	gang := h.oneClass(tasks)
	if gang == nil || !h.listFew() {
		return false, false
	}
	h.ask(gang[0])
	h.rests(gang)
	for _, at := range h.list {
		h.findLacks(at.node, int64(len(gang)))
	}
	if !h.entitled() {
		return false, false
	}
	j := joint{h: h, gang: gang, nodes: make([]ledger.NodeID, len(gang))}
	h.enough = j.fits
	defer func() { h.enough = h.fits }()
	if j.fits() {
		return false, true // nobody has to leave
	}
	for _, wholes := range [...]bool{false, true} {
		for ring := range h.numRings() {
			if h.enter(ring); wholes && !h.rule.Wholes {
				continue
			}
			if !h.gatherAll(wholes) {
				return false, false
			}
			if h.searchIn(tx, &h.plans[0]) {
				j.take(tx, &h.plans[0])
				return true, true
			}
			if h.exhausted {
				return false, false
			}
		}
	}
	h.refused = append(h.refused, h.class)
	return false, true
}

// oneClass is the rest of the job's minimum, nil when it is not several tasks of one
// class, for each of which others may be evicted.
func (h *Hunt) oneClass(tasks []ledger.TaskID) []ledger.TaskID {
	job := h.l.Job(h.claim.Job)
	need := int(job.MinMember - job.Placed() - job.Waiting())
	if h.rule.Scope == SameJob || h.rule.Sample.On || h.rule.Each != nil || len(job.Subs) > 0 || need < 2 || need > len(tasks) {
		return nil
	}
	gang := tasks[:need]
	if c := h.l.Task(gang[0]).Class; h.nodes.AsksTasks(c) || h.nodes.AsksDomains(c) {
		return nil // they are not all alike, or not once some of them are placed
	}
	for _, t := range gang {
		if h.l.Task(t).Class != h.l.Task(gang[0]).Class || h.l.PreemptsNever(t) || !h.set.PrePredicate(t).Admits() {
			return nil
		}
	}
	return gang
}

// listFew lists the nodes there are, by name; false when they are too many.
func (h *Hunt) listFew() bool {
	h.list = h.list[:0]
	if len(h.rule.Within) > 0 {
		for _, n := range h.rule.Within {
			h.list = append(h.list, listed{node: n})
		}
	} else {
		h.l.Present(func(n ledger.NodeID) bool {
			h.list = append(h.list, listed{node: n})
			return len(h.list) <= fewNodes
		})
	}
	slices.SortFunc(h.list, func(a, b listed) int { return cmp.Compare(h.l.Node(a.node).Name, h.l.Node(b.node).Name) })
	return len(h.list) <= fewNodes
}

// gatherAll gathers the units of all listed nodes that may go, each once; false when they
// are too many. Which tier decides is asked node by node, as for single tasks.
func (h *Hunt) gatherAll(wholes bool) bool {
	h.all = h.all[:0]
	h.spread = true
	defer func() { h.spread = false }()
	for _, at := range h.list {
		h.gather(at.node, wholes)
		h.judgeAll()
		for _, u := range h.units {
			if u.Whole && slices.ContainsFunc(h.all, func(o unit) bool { return o.Whole && o.Job == u.Job }) {
				continue
			}
			u.Tasks = slices.Clone(u.Tasks)
			h.all = append(h.all, u)
		}
		if len(h.all) > fewUnits {
			return false
		}
	}
	h.units = append(h.units[:0], h.all...)
	slices.SortStableFunc(h.units, byCost)
	return true
}

// searchIn is search inside a try of its own.
func (h *Hunt) searchIn(tx *ledger.Tx, found *plan) (ok bool) {
	tx.Try(func(tx *ledger.Tx) bool {
		h.tx, h.out = tx, h.out[:0]
		h.considered = len(h.list)
		h.short, h.most = h.short[:0], h.most[:0]
		ok = h.search(found, nil)
		return false
	})
	return ok
}

// joint is a gang that is placed all at once.
type joint struct {
	h     *Hunt
	gang  []ledger.TaskID
	nodes []ledger.NodeID // where each went when it last fitted
}

// fits says that all of the gang has a place with those gone who are, and that everybody
// who is gone left a node that it uses: it is the room there that is taken. Tasks of one
// class are all alike, so that any way of placing them is as good as another.
func (j *joint) fits() (ok bool) {
	h := j.h
	h.l.Try(func(tx *ledger.Tx) bool {
		next := 0
		for i, t := range j.gang {
			h.claim.Task = t
			for next < len(h.list) {
				if h.at = h.list[next].node; h.fits() {
					break
				}
				next++
			}
			if next == len(h.list) {
				return false
			}
			j.nodes[i] = h.at
			tx.Reserve(t, h.at)
		}
		ok = true
		return false
	})
	h.claim.Task = j.gang[0]
	return ok && j.used()
}

// used says that every unit that is gone had a member on a node where the gang goes.
func (j *joint) used() bool {
	for i := range j.h.units {
		u := &j.h.units[i]
		if u.gone > 0 && !slices.ContainsFunc(u.Tasks, func(t ledger.TaskID) bool { return slices.Contains(j.nodes, j.nodeOf(t)) }) {
			return false
		}
	}
	return true
}

// nodeOf is where a task is, or was reserved a place before it gave that up.
func (j *joint) nodeOf(t ledger.TaskID) ledger.NodeID {
	if task := j.h.l.Task(t); task.Node != ledger.NoNode {
		return task.Node
	}
	return j.h.l.Task(t).Held.Node
}

// take carries the plan out: the gang goes where it fits with the victims gone, and each
// of them leaves for a member that goes to its node, where there is one.
func (j *joint) take(tx *ledger.Tx, p *plan) {
	h := j.h
	tx.Try(func(tx *ledger.Tx) bool {
		for _, v := range p.victims {
			h.leave(tx, v.task)
		}
		h.units = h.units[:0]
		j.fits()
		return false
	})
	for _, t := range j.gang {
		h.claim.Task = t
		h.deeds = append(h.deeds, deed{t, h.considered, len(h.list), h.steps, h.exhausted, 0, 0, h.ownPriority()})
	}
	for _, v := range p.victims {
		v.deed = max(0, slices.Index(j.nodes, j.nodeOf(v.task)))
		h.claim.Task = j.gang[v.deed]
		h.leave(tx, v.task)
		h.gone = append(h.gone, v)
	}
	for i, t := range j.gang {
		tx.Reserve(t, j.nodes[i])
		h.placed = append(h.placed, t)
	}
}
