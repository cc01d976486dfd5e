package nodegroup

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// PluginState is what queues hold of groups.
func (p *plugin) PluginState() ledger.PluginState { return p.held }

// ConcernsDomains says that the queue of the class has limits.
func (p *plugin) ConcernsDomains(c *ledger.Class) bool {
	return c.Spec.Groups != nil && c.Spec.Groups.Limits != nil && !c.Spec.Groups.Limits.Unreadable
}

// DomainKeys is the label of groups: what one pod takes of a group counts on all its nodes.
func (p *plugin) DomainKeys(*ledger.Class) []string { return []string{model.NodeGroupLabel} }

// DomainMark is equal as long as no job changes its queue.
func (p *plugin) DomainMark(*ledger.Class, []bool) uint64 { return p.l.Queues.Requeued() }

// FilterDomains admits a node if its group has no limit, or the queue would hold no more of it
// than that with one pod of the class. Pods that leave hold what they have until they are
// gone (future); pipelined pods hold it already.
func (p *plugin) FilterDomains(c *ledger.Class, n ledger.NodeID, future bool, parts []bool) policy.Verdict {
	node := p.l.Node(n)
	if parts != nil && !parts[0] || !node.Present() {
		return policy.Verdict{}
	}
	group, in := model.LabelValue(node.Fact.Labels, model.NodeGroupLabel)
	if !in {
		return policy.Verdict{}
	}
	limits := c.Spec.Groups.Limits
	most := limits.In(group)
	if most == nil {
		return policy.Verdict{}
	}
	held := p.held.of(limits.Queue, group)
	for _, a := range most {
		d, known := p.l.Dims.Lookup(a.Name)
		if !known || c.Request.Get(d) == 0 {
			continue
		}
		have := held.sum(d, future)
		if with := have.Plus(c.Request.Get(d)); with.Minus(a.Value).Int64() > 0 {
			return policy.Verdict{Code: trace.NodeGroupLimit, Domain: trace.Domain{Key: a.Name, Value: group,
				Have: have.Int64(), Least: c.Request.Get(d), Most: a.Value}}
		}
	}
	return policy.Verdict{}
}

// groupUsage counts what the jobs of each queue hold in each group of nodes. It counts from the first
// question on, and anew after a job came to count in another queue or a node in another group.
type groupUsage struct {
	l        *ledger.Ledger
	live     bool
	requeued uint64
	static   ledger.Cursor
	groups   []string // by NodeID, as counted
	held     map[queueInGroup]*tally
}

// queueInGroup is a group of nodes as one queue uses it.
type queueInGroup struct{ queue, group string }

// tally is what is held in one place, by how it is held.
type tally [ledger.NumHolds]resource.Sums

func (t *tally) sum(d resource.Dim, future bool) resource.Sum {
	if t == nil {
		return resource.Sum{}
	}
	sum := at(t[ledger.Firm], d).PlusSum(at(t[ledger.Pipelined], d), 1)
	if future {
		return sum
	}
	return sum.PlusSum(at(t[ledger.Leaving], d), 1)
}

func at(s resource.Sums, d resource.Dim) resource.Sum {
	if int(d) < len(s) {
		return s[d]
	}
	return resource.Sum{}
}

// of is what the jobs of a queue hold in a group, nil where none ever did.
func (b *groupUsage) of(queue, group string) *tally {
	b.follow()
	return b.held[queueInGroup{queue, group}]
}

// follow counts anew where facts have moved what was counted.
func (b *groupUsage) follow() {
	if b.live && b.requeued == b.l.Queues.Requeued() && b.sameGroups() {
		b.static = b.l.Changes.NodeFacts.Now()
		return
	}
	b.live, b.requeued, b.static = true, b.l.Queues.Requeued(), b.l.Changes.NodeFacts.Now()
	b.groups, b.held = b.groups[:0], map[queueInGroup]*tally{}
	for n := range b.l.Nodes.Len() {
		b.groups = append(b.groups, b.group(ledger.NodeID(n)))
	}
	b.l.PluginStates.Placements(func(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) bool {
		b.Take(t, task, n, how)
		return true
	})
}

func (b *groupUsage) sameGroups() bool {
	if b.static == b.l.Changes.NodeFacts.Now() {
		return true
	}
	same := len(b.groups) == b.l.Nodes.Len()
	known := b.l.Changes.NodeFacts.Each(b.static, func(n ledger.NodeID) {
		same = same && int(n) < len(b.groups) && b.groups[n] == b.group(n)
	})
	return known && same
}

// group is the group that a node is in, "" for none.
func (b *groupUsage) group(n ledger.NodeID) string {
	row := b.l.Node(n)
	if !row.Present() {
		return ""
	}
	group, _ := model.LabelValue(row.Fact.Labels, model.NodeGroupLabel)
	return group
}

// Name is how findings of an audit call it.
func (b *groupUsage) Name() string { return "nodegroup" }

// Take counts a member of a queue where it sits.
func (b *groupUsage) Take(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	if t := b.tally(task, n); t != nil {
		t[how] = t[how].Add(b.l.Class(task.Class).Request)
	}
}

// Give takes a Take back.
func (b *groupUsage) Give(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	if t := b.tally(task, n); t != nil {
		t[how] = t[how].Sub(b.l.Class(task.Class).Request)
	}
}

// tally is where a task counts; nil where it counts nowhere, or all is to be counted anew.
func (b *groupUsage) tally(task *ledger.Task, n ledger.NodeID) *tally {
	if !b.live || task.Job == ledger.NoJob || int(n) >= len(b.groups) || b.groups[n] == "" {
		return nil
	}
	q := b.l.Job(task.Job).Queue
	if q == ledger.NoQueue {
		return nil
	}
	at := queueInGroup{b.l.Queue(q).Name, b.groups[n]}
	t := b.held[at]
	if t == nil {
		t = &tally{}
		b.held[at] = t
	}
	return t
}
