// Package pdb is a guard: no pod is evicted that a PodDisruptionBudget still needs.
//
// What a budget allows is counted from the pods, as Kubernetes' disruption controller counts it: the
// healthy pods that its selector matches, minus those that have to stay. A pod that was evicted in the
// current try, or is being evicted, no longer counts, so one plan uses a budget once, over all its
// nodes. Where the budget's status allows less, the status holds (decision 33).
//
// A pod is healthy if it runs, is ready and is not being deleted. A pod in several budgets needs
// permission from each. A pod without labels is selected by an empty selector, and by one that requires
// labels to be absent. Pods that are not running yet are in no budget, nor is a nomination: nothing is
// disrupted.
//
// Expected pods are those that exist and have not finished. What a controller's scale asks for beyond
// them is known only from the status of the budget.
//
// The plugin abstains on all other pods (decision 11), and does not prevent deletions by other means.
package pdb

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin "pdb". It takes no arguments.
func Definition() policy.Definition {
	return policy.Define("pdb", "victims within their PodDisruptionBudget",
		func(_ policy.NoArguments, l *ledger.Ledger) (*plugin, error) {
			return &plugin{l: l, state: newDisruptions(l)}, nil
		})
}

type plugin struct {
	l     *ledger.Ledger
	state *disruptions

	touched []int32 // the budgets of the current unit
	wanted  []int32 // by budget: healthy pods of the unit; zero between calls
}

// PluginState keeps the counts.
func (p *plugin) PluginState() ledger.PluginState { return p.state }

// Preemptable refuses a unit when a budget allows fewer disruptions than the unit has pods in it:
// VictimBudget, with the budget's name, the disruptions that it allows and those that are needed.
func (p *plugin) Preemptable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

// Reclaimable is as Preemptable.
func (p *plugin) Reclaimable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

func (p *plugin) GuardUnit(u policy.Unit) policy.Opinion {
	p.state.follow()
	if len(p.state.tallies) == 0 {
		return policy.Opinion{}
	}
	r := p.ask(u)
	for _, i := range p.touched {
		p.wanted[i] = 0
	}
	p.touched = p.touched[:0]
	if !r.Is() {
		return policy.Opinion{}
	}
	return policy.GuardAgainst(r)
}

// ask is the reason of the first budget that does not allow the unit, the zero Reason when all do.
func (p *plugin) ask(u policy.Unit) trace.Reason {
	for _, t := range u.Tasks {
		task := p.l.Task(t)
		if task.Status == model.Pipelined || task.Pod.Phase != model.PodRunning {
			continue
		}
		for _, i := range p.state.of(task.Pod) {
			b := &p.state.tallies[i]
			if !task.Pod.Healthy {
				if !b.sparesUnhealthy() {
					return p.reason(b, 1)
				}
				continue
			}
			p.want(i)
		}
	}
	for _, i := range p.touched {
		if b := &p.state.tallies[i]; p.wanted[i] > b.allowed() {
			return p.reason(b, p.wanted[i])
		}
	}
	return trace.Reason{}
}

func (p *plugin) want(i int32) {
	for len(p.wanted) <= int(i) {
		p.wanted = append(p.wanted, 0)
	}
	if p.wanted[i] == 0 {
		p.touched = append(p.touched, i)
	}
	p.wanted[i]++
}

func (p *plugin) reason(b *tally, need int32) trace.Reason {
	return trace.Reason{Code: trace.VictimBudget, Text: b.budget.Namespace + "/" + b.budget.Name, Have: int(b.allowed()),
		Need: int(need)}
}
