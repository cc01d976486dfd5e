package apimodel

import (
	"errors"
	"net/http"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"
)

// owning is what keeps which client owns which fields of a kind's objects: Kubernetes' own code.
type owning struct{ whole, status *managedfields.FieldManager }

// OwnFields has the server keep which client owns which fields, and take server-side apply. Without it objects have no
// managedFields, which costs less. It is called after Define.
func (s *Server) OwnFields() error {
	s.owning = map[*Kind]owning{}
	typed := applyconfigurations.NewTypeConverter(scheme.Scheme)
	for _, k := range s.ordered {
		of := typed
		switch d := k.definition; {
		case d != nil:
			var err error
			if of, err = managedfields.NewTypeConverter(d.described(k), false); err != nil {
				return err
			}
		case k.Custom:
			of = managedfields.NewDeducedTypeConverter()
		}
		var o owning
		var err error
		if o.whole, err = managerOf(k, of, "", fieldpath.MakePathOrDie("status")); err != nil {
			return err
		}
		leaves := []fieldpath.Path{fieldpath.MakePathOrDie("spec")}
		if k.Custom || k.Resource == "resourceclaims" {
			leaves = append(leaves, fieldpath.MakePathOrDie("metadata"))
		} else if k.Resource == "pods" {
			leaves = append(leaves, fieldpath.MakePathOrDie("metadata", "ownerReferences"))
		}
		if o.status, err = managerOf(k, of, "status", leaves...); err != nil {
			return err
		}
		s.owning[k] = o
	}
	return nil
}

// described is a kind's definition as managers of fields read it, with the metadata that every object has.
func (d *definition) described(k *Kind) map[string]*spec.Schema {
	whole := d.structure.ToKubeOpenAPI()
	whole.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": k.Group, "version": k.Version,
		"kind": k.Kind}})
	texts := spec.MapProperty(spec.StringProperty())
	finalizers, owners := spec.ArrayProperty(spec.StringProperty()), spec.ArrayProperty(unchecked())
	finalizers.AddExtension("x-kubernetes-list-type", "set")
	owners.AddExtension("x-kubernetes-list-type", "map")
	owners.AddExtension("x-kubernetes-list-map-keys", []any{"uid"})
	owners.Items.Schema.SetProperty("uid", *spec.StringProperty())
	meta := unchecked()
	for field, of := range map[string]*spec.Schema{"labels": texts, "annotations": texts, "finalizers": finalizers,
		"ownerReferences": owners} {
		meta.SetProperty(field, *of)
	}
	for field, of := range map[string]*spec.Schema{"metadata": meta, "kind": spec.StringProperty(),
		"apiVersion": spec.StringProperty()} {
		whole.SetProperty(field, *of)
	}
	return map[string]*spec.Schema{k.Resource: whole}
}

// unchecked is an object with any fields.
func unchecked() *spec.Schema {
	out := (&spec.Schema{}).Typed("object", "")
	out.AddExtension("x-kubernetes-preserve-unknown-fields", true)
	return out
}

// managerOf keeps the owners of what requests to a kind or to its status change; what these do not change is left out.
func managerOf(k *Kind, of managedfields.TypeConverter, sub string, leaves ...fieldpath.Path) (
	*managedfields.FieldManager, error) {
	var reset map[fieldpath.APIVersion]fieldpath.Filter
	if k.Status {
		reset = map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(k.apiVersion()): fieldpath.NewExcludeSetFilter(
			fieldpath.NewSet(leaves...))}
	}
	gvk := k.GroupVersion().WithKind(k.Kind)
	same := oneVersion{gvk}
	if k.Custom {
		return managedfields.NewDefaultCRDFieldManager(of, same, same, unstructuredscheme.NewUnstructuredCreator(), gvk,
			k.GroupVersion(), sub, reset)
	}
	return managedfields.NewDefaultFieldManager(of, same, same, scheme.Scheme, gvk, k.GroupVersion(), sub, reset)
}

// oneVersion converts and fills in nothing: each kind has one version.
type oneVersion struct{ schema.GroupVersionKind }

var errOneVersion = errors.New("there is one version")

// Convert implements runtime.ObjectConvertor: what was merged becomes its Go type.
func (oneVersion) Convert(in, out, _ any) error {
	if merged, is := in.(*unstructured.Unstructured); is {
		return runtime.DefaultUnstructuredConverter.FromUnstructured(merged.Object, out)
	}
	return errOneVersion
}

// ConvertToVersion implements runtime.ObjectConvertor.
func (v oneVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	if in.GetObjectKind().GroupVersionKind().Empty() { // it is a new Go type
		in.GetObjectKind().SetGroupVersionKind(v.GroupVersionKind)
	}
	return in, nil
}

// ConvertFieldLabel implements runtime.ObjectConvertor.
func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, _, _ string) (label, value string, err error) {
	return "", "", errOneVersion
}

// Default implements runtime.ObjectDefaulter.
func (oneVersion) Default(runtime.Object) {}

