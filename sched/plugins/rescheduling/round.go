package rescheduling

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// load is a node as the round goes: without the pods that were picked on it, and with those
// for which it was found.
type load struct {
	node  ledger.NodeID
	total []int64 // by dimension
	held  []int64
	under bool
}

// Deschedule picks pods that had better run elsewhere.
func (p *plugin) Deschedule(yield func(t ledger.TaskID, reason string) bool) {
	if !p.even || p.l.Rounds.Get(name)+p.interval > p.now {
		return
	}
	p.measure()
	for i := range p.nodes {
		from := &p.nodes[i]
		if _, over := p.over(from); from.under || !over {
			continue
		}
		for _, t := range p.movable(from.node) {
			what, over := p.over(from)
			if !over {
				break
			}
			to := p.place(t)
			if to == nil {
				continue
			}
			reason := fmt.Sprintf("node %s holds %d%% of its %s, and %s has room", p.l.Node(from.node).Name,
				p.share(from, what)/1000, what, p.l.Node(to.node).Name)
			p.shift(t, from, to)
			p.l.Rounds.Set(name, p.now)
			if !yield(t, reason) {
				return
			}
		}
	}
}

// measure loads the nodes, by name.
func (p *plugin) measure() {
	p.nodes = p.nodes[:0]
	p.l.Nodes.Present(func(n ledger.NodeID) bool {
		x := load{node: n}
		for d := range resource.Dim(p.l.Dims.Len()) {
			total := p.l.Nodes.Allocatable(d)[n]
			x.total = append(x.total, total)
			x.held = append(x.held, total-p.l.Nodes.FutureIdle(d, n))
		}
		x.under = !p.l.Node(n).Fact.Unschedulable && p.below(&x)
		p.nodes = append(p.nodes, x)
		return true
	})
	slices.SortFunc(p.nodes, func(a, b load) int { return cmp.Compare(p.l.Node(a.node).Name, p.l.Node(b.node).Name) })
}

// share is what a node holds of a resource, in thousandths of a hundredth; 0 of what it
// does not have.
func (p *plugin) share(x *load, name string) int64 {
	d, known := p.l.Dims.Lookup(name)
	if !known || x.total[d] <= 0 {
		return 0
	}
	return resource.MulDiv(x.held[d], 100_000, x.total[d])
}

func (p *plugin) below(x *load) bool {
	for _, l := range p.low {
		if p.share(x, l.resource) >= l.milli {
			return false
		}
	}
	return true
}

// over is the first resource of which a node holds more than the target.
func (p *plugin) over(x *load) (string, bool) {
	for _, l := range p.target {
		if p.share(x, l.resource) > l.milli {
			return l.resource, true
		}
	}
	return "", false
}

// movable lists a node's pods that may be picked, in the order in which they would go.
func (p *plugin) movable(n ledger.NodeID) (out []ledger.TaskID) {
	p.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		task := p.l.Task(t)
		if task.Status != model.Running || task.Job == ledger.NoJob || task.Commitment.Kind != ledger.NoCommit ||
			!p.l.Tasks.MayBeEvicted(t) {
			return true
		}
		if !p.offline || p.l.Class(task.Class).Spec.Revocable || p.marked(task.Job) {
			out = append(out, t)
		}
		return true
	})
	slices.SortFunc(out, func(a, b ledger.TaskID) int {
		x, y := p.l.Task(a), p.l.Task(b)
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), cmp.Compare(y.Pod.Began(), x.Pod.Began()), x.Key.Compare(y.Key))
	})
	return out
}

func (p *plugin) marked(j ledger.JobID) bool {
	g := p.l.Job(j).Group
	return g != nil && g.Preemptable
}

// place is the under-used node that takes a task and holds the least afterwards of what is
// to be evened out; nil when none does.
func (p *plugin) place(t ledger.TaskID) (best *load) {
	class := p.l.Class(p.l.Task(t).Class)
	for i := range p.nodes {
		x := &p.nodes[i]
		if x.under && p.takes(x, class) && (best == nil || p.worst(x) < p.worst(best)) {
			best = x
		}
	}
	return best
}

// worst is the largest of a node's shares.
func (p *plugin) worst(x *load) (most int64) {
	for _, l := range p.target {
		most = max(most, p.share(x, l.resource))
	}
	return most
}

// takes says that a node admits a class by labels and taints, has the room, and stays
// within the targets with it.
func (p *plugin) takes(x *load, c *ledger.Class) bool {
	n, s := p.l.Node(x.node).Fact, c.Spec
	if !match.Labels(s.Selector, n) || s.Affinity != nil && !match.Any(s.Affinity, n) {
		return false
	}
	for _, taint := range n.Taints {
		if taint.Effect != model.PreferNoSchedule && !match.Tolerated(s.Tolerations, taint) {
			return false
		}
	}
	for _, need := range c.Need {
		if x.total[need.Dim]-x.held[need.Dim] < need.Amount {
			return false
		}
	}
	p.add(x, c, 1)
	_, over := p.over(x)
	p.add(x, c, -1)
	return !over
}

func (p *plugin) add(x *load, c *ledger.Class, sign int64) {
	for _, need := range c.Need {
		x.held[need.Dim] += need.Amount * sign
	}
}

func (p *plugin) shift(t ledger.TaskID, from, to *load) {
	class := p.l.Class(p.l.Task(t).Class)
	p.add(from, class, -1)
	p.add(to, class, 1)
}
