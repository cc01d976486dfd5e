package apimodel

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func uidOf(n int64) types.UID { return types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012x", n)) }

var errVersion = errors.New("the object has been modified; apply your changes to the latest version and try again")

// update answers PUT.
func (c *call) update() (Response, error) {
	o, err := sent(c)
	if err != nil {
		return Response{}, err
	}
	m := &unstructured.Unstructured{Object: o}
	if m.GetNamespace() == "" && c.namespace != "" {
		m.SetNamespace(c.namespace)
	}
	if m.GetName() != c.name {
		return Response{}, apierrors.NewBadRequest("the name of the object does not match the name on the URL")
	}
	if m.GetNamespace() != c.namespace {
		return Response{}, errNamespace
	}
	before := c.s.Get(c.kind, c.namespace, c.name)
	if before == nil && c.kind.CreateOnUpdate {
		if m.GetUID() != "" {
			return Response{}, c.conflict(fmt.Errorf("precondition failed: UID in precondition: %s, UID in object meta: ",
				m.GetUID()))
		}
		if !c.dry {
			m.SetResourceVersion("")
		}
		stored, err := c.make(own(c, nil, o))
		if err != nil {
			return Response{}, err
		}
		return Response{Code: http.StatusCreated, Body: c.shown(stored)}, nil
	}
	if before == nil {
		return Response{}, apierrors.NewNotFound(c.resource(), c.name)
	}
	if uid := m.GetUID(); uid != "" && uid != before.Meta().GetUID() {
		return Response{}, c.conflict(fmt.Errorf("precondition failed: UID in precondition: %s, UID in object meta: %s", uid,
			before.Meta().GetUID()))
	}
	if m.GetResourceVersion() == "" && !c.kind.Unconditional {
		return Response{}, c.invalid(c.name, "metadata.resourceVersion", "must be specified for an update")
	}
	m.Object = own(c, before, o)
	return c.replace(before, m)
}

func (c *call) conflict(why error) error { return apierrors.NewConflict(c.resource(), c.name, why) }

// replace stores a new state of an object, as far as the request may change it.
func (c *call) replace(before *Stored, m *unstructured.Unstructured) (Response, error) {
	was := before.Meta()
	if v := m.GetResourceVersion(); v != "" && v != was.GetResourceVersion() {
		return Response{}, c.conflict(errVersion)
	}
	switch {
	case c.sub == "status" && c.kind.Custom: // nothing but the status is looked at
		status, has := m.Object["status"]
		owners := m.GetManagedFields()
		m.Object = copied(before.Object)
		m.SetManagedFields(owners)
		if delete(m.Object, "status"); has {
			m.Object["status"] = status
		}
	case c.sub == "status" && c.kind.Resource == "resourceclaims":
		keepHeads(was, m)
	}
	if err := c.keepIdentity(was, m); err != nil {
		return Response{}, err
	}
	switch {
	case c.sub == "status" && c.kind.Custom:
	case c.sub == "status":
		for k, v := range before.Object {
			if k != "metadata" && k != "status" {
				m.Object[k] = v
			}
		}
		if c.kind.Resource == "pods" {
			m.SetOwnerReferences(was.GetOwnerReferences())
		}
	case c.kind.Status:
		c.resetStatus(m.Object, before.Object)
	}
	if c.kind.Resource == "pods" {
		if err := c.keepPod(was, m); err != nil {
			return Response{}, err
		}
	}
	if err := keepOther(c, was, m); err != nil {
		return Response{}, err
	}
	if err := check(c, m.Object, before.Object); err != nil {
		return Response{}, err
	}
	if c.kind.Generation && c.changedSpec(before.Object, m.Object) {
		m.SetGeneration(was.GetGeneration() + 1)
	}
	m.SetResourceVersion(was.GetResourceVersion())
	if reflect.DeepEqual(before.Object, m.Object) && !before.incomplete {
		return Response{Code: http.StatusOK, Body: c.shown(before)}, nil
	}
	if m.GetDeletionTimestamp() != nil && len(m.GetFinalizers()) == 0 && graceOf(m) == 0 && len(was.GetFinalizers()) > 0 {
		_, err := c.s.write(c, before, nil)
		if metadata, is := m.Object["metadata"].(map[string]any); is { // it is shown as it would have been stored
			maps.Copy(metadata, c.emptied)
		}
		return Response{Code: http.StatusOK, Body: m.Object}, err
	}
	stored, err := c.s.write(c, before, m.Object)
	if err != nil {
		return Response{}, err
	}
	return Response{Code: http.StatusOK, Body: c.shown(stored)}, nil
}

// keepHeads has a status change nothing of what describes an object.
func keepHeads(was, m *unstructured.Unstructured) {
	m.SetLabels(was.GetLabels())
	m.SetAnnotations(was.GetAnnotations())
	m.SetFinalizers(was.GetFinalizers())
	m.SetOwnerReferences(was.GetOwnerReferences())
}

func graceOf(m *unstructured.Unstructured) int64 {
	if g := m.GetDeletionGracePeriodSeconds(); g != nil {
		return *g
	}
	return 0
}

// keepIdentity fills in what an update may leave out and not change.
func (c *call) keepIdentity(was, m *unstructured.Unstructured) error {
	if m.GetUID() == "" {
		m.SetUID(was.GetUID())
	}
	if m.GetUID() != was.GetUID() {
		return c.invalid(c.name, "metadata.uid", "field is immutable")
	}
	m.SetCreationTimestamp(was.GetCreationTimestamp())
	m.SetDeletionTimestamp(was.GetDeletionTimestamp())
	m.SetDeletionGracePeriodSeconds(was.GetDeletionGracePeriodSeconds())
	m.SetGeneration(was.GetGeneration())
	if c.s.owning == nil {
		m.SetManagedFields(nil)
	}
	if was.GetDeletionTimestamp() != nil {
		for _, f := range m.GetFinalizers() {
			if !contains(was.GetFinalizers(), f) {
				return c.forbiddenFinalizers()
			}
		}
	}
	return nil
}

func (c *call) forbiddenFinalizers() error {
	return c.invalid(c.name, "metadata.finalizers", "no new finalizers can be added if the object is being deleted")
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// changedSpec reports whether what the generation counts is another: all but metadata and a status of its own.
func (c *call) changedSpec(before, after map[string]any) bool {
	for _, o := range []map[string]any{before, after} {
		for k := range o {
			if k == "metadata" || k == "status" && c.kind.Status {
				continue
			}
			if !reflect.DeepEqual(before[k], after[k]) {
				return true
			}
		}
	}
	return false
}
