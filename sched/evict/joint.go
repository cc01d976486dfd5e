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

// jointSearch is a gang that is placed all at once.
type jointSearch struct {
	p    *preemptor
	dry  *dryRun
	gang []ledger.TaskID
	list []ledger.NodeID // the nodes to search, by name
	at   []ledger.NodeID // by member: its node when the gang last fitted
}

// jointly searches for the victims of all members of a gang of one class at once, where there are few
// units to choose from, and takes the cheapest set that is enough. tried is false when there are too
// many units, or when the search was given up: then members are placed one after the other.
func (vs *Search) jointly(tx *ledger.Tx, tasks []ledger.TaskID) (found, tried bool) {
	gang, list := vs.oneClass(tasks), []ledger.NodeID(nil)
	if gang != nil {
		list = vs.fewNodes()
	}
	if list == nil {
		return false, false
	}
	j := jointSearch{p: &vs.p, dry: &vs.nodes.dry, gang: gang, list: list, at: make([]ledger.NodeID, len(gang))}
	j.p.ask(gang[0])
	j.p.rests(gang)
	for _, n := range list {
		j.p.findShortOnNode(n, int64(len(gang)))
	}
	if !vs.preemptive() {
		return false, false
	}
	j.dry.units = j.dry.units[:0]
	if j.fits() {
		return false, true // no victim is needed
	}
	for _, wholeGangs := range j.p.o.kinds() {
		for level := range j.p.numLevels() {
			j.p.enter(level)
			if !j.gather(wholeGangs) {
				return false, false
			}
			if found := j.cheapestForAll(tx); found != nil {
				vs.takeJointly(tx, &j, found)
				return true, true
			}
			if j.p.exhausted {
				return false, false
			}
		}
	}
	vs.result.refused = append(vs.result.refused, j.p.class)
	return false, true
}

// oneClass is the rest of the job's minimum; nil when it is not several tasks of one class that all may
// preempt.
func (vs *Search) oneClass(tasks []ledger.TaskID) []ledger.TaskID {
	o, need := &vs.p.o, vs.p.missing()
	if o.Scope == SameJob || o.Sample.On || vs.s.L.Job(vs.p.Job).HasSubGroups() || need < 2 || need > len(tasks) {
		return nil
	}
	gang := tasks[:need]
	c := vs.s.L.Task(gang[0]).Class
	if vs.s.NodeIndex.AsksTasks(c) || vs.s.NodeIndex.AsksDomains(c) {
		return nil // the tasks are not all equal, or are not once some of them are placed
	}
	for _, t := range gang {
		if vs.s.L.Task(t).Class != c || vs.s.L.Priorities.PreemptsNever(t) || !vs.s.Policy.PrePredicate(t).Admits() {
			return nil
		}
	}
	return gang
}

// fewNodes lists the nodes that the job may have victims on, by name; nil when there are too many.
func (vs *Search) fewNodes() []ledger.NodeID {
	list := make([]ledger.NodeID, 0, fewNodes+1)
	listed := false
	if h := vs.p.o.Home; h != nil {
		var nodes []ledger.NodeID
		nodes, listed = h.Nodes.List()
		list = append(list, nodes[:min(len(nodes), fewNodes+1)]...)
	}
	if !listed {
		vs.s.L.Nodes.Present(func(n ledger.NodeID) bool {
			list = append(list, n)
			return len(list) <= fewNodes
		})
	}
	if len(list) > fewNodes {
		return nil
	}
	slices.SortFunc(list, func(a, b ledger.NodeID) int { return cmp.Compare(vs.s.L.Node(a).Name, vs.s.L.Node(b).Name) })
	return list
}

// takeJointly carries the candidate for a gang out: the gang is placed where it fits with the victims gone, and each
// victim is recorded for a member that is placed on its node, where there is one.
func (vs *Search) takeJointly(tx *ledger.Tx, j *jointSearch, found *candidate) {
	var nodes []ledger.NodeID
	for _, v := range found.victims {
		nodes = j.withNodeOf(nodes, v.task)
	}
	tx.Try(func(tx *ledger.Tx) bool {
		for _, v := range found.victims {
			j.dry.leave(tx, v.task)
		}
		j.dry.units = j.dry.units[:0]
		if j.place(nil); slices.ContainsFunc(nodes, func(n ledger.NodeID) bool { return !slices.Contains(j.at, n) }) &&
			!j.place(nodes) {
			j.place(nil)
		}
		return false
	})
	for _, t := range j.gang {
		j.p.Task = t
		vs.result.serve(j.p)
	}
	for _, v := range found.victims {
		v.served = max(0, slices.Index(j.at, j.nodeOf(v.task)))
		j.p.Task = j.gang[v.served]
		vs.evict(tx, v)
	}
	for i, t := range j.gang {
		tx.Nominate(t, j.at[i])
		vs.result.placed = append(vs.result.placed, t)
	}
}

