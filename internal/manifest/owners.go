package manifest

import (
	"iter"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"ashlar.sh/internal/kube/translate"
)

// mostOwners bounds a chain of controllers, which an author may have made a circle.
const mostOwners = 8

// controllers goes up from an object, from controller to controller, as far as they are
// known; the last of them may be missing from the input.
func (b *builder) controllers(o *object) iter.Seq[identity] {
	return func(yield func(identity) bool) {
		ref := metav1.GetControllerOfNoCopy(o)
		if ref == nil {
			return
		}
		id, ok := identity{groupOf(ref.APIVersion), ref.Kind, o.GetNamespace(), ref.Name}, true
		for range mostOwners {
			if !ok || !yield(id) {
				return
			}
			id, ok = b.above(id)
		}
	}
}

// above is the controller of an object, false without. Of a ReplicaSet that is missing
// from the input it is the Deployment after which such ReplicaSets are named, if that is
// there: kubectl get deployments,pods does not print ReplicaSets.
func (b *builder) above(id identity) (identity, bool) {
	if o := b.byName[id]; o != nil {
		ref := metav1.GetControllerOfNoCopy(o)
		if ref == nil {
			return identity{}, false
		}
		return identity{groupOf(ref.APIVersion), ref.Kind, id.namespace, ref.Name}, true
	}
	if dash := strings.LastIndexByte(id.name, '-'); id.group == appsv1.GroupName && id.kind == "ReplicaSet" && dash > 0 {
		up := identity{id.group, "Deployment", id.namespace, id.name[:dash]}
		return up, b.byName[up] != nil
	}
	return identity{}, false
}

// groupOf is the group of an apiVersion, "" for v1.
func groupOf(apiVersion string) string {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

// owners goes up from a controller as far as it is known. Of each the object is given, nil
// where the input has none of its name, or another than the one that is meant: with another UID.
func (b *builder) owners(namespace string, controller *metav1.OwnerReference) iter.Seq2[translate.Owner, *object] {
	return func(yield func(translate.Owner, *object) bool) {
		at := translate.OwnerOf(controller)
		for range mostOwners {
			id := identity{at.Kind.Group, at.Kind.Kind, namespace, at.Name}
			o := b.byName[id]
			if o != nil && at.UID != "" && o.GetUID() != "" && at.UID != o.GetUID() {
				yield(at, nil)
				return
			}
			if o != nil {
				at.UID = o.GetUID() // one that is written by hand has none, whatever others say of it
			}
			if !yield(at, o) {
				return
			}
			up, ok := b.above(id)
			if !ok {
				return
			}
			at = translate.Owner{Kind: schema.GroupKind{Group: up.group, Kind: up.kind}, Name: up.name}
			if o != nil {
				at.UID = metav1.GetControllerOfNoCopy(o).UID
			}
		}
	}
}

// topOwner is the last controller above one.
func (b *builder) topOwner(namespace string, controller *metav1.OwnerReference) (top translate.Owner) {
	for at := range b.owners(namespace, controller) {
		top = at
	}
	return top
}

// ownerSays is an annotation of a controller, or of the nearest one above it that has it.
func (b *builder) ownerSays(namespace string, controller *metav1.OwnerReference, key string) (string, bool) {
	for _, o := range b.owners(namespace, controller) {
		if o == nil {
			continue
		}
		if text, has := o.GetAnnotations()[key]; has {
			return text, true
		}
	}
	return "", false
}

// class notes the value of a priority class.
func (b *builder) class(o *object) {
	if c, ok := o.Object.(*schedulingv1.PriorityClass); ok {
		b.classes[c.Name] = c.Value
	}
}
