package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
)

// bestOfSample is best over a sample of the nodes on which room can be made: nodes are taken in turn,
// from an offset that depends only on the task's name, until the sample is full (decision 16, seed 002
// §7.2 and §7.3). All of them count as tried. Since their bounds show which of them could be the best,
// only few need a dry run, and the result is the same.
func (vs *Search) bestOfSample(wholeGangs bool) *plan {
	names := vs.nodes.ByName()
	probe := candidateNodes{key: candidateKey{class: vs.class, scope: vs.rule.Scope, queue: vs.preemptor.Queue, ceiling: vs.ceiling(),
		wholeGangs: wholeGangs, blocked: !vs.allocatable()}, mayLose: vs.mayLose}
	enough := vs.rule.Sample.candidates(len(names))
	next, left := 0, len(names)
	if left > 0 {
		next = int(ledger.Hash(vs.l.Task(vs.preemptor.Task).Key.String()) % uint64(left))
	}
	vs.read(&probe)
	admits := vs.nodes.Admitted(vs.class)
	vs.list = vs.list[:0]
	for {
		for ; len(vs.list) < enough && left > 0; left-- {
			n := names[next]
			if next++; next == len(names) {
				next = 0
			}
			if !admits[n] {
				continue
			}
			if b, ok := vs.bound(&probe, n); ok {
				vs.list = append(vs.list, listed{n, b})
			}
		}
		vs.bounded = max(vs.bounded, len(vs.list))
		p, hopeless := vs.bestListedNow(wholeGangs)
		if hopeless == 0 || left == 0 || vs.spent() {
			return p
		}
		// Nodes on which the dry run failed are no candidates: the next nodes take their places.
		vs.list = slices.DeleteFunc(vs.list, func(at listed) bool { return slices.Contains(vs.popped, at.node) })
	}
}

// bestListedNow tries the listed nodes, the lowest bound first. It returns the best plan and on how
// many nodes the dry run failed; these nodes are left in vs.popped.
func (vs *Search) bestListedNow(wholeGangs bool) (best *plan, hopeless int) {
	slices.SortFunc(vs.list, func(a, b listed) int {
		return cmp.Or(a.bound.Compare(b.bound), cmp.Compare(vs.l.Node(a.node).Name, vs.l.Node(b.node).Name))
	})
	vs.popped = vs.popped[:0]
	spare := &vs.plans[0]
	for i := range vs.list {
		n := vs.list[i].node
		if best != nil && !vs.cheaper(vs.list[i].bound, n, best) || vs.spent() {
			break
		}
		if !vs.dryRun(n, wholeGangs, spare) {
			vs.popped = append(vs.popped, n)
			continue
		}
		if best == nil || vs.cheaper(spare.cost, n, best) {
			best, spare = vs.swap(best, spare)
		} else {
			vs.loses(spare.node, spare.cost)
		}
	}
	return best, len(vs.popped)
}
