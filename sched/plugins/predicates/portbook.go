package predicates

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// portBook counts, node by node, who sits on which host port. Ports are counted, not
// marked: two tasks may have got hold of one before the engine saw either, and the
// port is free when both are gone.
type portBook struct {
	l      *ledger.Ledger
	byNode [][]portUse
}

// portUse is how many tasks sit on a port in which way. One with no holders is not
// kept.
type portUse struct {
	port model.HostPort
	by   [holds]int32 // by ledger.Hold
}

// holds is the number of ways to sit on a node.
const holds = ledger.Promised + 1

func (u *portUse) taken(future bool) bool {
	return u.by[ledger.Firm] > 0 || u.by[ledger.Promised] > 0 || !future && u.by[ledger.Leaving] > 0
}

// String is a use as an audit shows it.
func (u portUse) String() string {
	return fmt.Sprintf("%s:%d/%s held %d, leaving %d, promised %d", u.port.IP, u.port.Port, u.port.Protocol,
		u.by[ledger.Firm], u.by[ledger.Leaving], u.by[ledger.Promised])
}

func newPortBook(l *ledger.Ledger) *portBook { return &portBook{l: l} }

// on lists the ports in use on a node, in no order that may be decided by.
func (b *portBook) on(n ledger.NodeID) []portUse {
	if int(n) < len(b.byNode) {
		return b.byNode[n]
	}
	return nil
}

// Name is how findings of an audit call the book.
func (b *portBook) Name() string { return "ports" }

// Take counts the ports of a pod. Pods of other schedulers and pods set aside hold
// their ports like any other.
func (b *portBook) Take(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	for _, p := range task.Pod.Spec.Ports {
		b.add(n, p, how, 1)
	}
}

// Give takes a Take back.
func (b *portBook) Give(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	for _, p := range task.Pod.Spec.Ports {
		b.add(n, p, how, -1)
	}
}

func (b *portBook) add(n ledger.NodeID, p model.HostPort, how ledger.Hold, x int32) {
	for len(b.byNode) <= int(n) {
		b.byNode = append(b.byNode, nil)
	}
	used := b.byNode[n]
	i := slices.IndexFunc(used, func(u portUse) bool { return u.port == p })
	if i < 0 {
		i = len(used)
		used = append(used, portUse{port: p})
	}
	used[i].by[how] += x
	if used[i].by == [holds]int32{} {
		last := len(used) - 1
		used[i] = used[last]
		used = used[:last]
	}
	b.byNode[n] = used
}

// Fact ignores foreign facts: ports are part of pods.
func (b *portBook) Fact(model.Fact) {}

// Reads implements ledger.Book: no facts beside the engine's own.
func (b *portBook) Reads(model.Kind) bool { return false }

// Audit counts again from nothing and compares.
func (b *portBook) Audit(sits func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) bool)) []string {
	again := newPortBook(b.l)
	sits(func(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) bool {
		again.Take(t, task, n, how)
		return true
	})
	var found []string
	for i := range max(len(b.byNode), len(again.byNode)) {
		n := ledger.NodeID(i)
		kept, counted := sorted(b.on(n)), sorted(again.on(n))
		if !slices.Equal(kept, counted) {
			found = append(found, fmt.Sprintf("node %s: kept %v, counted %v", b.l.Node(n).Name, kept, counted))
		}
	}
	slices.Sort(found)
	return found
}

func sorted(used []portUse) []portUse {
	return slices.SortedFunc(slices.Values(used), func(a, b portUse) int {
		return cmp.Or(cmp.Compare(a.port.Port, b.port.Port), cmp.Compare(a.port.Protocol, b.port.Protocol),
			cmp.Compare(a.port.IP, b.port.IP))
	})
}