// gather gathers the units of all listed nodes that may be evicted, each once; false when there are
// too many. The deciding tier is found for each node, as for single tasks.
func (j *jointSearch) gather(wholeGangs bool) bool {
	var all []unit
	for _, n := range j.list {
		j.dry.gather(n, wholeGangs, true)
		j.dry.judgeAll()
		for _, u := range j.dry.units {
			if u.Whole && slices.ContainsFunc(all, func(o unit) bool { return o.Whole && o.Job == u.Job }) {
				continue
			}
			u.Tasks = slices.Clone(u.Tasks)
			all = append(all, u)
		}
		if len(all) > fewUnits {
			return false
		}
	}
	j.dry.units = append(j.dry.units[:0], all...)
	slices.SortStableFunc(j.dry.units, byCost)
	return true
}

// cheapestForAll is the cheapest set of the gathered units that is enough, searched inside a try of its own; nil when
// there is none.
func (j *jointSearch) cheapestForAll(tx *ledger.Tx) (found *candidate) {
	tx.Try(func(tx *ledger.Tx) bool {
		j.dry.tx, j.dry.out = tx, j.dry.out[:0]
		j.dry.short, j.dry.most = j.dry.short[:0], j.dry.most[:0]
		j.p.considered, j.p.bounded = len(j.list), len(j.list)
		if best := (&candidate{}); j.dry.cheapestSet(best, nil, j.fits) {
			found = best
		}
		return false
	})
	return found
}

// fits says that the whole gang has a place with the victims evicted so far, and that every evicted
// unit freed room on a node that the gang uses. Tasks of one class are all equal, so any way of placing
// them is as good as another, but for what they use: where victims make room in a queue as well, the gang may leave a
// node of theirs out, and is then placed on these nodes first.
func (j *jointSearch) fits() bool {
	return j.place(nil) && (j.used() || j.place(j.freed()) && j.used())
}

// place finds a node for each member: one on each of the first nodes, and the others on the listed ones in turn.
func (j *jointSearch) place(first []ledger.NodeID) (ok bool) {
	j.p.l.Try(func(tx *ledger.Tx) bool {
		next, placed := 0, 0
		for _, n := range first[:min(len(first), len(j.gang))] {
			j.p.Task, j.dry.at = j.gang[placed], n
			if j.dry.fits() {
				j.at[placed] = n
				tx.Nominate(j.gang[placed], n)
				placed++
			}
		}
		for i, t := range j.gang[placed:] {
			j.p.Task = t
			for next < len(j.list) {
				if j.dry.at = j.list[next]; j.dry.fits() {
					break
				}
				next++
			}
			if next == len(j.list) {
				return false
			}
			j.at[placed+i] = j.dry.at
			tx.Nominate(t, j.dry.at)
		}
		ok = true
		return false
	})
	j.p.Task = j.gang[0]
	return ok
}

// freed are the nodes, of those to search, of the units evicted so far, each once.
func (j *jointSearch) freed() (out []ledger.NodeID) {
	for i := range j.dry.units {
		if u := &j.dry.units[i]; u.gone > 0 {
			for _, t := range u.Tasks {
				out = j.withNodeOf(out, t)
			}
		}
	}
	return out
}

// withNodeOf adds a victim's node to a list, once, if it is to be searched: a gang that goes as a whole may have
// members elsewhere.
func (j *jointSearch) withNodeOf(nodes []ledger.NodeID, victim ledger.TaskID) []ledger.NodeID {
	if n := j.nodeOf(victim); slices.Contains(j.list, n) && !slices.Contains(nodes, n) {
		nodes = append(nodes, n)
	}
	return nodes
}

// used says that every evicted unit had a member on a node where the gang is placed.
func (j *jointSearch) used() bool {
	for i := range j.dry.units {
		u, there := &j.dry.units[i], func(t ledger.TaskID) bool { return slices.Contains(j.at, j.nodeOf(t)) }
		if u.gone > 0 && !slices.ContainsFunc(u.Tasks, there) {
			return false
		}
	}
	return true
}

// nodeOf is a task's node, or that of the nomination that it gave up.
func (j *jointSearch) nodeOf(t ledger.TaskID) ledger.NodeID {
	if task := j.p.l.Task(t); task.Node != ledger.NoNode {
		return task.Node
	}
	return j.p.l.Task(t).Commitment.Node
}
