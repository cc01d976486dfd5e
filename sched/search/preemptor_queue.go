package search

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/victims"
)

// Jobs that starve and ask for the same are asked for together. Nobody's answer changes
// while nothing is decided: a group of starving jobs of which one job is refused is refused whole, until
// somebody is helped; then those of its jobs that come after the one that was helped have
// their turn again. That is as if each were asked for by itself, in job order, which is what
// happens where somebody watches.

// mayShareAnswers says that jobs may be asked for in groups of starving jobs: nobody watches them one by one, what
// makes them starve is theirs alone, and the rule gives those that ask alike one answer.
func mayShareAnswers(s *session.Session, rule victims.Rule) bool {
	return s.Policy.JobsAlone() && !rule.Sample.On && rule.Within == nil && !s.Trace.On(trace.FailedPreempt)
}

// starvingJob says whether others may have to leave for a job, and what it asks for.
func starvingJob(s *session.Session, j ledger.JobID) (x session.StarvingJob) {
	job := s.L.Job(j)
	if !job.Admitted() || job.By[model.Pending] == 0 || s.Gate(j).Is() || s.Policy.ValidateJob(j).Is() || !s.Policy.Starving(j) {
		return x
	}
	tasks := Claimants(s, j)
	if len(tasks) == 0 {
		return x
	}
	x.Starves = true
	x.Signature, x.Alike = s.Victims.SignatureOf(victims.Rule{}, j, tasks)
	x.Alike = x.Alike && !Near(s, j) && job.Claims+job.Losses == 0 // which domains it may go to, or what is kept for it, is its own
	return x
}

// would says that somebody could leave for a job that is asked for by itself; of one that has
// to be near somebody only trying tells.
func would(s *session.Session, rule victims.Rule, j ledger.JobID) bool {
	if Near(s, j) {
		return rule.Domains > 0
	}
	return past(s, rule, j, false, func() bool { return s.Victims.Would(rule, j, Claimants(s, j)) })
}

// starvingJobs are the jobs that starve: in groups of starving jobs where they may be, otherwise each alone. None
// when nobody can be helped as things are, which asking one job of each group of starving jobs tells. mayAsk
// says that a queue's jobs are asked for at all; own that a job that is alone may also be
// helped by its own members.
func starvingJobs(s *session.Session, rule victims.Rule, mayAsk func(ledger.QueueID) bool, own bool) (parties []*session.StarvingGroup, alone []ledger.JobID) {
	if !mayShareAnswers(s, rule) {
		return nil, Starving(s, rule.Action)
	}
	parties, alone = s.StarvingJobs(func(j ledger.JobID) session.StarvingJob { return starvingJob(s, j) })
	if own && slices.ContainsFunc(alone, func(j ledger.JobID) bool { return HasRunning(s, j) }) {
		return parties, alone
	}
	ask := func(j ledger.JobID) bool { return would(s, rule, j) }
	for _, p := range parties {
		if !mayAsk(p.Signature.Queue) {
			continue
		}
		for _, j := range p.Jobs {
			if ask(j) {
				return parties, alone
			}
			if !s.Victims.PrePredicateFailed() {
				break // that speaks for all of them
			}
		}
	}
	if slices.ContainsFunc(alone, func(j ledger.JobID) bool { return mayAsk(s.L.Job(j).Queue) && ask(j) }) {
		return parties, alone
	}
	return nil, nil
}

// preemptorQueue is a queue's jobs that starve, the first in job order first.
type preemptorQueue struct {
	s     *session.Session
	rule  victims.Rule
	heads *session.Heap[head]
	shut  []*cursor      // refused as things are
	alone []ledger.JobID // those that are in no group of starving jobs
}

// head is the first job of a band that had no turn yet, or a job that is in no group of starving jobs.
type head struct {
	job    ledger.JobID
	cursor *cursor
}

// cursor is a group of starving jobs's jobs; in job order once more of them than the first are wanted.
type cursor struct {
	jobs   []ledger.JobID
	sorted bool
}

// preemptorQueues puts jobs that starve into lines, by queue.
func preemptorQueues(s *session.Session, rule victims.Rule, parties []*session.StarvingGroup, alone []ledger.JobID) map[ledger.QueueID]*preemptorQueue {
	out := map[ledger.QueueID]*preemptorQueue{}
	of := func(q ledger.QueueID) *preemptorQueue {
		if out[q] == nil {
			out[q] = &preemptorQueue{s: s, rule: rule, heads: session.NewHeap(func(a, b head) int { return s.Policy.CompareJobs(a.job, b.job) })}
		}
		return out[q]
	}
	for _, p := range parties {
		of(p.Signature.Queue).heads.Push(head{slices.MinFunc(p.Jobs, s.Policy.CompareJobs), &cursor{jobs: p.Jobs}})
	}
	for _, j := range alone {
		l := of(s.L.Job(j).Queue)
		l.alone = append(l.alone, j)
		l.heads.Push(head{j, nil})
	}
	return out
}

func (l *preemptorQueue) empty() bool { return l.heads.Len() == 0 }

// serve gives jobs their turn until one of them was helped; false when none was, and the
// line is empty. One that starves still takes part again.
func (l *preemptorQueue) serve() bool {
	l.heads.Heapify() // who lost members since may come elsewhere
	for !l.empty() {
		if h := l.heads.Pop(); l.askFor(h) {
			if l.s.Policy.Starving(h.job) {
				l.heads.Push(head{h.job, nil})
			}
			return true
		}
	}
	return false
}

// attempt is that of one job: true when it was helped.
func (l *preemptorQueue) askFor(h head) bool {
	if !l.s.Policy.Starving(h.job) {
		l.queueUp(h.cursor, h.job)
		return false
	}
	if h.cursor == nil && len(l.shut) == 0 {
		return Take(l.s, l.rule, h.job)
	}
	if !would(l.s, l.rule, h.job) {
		switch {
		case h.cursor == nil:
		case l.s.Victims.PrePredicateFailed(): // says nothing of the others
			l.queueUp(h.cursor, h.job)
		default:
			l.shut = append(l.shut, h.cursor)
		}
		return false
	}
	// Their places are found before it is helped: that may change its own.
	l.queueUp(h.cursor, h.job)
	for _, b := range l.shut {
		l.queueUp(b, h.job)
	}
	l.shut = l.shut[:0]
	return Take(l.s, l.rule, h.job)
}

// queueUp lets a band's first job after one that had its turn wait for its own.
func (l *preemptorQueue) queueUp(b *cursor, after ledger.JobID) {
	if b == nil {
		return
	}
	if !b.sorted {
		b.jobs, b.sorted = slices.Clone(b.jobs), true
		slices.SortFunc(b.jobs, l.s.Policy.CompareJobs)
	}
	i, itself := slices.BinarySearchFunc(b.jobs, after, l.s.Policy.CompareJobs)
	if itself {
		i++
	}
	if b.jobs = b.jobs[i:]; len(b.jobs) > 0 {
		l.heads.Push(head{b.jobs[0], b})
	}
}
