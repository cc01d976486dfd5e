package sim

import (
	"slices"

	"ashlar.sh/sched/model"
)

// copyOf is a copy that may be changed at its top level; contents are shared between
// the world, the engine and the caller that made the items.
func copyOf(o model.Object) model.Object {
	switch o := o.(type) {
	case *model.Node:
		c := *o
		return &c
	case *model.Pod:
		c := *o
		return &c
	case *model.PodGroup:
		c := *o
		return &c
	case *model.Queue:
		c := *o
		return &c
	case *model.PriorityClass:
		c := *o
		return &c
	case *model.Quota:
		c := *o
		return &c
	case *model.Budget:
		c := *o
		return &c
	case *model.HyperNode:
		c := *o
		return &c
	case *model.NUMA:
		c := *o
		return &c
	case *model.Service:
		c := *o
		return &c
	case *model.Namespace:
		c := *o
		return &c
	case *model.Booking:
		c := *o
		return &c
	case *model.Opaque:
		c := *o
		return &c
	default:
		return o
	}
}

// edit changes what every object has, on a copy.
func (l *life) edit(f func(*model.Meta)) {
	if o := copyOf(l.object); o != nil {
		f(o.Common())
		l.object = o
	}
}

// fault says of an object what was taken instead.
func (l *life) fault(field, message string) {
	l.edit(func(m *model.Meta) {
		m.Faults = append(slices.Clip(m.Faults), model.Fault{Field: field, Message: message})
	})
}
