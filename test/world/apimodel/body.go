package apimodel

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
)

// protobufMark begins what is written in Kubernetes' protobuf.
var protobufMark = []byte("k8s\x00")

// object reads the request's body as plain data, in JSON or protobuf.
func (c *call) object() (map[string]any, error) {
	if bytes.HasPrefix(c.Body, protobufMark) {
		o, _, err := scheme.Codecs.UniversalDeserializer().Decode(c.Body, nil, nil)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return plain(o)
	}
	out := map[string]any{}
	if err := utiljson.Unmarshal(c.Body, &out); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("couldn't read the body: %v", err))
	}
	return out, nil
}

// sent is the object in the request's body, as its Go type or its definition has it.
func sent(c *call) (map[string]any, error) {
	o, err := c.object()
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(c.Body, protobufMark) && o["apiVersion"] == c.kind.apiVersion() && o["kind"] == c.kind.Kind {
		return c.kind.named(o), nil // it was read as its Go type
	}
	return c.typed(o)
}

func plain(o runtime.Object) (map[string]any, error) {
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return out, nil
}

// typed reads plain data as its Go type would, and drops what that has no field for; what is empty in a
// custom resource's metadata is dropped.
func (c *call) typed(o map[string]any) (map[string]any, error) {
	o["apiVersion"], o["kind"] = c.kind.apiVersion(), c.kind.Kind
	if c.kind.Custom {
		meta, _ := o["metadata"].(map[string]any)
		for k, v := range meta {
			if v == nil || reflect.ValueOf(v).Kind() == reflect.Map && reflect.ValueOf(v).Len() == 0 ||
				reflect.ValueOf(v).Kind() == reflect.Slice && reflect.ValueOf(v).Len() == 0 {
				delete(meta, k)
			}
		}
		c.kind.definition.fill(o, applies(c.Request))
		return o, nil
	}
	into, err := scheme.Scheme.New(c.kind.GroupVersion().WithKind(c.kind.Kind))
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o, into); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	out, err := plain(into)
	if err != nil {
		return nil, err
	}
	return c.kind.named(out), nil
}

// named gives what a Go type was written as its name.
func (k *Kind) named(o map[string]any) map[string]any {
	meta, _ := o["metadata"].(map[string]any)
	if meta["creationTimestamp"] == nil {
		delete(meta, "creationTimestamp") // the Go type has no way to leave it out
	}
	o["apiVersion"], o["kind"] = k.apiVersion(), k.Kind
	return o
}

// create answers POST.
func (c *call) create() (Response, error) {
	o, err := sent(c)
	if err != nil {
		return Response{}, err
	}
	stored, err := c.make(own(c, nil, o))
	if err != nil {
		return Response{}, err
	}
	return Response{Code: http.StatusCreated, Body: c.shown(stored)}, nil
}

// longestGenerated is how much of generateName is kept, so that a name of five characters more is still a label of DNS.
const (
	longestLabel     = 63
	longestGenerated = longestLabel - 5
)

// make stores a new object.
func (c *call) make(o map[string]any) (*Stored, error) {
	m := &unstructured.Unstructured{Object: o}
	if m.GetNamespace() == "" && c.namespace != "" {
		m.SetNamespace(c.namespace)
	}
	if m.GetNamespace() != c.namespace {
		return nil, errNamespace
	}
	if err := c.mayMakeIn(); err != nil {
		return nil, err
	}
	if m.GetName() == "" && m.GetGenerateName() != "" {
		m.SetName(fmt.Sprintf("%.*s%05x", longestGenerated, m.GetGenerateName(), c.s.uids))
	}
	switch {
	case m.GetName() == "":
		return nil, c.invalid("", "metadata.name", "name or generateName is required")
	case c.kind.Resource == "services" && len(m.GetGenerateName()) > longestLabel:
		return nil, c.invalid(m.GetName(), "metadata.generateName", "names of services are labels of DNS")
	}
	version := m.GetResourceVersion()
	c.s.uids++
	m.SetUID(uidOf(c.s.uids))
	m.SetCreationTimestamp(metav1.NewTime(c.s.now()))
	m.SetDeletionTimestamp(nil)
	m.SetDeletionGracePeriodSeconds(nil)
	m.SetSelfLink("")
	if c.s.owning == nil {
		m.SetManagedFields(nil)
	}
	if m.SetGeneration(0); c.kind.Generation {
		m.SetGeneration(1)
	}
	if c.kind.Status {
		c.resetStatus(o, nil)
	}
	if c.kind.Status && c.kind.Custom {
		var err error
		if o, err = c.typed(o); err != nil {
			return nil, err
		}
		m.Object = o
	}
	if err := check(c, o, nil); err != nil {
		return nil, err
	}
	switch {
	case version != "" && !c.dry:
		return nil, unexplained("resourceVersion should not be set on objects to be created")
	case c.s.stores[c.kind].get(c.namespace, m.GetName()) != nil:
		return nil, apierrors.NewAlreadyExists(c.resource(), m.GetName())
	}
	switch c.kind.Resource {
	case "pods":
		c.newPod(m)
	case "persistentvolumes":
		enteredPhase(c, m)
	}
	return c.s.write(c, nil, o)
}

// mayMakeIn says that the namespace takes new objects.
func (c *call) mayMakeIn() error {
	if c.namespace == "" {
		return nil
	}
	namespace := c.s.Get(c.s.Kind("", "namespaces"), "", c.namespace)
	if namespace == nil {
		return apierrors.NewNotFound(c.s.Kind("", "namespaces").GroupResource(), c.namespace)
	}
	if namespace.Meta().GetDeletionTimestamp() != nil {
		return apierrors.NewForbidden(c.resource(), c.name, fmt.Errorf("the namespace %s is being terminated", c.namespace))
	}
	return nil
}

// hasStatus are the kinds whose Go types write their status even if it says nothing.
var hasStatus = []string{"services", "nodes"}

// resetStatus gives an object the status of another one, or that of a new object.
func (c *call) resetStatus(o, from map[string]any) {
	switch {
	case from != nil && from["status"] != nil:
		o["status"] = copied(map[string]any{"status": from["status"]})["status"]
	case from != nil || c.kind.Custom:
		delete(o, "status")
	case c.kind.Resource == "namespaces":
		o["status"] = map[string]any{"phase": "Active"}
	case c.kind.Resource == "persistentvolumeclaims" || c.kind.Resource == "persistentvolumes":
		o["status"] = map[string]any{"phase": "Pending"}
	case slices.Contains(hasStatus, c.kind.Resource):
		// a new one may say its own, which nobody else has yet
	default:
		o["status"] = emptyStatus(c)
	}
}

// emptyStatus is that of the kind's Go type.
func emptyStatus(c *call) any {
	if c.kind.empty == nil {
		c.kind.empty, _ = c.typed(map[string]any{"status": map[string]any{}}) // it is as the type has it
	}
	return copied(c.kind.empty)["status"]
}

func (c *call) invalid(name, field, why string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure,
		Code:   http.StatusUnprocessableEntity,
		Reason: metav1.StatusReasonInvalid, Message: fmt.Sprintf("%s %q is invalid: %s: %s", c.kind.Kind, name, field, why),
		Details: &metav1.StatusDetails{Name: name, Group: c.kind.Group, Kind: c.kind.Kind}}}
}

// unexplained is an error that the API server gives no reason for, and 500.
func unexplained(why string) error {
	return statusError(metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: why})
}

var errNamespace = apierrors.NewBadRequest(
	"the namespace of the provided object does not match the namespace sent on the request")

func statusError(s metav1.Status) error { return &apierrors.StatusError{ErrStatus: s} }
