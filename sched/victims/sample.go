package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
)

// bestOfSample is best over the first so many nodes, going round from an offset that
// depends on the task's name alone, on which room can be made (decision 16, seed 002 §7.2
// and §7.3). All of them count as tried; as their bounds tell which could be the best,
// few are tried in earnest, and what is chosen is the same.
func (h *Hunt) bestOfSample(wholes bool) *plan {
	names := h.nodes.ByName()
	probe := row{kind: kind{class: h.class, scope: h.rule.Scope, queue: h.claim.Queue, ceiling: h.ceiling(),
		wholes: wholes, blocked: !h.lawful()}, gives: h.gives}
	enough := h.rule.Sample.candidates(len(names))
	next, left := 0, len(names)
	if left > 0 {
		next = int(ledger.Hash(h.l.Task(h.claim.Task).Key.String()) % uint64(left))
	}
	h.read(&probe)
	admits := h.nodes.Admitted(h.class)
	h.list = h.list[:0]
	for {
		for ; len(h.list) < enough && left > 0; left-- {
			n := names[next]
			if next++; next == len(names) {
				next = 0
			}
			if !admits[n] {
				continue
			}
			if b, ok := h.bound(&probe, n); ok {
				h.list = append(h.list, listed{n, b})
			}
		}
		h.bounded = max(h.bounded, len(h.list))
		p, hopeless := h.bestListedNow(wholes)
		if hopeless == 0 || left == 0 || h.spent() {
			return p
		}
		// Nodes on which nothing came of it are no candidates: others take their places.
		h.list = slices.DeleteFunc(h.list, func(at listed) bool { return slices.Contains(h.stash, at.node) })
	}
}

// bestListedNow tries the nodes of the list, the lowest bound first, and says on how many
// that it tried nothing came of it; these are left in h.stash.
func (h *Hunt) bestListedNow(wholes bool) (best *plan, hopeless int) {
	slices.SortFunc(h.list, func(a, b listed) int {
		return cmp.Or(a.bound.Compare(b.bound), cmp.Compare(h.l.Node(a.node).Name, h.l.Node(b.node).Name))
	})
	h.stash = h.stash[:0]
	spare := &h.plans[0]
	for i := range h.list {
		n := h.list[i].node
		if best != nil && !h.cheaper(h.list[i].bound, n, best) || h.spent() {
			break
		}
		if !h.trial(n, wholes, spare) {
			h.stash = append(h.stash, n)
			continue
		}
		if best == nil || h.cheaper(spare.cost, n, best) {
			best, spare = h.swap(best, spare)
		} else {
			h.loses(spare.node, spare.cost)
		}
	}
	return best, len(h.stash)
}
