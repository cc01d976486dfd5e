package manifest

import (
	"encoding/json"
	"io"
	"reflect"
	"sync"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// NewSet is a set of no objects.
func NewSet() *Set { return newSet("") }

// Take adds objects as an API server holds them. Nothing is made of a workload among them: its pods are there, or its
// controller has not made them yet. It returns how many have no part in scheduling.
func (s *Set) Take(where string, objects []metav1.Object) (left int) {
	for _, o := range objects {
		k := kindOf(o)
		if k == nil {
			left++
			continue
		}
		s.documents++
		s.objects = append(s.objects, object{where: Position{File: where}, kind: k, made: true, Object: o,
			id: identity{k.group, k.name, o.GetNamespace(), o.GetName()}})
	}
	return left
}

// WriteJSON writes the objects as one list, as an API server takes them. Load reads it again.
func (s *Set) WriteJSON(to io.Writer) error {
	list := struct {
		APIVersion string          `json:"apiVersion"`
		Kind       string          `json:"kind"`
		Items      []metav1.Object `json:"items"`
	}{"v1", "List", []metav1.Object{}}
	for _, o := range s.objects {
		if typed, is := o.Object.(runtime.Object); is { // an item of a typed list does not name its kind
			typed.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Group: o.kind.group, Version: o.kind.version,
				Kind: o.kind.name})
		}
		list.Items = append(list.Items, o.Object)
	}
	return json.NewEncoder(to).Encode(list)
}

// MakeAtMost bounds how many pods workloads make, and the bytes of their templates and names, of each pod anew: a short
// text can ask for many pods of a large template, and each is read for itself.
func (s *Set) MakeAtMost(pods int, specs int64) { s.most, s.mostSpecs = min(s.most, pods), specs }

// kindOf finds the kind of an object by its type; nil for one without a part in scheduling.
func kindOf(o metav1.Object) *kind { return byType()[reflect.TypeOf(o)] }

var byType = sync.OnceValue(func() map[reflect.Type]*kind {
	out := map[reflect.Type]*kind{}
	for _, list := range [][]kind{kinds, observed} {
		for i := range list {
			out[reflect.TypeOf(list[i].make())] = &list[i]
		}
	}
	return out
})

// observed are the kinds that a cluster has and files of jobs do not: in files they are skipped.
var observed = []kind{
	{"storage.k8s.io", "v1", "CSINode", true, func() metav1.Object { return new(storagev1.CSINode) }},
	{"storage.k8s.io", "v1", "CSIDriver", true, func() metav1.Object { return new(storagev1.CSIDriver) }},
	{"storage.k8s.io", "v1", "CSIStorageCapacity", false, func() metav1.Object {
		return new(storagev1.CSIStorageCapacity)
	}},
	{"storage.k8s.io", "v1", "VolumeAttachment", true, func() metav1.Object { return new(storagev1.VolumeAttachment) }},
}

// Groups says which PodGroups were made for a controller: by its namespace/name, the names of the PodGroups that name
// it as their controller.
func (s *Set) Groups() map[string][]string {
	out := map[string][]string{}
	for i := range s.objects {
		o := &s.objects[i]
		if _, is := o.Object.(*schedulingv1beta1.PodGroup); !is {
			continue
		}
		if ref := metav1.GetControllerOfNoCopy(o); ref != nil {
			key := o.GetNamespace() + "/" + ref.Name
			out[key] = append(out[key], o.GetName())
		}
	}
	return out
}

// Selected are the objects of which the labels pass: kind/namespace/name, and kind/name of those without a namespace.
func (s *Set) Selected(passes func(labels map[string]string) bool) map[string]bool {
	out := map[string]bool{}
	for i := range s.objects {
		if o := &s.objects[i]; passes(o.GetLabels()) {
			out[o.ref()] = true
		}
	}
	return out
}

// Files are the files that objects of the set were read from.
func (s *Set) Files() map[string]bool {
	out := map[string]bool{}
	for i := range s.objects {
		out[s.objects[i].where.File] = true
	}
	return out
}
