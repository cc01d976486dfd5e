package recording

import (
	"errors"
	"fmt"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// The bounds of amounts, as for observed objects: of a node or a pod, and of objects that stand for many.
const (
	ofOne  = 1 << 48
	ofMany = 1 << 60
)

// sound refuses a saved object with values that no observed object has, since saved objects do not pass
// the checks for objects of a cluster again: a pod without a spec, amounts below zero or above the
// bounds of quantities. The error is for the author of an edited file.
func sound(o model.Object) error {
	switch o := o.(type) {
	case *model.Node:
		return amounts(ofOne, o.Allocatable, o.Capacity)
	case *model.Pod:
		if o.Spec == nil {
			return errors.New("a pod without Spec")
		}
		return amounts(ofOne, o.Spec.Requests)
	case *model.PodGroup:
		return amounts(ofMany, o.MinResources)
	case *model.Queue:
		return amounts(ofMany, o.Guarantee, o.Deserved, o.Capability)
	case *model.Quota:
		return amounts(ofMany, o.Hard, o.Used)
	}
	return nil
}

func amounts(most int64, lists ...resource.List) error {
	for _, l := range lists {
		named := make(map[string]bool, len(l))
		for _, a := range l {
			if a.Name == "" || named[a.Name] || a.Value < 0 || a.Value > most {
				return fmt.Errorf("%q %d: expected a name, given once, and an amount of 0 to %d", a.Name, a.Value, most)
			}
			named[a.Name] = true
		}
	}
	return nil
}
