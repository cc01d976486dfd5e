// Package conformance protects the pods that keep the cluster itself running: none of them is ever a
// victim.
//
// It is a guard (decision 11): its refusal holds whatever tier it is in, and it abstains on all other
// pods. If it permitted the pods that it does not protect, it would decide alone in a tier without
// priority or a plugin of queues. It does not prevent deletions by anything but this scheduler.
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
	return policy.Define("conformance", "pods of the system are never victims",
		func(_ policy.NoArguments, l *ledger.Ledger) (*plugin, error) {
			return &plugin{l}, nil
		})
}

type plugin struct{ l *ledger.Ledger }

// Preemptable refuses a unit with a protected task; Task of the reason names the task.
func (p *plugin) Preemptable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

// Reclaimable is as Preemptable.
func (p *plugin) Reclaimable(_ policy.Preemptor, u policy.Unit) policy.Opinion { return p.GuardUnit(u) }

func (p *plugin) GuardUnit(u policy.Unit) policy.Opinion {
	for _, t := range u.Tasks {
		if task := p.l.Task(t); Protects(task) {
			return policy.GuardAgainst(trace.Reason{Code: trace.VictimCritical, Task: task.Key.String()})
		}
	}
	return policy.Opinion{}
}

// Protects says that a task must never be a victim: its pod has one of the two priority classes that
// Kubernetes keeps for its own pods, or is in kube-system. A high priority alone protects no pod.
func Protects(t *ledger.Task) bool {
	switch t.Pod.PriorityClass {
	case "system-cluster-critical", "system-node-critical":
		return true
	default:
		return t.Key.Namespace == "kube-system"
	}
}
