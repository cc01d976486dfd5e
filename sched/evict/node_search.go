package evict

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// nodeSearch finds the node on which the victims for a task cost least.
type nodeSearch struct {
	p     *preemptor
	index candidateIndex
	dry   dryRun

	stamp  uint64       // a node's failed dry run counts while this is unchanged
	best   *candidate   // the cheapest so far; nil: none
	memory [2]candidate // the best, and one to fill
	list   []listed     // the nodes to try, where the index keeps none
	nodes  []ledger.NodeID
}

// listed is a node to try, and the least that victims on it cost.
type listed struct {
	node  ledger.NodeID
	bound Cost
}

// cheapestNode is the cheapest candidate within a level; nil when there is none. It is valid until the next call.
func (ns *nodeSearch) cheapestNode(wholeGangs bool) *candidate {
	ns.best = nil
	switch domain, listed := ns.p.within().List(); {
	case ns.p.o.Scope == SameJob:
		ns.ofList(wholeGangs, ns.ownNodes()) // few: no sample is taken of them
	case ns.p.o.Sample.On:
		ns.ofSample(wholeGangs)
	case listed:
		ns.ofList(wholeGangs, domain)
	default:
		ns.ofAll(wholeGangs)
	}
	return ns.best
}

// ofAll tries the nodes that the index keeps.
func (ns *nodeSearch) ofAll(wholeGangs bool) {
	r := ns.index.of(ns.p, wholeGangs)
	ns.p.bounded = max(ns.p.bounded, len(r.heap))
	ns.nodes = ns.nodes[:0]
	for len(r.heap) > 0 && ns.worth(r.heap[0], r.bounds[r.heap[0]]) {
		n := r.heap[0]
		ns.index.remove(r, 0)
		ns.nodes = append(ns.nodes, n)
		if r.failed[n] == ns.stamp {
			continue
		}
		if !ns.try(n, wholeGangs) {
			r.failed[n] = ns.stamp
		}
		if ns.p.spent() {
			break
		}
	}
	ns.runnersUp(r)
	for _, n := range ns.nodes {
		ns.index.push(r, n)
	}
	// The dry runs took back all that they changed: the bounds still hold.
	r.cursor = ns.index.l.Changes.Nodes.Now()
}

// ofList tries those of a few nodes on which room could be made.
func (ns *nodeSearch) ofList(wholeGangs bool, nodes []ledger.NodeID) {
	bound := ns.index.bounds(ns.p, wholeGangs)
	ns.list = ns.list[:0]
	for _, n := range nodes {
		if b, ok := bound(n); ok {
			ns.list = append(ns.list, listed{n, b})
		}
	}
	ns.tryList(wholeGangs)
}

// ofSample tries a sample of the nodes on which room can be made: nodes are taken in turn, from an offset that
// depends only on the task's name, until the sample is full (decision 16, seed 002 §7.2 and §7.3). Since their
// bounds show which of them could be the best, only few need a dry run, and the result is that of a dry run of each.
// Of the nodes beyond the sample nothing is known: they are not counted as ruled out.
func (ns *nodeSearch) ofSample(wholeGangs bool) {
	names := ns.p.nodeIndex.ByName()
	enough, next, left := ns.p.o.Sample.candidates(len(names)), 0, len(names)
	if left > 0 {
		next = int(ledger.Hash(ns.p.l.Task(ns.p.Task).Key.String()) % uint64(left))
	}
	bound := ns.index.bounds(ns.p, wholeGangs)
	ns.list = ns.list[:0]
	for {
		for ; len(ns.list) < enough && left > 0; left-- {
			if b, ok := bound(names[next]); ok {
				ns.list = append(ns.list, listed{names[next], b})
			}
			if next++; next == len(names) {
				next = 0
			}
		}
		hopeless := ns.tryList(wholeGangs)
		ns.p.bounded = max(ns.p.bounded, len(ns.list)+left)
		if len(hopeless) == 0 || left == 0 || ns.p.spent() {
			return
		}
		// Nodes on which the dry run failed are no candidates: the next nodes take their places.
		ns.list = slices.DeleteFunc(ns.list, func(at listed) bool { return slices.Contains(hopeless, at.node) })
	}
}

