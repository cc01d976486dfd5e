package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
)

// findVictimQueues sorts the queues that may lose tasks into levels around the preemptor's queue: those
// of the nearest subtree first (seed 001 §9).
func (vs *Search) findVictimQueues() {
	own := vs.preemptor.Queue
	vs.victimQueues, vs.levelEnds, vs.mayLose = vs.victimQueues[:0], vs.levelEnds[:0], vs.mayLose[:0]
	vs.l.Queues(func(q ledger.QueueID) bool {
		row := vs.l.Queue(q)
		if q != own && row.Jobs > 0 && vs.reclaimable(q) && vs.set.MayBeVictimQueue(q, own) {
			vs.victimQueues = append(vs.victimQueues, q)
		}
		return true
	})
	slices.SortFunc(vs.victimQueues, func(a, b ledger.QueueID) int {
		return cmp.Or(vs.set.NearerVictimQueue(a, b, own), cmp.Compare(vs.l.Queue(a).Name, vs.l.Queue(b).Name))
	})
	for i := range vs.victimQueues {
		if i+1 == len(vs.victimQueues) || vs.set.NearerVictimQueue(vs.victimQueues[i], vs.victimQueues[i+1], own) != 0 {
			vs.levelEnds = append(vs.levelEnds, i+1)
		}
	}
}

// numLevels is the number of levels; 1 where queues play no part.
func (vs *Search) numLevels() int {
	if vs.rule.Scope != OtherQueues {
		return 1
	}
	return len(vs.levelEnds)
}

// enter lets the queues of all levels up to this one lose tasks.
func (vs *Search) enter(level int) {
	if vs.rule.Scope != OtherQueues {
		return
	}
	vs.mayLose = vs.mayLose[:0]
	for range vs.l.NumQueues() {
		vs.mayLose = append(vs.mayLose, false)
	}
	for _, q := range vs.victimQueues[:vs.levelEnds[level]] {
		vs.mayLose[q] = true
	}
}

// inLevel says that a queue may lose tasks at the current level.
func (vs *Search) inLevel(q ledger.QueueID) bool { return int(q) < len(vs.mayLose) && vs.mayLose[q] }
