package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
)

// Up to this many units on this many nodes, the victims of a gang are searched for all members at once.
// When each member in turn takes what is cheapest for it, the sum need not be the cheapest, and too
// little may be left for the last member.
const (
	fewUnits = 20
	fewNodes = 32
)

// jointly searches for the victims of all members of a gang of one class at once, where there are few
// units to choose from, and takes the cheapest set that is enough. tried is false when there are too
// many units, or when the search was given up: then members are placed one after the other.
func (vs *Search) jointly(tx *ledger.Tx, tasks []ledger.TaskID) (found, tried bool) {
	gang := vs.oneClass(tasks)
	if gang == nil || !vs.listFew() {
		return false, false
	}
	vs.ask(gang[0])
	vs.rests(gang)
	for _, at := range vs.list {
		vs.findLacks(at.node, int64(len(gang)))
	}
	if !vs.preemptive() {
		return false, false
	}
	j := jointSearch{search: vs, gang: gang, nodes: make([]ledger.NodeID, len(gang))}
	vs.enough = j.fits
	defer func() { vs.enough = vs.fits }()
	if j.fits() {
		return false, true // no victim is needed
	}
	for _, wholeGangs := range [...]bool{false, true} {
		for level := range vs.numLevels() {
			if vs.enter(level); wholeGangs && !vs.rule.WholeGangs {
				continue
			}
			if !vs.gatherAll(wholeGangs) {
				return false, false
			}
			if vs.cheapestSetIn(tx, &vs.plans[0]) {
				j.take(tx, &vs.plans[0])
				return true, true
			}
			if vs.exhausted {
				return false, false
			}
		}
	}
	vs.refused = append(vs.refused, vs.class)
	return false, true
}

// oneClass is the rest of the job's minimum; nil when it is not several tasks of one class that all may
// preempt.
func (vs *Search) oneClass(tasks []ledger.TaskID) []ledger.TaskID {
	job := vs.l.Job(vs.preemptor.Job)
	need := int(job.MinMember - job.Placed() - job.Waiting())
	if vs.rule.Scope == SameJob || vs.rule.Sample.On || vs.rule.Each != nil || len(job.Subs) > 0 || need < 2 || need > len(tasks) {
		return nil
	}
	gang := tasks[:need]
	if c := vs.l.Task(gang[0]).Class; vs.nodes.AsksTasks(c) || vs.nodes.AsksDomains(c) {
		return nil // the tasks are not all equal, or are not once some of them are placed
	}
	for _, t := range gang {
		if vs.l.Task(t).Class != vs.l.Task(gang[0]).Class || vs.l.PreemptsNever(t) || !vs.set.PrePredicate(t).Admits() {
			return nil
		}
	}
	return gang
}

// listFew lists the nodes to search, by name; false when there are too many.
func (vs *Search) listFew() bool {
	vs.list = vs.list[:0]
	if len(vs.rule.Within) > 0 {
		for _, n := range vs.rule.Within {
			vs.list = append(vs.list, listed{node: n})
		}
	} else {
		vs.l.Present(func(n ledger.NodeID) bool {
			vs.list = append(vs.list, listed{node: n})
			return len(vs.list) <= fewNodes
		})
	}
	slices.SortFunc(vs.list, func(a, b listed) int { return cmp.Compare(vs.l.Node(a.node).Name, vs.l.Node(b.node).Name) })
	return len(vs.list) <= fewNodes
}

// gatherAll gathers the units of all listed nodes that may be evicted, each once; false when there are
// too many. The deciding tier is found for each node, as for single tasks.
func (vs *Search) gatherAll(wholeGangs bool) bool {
	vs.all = vs.all[:0]
	vs.spread = true
	defer func() { vs.spread = false }()
	for _, at := range vs.list {
		vs.gather(at.node, wholeGangs)
		vs.judgeAll()
		for _, u := range vs.units {
			if u.Whole && slices.ContainsFunc(vs.all, func(o unit) bool { return o.Whole && o.Job == u.Job }) {
				continue
			}
			u.Tasks = slices.Clone(u.Tasks)
			vs.all = append(vs.all, u)
		}
		if len(vs.all) > fewUnits {
			return false
		}
	}
	vs.units = append(vs.units[:0], vs.all...)
	slices.SortStableFunc(vs.units, byCost)
	return true
}

// cheapestSetIn is cheapestSet inside a try of its own.
func (vs *Search) cheapestSetIn(tx *ledger.Tx, found *plan) (ok bool) {
	tx.Try(func(tx *ledger.Tx) bool {
		vs.tx, vs.out = tx, vs.out[:0]
		vs.considered = len(vs.list)
		vs.short, vs.most = vs.short[:0], vs.most[:0]
		ok = vs.cheapestSet(found, nil)
		return false
	})
	return ok
}

// jointSearch is a gang that is placed all at once.
type jointSearch struct {
	search *Search
	gang   []ledger.TaskID
	nodes  []ledger.NodeID // by member: its node when the gang last fitted
}

// fits says that the whole gang has a place with the victims evicted so far, and that every evicted
// unit freed room on a node that the gang uses. Tasks of one class are all equal, so any way of placing
// them is as good as another.
func (j *jointSearch) fits() (ok bool) {
	vs := j.search
	vs.l.Try(func(tx *ledger.Tx) bool {
		next := 0
		for i, t := range j.gang {
			vs.preemptor.Task = t
			for next < len(vs.list) {
				if vs.at = vs.list[next].node; vs.fits() {
					break
				}
				next++
			}
			if next == len(vs.list) {
				return false
			}
			j.nodes[i] = vs.at
			tx.Reserve(t, vs.at)
		}
		ok = true
		return false
	})
	vs.preemptor.Task = j.gang[0]
	return ok && j.used()
}

// used says that every evicted unit had a member on a node where the gang is placed.
func (j *jointSearch) used() bool {
	for i := range j.search.units {
		u := &j.search.units[i]
		if u.gone > 0 && !slices.ContainsFunc(u.Tasks, func(t ledger.TaskID) bool { return slices.Contains(j.nodes, j.nodeOf(t)) }) {
			return false
		}
	}
	return true
}

// nodeOf is a task's node, or that of the reservation that it gave up.
func (j *jointSearch) nodeOf(t ledger.TaskID) ledger.NodeID {
	if task := j.search.l.Task(t); task.Node != ledger.NoNode {
		return task.Node
	}
	return j.search.l.Task(t).Held.Node
}

// take carries the plan out: the gang is placed where it fits with the victims gone, and each victim is
// recorded for a member that is placed on its node, where there is one.
func (j *jointSearch) take(tx *ledger.Tx, p *plan) {
	vs := j.search
	tx.Try(func(tx *ledger.Tx) bool {
		for _, v := range p.victims {
			vs.leave(tx, v.task)
		}
		vs.units = vs.units[:0]
		j.fits()
		return false
	})
	for _, t := range j.gang {
		vs.preemptor.Task = t
		vs.served = append(vs.served, served{t, vs.considered, len(vs.list), vs.steps, vs.exhausted, 0, 0, vs.ownPriority()})
	}
	for _, v := range p.victims {
		v.served = max(0, slices.Index(j.nodes, j.nodeOf(v.task)))
		vs.preemptor.Task = j.gang[v.served]
		vs.leave(tx, v.task)
		vs.gone = append(vs.gone, v)
	}
	for i, t := range j.gang {
		tx.Reserve(t, j.nodes[i])
		vs.placed = append(vs.placed, t)
	}
}
