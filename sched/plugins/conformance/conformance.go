// Package conformance knows which pods keep the cluster itself running: none of them
// is ever to be a victim.
//
// It is a guard (decision 11): its refusal holds whatever tier it stands in, and it has
// no opinion about anybody else. To permit whom it does not protect would let it decide
// alone in a tier without priority or a plugin of queues. It does not keep such pods
// from being deleted by anybody else.
//
// Source: Volcano's plugin of this name.
package conformance

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin "conformance". It takes no arguments.
func Definition() policy.Definition {
	return policy.Definition{Name: "conformance", New: func(_ policy.Choice, l *ledger.Ledger) (any, error) {
		return &plugin{l}, nil
	}}
}

type plugin struct{ l *ledger.Ledger }

// Preemptable refuses a unit of which some task is protected; Task of the reason says
// which.
func (p *plugin) Preemptable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

// Reclaimable is as Preemptable.
func (p *plugin) Reclaimable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

func (p *plugin) GuardUnit(u policy.Unit) policy.Opinion {
	for _, t := range u.Tasks {
		if task := p.l.Task(t); Protects(task) {
			return policy.Opinion{Vote: policy.Reject, Guard: true,
				Reason: trace.Reason{Code: trace.VictimCritical, Task: task.Key.String()}}
		}
	}
	return policy.Opinion{}
}

// Protects says that a task must never be a victim: its pod has one of the two
// priority classes that Kubernetes keeps for its own, or lives in kube-system. The
// height of a priority alone protects nobody.
func Protects(t *ledger.Task) bool {
	switch t.Pod.PriorityClass {
	case "system-cluster-critical", "system-node-critical":
		return true
	default:
		return t.Key.Namespace == "kube-system"
	}
}
