package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// best is the cheapest plan within a ring, nil when there is none. It is good until the
// next question.
func (h *Hunt) best(ring int32, wholes bool) *plan {
	if h.rule.Scope == SameJob || h.within() != nil || h.rule.Sample.On {
		return h.bestListed(wholes)
	}
	k := kind{class: h.class, born: h.l.Class(h.class).Born, scope: h.rule.Scope, queue: h.claim.Queue, ring: ring,
		ceiling: h.ceiling(), wholes: wholes, blocked: !h.lawful()}
	r := h.rowFor(k)
	h.bounded = max(h.bounded, len(r.heap))
	best, spare := (*plan)(nil), &h.plans[0]
	h.stash = h.stash[:0]
	for len(r.heap) > 0 {
		n := r.heap[0]
		if best != nil && !h.cheaper(r.bounds[n], n, best) {
			break
		}
		h.remove(r, 0)
		h.stash = append(h.stash, n)
		if r.failed[n] == h.stamp {
			continue
		}
		if !h.trial(n, wholes, spare) {
			r.failed[n] = h.stamp
			if h.spent() {
				break
			}
			continue
		}
		if best == nil || h.cheaper(spare.cost, n, best) {
			best, spare = h.swap(best, spare)
		} else {
			h.loses(spare.node, spare.cost)
		}
		if h.spent() {
			break
		}
	}
	h.runnersUp(r)
	for _, n := range h.stash {
		h.push(r, n)
	}
	// What the trials touched they put back: the bounds hold.
	r.cursor = h.l.Now()
	return best
}

// spent says that the budget of the claim is.
func (h *Hunt) spent() bool {
	h.exhausted = h.exhausted || h.steps > h.budget
	return h.steps > h.budget
}

// swap makes the spare plan the best; the old best, which has lost, is the spare one.
func (h *Hunt) swap(best, spare *plan) (*plan, *plan) {
	if best != nil {
		h.loses(best.node, best.cost)
		return spare, best
	}
	return spare, &h.plans[1]
}

// ceiling is the priority above which no job is a victim.
func (h *Hunt) ceiling() int32 {
	if h.rule.Scope != SameQueue {
		return 1<<31 - 1
	}
	return h.set.VictimCeiling(h.claim)
}

// cheaper compares a cost on a node with a plan: decision 17, in the end by name.
func (h *Hunt) cheaper(c Cost, n ledger.NodeID, p *plan) bool {
	return cmp.Or(c.Compare(p.cost), cmp.Compare(h.l.Node(n).Name, h.l.Node(p.node).Name)) < 0
}

// loses notes a plan that would have worked and was not the cheapest.
func (h *Hunt) loses(n ledger.NodeID, c Cost) {
	a := trace.Alternative{Node: h.l.Node(n).Name, Priority: c.Highest, Sum: c.prioritySum(), Victims: int(c.Count), Started: c.Start}
	h.losers = append(h.losers, a)
	slices.SortFunc(h.losers, func(a, b trace.Alternative) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Victims, b.Victims), cmp.Compare(a.Sum, b.Sum),
			cmp.Compare(b.Started, a.Started), cmp.Compare(a.Node, b.Node))
	})
	h.losers = h.losers[:min(len(h.losers), trace.MostAlternatives)]
}

// prioritySum is Sum without what was added to make every victim cost something.
func (c Cost) prioritySum() int64 { return c.Sum - int64(c.Count)<<31 }

// runnersUp notes the nodes next in line that were not tried, because even what they
// would cost at least is no cheaper: the first three of a heap are among its first seven.
func (h *Hunt) runnersUp(r *row) {
	var first [7]ledger.NodeID
	next := first[:copy(first[:], r.heap)]
	slices.SortFunc(next, func(a, b ledger.NodeID) int {
		if h.before(r, a, b) {
			return -1
		}
		return 1
	})
	for _, n := range next {
		if len(h.losers) == trace.MostAlternatives {
			return
		}
		c := r.bounds[n]
		h.losers = append(h.losers, trace.Alternative{Node: h.l.Node(n).Name, AtLeast: true, Priority: c.Highest,
			Sum: c.prioritySum(), Victims: int(c.Count), Started: c.Start})
	}
}

// listed is a node to be tried, in a search that keeps no row.
type listed struct {
	node  ledger.NodeID
	bound Cost
}

// bestListed is best over nodes listed for this claim: those of a domain, those with
// members of the claim's own job, or a sample.
func (h *Hunt) bestListed(wholes bool) *plan {
	h.cells.follow()
	if h.rule.Sample.On {
		return h.bestOfSample(wholes)
	}
	h.listNodes(wholes)
	p, _ := h.bestListedNow(wholes)
	return p
}

// listNodes lists the nodes worth trying, the lowest bound first.
func (h *Hunt) listNodes(wholes bool) {
	h.list = h.list[:0]
	probe := row{kind: kind{class: h.class, scope: h.rule.Scope, queue: h.claim.Queue, ceiling: h.ceiling(),
		wholes: wholes, blocked: !h.lawful()}, gives: h.gives}
	h.read(&probe)
	admits := h.nodes.Admitted(h.class)
	consider := func(n ledger.NodeID) {
		if int(n) >= len(admits) || !admits[n] {
			return
		}
		b, ok := nothing, true
		if h.rule.Scope != SameJob {
			b, ok = h.bound(&probe, n)
		}
		if ok {
			h.list = append(h.list, listed{n, b})
		}
	}
	if h.rule.Scope == SameJob {
		h.ownNodes(consider)
	} else {
		for _, n := range h.within() {
			consider(n)
		}
	}
	slices.SortFunc(h.list, func(a, b listed) int {
		return cmp.Or(a.bound.Compare(b.bound), cmp.Compare(h.l.Node(a.node).Name, h.l.Node(b.node).Name))
	})
	h.bounded = max(h.bounded, len(h.list))
}

// ownNodes calls f for every node that members of the claim's job run on, each once.
func (h *Hunt) ownNodes(f func(ledger.NodeID)) {
	h.stash = h.stash[:0]
	for _, s := range [...]model.Status{model.Running, model.Bound, model.Pipelined} {
		h.l.JobTasks(h.claim.Job, s, func(t ledger.TaskID) bool {
			if n := h.l.Task(t).Node; standing(h.l, t) && !slices.Contains(h.stash, n) {
				h.stash = append(h.stash, n)
			}
			return true
		})
	}
	for _, n := range h.stash {
		f(n)
	}
}

func (h *Hunt) present() int {
	n := 0
	h.l.Present(func(ledger.NodeID) bool { n++; return true })
	return n
}
