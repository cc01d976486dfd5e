package evict

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
)

// victimScope says which queues may lose tasks, level by level.
type victimScope struct {
	vs *Search

	mayLose []bool           // by QueueID: its tasks may be victims at the current level
	queues  []ledger.QueueID // the queues that may lose tasks, the nearest first
	ends    []int            // by level: where it ends in victimQueues
}

// find sorts the queues that may lose tasks into levels around the preemptor's queue: those
// of the nearest subtree first (seed 001 §9).
func (sc *victimScope) find() {
	own := sc.vs.current.preemptor.Queue
	sc.queues, sc.ends, sc.mayLose = sc.queues[:0], sc.ends[:0], sc.mayLose[:0]
	sc.vs.l.Queues.Each(func(q ledger.QueueID) bool {
		row := sc.vs.l.Queue(q)
		if q != own && row.Jobs > 0 && sc.reclaimable(q) && sc.vs.set.Eviction.MayBeVictim(q, own) {
			sc.queues = append(sc.queues, q)
		}
		return true
	})
	slices.SortFunc(sc.queues, func(a, b ledger.QueueID) int {
		return cmp.Or(sc.vs.set.Eviction.NearerQueue(a, b, own), cmp.Compare(sc.vs.l.Queue(a).Name, sc.vs.l.Queue(b).Name))
	})
	for i := range sc.queues {
		if i+1 == len(sc.queues) || sc.vs.set.Eviction.NearerQueue(sc.queues[i], sc.queues[i+1], own) != 0 {
			sc.ends = append(sc.ends, i+1)
		}
	}
}

// levels is the number of levels; 1 where queues play no part.
func (sc *victimScope) levels() int {
	if sc.vs.rule.Scope != OtherQueues {
		return 1
	}
	return len(sc.ends)
}

// enter lets the queues of all levels up to this one lose tasks.
func (sc *victimScope) enter(level int) {
	if sc.vs.rule.Scope != OtherQueues {
		return
	}
	sc.mayLose = sc.mayLose[:0]
	for range sc.vs.l.Queues.Len() {
		sc.mayLose = append(sc.mayLose, false)
	}
	for _, q := range sc.queues[:sc.ends[level]] {
		sc.mayLose[q] = true
	}
}

// inLevel says that a queue may lose tasks at the current level.
func (sc *victimScope) inLevel(q ledger.QueueID) bool {
	return int(q) < len(sc.mayLose) && sc.mayLose[q]
}
