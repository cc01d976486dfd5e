package policy

import (
	"cmp"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// How the answers of plugins combine: by rules A to I, those of Volcano's session. Each method names its rule.

// CompareQueues is rule A: the first plugin that prefers one decides; then the older
// queue, then the name.
func (s *Set) CompareQueues(a, b ledger.QueueID) int {
	for _, p := range s.queueOrder {
		if r := p.CompareQueues(a, b); r != 0 {
			return r
		}
	}
	x, y := s.l.Queue(a), s.l.Queue(b)
	if x.Fact != nil && y.Fact != nil && x.Fact.Created != y.Fact.Created {
		return cmp.Compare(x.Fact.Created, y.Fact.Created)
	}
	return cmp.Compare(x.Name, y.Name)
}

// CompareJobs is rule A: plugins, then the older job, then the name.
func (s *Set) CompareJobs(a, b ledger.JobID) int {
	for _, p := range s.jobOrder {
		if r := p.CompareJobs(a, b); r != 0 {
			return r
		}
	}
	x, y := s.l.Job(a), s.l.Job(b)
	if x.Created != y.Created {
		return cmp.Compare(x.Created, y.Created)
	}
	return x.Key.Compare(y.Key)
}

// CompareTasks is rule A: plugins, then the number at the end of the name, then the older pod, then the
// name.
func (s *Set) CompareTasks(a, b ledger.TaskID) int {
	for _, p := range s.taskOrder {
		if r := p.CompareTasks(a, b); r != 0 {
			return r
		}
	}
	x, y := s.l.Task(a).Pod, s.l.Task(b).Pod
	if x.Index != y.Index {
		return cmp.Compare(x.Index, y.Index)
	}
	if x.Created != y.Created {
		return cmp.Compare(x.Created, y.Created)
	}
	return cmp.Compare(x.Name, y.Name)
}

// ValidateJob is rule D: the first objection counts; the zero Reason when there is none.
func (s *Set) ValidateJob(j ledger.JobID) trace.Reason {
	for _, p := range s.jobValid {
		if r := p.ValidateJob(j); r.Is() {
			return r
		}
	}
	return trace.Reason{}
}

// Enqueueable is rule E: a rejection decides if it comes from any tier up to and including the first
// one in which a plugin permits. Without any vote, the job is permitted.
func (s *Set) Enqueueable(j ledger.JobID) (trace.Reason, bool) {
	return s.mayEnter(func(p JobEnqueueable) (Vote, trace.Reason) { return p.VoteEnqueue(j) })
}

// Loanable is Enqueueable for a job that would start at once (JobLoanable).
func (s *Set) Loanable(j ledger.JobID) bool {
	_, ok := s.mayEnter(func(p JobEnqueueable) (Vote, trace.Reason) {
		if l, ok := p.(JobLoanable); ok {
			return l.VoteLoan(j)
		}
		return p.VoteEnqueue(j)
	})
	return ok
}

func (s *Set) mayEnter(vote func(JobEnqueueable) (Vote, trace.Reason)) (trace.Reason, bool) {
	for _, tier := range s.enqueueable.tiers {
		permitted := false
		for _, p := range tier {
			v, r := vote(p)
			if v == Reject {
				return r, false
			}
			permitted = permitted || v == Permit
		}
		if permitted {
			break
		}
	}
	return trace.Reason{}, true
}

// Ready is rule B: all plugins must agree; without plugins, the job is ready.
func (s *Set) Ready(j ledger.JobID) bool {
	for _, p := range s.ready {
		if !p.Ready(j) {
			return false
		}
	}
	return true
}

// Pipelined is rule E.
func (s *Set) Pipelined(j ledger.JobID) bool {
	return elect(s.pipelined, func(p JobPipelined) Vote { return p.VotePipelined(j) })
}

// elect is rule E where the reason is not needed.
func elect[P any](c chain[P], vote func(P) Vote) bool {
	for _, tier := range c.tiers {
		permitted := false
		for _, p := range tier {
			switch vote(p) {
			case Reject:
				return false
			case Permit:
				permitted = true
			}
		}
		if permitted {
			break
		}
	}
	return true
}

// HoldsInPart says that a job may be promised room for fewer members than it needs to start.
func (s *Set) HoldsInPart() bool {
	return len(s.pipelined.tiers) == 0 || !all[OnlyWhole](s.pipelined.tiers...)
}

// Overused is rule C: the answer of one plugin is enough.
func (s *Set) Overused(q ledger.QueueID) (trace.Reason, bool) {
	for _, p := range s.overused {
		if r, over := p.Overused(q); over {
			return r, true
		}
	}
	return trace.Reason{}, false
}

// Allocatable is rule B over counts: the least any plugin allows, at most want.
func (s *Set) Allocatable(q ledger.QueueID, c ledger.ClassID, want int64) int64 {
	for _, p := range s.allocatable {
		want = min(want, p.Allocatable(q, c, want))
	}
	return want
}

// WhyNotAllocatable is the reason of the first plugin that does not allow even one task.
func (s *Set) WhyNotAllocatable(q ledger.QueueID, c ledger.ClassID) trace.Reason {
	for _, p := range s.allocatable {
		if p.Allocatable(q, c, 1) < 1 {
			return p.WhyNot(q, c)
		}
	}
	return trace.Reason{}
}

// PrePredicate is rule D.
func (s *Set) PrePredicate(t ledger.TaskID) Verdict {
	for _, p := range s.prePredicate {
		if v := p.PrePredicate(t); !v.Admits() {
			return v
		}
	}
	return Verdict{}
}

// QueueFigures is rule J: the first plugin that knows the queue.
func (s *Set) QueueFigures(q ledger.QueueID) (QueueFigures, bool) {
	for _, p := range s.reporters {
		if f, ok := p.QueueFigures(q); ok {
			return f, true
		}
	}
	return QueueFigures{}, false
}

// QueueArithmetic is rule J.
func (s *Set) QueueArithmetic(q ledger.QueueID) ([]trace.Arithmetic, bool) {
	for _, p := range s.arithmetic {
		if a, ok := p.QueueArithmetic(q); ok {
			return a, true
		}
	}
	return nil, false
}

// Problems are the problems that all plugins find.
func (s *Set) Problems() []Problem {
	var out []Problem
	for _, p := range s.problems {
		out = append(out, p.Problems()...)
	}
	return out
}
