// Package sla keeps jobs from waiting longer than a given time: sla-waiting-time, in a PodGroup's
// annotation or, for all other jobs, in the plugin's argument.
//
// A job's deadline is its creation plus that time. Before the deadline, the plugin abstains. After it,
// the plugin permits the job to leave Pending, and to keep for the rest of a cycle the room that was
// found for it while other room is still being freed. By rule E, that overrides plugins of later tiers,
// and none of its own or an earlier tier: name it first. At all times, the job with the earlier
// deadline goes first, and a job with a deadline before one without.
//
// From its deadline on the start of a job is planned, where action backfill is configured, also in queues in which no
// starts are planned otherwise: room is kept for the first such jobs of a queue, as many as backfill.depth says, once
// it is known when there is some. Before its deadline, later jobs may start although they delay it.
//
// It takes no room from pods that hold it. When all jobs are past their deadlines, the oldest
// deadline goes first, and nothing else changes. A job that runs in part keeps its deadline for the
// members that it still lacks.
//
// The engine has no clock. The plugin gets the time when a cycle begins, returns when the next deadline
// passes, and answers by that time until the next cycle. A job created later than now, by a clock that
// differs, has not begun to wait.
//
// Source: semantics of Volcano's plugin of this name.
package sla

import (
	"cmp"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin "sla". Without its argument, jobs without the annotation have no deadline.
func Definition() policy.Definition {
	return policy.Define("sla", "jobs that waited too long go first",
		func(a arguments, l *ledger.Ledger) (*plugin, error) { return &plugin{l: l, wait: a.wait}, nil })
}

type arguments struct{ wait int64 }

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Duration(&a.wait, "sla-waiting-time", 0, "the longest wait of jobs that name none").Above(0).Without()
}

type plugin struct {
	l    *ledger.Ledger
	wait int64 // for jobs without the annotation; 0: no deadline
	now  int64
	due  bool // some active job is past its deadline
}

// At takes the time of the cycle, and returns the first deadline after it of a job for which something
// is left to decide.
func (p *plugin) At(now int64) (next int64) {
	p.now, p.due = now, false
	for _, j := range p.l.Jobs.Active() { // order-free: the least is sought
		at, has := p.deadline(j)
		p.due = p.due || has && at <= now
		if has && at > now && p.l.Job(j).Created <= now && (next == 0 || at < next) {
			next = at
		}
	}
	return next
}

// deadline is when a job has waited long enough; false for one that may wait for ever.
func (p *plugin) deadline(j ledger.JobID) (int64, bool) {
	job := p.l.Job(j)
	wait := job.MaxWait
	if wait == 0 {
		wait = p.wait
	}
	return model.After(job.Created, wait), wait > 0
}

func (p *plugin) late(j ledger.JobID) bool {
	at, has := p.deadline(j)
	return has && at <= p.now
}

// StartDue implements policy.StartsDue: a job past its deadline has its start planned.
func (p *plugin) StartDue(j ledger.JobID) bool { return p.due && p.late(j) }

// AnyStartDue implements policy.StartsDue.
func (p *plugin) AnyStartDue() bool { return p.due }

// VoteEnqueue permits a job that is past its deadline, and abstains on all others.
func (p *plugin) VoteEnqueue(j ledger.JobID) (policy.Vote, trace.Reason) {
	return p.VotePipelined(j), trace.Reason{}
}

// VotePipelined permits a job that is past its deadline, and abstains on all others.
func (p *plugin) VotePipelined(j ledger.JobID) policy.Vote {
	if p.late(j) {
		return policy.Permit
	}
	return policy.Abstain
}

// CompareJobs puts the earlier deadline first, and a job that has none last.
func (p *plugin) CompareJobs(a, b ledger.JobID) int {
	x, hasX := p.deadline(a)
	y, hasY := p.deadline(b)
	switch {
	case hasX && hasY:
		return cmp.Compare(x, y)
	case hasX:
		return -1
	case hasY:
		return 1
	}
	return 0
}
