package evict

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// choice finds the node on which the victims cost least.
type choice struct {
	vs *Search

	popped []ledger.NodeID
	list   []listed
	plans  [2]plan
}

// best is the cheapest plan within a level; nil when there is none. The plan is valid until the next
// call.
func (ch *choice) best(level int32, wholeGangs bool) *plan {
	if ch.vs.rule.Scope == SameJob || ch.vs.current.within() != nil || ch.vs.rule.Sample.On {
		return ch.bestListed(wholeGangs)
	}
	k := candidateKey{class: ch.vs.current.class, born: ch.vs.l.Class(ch.vs.current.class).Born, scope: ch.vs.rule.Scope, queue: ch.vs.current.preemptor.Queue, level: level,
		ceiling: ch.vs.current.ceiling(), wholeGangs: wholeGangs, blocked: !ch.vs.current.allocatable()}
	r := ch.vs.candidates.of(k)
	ch.vs.current.bounded = max(ch.vs.current.bounded, len(r.heap))
	best, spare := (*plan)(nil), &ch.plans[0]
	ch.popped = ch.popped[:0]
	for len(r.heap) > 0 {
		n := r.heap[0]
		if best != nil && !ch.cheaper(r.bounds[n], n, best) {
			break
		}
		ch.vs.candidates.remove(r, 0)
		ch.popped = append(ch.popped, n)
		if r.failed[n] == ch.vs.stamp {
			continue
		}
		if !ch.vs.dry.run(n, wholeGangs, spare) {
			r.failed[n] = ch.vs.stamp
			if ch.vs.current.spent() {
				break
			}
			continue
		}
		if best == nil || ch.cheaper(spare.cost, n, best) {
			best, spare = ch.swap(best, spare)
		} else {
			ch.vs.current.loses(spare.node, spare.cost)
		}
		if ch.vs.current.spent() {
			break
		}
	}
	ch.vs.current.runnersUp(r)
	for _, n := range ch.popped {
		ch.vs.candidates.push(r, n)
	}
	// The dry runs took back all that they changed: the bounds still hold.
	r.cursor = ch.vs.l.Changes.Nodes.Now()
	return best
}

// spent says that the preemptor's budget is used up.
func (as *currentPreemptor) spent() bool {
	as.exhausted = as.exhausted || as.steps > as.budget
	return as.steps > as.budget
}

// swap makes the spare plan the best; the old best becomes the spare one.
func (ch *choice) swap(best, spare *plan) (*plan, *plan) {
	if best != nil {
		ch.vs.current.loses(best.node, best.cost)
		return spare, best
	}
	return spare, &ch.plans[1]
}

// ceiling is the highest priority that a victim's job may have.
func (as *currentPreemptor) ceiling() int32 {
	if as.vs.rule.Scope != SameQueue {
		return 1<<31 - 1
	}
	return as.vs.set.Eviction.Ceiling(as.preemptor)
}

// cheaper says that a cost on a node is below a plan's (decision 17); the node's name decides between
// equal costs.
func (ch *choice) cheaper(c Cost, n ledger.NodeID, p *plan) bool {
	return cmp.Or(c.Compare(p.cost), cmp.Compare(ch.vs.l.Node(n).Name, ch.vs.l.Node(p.node).Name)) < 0
}

// loses notes a plan that would have worked but was not the cheapest.
func (as *currentPreemptor) loses(n ledger.NodeID, c Cost) {
	a := trace.Alternative{Node: as.vs.l.Node(n).Name, Priority: c.Highest, Sum: c.prioritySum(), Victims: int(c.Count), Started: c.Start}
	as.losers = append(as.losers, a)
	slices.SortFunc(as.losers, func(a, b trace.Alternative) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Victims, b.Victims), cmp.Compare(a.Sum, b.Sum),
			cmp.Compare(b.Started, a.Started), cmp.Compare(a.Node, b.Node))
	})
	as.losers = as.losers[:min(len(as.losers), trace.MostAlternatives)]
}

