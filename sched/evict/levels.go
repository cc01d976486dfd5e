package evict

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
)

// levels says which queues may lose tasks to other queues: at each level, those of one more subtree around the
// preemptor's queue (seed 001 §9).
type levels struct {
	mayLose []bool           // by QueueID: its tasks may be victims at the current level
	at      int              // the current level
	queues  []ledger.QueueID // the queues that may lose tasks, the nearest first
	ends    []int            // by level: where it ends in queues
}

// find sorts the queues that may lose tasks into levels.
func (lv *levels) find(p *preemptor) {
	eviction := p.set.Eviction
	lv.queues, lv.ends, lv.mayLose = lv.queues[:0], lv.ends[:0], lv.mayLose[:0]
	p.l.Queues.Each(func(q ledger.QueueID) bool {
		if q != p.Queue && p.l.Queue(q).Jobs > 0 && reclaimable(p.l, q) && eviction.MayBeVictim(q, p.Queue) {
			lv.queues = append(lv.queues, q)
		}
		return true
	})
	slices.SortFunc(lv.queues, func(a, b ledger.QueueID) int {
		return cmp.Or(eviction.CompareLevels(a, b, p.Queue), cmp.Compare(p.l.Queue(a).Name, p.l.Queue(b).Name))
	})
	for i := range lv.queues {
		if i+1 == len(lv.queues) || eviction.CompareLevels(lv.queues[i], lv.queues[i+1], p.Queue) != 0 {
			lv.ends = append(lv.ends, i+1)
		}
	}
}

// numLevels is the number of levels; 1 where queues play no part.
func (p *preemptor) numLevels() int {
	if p.o.Scope != OtherQueues {
		return 1
	}
	return len(p.levels.ends)
}

// enter lets the queues of all levels up to this one lose tasks.
func (p *preemptor) enter(level int) {
	if p.levels.at = level; p.o.Scope == OtherQueues {
		p.levels.open(p.l, p.levels.queues[:p.levels.ends[level]])
	}
}

// open lets these queues lose tasks, and no others.
func (lv *levels) open(l *ledger.Ledger, queues []ledger.QueueID) {
	lv.mayLose = append(lv.mayLose[:0], make([]bool, l.Queues.Len())...)
	for _, q := range queues {
		lv.mayLose[q] = true
	}
}

// openAll lets all queues lose tasks.
func (lv *levels) openAll(l *ledger.Ledger) {
	lv.open(l, nil)
	for q := range lv.mayLose {
		lv.mayLose[q] = true
	}
}

// has says that a queue may lose tasks at the current level.
func (lv *levels) has(q ledger.QueueID) bool { return int(q) < len(lv.mayLose) && lv.mayLose[q] }

func reclaimable(l *ledger.Ledger, q ledger.QueueID) bool {
	f := l.Queue(q).Fact
	return f == nil || f.Reclaimable
}
