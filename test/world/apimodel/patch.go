package apimodel

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
)

// patch answers PATCH: JSON patches, JSON merge patches, and strategic merge patches of what has a Go type.
func (c *call) patch() (Response, error) {
	how := patchType(c.Request)
	if applies(c.Request) {
		return apply(c)
	}
	known := []types.PatchType{types.JSONPatchType, types.MergePatchType, types.StrategicMergePatchType}
	if !slices.Contains(known, how) || how == types.StrategicMergePatchType && c.kind.Custom {
		return Response{}, unsupported(c)
	}
	before, err := c.existing()
	if err != nil {
		return Response{}, err
	}
	after, err := c.patched(how, before)
	if err != nil {
		return Response{}, err
	}
	if after, err = c.typed(after); err != nil {
		return Response{}, err
	}
	m := &unstructured.Unstructured{Object: after}
	if m.GetName() != c.name {
		return Response{}, apierrors.NewBadRequest("the name of the object does not match the name on the URL")
	}
	m.Object = own(c, before, m.Object)
	return c.replace(before, m)
}

func patchType(r *Request) types.PatchType {
	return types.PatchType(strings.TrimSpace(strings.Split(r.ContentType, ";")[0]))
}

// applies says that a request is a server-side apply.
func applies(r *Request) bool {
	return r.Method == http.MethodPatch && patchType(r) == types.ApplyYAMLPatchType
}

func unsupported(c *call) error {
	return statusError(metav1.Status{Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType,
		Reason:  metav1.StatusReasonUnsupportedMediaType,
		Message: fmt.Sprintf("patches of the type %s are not supported", c.ContentType)})
}

// patched is an object after the patch that is sent.
func (c *call) patched(how types.PatchType, before *Stored) (map[string]any, error) {
	if how == types.JSONPatchType {
		return operated(c, before)
	}
	object, patch := copied(before.Object), map[string]any{}
	if err := utiljson.Unmarshal(c.Body, &patch); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if how == types.MergePatchType {
		return merged(object, patch), nil
	}
	schema, err := scheme.Scheme.New(c.kind.GroupVersion().WithKind(c.kind.Kind))
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	after, err := strategicpatch.StrategicMergeMapPatch(object, patch, schema)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return after, nil
}

// operated is an object after the operations of RFC 6902 that are sent.
func operated(c *call, before *Stored) (map[string]any, error) {
	patch, err := jsonpatch.DecodePatch(c.Body)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	text, err := patch.Apply(before.JSON())
	if err != nil {
		return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", c.resource(), "", err.Error(), 0,
			false)
	}
	after := map[string]any{}
	if err := utiljson.Unmarshal(text, &after); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return after, nil
}

// merged is RFC 7396: null removes, objects merge, all else replaces.
func merged(object, patch map[string]any) map[string]any {
	if object == nil {
		object = map[string]any{}
	}
	for k, v := range patch {
		switch v := v.(type) {
		case nil:
			delete(object, k)
		case map[string]any:
			at, _ := object[k].(map[string]any)
			object[k] = merged(at, v)
		default:
			object[k] = v
		}
	}
	return object
}
