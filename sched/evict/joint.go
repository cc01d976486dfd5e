package evict

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
func (ch *choice) jointly(tx *ledger.Tx, tasks []ledger.TaskID) (found, tried bool) {
	gang := ch.oneClass(tasks)
	if gang == nil || !ch.listFew() {
		return false, false
	}
	ch.vs.current.ask(gang[0])
	ch.vs.current.rests(gang)
	for _, at := range ch.list {
		ch.vs.current.findLacks(at.node, int64(len(gang)))
	}
	if !ch.vs.preemptive() {
		return false, false
	}
	j := jointSearch{search: ch.vs, gang: gang, nodes: make([]ledger.NodeID, len(gang))}
	ch.vs.dry.enough = j.fits
	defer func() { ch.vs.dry.enough = ch.vs.dry.fits }()
	if j.fits() {
		return false, true // no victim is needed
	}
	for _, wholeGangs := range [...]bool{false, true} {
		for level := range ch.vs.scope.levels() {
			if ch.vs.scope.enter(level); wholeGangs && !ch.vs.rule.WholeGangs {
				continue
			}
			if !ch.vs.dry.gatherAll(wholeGangs) {
				return false, false
			}
			if ch.cheapestSetIn(tx, &ch.plans[0]) {
				j.take(tx, &ch.plans[0])
				return true, true
			}
			if ch.vs.current.exhausted {
				return false, false
			}
		}
	}
	ch.vs.Result.refused = append(ch.vs.Result.refused, ch.vs.current.class)
	return false, true
}

// oneClass is the rest of the job's minimum; nil when it is not several tasks of one class that all may
// preempt.
func (ch *choice) oneClass(tasks []ledger.TaskID) []ledger.TaskID {
	job := ch.vs.l.Job(ch.vs.current.preemptor.Job)
	need := int(job.MinMember - job.Placed() - job.Waiting())
	if ch.vs.rule.Scope == SameJob || ch.vs.rule.Sample.On || ch.vs.rule.Home != nil && ch.vs.rule.Home.Subs != nil || len(job.Subs) > 0 || need < 2 || need > len(tasks) {
		return nil
	}
	gang := tasks[:need]
	if c := ch.vs.l.Task(gang[0]).Class; ch.vs.nodes.AsksTasks(c) || ch.vs.nodes.AsksDomains(c) {
		return nil // the tasks are not all equal, or are not once some of them are placed
	}
	for _, t := range gang {
		if ch.vs.l.Task(t).Class != ch.vs.l.Task(gang[0]).Class || ch.vs.l.Priorities.PreemptsNever(t) || !ch.vs.set.PrePredicate(t).Admits() {
			return nil
		}
	}
	return gang
}

// listFew lists the nodes to search, by name; false when there are too many.
func (ch *choice) listFew() bool {
	ch.list = ch.list[:0]
	if h := ch.vs.rule.Home; h != nil && len(h.Nodes) > 0 {
		for _, n := range h.Nodes {
			ch.list = append(ch.list, listed{node: n})
		}
	} else {
		ch.vs.l.Nodes.Present(func(n ledger.NodeID) bool {
			ch.list = append(ch.list, listed{node: n})
			return len(ch.list) <= fewNodes
		})
	}
	slices.SortFunc(ch.list, func(a, b listed) int { return cmp.Compare(ch.vs.l.Node(a.node).Name, ch.vs.l.Node(b.node).Name) })
	return len(ch.list) <= fewNodes
}

// gatherAll gathers the units of all listed nodes that may be evicted, each once; false when there are
// too many. The deciding tier is found for each node, as for single tasks.
func (dr *dryRun) gatherAll(wholeGangs bool) bool {
	dr.all = dr.all[:0]
	dr.spread = true
	defer func() { dr.spread = false }()
	for _, at := range dr.vs.choice.list {
		dr.gather(at.node, wholeGangs)
		dr.judgeAll()
		for _, u := range dr.units {
			if u.Whole && slices.ContainsFunc(dr.all, func(o unit) bool { return o.Whole && o.Job == u.Job }) {
				continue
			}
			u.Tasks = slices.Clone(u.Tasks)
			dr.all = append(dr.all, u)
		}
		if len(dr.all) > fewUnits {
			return false
		}
	}
	dr.units = append(dr.units[:0], dr.all...)
	slices.SortStableFunc(dr.units, byCost)
	return true
}

// cheapestSetIn is cheapestSet inside a try of its own.
func (ch *choice) cheapestSetIn(tx *ledger.Tx, found *plan) (ok bool) {
	tx.Try(func(tx *ledger.Tx) bool {
		ch.vs.dry.tx, ch.vs.dry.out = tx, ch.vs.dry.out[:0]
		ch.vs.current.considered = len(ch.list)
		ch.vs.short, ch.vs.most = ch.vs.short[:0], ch.vs.most[:0]
		ok = ch.vs.dry.cheapestSet(found, nil)
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
			vs.current.preemptor.Task = t
			for next < len(vs.choice.list) {
				if vs.dry.at = vs.choice.list[next].node; vs.dry.fits() {
					break
				}
				next++
			}
			if next == len(vs.choice.list) {
				return false
			}
			j.nodes[i] = vs.dry.at
			tx.Reserve(t, vs.dry.at)
		}
		ok = true
		return false
	})
	vs.current.preemptor.Task = j.gang[0]
	return ok && j.used()
}

// used says that every evicted unit had a member on a node where the gang is placed.
func (j *jointSearch) used() bool {
	for i := range j.search.dry.units {
		u := &j.search.dry.units[i]
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
			vs.dry.leave(tx, v.task)
		}
		vs.dry.units = vs.dry.units[:0]
		j.fits()
		return false
	})
	for _, t := range j.gang {
		vs.current.preemptor.Task = t
		vs.Result.served = append(vs.Result.served, served{t, vs.current.considered, len(vs.choice.list), vs.current.steps, vs.current.exhausted, 0, 0, vs.current.ownPriority()})
	}
	for _, v := range p.victims {
		v.served = max(0, slices.Index(j.nodes, j.nodeOf(v.task)))
		vs.current.preemptor.Task = j.gang[v.served]
		vs.dry.leave(tx, v.task)
		vs.Result.gone = append(vs.Result.gone, v)
	}
	for i, t := range j.gang {
		tx.Reserve(t, j.nodes[i])
		vs.Result.placed = append(vs.Result.placed, t)
	}
}
