package manifest

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// Apply takes in what another set holds in place of what this one has of it: objects of the same name, the rest of the
// files of the other set, and what controllers made for its workloads, which would hide what the other set says of
// them. None of it is given twice. It returns what it took the place of.
func (s *Set) Apply(other *Set) (before *Set) {
	before = newSet("")
	leaves := func(o object) bool {
		before.objects = append(before.objects, o)
		return true
	}
	gone, makers := map[identity]bool{}, map[identity]bool{}
	for i := range other.objects {
		o := &other.objects[i]
		gone[o.id], makers[o.id] = true, makesPods(o)
		if _, is := o.Object.(*batchv1alpha1.Job); is { // it makes a PodGroup of its name
			gone[identity{schedulingv1beta1.GroupName, "PodGroup", o.id.namespace, o.id.name}] = true
		}
	}
	for { // what was made for what was made, such as the pods of a Deployment's ReplicaSet
		before := len(s.objects)
		s.objects = slices.DeleteFunc(s.objects, func(o object) bool {
			up, controlled := o.controller()
			if controlled && (makers[up] || makers[deploymentOf(up)]) {
				makers[o.id] = true
				return leaves(o)
			}
			again := !o.made && o.where.File != "-" && other.HasRead(o.where.File)
			return (again || gone[o.id]) && leaves(o)
		})
		if len(s.objects) == before {
			break
		}
	}
	s.configs = slices.DeleteFunc(s.configs, func(c ConfigText) bool {
		again := func(o ConfigText) bool { return o.Name == c.Name }
		return other.HasRead(c.Where.File) || slices.ContainsFunc(other.configs, again)
	})
	s.merge(other)
	return before
}

// controller is what made an object.
func (o *object) controller() (identity, bool) {
	ref := metav1.GetControllerOfNoCopy(o)
	if ref == nil {
		return identity{}, false
	}
	return identity{groupOf(ref.APIVersion), ref.Kind, o.GetNamespace(), ref.Name}, true
}

// deploymentOf is the Deployment after which a ReplicaSet is named.
func deploymentOf(id identity) identity {
	if dash := strings.LastIndexByte(id.name, '-'); id.group == "apps" && id.kind == "ReplicaSet" && dash > 0 {
		return identity{id.group, "Deployment", id.namespace, id.name[:dash]}
	}
	return identity{}
}
