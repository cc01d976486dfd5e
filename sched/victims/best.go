package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// best is the cheapest plan within a level; nil when there is none. The plan is valid until the next
// call.
func (vs *Search) best(level int32, wholeGangs bool) *plan {
	if vs.rule.Scope == SameJob || vs.within() != nil || vs.rule.Sample.On {
		return vs.bestListed(wholeGangs)
	}
	k := candidateKey{class: vs.class, born: vs.l.Class(vs.class).Born, scope: vs.rule.Scope, queue: vs.preemptor.Queue, level: level,
		ceiling: vs.ceiling(), wholeGangs: wholeGangs, blocked: !vs.allocatable()}
	r := vs.candidatesFor(k)
	vs.bounded = max(vs.bounded, len(r.heap))
	best, spare := (*plan)(nil), &vs.plans[0]
	vs.popped = vs.popped[:0]
	for len(r.heap) > 0 {
		n := r.heap[0]
		if best != nil && !vs.cheaper(r.bounds[n], n, best) {
			break
		}
		vs.remove(r, 0)
		vs.popped = append(vs.popped, n)
		if r.failed[n] == vs.stamp {
			continue
		}
		if !vs.dryRun(n, wholeGangs, spare) {
			r.failed[n] = vs.stamp
			if vs.spent() {
				break
			}
			continue
		}
		if best == nil || vs.cheaper(spare.cost, n, best) {
			best, spare = vs.swap(best, spare)
		} else {
			vs.loses(spare.node, spare.cost)
		}
		if vs.spent() {
			break
		}
	}
	vs.runnersUp(r)
	for _, n := range vs.popped {
		vs.push(r, n)
	}
	// The dry runs took back all that they changed: the bounds still hold.
	r.cursor = vs.l.Changes.Nodes.Now()
	return best
}

// spent says that the preemptor's budget is used up.
func (vs *Search) spent() bool {
	vs.exhausted = vs.exhausted || vs.steps > vs.budget
	return vs.steps > vs.budget
}

// swap makes the spare plan the best; the old best becomes the spare one.
func (vs *Search) swap(best, spare *plan) (*plan, *plan) {
	if best != nil {
		vs.loses(best.node, best.cost)
		return spare, best
	}
	return spare, &vs.plans[1]
}

// ceiling is the highest priority that a victim's job may have.
func (vs *Search) ceiling() int32 {
	if vs.rule.Scope != SameQueue {
		return 1<<31 - 1
	}
	return vs.set.VictimCeiling(vs.preemptor)
}

// cheaper says that a cost on a node is below a plan's (decision 17); the node's name decides between
// equal costs.
func (vs *Search) cheaper(c Cost, n ledger.NodeID, p *plan) bool {
	return cmp.Or(c.Compare(p.cost), cmp.Compare(vs.l.Node(n).Name, vs.l.Node(p.node).Name)) < 0
}

// loses notes a plan that would have worked but was not the cheapest.
func (vs *Search) loses(n ledger.NodeID, c Cost) {
	a := trace.Alternative{Node: vs.l.Node(n).Name, Priority: c.Highest, Sum: c.prioritySum(), Victims: int(c.Count), Started: c.Start}
	vs.losers = append(vs.losers, a)
	slices.SortFunc(vs.losers, func(a, b trace.Alternative) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Victims, b.Victims), cmp.Compare(a.Sum, b.Sum),
			cmp.Compare(b.Started, a.Started), cmp.Compare(a.Node, b.Node))
	})
	vs.losers = vs.losers[:min(len(vs.losers), trace.MostAlternatives)]
}

// prioritySum is Sum without the 2^31 that was added for every victim.
func (c Cost) prioritySum() int64 { return c.Sum - int64(c.Count)<<31 }

// runnersUp notes the next nodes of the heap, which were not tried because even the least that they
// could cost is no cheaper. The first three of a heap are among its first seven elements.
func (vs *Search) runnersUp(r *candidateNodes) {
	var first [7]ledger.NodeID
	next := first[:copy(first[:], r.heap)]
	slices.SortFunc(next, func(a, b ledger.NodeID) int {
		if vs.before(r, a, b) {
			return -1
		}
		return 1
	})
	for _, n := range next {
		if len(vs.losers) == trace.MostAlternatives {
			return
		}
		c := r.bounds[n]
		vs.losers = append(vs.losers, trace.Alternative{Node: vs.l.Node(n).Name, AtLeast: true, Priority: c.Highest,
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
func (vs *Search) bestListed(wholeGangs bool) *plan {
	vs.freeable.follow()
	if vs.rule.Sample.On {
		return vs.bestOfSample(wholeGangs)
	}
	vs.listNodes(wholeGangs)
	p, _ := vs.bestListedNow(wholeGangs)
	return p
}

// listNodes lists the nodes that are worth trying.
func (vs *Search) listNodes(wholeGangs bool) {
	vs.list = vs.list[:0]
	probe := candidateNodes{key: candidateKey{class: vs.class, scope: vs.rule.Scope, queue: vs.preemptor.Queue, ceiling: vs.ceiling(),
		wholeGangs: wholeGangs, blocked: !vs.allocatable()}, mayLose: vs.mayLose}
	vs.read(&probe)
	admits := vs.nodes.Admitted(vs.class)
	consider := func(n ledger.NodeID) {
		if int(n) >= len(admits) || !admits[n] {
			return
		}
		b, ok := nothing, true
		if vs.rule.Scope != SameJob {
			b, ok = vs.bound(&probe, n)
		}
		if ok {
			vs.list = append(vs.list, listed{n, b})
		}
	}
	if vs.rule.Scope == SameJob {
		vs.ownNodes(consider)
	} else {
		for _, n := range vs.within() {
			consider(n)
		}
	}
	slices.SortFunc(vs.list, func(a, b listed) int {
		return cmp.Or(a.bound.Compare(b.bound), cmp.Compare(vs.l.Node(a.node).Name, vs.l.Node(b.node).Name))
	})
	vs.bounded = max(vs.bounded, len(vs.list))
}

// ownNodes calls f once for every node on which members of the preemptor's job run or have a
// reservation.
func (vs *Search) ownNodes(f func(ledger.NodeID)) {
	vs.popped = vs.popped[:0]
	for _, s := range [...]model.Status{model.Running, model.Bound, model.Pipelined} {
		vs.l.JobTasks(vs.preemptor.Job, s, func(t ledger.TaskID) bool {
			if n := vs.l.Task(t).Node; standing(vs.l, t) && !slices.Contains(vs.popped, n) {
				vs.popped = append(vs.popped, n)
			}
			return true
		})
	}
	for _, n := range vs.popped {
		f(n)
	}
}

func (vs *Search) present() int {
	n := 0
	vs.l.Present(func(ledger.NodeID) bool { n++; return true })
	return n
}
