package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
)

// Priorities holds the PriorityClasses and what they mean for pods.
type Priorities struct {
	l *Ledger

	classes map[string]*model.PriorityClass
	global  *model.PriorityClass
}

// apply changes the value of a priority class. Every job and pod that names a priority class is
// looked at again: priority classes change rarely.
func (ps *Priorities) apply(name string, c *model.PriorityClass) {
	delete(ps.classes, name)
	if c != nil {
		if _, bad := c.SetAside(); !bad {
			ps.classes[name] = c
		}
	}
	ps.global = nil
	for _, c := range ps.classes { // order-free: the highest value wins, then the first name
		g := ps.global
		if c.GlobalDefault && (g == nil || c.Value > g.Value || c.Value == g.Value && c.Name < g.Name) {
			ps.global = c
		}
	}
	for i := range ps.l.Tasks.rows {
		if t := &ps.l.Tasks.rows[i]; !t.free {
			t.Priority, t.Order = ps.of(t.Pod), ps.order(t.Pod)
		}
	}
	for i := range ps.l.Jobs.rows {
		if !ps.l.Jobs.rows[i].marks.free {
			ps.l.Jobs.define(JobID(i))
			ps.l.Changes.mark(JobID(i))
		}
	}
	ps.l.Changes.roomEpoch++
}

func (ps *Priorities) of(p *model.Pod) int32 {
	if p.HasPriority {
		return p.Priority
	}
	return ps.named(p.PriorityClass)
}

// order is a pod's priority among the pods of its job.
func (ps *Priorities) order(p *model.Pod) int32 {
	if p.HasTaskPriority {
		return p.TaskPriority
	}
	return ps.of(p)
}

// PreemptsNever says that no task may be evicted for this one: by its preemptionPolicy, or by that of its
// priority class if it has none of its own.
func (ps *Priorities) PreemptsNever(t TaskID) bool {
	p := ps.l.Tasks.rows[t].Pod
	if p.PreemptNever {
		return true
	}
	c := ps.classes[p.PriorityClass]
	return c != nil && c.PreemptNever && !p.PreemptSet
}

// named is the value of a priority class; for an unknown name, the global default.
func (ps *Priorities) named(name string) int32 {
	value, known := ps.value(name)
	if !known && ps.global != nil {
		return ps.global.Value
	}
	return value
}

// value is that of a priority class: that of its fact; for the two classes that every cluster has, the value that
// Kubernetes defines; false for an unknown name.
func (ps *Priorities) value(name string) (value int32, known bool) {
	if c := ps.classes[name]; c != nil {
		return c.Value, true
	}
	switch name {
	case "system-cluster-critical":
		return 2_000_000_000, true
	case "system-node-critical":
		return 2_000_001_000, true
	}
	return 0, false
}

// ofGroup is the priority of a PodGroup's job, of which first is the defining member, NoTask without one. While the
// class is missing, as one is for a moment that is deleted and made anew, pods keep the priority that it gave them when
// they were made: what runs is no less important meanwhile.
func (ps *Priorities) ofGroup(g *model.PodGroup, first TaskID) int32 {
	if _, known := ps.value(g.PriorityClass); !known && g.PriorityClass != "" && first != NoTask {
		if p := ps.l.Tasks.rows[first].Pod; p.HasPriority && p.PriorityClass == g.PriorityClass {
			return p.Priority
		}
	}
	return ps.named(g.PriorityClass)
}

// Classes lists the priority classes that are not set aside, the lowest value first, then by name.
func (ps *Priorities) Classes() (out []*model.PriorityClass) {
	for _, c := range ps.classes { // order-free: sorted below
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *model.PriorityClass) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Name, b.Name))
	})
	return out
}