// tryList tries the listed nodes, the lowest bound first, and returns those on which the dry run failed.
func (ns *nodeSearch) tryList(wholeGangs bool) (hopeless []ledger.NodeID) {
	ns.nodes = ns.nodes[:0]
	ns.p.bounded = max(ns.p.bounded, len(ns.list))
	slices.SortFunc(ns.list, func(a, b listed) int {
		return cmp.Or(a.bound.Compare(b.bound), cmp.Compare(ns.p.l.Node(a.node).Name, ns.p.l.Node(b.node).Name))
	})
	ns.best = nil
	for _, at := range ns.list {
		if !ns.worth(at.node, at.bound) || ns.p.spent() {
			break
		}
		if !ns.try(at.node, wholeGangs) {
			ns.nodes = append(ns.nodes, at.node)
		}
	}
	return ns.nodes
}

// try runs a dry run on a node, and keeps its candidate if it is the cheapest so far. It returns false when no room
// can be made there.
func (ns *nodeSearch) try(n ledger.NodeID, wholeGangs bool) bool {
	found := &ns.memory[0]
	if found == ns.best {
		found = &ns.memory[1]
	}
	if !ns.dry.run(n, wholeGangs, found) {
		return false
	}
	if ns.worth(n, found.cost) {
		found, ns.best = ns.best, found
	}
	if found != nil {
		ns.loses(found)
	}
	return true
}

// worth says that a candidate of such a cost on a node would be the cheapest so far (decision 17); the node's name
// decides between equal costs.
func (ns *nodeSearch) worth(n ledger.NodeID, c Cost) bool {
	return ns.best == nil ||
		cmp.Or(c.Compare(ns.best.cost), cmp.Compare(ns.p.l.Node(n).Name, ns.p.l.Node(ns.best.node).Name)) < 0
}

// loses notes a candidate that would have worked but was not the cheapest.
func (ns *nodeSearch) loses(found *candidate) {
	all := append(ns.p.alternatives, ns.alternative(found.node, found.cost))
	slices.SortFunc(all, func(a, b trace.Alternative) int {
		return cmp.Or(costIn(a).Compare(costIn(b)), cmp.Compare(a.Node, b.Node))
	})
	ns.p.alternatives = all[:min(len(all), trace.MostAlternatives)]
}

// alternative is a cost on a node, as it is told. Its sum of priorities is without the 2^31 that was added for
// every victim.
func (ns *nodeSearch) alternative(n ledger.NodeID, c Cost) trace.Alternative {
	return trace.Alternative{Node: ns.p.l.Node(n).Name, Priority: c.Highest, Sum: c.Sum - int64(c.Count)<<31,
		Victims: int(c.Count), Started: c.Start}
}

// costIn is the cost that an alternative tells of.
func costIn(a trace.Alternative) Cost {
	return Cost{Highest: a.Priority, Sum: a.Sum + int64(a.Victims)<<31, Count: int32(a.Victims), Start: a.Started}
}

// runnersUp notes the next nodes of the heap, which were not tried because even the least that they
// could cost is no cheaper. The first three of a heap are among its first seven elements.
func (ns *nodeSearch) runnersUp(r *candidateNodes) {
	var first [7]ledger.NodeID
	next := first[:copy(first[:], r.heap)]
	slices.SortFunc(next, func(a, b ledger.NodeID) int {
		if ns.index.before(r, a, b) {
			return -1
		}
		return 1
	})
	for _, n := range next[:min(len(next), trace.MostAlternatives-len(ns.p.alternatives))] {
		a := ns.alternative(n, r.bounds[n])
		a.AtLeast = true
		ns.p.alternatives = append(ns.p.alternatives, a)
	}
}

// ownNodes lists the nodes on which members of the preemptor's job run or have a nomination.
func (ns *nodeSearch) ownNodes() []ledger.NodeID {
	ns.nodes = ns.nodes[:0]
	for _, s := range [...]model.Status{model.Running, model.Bound, model.Pipelined} {
		ns.p.l.Jobs.Tasks(ns.p.Job, s, func(t ledger.TaskID) bool {
			if n := ns.p.l.Task(t).Node; evictableState(ns.p.l, t) && !slices.Contains(ns.nodes, n) {
				ns.nodes = append(ns.nodes, n)
			}
			return true
		})
	}
	return ns.nodes
}
