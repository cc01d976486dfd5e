// Package evictioncap is a guard against too many evictions at once: it limits how many pods of the
// cluster, of a queue and of a job may be evicted within a minute.
//
// It counts the evictions that were decided within the last minute, by whatever action, and those of
// the current try. A plan that needs more victims than the cap has left is not carried out in part. A
// cap below what a large gang needs keeps that gang waiting: a job that needs many victims at once
// needs a cap that allows them. A nomination that is taken over is no eviction.
//
// A queue's own cap is its annotation ashlar.sh/max-evictions-per-minute, otherwise the plugin's
// argument. Pods count for the queue that they are in, not for the queue that they are evicted for. The
// plugin abstains below the caps (decision 11).
//
// A scheduler that takes over does not know what was evicted before: for its first minute each cap
// counts as spent, so that restarts do not add up to more evictions than a cap permits
// (docs/design/0030-evictions-before-a-start.md).
package evictioncap

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin "evictioncap". What is not given is not capped.
func Definition() policy.Definition {
	return policy.Define("evictioncap", "no more evictions within a minute",
		func(a arguments, l *ledger.Ledger) (*plugin, error) { return &plugin{l: l, caps: a}, nil })
}

// arguments are numbers of pods.
type arguments struct{ cluster, queue, job int64 }

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Int(&a.cluster, "max-per-minute", none, "of the cluster's pods").AtLeast(0).In("pods").Without()
	s.Int(&a.queue, "max-per-minute.queue", none, "of a queue's, unless it says so itself").AtLeast(0).In("pods").Without()
	s.Int(&a.job, "max-per-minute.job", none, "of a job's").AtLeast(0).In("pods").Without()
}

// none is the cap of what is not capped.
const none = -1

// minute is how long an eviction counts, in nanoseconds.
const minute = int64(60_000_000_000)

type plugin struct {
	l    *ledger.Ledger
	caps arguments
}

// At returns when the oldest eviction no longer counts, or when all that count are known.
func (p *plugin) At(int64) (next int64) { return p.Later() }

// Later is as At, with the evictions of this cycle.
func (p *plugin) Later() (next int64) {
	next = p.l.EvictionHistory.CompleteAt()
	if spent := p.l.EvictionHistory.All(); next == 0 && len(spent) > 0 { // all of them are later otherwise
		next = model.After(spent[0].At, minute)
	}
	return next
}

// Preemptable refuses a unit with more pods than a cap has left: VictimCapped, with the number evicted
// within the minute, the cap, and what the cap is for. While evictions of the last minute are not known, as many
// as the cap has count.
func (p *plugin) Preemptable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

// Reclaimable is as Preemptable.
func (p *plugin) Reclaimable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

func (p *plugin) GuardUnit(u policy.Unit) policy.Opinion {
	victims := 0
	for _, t := range u.Tasks {
		if p.l.Task(t).Status != model.Pipelined {
			victims++
		}
	}
	ofQueue := p.caps.queue
	if f := p.l.Queue(u.Queue).Fact; f != nil && f.MaxEvictions != nil {
		ofQueue = *f.MaxEvictions
	}
	queue, job := p.l.Queue(u.Queue).Name, p.l.Job(u.Job).Key
	for _, c := range [...]struct {
		most int64
		of   string
		does func(*ledger.PastEviction) bool
	}{
		{p.caps.job, "job " + p.l.Jobs.Called(u.Job), func(s *ledger.PastEviction) bool { return s.Job == job }},
		{ofQueue, "queue " + queue, func(s *ledger.PastEviction) bool { return s.Queue == queue }},
		{p.caps.cluster, "the cluster", func(*ledger.PastEviction) bool { return true }},
	} {
		if c.most == none || victims == 0 {
			continue
		}
		if p.l.EvictionHistory.CompleteAt() != 0 {
			return capped(unknown, int(c.most), c.most)
		}
		if n := p.count(c.does); int64(n+victims) > c.most {
			return capped(c.of, n, c.most)
		}
	}
	return policy.Opinion{}
}

// unknown says why a cap counts as spent.
const unknown = "those of the minute before this scheduler's start are not known"

// capped is the refusal by a cap.
func capped(of string, n int, most int64) policy.Opinion {
	return policy.GuardAgainst(trace.Reason{Code: trace.VictimCapped, Text: "plugin evictioncap: " + of, Have: n,
		Need: int(most)})
}

// count is how many evictions count against a cap now.
func (p *plugin) count(does func(*ledger.PastEviction) bool) (n int) {
	spent := p.l.EvictionHistory.All()
	for i := range spent {
		if does(&spent[i]) {
			n++
		}
	}
	p.l.Statements.Evicting(func(t ledger.TaskID) {
		j := p.l.Task(t).Job
		if does(&ledger.PastEviction{Queue: p.l.Jobs.QueueName(j), Job: p.l.Job(j).Key}) {
			n++
		}
	})
	return n
}
