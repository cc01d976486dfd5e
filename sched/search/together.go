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
// while nothing is decided: a party of which one job is refused is refused whole, until
// somebody is helped; then those of its jobs that come after the one that was helped have
// their turn again. That is as if each were asked for by itself, in job order, which is what
// happens where somebody watches.

// together says that jobs may be asked for in parties: nobody watches them one by one, what
// makes them starve is theirs alone, and the rule gives those that ask alike one answer.
func together(s *session.Session, rule victims.Rule) bool {
	return s.Policy.JobsAlone() && !rule.Sample.On && rule.Within == nil && !s.Trace.On(trace.FailedPreempt)
}

// starver says whether others may have to leave for a job, and what it asks for.
func starver(s *session.Session, j ledger.JobID) (x session.Starver) {
	job := s.L.Job(j)
	if !job.Admitted() || job.By[model.Pending] == 0 || s.Gate(j).Is() || s.Policy.ValidateJob(j).Is() || !s.Policy.Starving(j) {
		return x
	}
	tasks := Claimants(s, j)
	if len(tasks) == 0 {
		return x
	}
	x.Starves = true
	x.Plea, x.Alike = s.Victims.PleaOf(victims.Rule{}, j, tasks)
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

// hungry are the jobs that starve: in parties where they may be, otherwise each alone. None
// when nobody can be helped as things are, which asking one job of each party tells. mayAsk
// says that a queue's jobs are asked for at all; own that a job that is alone may also be
// helped by its own members.
func hungry(s *session.Session, rule victims.Rule, mayAsk func(ledger.QueueID) bool, own bool) (parties []*session.Party, alone []ledger.JobID) {
	if !together(s, rule) {
		return nil, Starving(s, rule.Action)
	}
	parties, alone = s.Starvers(func(j ledger.JobID) session.Starver { return starver(s, j) })
	if own && slices.ContainsFunc(alone, func(j ledger.JobID) bool { return HasRunning(s, j) }) {
		return parties, alone
	}
	ask := func(j ledger.JobID) bool { return would(s, rule, j) }
	for _, p := range parties {
		if !mayAsk(p.Plea.Queue) {
			continue
		}
		for _, j := range p.Jobs {
			if ask(j) {
				return parties, alone
			}
			if !s.Victims.Balked() {
				break // that speaks for all of them
			}
		}
	}
	if slices.ContainsFunc(alone, func(j ledger.JobID) bool { return mayAsk(s.L.Job(j).Queue) && ask(j) }) {
		return parties, alone
	}
	return nil, nil
}

// line is a queue's jobs that starve, the first in job order first.
type line struct {
	s     *session.Session
	rule  victims.Rule
	heads *session.Heap[head]
	shut  []*band        // refused as things are
	alone []ledger.JobID // those that are in no party
}

// head is the first job of a band that had no turn yet, or a job that is in no party.
type head struct {
	job  ledger.JobID
	band *band
}

// band is a party's jobs; in job order once more of them than the first are wanted.
type band struct {
	jobs   []ledger.JobID
	sorted bool
}

// lines puts jobs that starve into lines, by queue.
func lines(s *session.Session, rule victims.Rule, parties []*session.Party, alone []ledger.JobID) map[ledger.QueueID]*line {
	out := map[ledger.QueueID]*line{}
	of := func(q ledger.QueueID) *line {
		if out[q] == nil {
			out[q] = &line{s: s, rule: rule, heads: session.NewHeap(func(a, b head) int { return s.Policy.CompareJobs(a.job, b.job) })}
		}
		return out[q]
	}
	for _, p := range parties {
		of(p.Plea.Queue).heads.Push(head{slices.MinFunc(p.Jobs, s.Policy.CompareJobs), &band{jobs: p.Jobs}})
	}
	for _, j := range alone {
		l := of(s.L.Job(j).Queue)
		l.alone = append(l.alone, j)
		l.heads.Push(head{j, nil})
	}
	return out
}

func (l *line) empty() bool { return l.heads.Len() == 0 }

// serve gives jobs their turn until one of them was helped; false when none was, and the
// line is empty. One that starves still takes part again.
func (l *line) serve() bool {
	l.heads.Heapify() // who lost members since may come elsewhere
	for !l.empty() {
		if h := l.heads.Pop(); l.turn(h) {
			if l.s.Policy.Starving(h.job) {
				l.heads.Push(head{h.job, nil})
			}
			return true
		}
	}
	return false
}

// turn is that of one job: true when it was helped.
func (l *line) turn(h head) bool {
	if !l.s.Policy.Starving(h.job) {
		l.queueUp(h.band, h.job)
		return false
	}
	if h.band == nil && len(l.shut) == 0 {
		return Take(l.s, l.rule, h.job)
	}
	if !would(l.s, l.rule, h.job) {
		switch {
		case h.band == nil:
		case l.s.Victims.Balked(): // says nothing of the others
			l.queueUp(h.band, h.job)
		default:
			l.shut = append(l.shut, h.band)
		}
		return false
	}
	// Their places are found before it is helped: that may change its own.
	l.queueUp(h.band, h.job)
	for _, b := range l.shut {
		l.queueUp(b, h.job)
	}
	l.shut = l.shut[:0]
	return Take(l.s, l.rule, h.job)
}

// queueUp lets a band's first job after one that had its turn wait for its own.
func (l *line) queueUp(b *band, after ledger.JobID) {
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
