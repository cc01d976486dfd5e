package evict

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
)

// bestOfSample is best over a sample of the nodes on which room can be made: nodes are taken in turn,
// from an offset that depends only on the task's name, until the sample is full (decision 16, seed 002
// §7.2 and §7.3). All of them count as tried. Since their bounds show which of them could be the best,
// only few need a dry run, and the result is the same.
func (ch *choice) bestOfSample(wholeGangs bool) *plan {
	names := ch.vs.nodes.ByName()
	probe := candidateNodes{key: candidateKey{class: ch.vs.current.class, scope: ch.vs.rule.Scope, queue: ch.vs.current.preemptor.Queue, ceiling: ch.vs.current.ceiling(),
		wholeGangs: wholeGangs, blocked: !ch.vs.current.allocatable()}, mayLose: ch.vs.scope.mayLose}
	enough := ch.vs.rule.Sample.candidates(len(names))
	next, left := 0, len(names)
	if left > 0 {
		next = int(ledger.Hash(ch.vs.l.Task(ch.vs.current.preemptor.Task).Key.String()) % uint64(left))
	}
	ch.vs.candidates.read(&probe)
	admits := ch.vs.nodes.Admitted(ch.vs.current.class)
	ch.list = ch.list[:0]
	for {
		for ; len(ch.list) < enough && left > 0; left-- {
			n := names[next]
			if next++; next == len(names) {
				next = 0
			}
			if !admits[n] {
				continue
			}
			if b, ok := ch.vs.candidates.bound(&probe, n); ok {
				ch.list = append(ch.list, listed{n, b})
			}
		}
		ch.vs.current.bounded = max(ch.vs.current.bounded, len(ch.list))
		p, hopeless := ch.bestListedNow(wholeGangs)
		if hopeless == 0 || left == 0 || ch.vs.current.spent() {
			return p
		}
		// Nodes on which the dry run failed are no candidates: the next nodes take their places.
		ch.list = slices.DeleteFunc(ch.list, func(at listed) bool { return slices.Contains(ch.popped, at.node) })
	}
}

// bestListedNow tries the listed nodes, the lowest bound first. It returns the best plan and on how
// many nodes the dry run failed; these nodes are left in vs.popped.
func (ch *choice) bestListedNow(wholeGangs bool) (best *plan, hopeless int) {
	slices.SortFunc(ch.list, func(a, b listed) int {
		return cmp.Or(a.bound.Compare(b.bound), cmp.Compare(ch.vs.l.Node(a.node).Name, ch.vs.l.Node(b.node).Name))
	})
	ch.popped = ch.popped[:0]
	spare := &ch.plans[0]
	for i := range ch.list {
		n := ch.list[i].node
		if best != nil && !ch.cheaper(ch.list[i].bound, n, best) || ch.vs.current.spent() {
			break
		}
		if !ch.vs.dry.run(n, wholeGangs, spare) {
			ch.popped = append(ch.popped, n)
			continue
		}
		if best == nil || ch.cheaper(spare.cost, n, best) {
			best, spare = ch.swap(best, spare)
		} else {
			ch.vs.current.loses(spare.node, spare.cost)
		}
	}
	return best, len(ch.popped)
}
