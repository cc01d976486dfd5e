package booking

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// Bookings are how all bookings stand, by name.
func (p *plugin) Bookings() (out []policy.BookingReport) {
	if !p.l.Bookings.Any() {
		return nil
	}
	p.place()
	at := map[string]int{}
	for i := range p.held {
		at[p.held[i].Name] = i
	}
	p.l.Bookings.Each(func(b *model.Booking) {
		r := policy.BookingReport{Booking: b, Phase: policy.BookingEnded}
		if _, bad := b.SetAside(); bad {
			r.Phase = policy.BookingInvalid
		} else if i, held := at[b.Name]; held {
			p.report(&p.held[i], &r)
		}
		if w, some := b.At(p.now); some && p.purged(b, w) {
			r.EndedEarly = w.From
		}
		out = append(out, r)
	})
	slices.SortFunc(out, func(a, b policy.BookingReport) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// report says how a booking stands of which a window is to come.
func (p *plugin) report(h *held, r *policy.BookingReport) {
	r.Window, r.Phase = h.window, policy.BookingPending
	if h.window.From <= p.now {
		r.Phase = policy.BookingActive
	}
	p.each(h, func(n ledger.NodeID) {
		r.Nodes = append(r.Nodes, p.l.Node(n).Name)
		p.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
			if task := p.l.Task(t); p.conflicts(h, task) {
				r.Conflicts = append(r.Conflicts, policy.BookingConflict{Namespace: task.Key.Namespace, Pod: task.Key.Name,
					Node: p.l.Node(n).Name})
			}
			return true
		})
	})
	slices.Sort(r.Nodes)
	slices.SortFunc(r.Conflicts, func(a, b policy.BookingConflict) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Pod, b.Pod))
	})
	r.Conflicting = len(r.Conflicts)
	r.Conflicts = slices.Clone(r.Conflicts[:min(r.Conflicting, policy.MostConflicts)])
	r.Short, r.Overlaps = h.short(), p.overlaps(h)
}

// each calls f for the nodes that a booking holds, in the order of rows.
func (p *plugin) each(h *held, f func(ledger.NodeID)) {
	for w, nodes := range h.nodes {
		for ; nodes != 0; nodes &= nodes - 1 {
			f(ledger.NodeID(64*w + bits.TrailingZeros64(nodes)))
		}
	}
}

// conflicts says that a pod on a node of a booking may still run when the node is to be free. That of the owner may,
// and so may one that belongs to its node: it is there for whatever runs on it. A pod without a limit conflicts from
// the time on from which no other one would be started there. Where the booking ignores what runs, none does.
func (p *plugin) conflicts(h *held, task *ledger.Task) bool {
	if h.IgnoreRunning || !h.Maintenance && p.owns(h, task) || ofNode(task.Pod) || task.Status == model.Pipelined {
		return false
	}
	ends, _, _ := task.Pod.Ends(p.l.Jobs.GroupOf(task), 0, p.now)
	if ends == model.Never {
		return p.now >= model.After(h.window.From, -h.DrainBefore)
	}
	return ends > model.After(h.window.From, h.StartDelay)
}

// ofNode says that a pod is a DaemonSet's, or its node's own.
func ofNode(p *model.Pod) bool {
	return strings.HasPrefix(p.OwnerID, "DaemonSet.apps/") || strings.HasPrefix(p.OwnerID, "Node/")
}

// short is how a booking came to fewer nodes than it asks for.
func (h *held) short() policy.BookingShort {
	s := policy.BookingShort{Asked: h.Count, Found: h.on, Selected: h.all, Taken: h.taken, Out: h.out}
	if h.Count == 0 {
		s.Asked = max(1, h.all)
	}
	if s.Found >= s.Asked {
		return policy.BookingShort{}
	}
	return s
}

// overlaps are the bookings that have nodes which another one selects, or that maintain nodes which it has.
func (p *plugin) overlaps(h *held) []string {
	out := slices.Clone(h.by)
	for i := range p.held {
		o := &p.held[i]
		if o.Name == h.Name || !o.Maintenance && !h.Maintenance || !slices.ContainsFunc(o.Windows, h.window.Overlaps) {
			continue
		}
		if o.shares(h) {
			out = append(out, o.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Problems are the bookings that do not have the nodes they ask for.
func (p *plugin) Problems() (out []policy.Problem) {
	p.place()
	for i := range p.held {
		h := &p.held[i]
		if s := h.short(); s.Asked > 0 {
			out = append(out, policy.Problem{Object: "Booking/" + h.Name, Message: "spec.nodes: " + s.String()})
		}
	}
	return out
}
