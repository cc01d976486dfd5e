package search

import (
	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/topology"
)

// find returns the best place for a task: in its domain, if it has one, as near as possible to the last
// member placed.
func (t *attempt) find(task ledger.TaskID) place {
	switch {
	case t.together.colocated != nil && task == t.together.colocated.leader:
		return t.together.colocated.at
	case !t.apart:
		return find(t.s, task, t.together.idle)
	}
	nominated := nomination(t.s, task)
	if nominated != ledger.NoNode && t.home != topology.None && !t.net.Holds(t.home, nominated) {
		nominated = ledger.NoNode
	}
	return firstGradient(t.s, task, nominated, t.future, func(g Gradient) place { return t.nearest(task, g) })
}

// nearest is the best node in the smallest domain around the last place that has room. Within a domain,
// the nodes of all shards are looked at together.
func (t *attempt) nearest(task ledger.TaskID, g Gradient) place {
	if t.home == topology.None || t.home == topology.Root && t.net.Flat() {
		return best(t.s, task, g)
	}
	if g.Elsewhere() {
		return place{node: ledger.NoNode}
	}
	fits := t.s.NodeIndex.Fits(t.s.L.Task(task).Class, class.When(g.Future()))
	for d := t.near; ; d = t.net.Domain(d).Up {
		at, nodes := roomiest(t.net, d, fits)
		if p := among(t.s, task, class.Among(nodes), g); p.node != ledger.NoNode {
			t.near = at
			return p
		}
		if d == t.home {
			break
		}
	}
	// The room that was counted may be unusable where filters depend on single tasks or on domains.
	return among(t.s, task, class.Among(t.net.Domain(t.home).Nodes), g)
}

// roomiest goes down from a domain, each time to the part with the most room, to a domain of which
// the nodes are all equally near. Of parts with equal room, the first by name is taken.
func roomiest(m *topology.Map, d topology.ID, fits []int32) (topology.ID, []ledger.NodeID) {
	for {
		at := m.Domain(d)
		if len(at.Down) == 0 {
			return d, at.Nodes
		}
		best, most := topology.None, total(at.Own, fits)
		for _, c := range at.Down {
			if sum := total(m.Domain(c).Nodes, fits); sum > most {
				best, most = c, sum
			}
		}
		if best == topology.None {
			return d, at.Own
		}
		d = best
	}
}

func total(nodes []ledger.NodeID, fits []int32) (sum int64) {
	for _, n := range nodes {
		sum += int64(fits[n])
	}
	return sum
}
