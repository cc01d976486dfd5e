package predicates

import (
	"cmp"
	"fmt"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// portsInUse counts the host ports that pods use, node by node. Ports are counted, not marked: two
// tasks may have got the same port before the engine saw either, and the port is free when both are
// gone.
type portsInUse struct {
	l   *ledger.Ledger
	use ledger.InUse[port]
}

// port is a host port as an audit shows it.
type port model.HostPort

// String implements fmt.Stringer.
func (p port) String() string { return fmt.Sprintf("%s:%d/%s", p.IP, p.Port, p.Protocol) }

func newPortsInUse(l *ledger.Ledger) *portsInUse { return &portsInUse{l: l} }

// Name is how findings of an audit call it.
func (b *portsInUse) Name() string { return "ports" }

// Take counts the ports of a pod, which are those of its class. Pods of other schedulers and pods set aside hold
// their ports like any other.
func (b *portsInUse) Take(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	for _, p := range b.l.Class(task.Class).Spec.Ports {
		b.use.Add(n, port(p), how, 1)
	}
}

// Give takes a Take back.
func (b *portsInUse) Give(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	for _, p := range b.l.Class(task.Class).Spec.Ports {
		b.use.Add(n, port(p), how, -1)
	}
}

// Audit counts again from nothing and compares.
func (b *portsInUse) Audit(sits func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID,
	ledger.Hold) bool)) []string {
	again := newPortsInUse(b.l)
	sits(func(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) bool {
		again.Take(t, task, n, how)
		return true
	})
	return b.use.Against(&again.use, b.l, func(a, b port) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.IP, b.IP))
	})
}
