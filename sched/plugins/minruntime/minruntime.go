// Package minruntime is a guard: a pod runs for the minimum run time of its queue before it may be a
// victim. Work that is evicted as soon as it started is done in vain, and a queue that holds less than
// it deserves would see its pods evicted again and again.
//
// The minimum run time is the queue's annotation ashlar.sh/min-runtime, otherwise the plugin's argument;
// 0 is none. It counts from the pod's start: for a pod that is bound and not started yet, none
// of the time has passed. A pod with an unknown start counts from its creation.
//
// The plugin abstains on pods that have run for their time (decision 11), and on nominations. It holds for
// action shuffle, too: a pod on a node that is lent by the hour (tdm) stays beyond the hour until it has run for
// its minimum run time.
package minruntime

import (
	"time"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin "minruntime".
func Definition() policy.Definition {
	return policy.Define("minruntime", "pods are no victims before they ran for the minimum run time of their queue",
		func(a arguments, l *ledger.Ledger) (*plugin, error) { return &plugin{l: l, minimum: a.minimum}, nil })
}

type arguments struct{ minimum int64 }

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Duration(&a.minimum, "min-runtime", 0, "the minimum run time in queues without the annotation").AtLeast(0)
}

type plugin struct {
	l       *ledger.Ledger
	minimum int64 // of queues without the annotation
	now     int64
}

// At takes the time of the cycle, and returns when the next pod has run for its time, if any job waits.
func (p *plugin) At(now int64) (next int64) {
	p.now = now
	if !p.any() || !p.l.Jobs.AnyPending() {
		return 0
	}
	p.l.PluginStates.Placements(func(_ ledger.TaskID, task *ledger.Task, _ ledger.NodeID, _ ledger.Hold) bool {
		if task.Status != model.Running || task.Job == ledger.NoJob {
			return true
		}
		q := p.l.Job(task.Job).Queue
		if q == ledger.NoQueue {
			return true
		}
		if until := model.After(task.Pod.Began(), p.of(q)); until > now && (next == 0 || until < next) {
			next = until
		}
		return true
	})
	return next
}

// any says that some queue has a minimum run time.
func (p *plugin) any() (any bool) {
	p.l.Queues.Each(func(q ledger.QueueID) bool {
		any = p.of(q) > 0
		return !any
	})
	return any
}

// Preemptable refuses a unit with a task that has not run for its time: VictimTooYoung, with the task,
// its queue and the time that is left.
func (p *plugin) Preemptable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

// Reclaimable is as Preemptable.
func (p *plugin) Reclaimable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

func (p *plugin) GuardUnit(u policy.Unit) policy.Opinion {
	minimum := p.of(u.Queue)
	if minimum == 0 {
		return policy.Opinion{}
	}
	for _, t := range u.Tasks {
		task := p.l.Task(t)
		if left := p.left(task, minimum); left > 0 {
			return policy.GuardAgainst(trace.Reason{Code: trace.VictimTooYoung, Task: task.Key.String(),
				Queue: p.l.Queue(u.Queue).Name, Text: time.Duration(left).Round(time.Second).String()})
		}
	}
	return policy.Opinion{}
}

// of is the minimum run time in a queue.
func (p *plugin) of(q ledger.QueueID) int64 {
	if f := p.l.Queue(q).Fact; f != nil && f.MinRuntime != nil {
		return *f.MinRuntime
	}
	return p.minimum
}

func (p *plugin) left(t *ledger.Task, minimum int64) int64 {
	switch {
	case t.Status == model.Pipelined:
		return 0
	case t.Status == model.Bound && t.Pod.Started == 0:
		return minimum
	default:
		return model.Between(p.now, model.After(t.Pod.Began(), minimum))
	}
}
