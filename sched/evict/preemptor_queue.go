package evict

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
)

// preemptorQueue are a queue's jobs that starve, in job order.
type preemptorQueue struct {
	e       *Evictor
	o       Options
	heads   *session.Heap[head]
	refused []*groupTurns  // groups that are refused as things stand
	alone   []ledger.JobID // the jobs with an answer of their own
}

// head is the first job of a StarvingGroup that had no turn yet, or a job with an answer of its own (group is
// nil).
type head struct {
	job   ledger.JobID
	group *groupTurns
}

// groupTurns are the jobs of a StarvingGroup that may still have a turn. They are sorted into job order only
// when more than the first is needed.
type groupTurns struct {
	jobs   []ledger.JobID
	sorted bool
}

// preemptorQueues makes the preemptor queues of jobs that starve, by queue.
func (e *Evictor) preemptorQueues(o Options, groups []*StarvingGroup) map[ledger.QueueID]*preemptorQueue {
	out := map[ledger.QueueID]*preemptorQueue{}
	of := func(q ledger.QueueID) *preemptorQueue {
		if out[q] == nil {
			byJob := func(a, b head) int { return e.s.Policy.CompareJobs(a.job, b.job) }
			out[q] = &preemptorQueue{e: e, o: o, heads: session.NewHeap(byJob)}
		}
		return out[q]
	}
	for _, g := range groups {
		l := of(g.Key.Queue)
		if g.Key.Shared() {
			l.heads.Push(head{slices.MinFunc(g.Jobs, e.s.Policy.CompareJobs), &groupTurns{jobs: g.Jobs}})
			continue
		}
		l.alone = append(l.alone, g.Key.Own)
		l.heads.Push(head{g.Key.Own, nil})
	}
	return out
}

func (l *preemptorQueue) empty() bool { return l.heads.Len() == 0 }

// serve gives jobs their turn until room was made for one of them; false when it was made for none, and
// no job is left. A job that still starves takes part again.
func (l *preemptorQueue) serve() bool {
	l.heads.Heapify() // jobs that lost members meanwhile may have another place in the order
	for !l.empty() {
		if h := l.heads.Pop(); l.askFor(h) {
			if l.e.s.Policy.Eviction.Starving(h.job) {
				l.heads.Push(head{h.job, nil})
			}
			return true
		}
	}
	return false
}

// askFor searches victims for one job; true when room was made for it.
func (l *preemptorQueue) askFor(h head) bool {
	if !l.e.s.Policy.Eviction.Starving(h.job) {
		l.queueUp(h.group, h.job)
		return false
	}
	if search.Behind(l.e.s, h.job, session.CodeOnly).Is() {
		l.queueUp(h.group, h.job)
		return false
	}
	if h.group == nil && len(l.refused) == 0 {
		return l.e.take(l.o, h.job)
	}
	if !l.e.would(l.o, h.job) {
		switch {
		case h.group == nil:
		case l.e.search.result.forThisJobOnly:
			l.queueUp(h.group, h.job)
		default:
			l.refused = append(l.refused, h.group)
		}
		return false
	}
	// The next job is queued before room is made for this one, which may change this one's place in the order.
	l.queueUp(h.group, h.job)
	for _, g := range l.refused {
		l.queueUp(g, h.job)
	}
	l.refused = l.refused[:0]
	return l.e.take(l.o, h.job)
}

// queueUp adds the first job of a group after one that had its turn.
func (l *preemptorQueue) queueUp(g *groupTurns, after ledger.JobID) {
	if g == nil {
		return
	}
	if !g.sorted {
		g.jobs, g.sorted = slices.Clone(g.jobs), true
		slices.SortFunc(g.jobs, l.e.s.Policy.CompareJobs)
	}
	i, itself := slices.BinarySearchFunc(g.jobs, after, l.e.s.Policy.CompareJobs)
	if itself {
		i++
	}
	if g.jobs = g.jobs[i:]; len(g.jobs) > 0 {
		l.heads.Push(head{g.jobs[0], g})
	}
}
