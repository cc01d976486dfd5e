// Package conformance knows which pods keep the cluster itself running: none of them
// is ever to be a victim.
//
// No action evicts yet, so nobody asks: the plugin may be configured, answers no
// question of a cycle and changes no decision. Its rule stands here, tested, for the
// day when victims are chosen. It does not keep such pods from being deleted by
// anybody else.
//
// Source: semantics §1.3.
package conformance

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Definition is the plugin "conformance". It takes no arguments.
func Definition() policy.Definition {
	return policy.Definition{Name: "conformance", New: func(policy.Choice, *ledger.Ledger) (any, error) {
		return plugin{}, nil
	}}
}

type plugin struct{}

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