// ownersOf is what keeps the owners of what the request changes; nil: none are kept.
func ownersOf(c *call) *managedfields.FieldManager {
	if c.sub == "status" {
		return c.s.owning[c.kind].status
	}
	return c.s.owning[c.kind].whole
}

// own notes who owns what in a new state of an object.
func own(c *call, before *Stored, after map[string]any) map[string]any {
	f := ownersOf(c)
	if f == nil {
		return after
	}
	manager := c.Query.Get("fieldManager")
	if manager == "" {
		manager = c.Client
	}
	live, new := before.orNew(c.kind), goType(c, copied(after))
	return owned(c, live, f.UpdateNoErrors(goType(c, copied(live)), new, manager))
}

// orNew is the object, empty if it is made.
func (o *Stored) orNew(k *Kind) map[string]any {
	if o != nil {
		return o.Object
	}
	return map[string]any{"apiVersion": k.apiVersion(), "kind": k.Kind}
}

// goType is an object as its kind's Go type, of which a part that says nothing is there, too.
func goType(c *call, o map[string]any) runtime.Object {
	gvk := c.kind.GroupVersion().WithKind(c.kind.Kind)
	if c.kind.Custom {
		return &unstructured.Unstructured{Object: o}
	}
	into, err := scheme.Scheme.New(gvk)
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(o, into)
	}
	if err != nil {
		panic(err) // it was read as that type
	}
	into.GetObjectKind().SetGroupVersionKind(gvk)
	return into
}

// owned is a new state of an object. Where all there is to it is that the owners own at another time what they owned
// before, it is the old one.
func owned(c *call, live map[string]any, o runtime.Object) map[string]any {
	if u, is := o.(*unstructured.Unstructured); is {
		return unlessOld(live, u.Object)
	}
	after, err := plain(o)
	if err != nil {
		panic(err) // it is a Go type of client-go's
	}
	return unlessOld(live, c.kind.named(after))
}

func unlessOld(live, after map[string]any) map[string]any {
	if reflect.DeepEqual(timeless(live), timeless(after)) {
		return copied(live)
	}
	return after
}

// timeless is an object without the times at which its owners came to own what they do.
func timeless(o map[string]any) map[string]any {
	out := &unstructured.Unstructured{Object: copied(o)}
	entries := out.GetManagedFields()
	for i := range entries {
		entries[i].Time = nil
	}
	out.SetManagedFields(entries)
	return out.Object
}

// apply answers a server-side apply, which makes what is not there.
func apply(c *call) (Response, error) {
	manager, f := c.Query.Get("fieldManager"), ownersOf(c)
	var patch map[string]any
	text, err := yaml.YAMLToJSON(c.Body)
	switch {
	case f == nil:
		return Response{}, unsupported(c)
	case manager == "":
		return Response{}, statusError(metav1.Status{Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity,
			Reason: metav1.StatusReasonInvalid, Message: "fieldManager: Required value: is required for apply patch"})
	case err != nil || utiljson.Unmarshal(text, &patch) != nil:
		return Response{}, apierrors.NewBadRequest("the body is no YAML")
	}
	before := c.s.Get(c.kind, c.namespace, c.name)
	if before == nil && c.sub != "" {
		return Response{}, apierrors.NewNotFound(c.resource(), c.name)
	}
	live := before.orNew(c.kind)
	merged, err := f.Apply(goType(c, copied(live)), &unstructured.Unstructured{Object: patch}, manager,
		isTrue(c.Query.Get("force")))
	if status := apierrors.APIStatus(nil); err != nil && !errors.As(err, &status) {
		return Response{}, unexplained(err.Error())
	} else if err != nil {
		return Response{}, err
	}
	raw := owned(c, live, merged)
	if c.kind.Custom {
		c.emptied = saysNothing(raw["metadata"])
	}
	after, err := c.typed(raw)
	if err != nil {
		return Response{}, err
	}
	if !c.kind.Custom {
		after = unlessOld(live, after) // a Go type leaves out what is applied and says nothing
	}
	m := &unstructured.Unstructured{Object: after}
	if before == nil && m.GetUID() != "" {
		return Response{}, c.conflict(errors.New("precondition failed: there is no such object"))
	}
	if m.GetName() != c.name {
		return Response{}, apierrors.NewBadRequest("the name of the object does not match the name on the URL")
	}
	if before != nil {
		return c.replace(before, m)
	}
	if !c.dry {
		m.SetResourceVersion("") // there is none that could be another
	}
	stored, err := c.make(after)
	if err != nil {
		return Response{}, err
	}
	return Response{Code: http.StatusCreated, Body: c.shown(stored)}, nil
}

// saysNothing are the parts of the metadata that are there and empty, as labels of which the last was taken away by an
// apply. The real server stores them so, and leaves them out as it reads them.
func saysNothing(metadata any) (empty map[string]any) {
	parts, _ := metadata.(map[string]any)
	for name, part := range parts {
		if v := reflect.ValueOf(part); part == nil || v.Kind() == reflect.Map && v.Len() == 0 {
			if empty == nil {
				empty = map[string]any{}
			}
			empty[name] = part
		}
	}
	return empty
}
