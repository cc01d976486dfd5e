package rbacfallback

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// object is what a path names.
type object struct {
	resource string // with its group and subresource, as in "scheduling.volcano.sh/queues/status"
	path     string // of the object itself, without the subresource
	name     string
}

// plain is the resource without a subresource.
func (o object) plain() string {
	parts := strings.SplitN(o.resource, "/", 3)
	return parts[0] + "/" + parts[1]
}

// parse reads the path of one object or of its subresource:
// /api/v1/namespaces/NS/pods/NAME/status, /apis/GROUP/VERSION/queues/NAME. False for others.
func parse(path string) (object, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	group := ""
	if at := slices.IndexFunc(parts, func(s string) bool { return s == "api" || s == "apis" }); at > 0 {
		parts = parts[at:] // the API server stands behind a prefix
	}
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		group, parts = parts[1], parts[3:]
	default:
		return object{}, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		parts = parts[2:]
	}
	switch len(parts) {
	case 2:
		return object{resource: group + "/" + parts[0], path: path, name: parts[1]}, true
	case 3:
		return object{resource: group + "/" + parts[0] + "/" + parts[2],
			path: strings.TrimSuffix(path, "/"+parts[2]), name: parts[1]}, true
	}
	return object{}, false
}

// errPatch says that a JSON patch does not fit the object: what it tests is not so.
var errPatch = errors.New("the patch does not fit the object")

// apply is an object after a patch of one of the kinds that are sent: a merge patch (RFC 7386), a JSON patch
// (RFC 6902), and a strategic one, of pods alone.
func apply(kind, resource string, before, patch []byte) ([]byte, error) {
	if types.PatchType(kind) == types.JSONPatchType {
		steps, err := jsonpatch.DecodePatch(patch)
		if err != nil {
			return nil, err
		}
		after, err := steps.Apply(before)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errPatch, err)
		}
		return after, nil
	}
	if types.PatchType(kind) == types.StrategicMergePatchType && strings.HasPrefix(resource, "/pods") {
		return strategicpatch.StrategicMergePatch(before, patch, corev1.Pod{})
	}
	var old, change any
	if err := decode(before, &old); err != nil {
		return nil, err
	}
	if err := decode(patch, &change); err != nil {
		return nil, err
	}
	return json.Marshal(merged(old, change))
}

// merged is MergePatch of RFC 7386, section 2.
func merged(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	out, ok := target.(map[string]any)
	if !ok {
		out = map[string]any{}
	}
	for key, value := range changes {
		if value == nil {
			delete(out, key)
		} else {
			out[key] = merged(out[key], value)
		}
	}
	return out
}

// decode reads JSON and keeps numbers as they are written.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

// fixed says that a patch is to be taken by one version of the object only.
func fixed(patch []byte) bool {
	var p struct {
		Metadata struct{ ResourceVersion string }
	}
	return json.Unmarshal(patch, &p) == nil && p.Metadata.ResourceVersion != ""
}
