// Package cdp is a guard: a pod that asks for a cooldown (volcano.sh/cooldown-time) is no victim until
// it has run for that long.
//
// The time counts from the pod's start, or from its creation where no start is known. The pod's owner
// asks for it; how long pods of a queue run at least is the plugin minruntime's rule. The plugin
// abstains on all other pods (decision 11). A pod that only has a nomination is not protected: it has
// not started.
//
// Source: semantics of Volcano's plugin of this name.
package cdp

import (
	"time"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin "cdp". It takes no arguments.
func Definition() policy.Definition {
	return policy.Define("cdp", "pods are no victims for a while after their start",
		func(_ policy.NoArguments, l *ledger.Ledger) (*plugin, error) {
			return &plugin{l: l}, nil
		})
}

type plugin struct {
	l   *ledger.Ledger
	now int64
}

// At takes the time of the cycle, and returns when the next cooldown is over, if any job waits.
func (p *plugin) At(now int64) (next int64) {
	p.now = now
	if !p.l.Jobs.AnyPending() {
		return 0
	}
	p.l.PluginStates.Placements(func(_ ledger.TaskID, task *ledger.Task, _ ledger.NodeID, how ledger.Hold) bool {
		if task.Pod.Rare().Cooldown > 0 && how == ledger.Firm {
			if until := end(task); until > now && (next == 0 || until < next) {
				next = until
			}
		}
		return true
	})
	return next
}

// end is when a task's cooldown is over, in nanoseconds since the epoch.
func end(t *ledger.Task) int64 { return model.After(t.Pod.Began(), t.Pod.Rare().Cooldown) }

// Preemptable refuses a unit with a task in its cooldown: VictimCooling, with the task and how long it
// is still protected.
func (p *plugin) Preemptable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

// Reclaimable is as Preemptable.
func (p *plugin) Reclaimable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

func (p *plugin) GuardUnit(u policy.Unit) policy.Opinion {
	for _, t := range u.Tasks {
		task := p.l.Task(t)
		if left := model.Between(p.now, end(task)); task.Pod.Rare().Cooldown > 0 && left > 0 &&
			task.Status != model.Pipelined {
			return policy.GuardAgainst(trace.Reason{Code: trace.VictimCooling, Task: task.Key.String(),
				Text: time.Duration(left).Round(time.Second).String()})
		}
	}
	return policy.Opinion{}
}