// prioritySum is Sum without the 2^31 that was added for every victim.
func (c Cost) prioritySum() int64 { return c.Sum - int64(c.Count)<<31 }

// runnersUp notes the next nodes of the heap, which were not tried because even the least that they
// could cost is no cheaper. The first three of a heap are among its first seven elements.
func (as *currentPreemptor) runnersUp(r *candidateNodes) {
	var first [7]ledger.NodeID
	next := first[:copy(first[:], r.heap)]
	slices.SortFunc(next, func(a, b ledger.NodeID) int {
		if as.vs.candidates.before(r, a, b) {
			return -1
		}
		return 1
	})
	for _, n := range next {
		if len(as.losers) == trace.MostAlternatives {
			return
		}
		c := r.bounds[n]
		as.losers = append(as.losers, trace.Alternative{Node: as.vs.l.Node(n).Name, AtLeast: true, Priority: c.Highest,
			Sum: c.prioritySum(), Victims: int(c.Count), Started: c.Start})
	}
}

// listed is a node to try, in a search that keeps no candidateNodes.
type listed struct {
	node  ledger.NodeID
	bound Cost
}

// bestListed is best over nodes that are listed for this preemptor: those of a domain, those with
// members of its own job, or a sample.
func (ch *choice) bestListed(wholeGangs bool) *plan {
	ch.vs.candidates.freeable.follow()
	if ch.vs.rule.Sample.On {
		return ch.bestOfSample(wholeGangs)
	}
	ch.listNodes(wholeGangs)
	p, _ := ch.bestListedNow(wholeGangs)
	return p
}

// listNodes lists the nodes that are worth trying.
func (ch *choice) listNodes(wholeGangs bool) {
	ch.list = ch.list[:0]
	probe := candidateNodes{key: candidateKey{class: ch.vs.current.class, scope: ch.vs.rule.Scope, queue: ch.vs.current.preemptor.Queue, ceiling: ch.vs.current.ceiling(),
		wholeGangs: wholeGangs, blocked: !ch.vs.current.allocatable()}, mayLose: ch.vs.scope.mayLose}
	ch.vs.candidates.read(&probe)
	admits := ch.vs.nodes.Admitted(ch.vs.current.class)
	consider := func(n ledger.NodeID) {
		if int(n) >= len(admits) || !admits[n] {
			return
		}
		b, ok := nothing, true
		if ch.vs.rule.Scope != SameJob {
			b, ok = ch.vs.candidates.bound(&probe, n)
		}
		if ok {
			ch.list = append(ch.list, listed{n, b})
		}
	}
	if ch.vs.rule.Scope == SameJob {
		ch.ownNodes(consider)
	} else {
		for _, n := range ch.vs.current.within() {
			consider(n)
		}
	}
	slices.SortFunc(ch.list, func(a, b listed) int {
		return cmp.Or(a.bound.Compare(b.bound), cmp.Compare(ch.vs.l.Node(a.node).Name, ch.vs.l.Node(b.node).Name))
	})
	ch.vs.current.bounded = max(ch.vs.current.bounded, len(ch.list))
}

// ownNodes calls f once for every node on which members of the preemptor's job run or have a
// reservation.
func (ch *choice) ownNodes(f func(ledger.NodeID)) {
	ch.popped = ch.popped[:0]
	for _, s := range [...]model.Status{model.Running, model.Bound, model.Pipelined} {
		ch.vs.l.Jobs.Tasks(ch.vs.current.preemptor.Job, s, func(t ledger.TaskID) bool {
			if n := ch.vs.l.Task(t).Node; standing(ch.vs.l, t) && !slices.Contains(ch.popped, n) {
				ch.popped = append(ch.popped, n)
			}
			return true
		})
	}
	for _, n := range ch.popped {
		f(n)
	}
}

func (ch *choice) present() int {
	n := 0
	ch.vs.l.Nodes.Present(func(ledger.NodeID) bool { n++; return true })
	return n
}
