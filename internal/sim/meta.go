package sim

import (
	"slices"

	"ashlar.sh/sched/model"
)

// metaOf is what every object has; nil for no object.
func metaOf(o model.Object) *model.Meta {
	switch o := o.(type) {
	case *model.Node:
		return &o.Meta
	case *model.Pod:
		return &o.Meta
	case *model.PodGroup:
		return &o.Meta
	case *model.Queue:
		return &o.Meta
	case *model.PriorityClass:
		return &o.Meta
	case *model.Quota:
		return &o.Meta
	case *model.Opaque:
		return &o.Meta
	default:
		return nil
	}
}

// copyOf is a copy that may be changed at its top level; contents are shared between
// the world, the engine and whoever made the items.
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
	case *model.Opaque:
		c := *o
		return &c
	default:
		return o
	}
}

// edit changes what every object has, on a copy.
func (l *life) edit(f func(*model.Meta)) {
	o := copyOf(l.object)
	if m := metaOf(o); m != nil {
		f(m)
		l.object = o
	}
}

// fault says of an object what was taken instead.
func (l *life) fault(field, message string) {
	l.edit(func(m *model.Meta) {
		m.Faults = append(slices.Clip(m.Faults), model.Fault{Field: field, Message: message})
	})
}
