package search

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/victims"
)

// Jobs that starve with equal signatures share one search. No answer changes
// while nothing is decided: when one job of a StarvingGroup is refused, the whole group is refused until
// room was made for some job; then the jobs of the group that come after that job have
// their turn again. The result is as if victims were searched for each job, in job order. That is what
// happens when the trace records single jobs.

// mayShareAnswers says that victims may be searched for StarvingGroups: the trace does not record
// single jobs, what makes jobs starve is theirs alone, and the rule gives jobs with equal signatures
// equal answers.
func mayShareAnswers(s *session.Session, rule victims.Rule) bool {
	return s.Policy.JobsAlone() && !rule.Sample.On && rule.Within == nil && !s.Trace.On(trace.FailedPreempt)
}

// starvingJob says whether victims may be searched for a job, and its signature.
func starvingJob(s *session.Session, j ledger.JobID) (x session.StarvingJob) {
	job := s.L.Job(j)
	if !job.Admitted() || job.By[model.Pending] == 0 || s.Gate(j).Is() || s.Policy.ValidateJob(j).Is() || !s.Policy.Eviction.Starving(j) {
		return x
	}
	tasks := Claimants(s, j)
	if len(tasks) == 0 {
		return x
	}
	x.Starves = true
	x.Signature, x.Alike = s.Victims.SignatureOf(victims.Rule{}, j, tasks)
	x.Alike = x.Alike && !Near(s, j) && job.Claims+job.Losses == 0 // its domains, or the room kept for it, are its own
	return x
}

// would says that Take would find victims for a job alone. For a job whose members have to be near each
// other, only trying shows it, so it is true if the rule allows such jobs.
func would(s *session.Session, rule victims.Rule, j ledger.JobID) bool {
	if Near(s, j) {
		return rule.Domains > 0
	}
	return past(s, rule, j, false, func() bool { return s.Victims.Would(rule, j, Claimants(s, j)) })
}

// starvingJobs are the jobs that starve: in StarvingGroups where that is allowed, otherwise each alone.
// It returns none when no job can be helped as things stand, which one search for each group shows.
// mayAsk says that victims are searched for a queue's jobs at all; own says that a job that is alone
// may also get room from its own members.
func starvingJobs(s *session.Session, rule victims.Rule, mayAsk func(ledger.QueueID) bool, own bool) (groups []*session.StarvingGroup, alone []ledger.JobID) {
	if !mayShareAnswers(s, rule) {
		return nil, Starving(s, rule.Action)
	}
	groups, alone = s.StarvingJobs(func(j ledger.JobID) session.StarvingJob { return starvingJob(s, j) })
	if own && slices.ContainsFunc(alone, func(j ledger.JobID) bool { return HasRunning(s, j) }) {
		return groups, alone
	}
	ask := func(j ledger.JobID) bool { return would(s, rule, j) }
	for _, p := range groups {
		if !mayAsk(p.Signature.Queue) {
			continue
		}
		for _, j := range p.Jobs {
			if ask(j) {
				return groups, alone
			}
			if !s.Victims.Result.PrePredicateFailed() {
				break // that answer holds for the whole group
			}
		}
	}
	if slices.ContainsFunc(alone, func(j ledger.JobID) bool { return mayAsk(s.L.Job(j).Queue) && ask(j) }) {
		return groups, alone
	}
	return nil, nil
}

// preemptorQueue are a queue's jobs that starve, in job order.
type preemptorQueue struct {
	s     *session.Session
	rule  victims.Rule
	heads *session.Heap[head]
	shut  []*cursor      // groups that are refused as things stand
	alone []ledger.JobID // the jobs that are in no StarvingGroup
}

// head is the first job of a StarvingGroup that had no turn yet, or a job that is in no group (cursor
// is nil).
type head struct {
	job    ledger.JobID
	cursor *cursor
}

// cursor is the jobs of a StarvingGroup that may still have a turn. They are sorted into job order only
// when more than the first is needed.
type cursor struct {
	jobs   []ledger.JobID
	sorted bool
}

// preemptorQueues makes the preemptor queues of jobs that starve, by queue.
func preemptorQueues(s *session.Session, rule victims.Rule, groups []*session.StarvingGroup, alone []ledger.JobID) map[ledger.QueueID]*preemptorQueue {
	out := map[ledger.QueueID]*preemptorQueue{}
	of := func(q ledger.QueueID) *preemptorQueue {
		if out[q] == nil {
			out[q] = &preemptorQueue{s: s, rule: rule, heads: session.NewHeap(func(a, b head) int { return s.Policy.CompareJobs(a.job, b.job) })}
		}
		return out[q]
	}
	for _, p := range groups {
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

// serve gives jobs their turn until room was made for one of them; false when it was made for none, and
// no job is left. A job that still starves takes part again.
func (l *preemptorQueue) serve() bool {
	l.heads.Heapify() // jobs that lost members meanwhile may have another place in the order
	for !l.empty() {
		if h := l.heads.Pop(); l.askFor(h) {
			if l.s.Policy.Eviction.Starving(h.job) {
				l.heads.Push(head{h.job, nil})
			}
			return true
		}
	}
	return false
}

// askFor searches victims for one job; true when room was made for it.
func (l *preemptorQueue) askFor(h head) bool {
	if !l.s.Policy.Eviction.Starving(h.job) {
		l.queueUp(h.cursor, h.job)
		return false
	}
	if h.cursor == nil && len(l.shut) == 0 {
		return Take(l.s, l.rule, h.job)
	}
	if !would(l.s, l.rule, h.job) {
		switch {
		case h.cursor == nil:
		case l.s.Victims.Result.PrePredicateFailed(): // that answer holds for this job only
			l.queueUp(h.cursor, h.job)
		default:
			l.shut = append(l.shut, h.cursor)
		}
		return false
	}
	// The next job is queued before room is made for this one, which may change this one's place in the order.
	l.queueUp(h.cursor, h.job)
	for _, b := range l.shut {
		l.queueUp(b, h.job)
	}
	l.shut = l.shut[:0]
	return Take(l.s, l.rule, h.job)
}

// queueUp adds the first job of a group after one that had its turn.
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
