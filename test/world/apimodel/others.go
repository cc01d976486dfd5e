package apimodel

import (
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// keepOther refuses changes that kinds other than pods do not allow, and fills in what the API server notes of one.
func keepOther(c *call, was, m *unstructured.Unstructured) error {
	switch c.kind.Resource {
	case "persistentvolumeclaims":
		return keepVolumeClaim(c, was, m)
	case "persistentvolumes":
		if c.sub == "status" && nested(m, "status", "phase") != nested(was, "status", "phase") {
			enteredPhase(c, m)
		}
	case "resourceclaims":
		return keepResourceClaim(c, was, m)
	}
	return nil
}

// enteredPhase notes since when a volume has its phase.
func enteredPhase(c *call, m *unstructured.Unstructured) {
	now := c.s.now().UTC().Format(time.RFC3339)
	_ = unstructured.SetNestedField(m.Object, now, "status", "lastPhaseTransitionTime") // a map
}

// keepVolumeClaim lets a claim get its volume, once; nothing else of it changes here.
func keepVolumeClaim(c *call, was, m *unstructured.Unstructured) error {
	var before, after corev1.PersistentVolumeClaim
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(was.Object, &before) // they were read as such before
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(m.Object, &after)
	if before.Spec.VolumeName == "" {
		before.Spec.VolumeName = after.Spec.VolumeName
	}
	if c.sub == "" && !reflect.DeepEqual(before.Spec, after.Spec) {
		return c.invalid(c.name, "spec", "is immutable after creation except for a few fields of bound claims")
	}
	return nil
}

// keepResourceClaim keeps the spec of a claim, and the devices that it has for as long as it has some.
func keepResourceClaim(c *call, was, m *unstructured.Unstructured) error {
	var before, after resourcev1.ResourceClaim
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(was.Object, &before) // they were read as such before
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(m.Object, &after)
	if c.sub == "" {
		if !reflect.DeepEqual(before.Spec, after.Spec) {
			return c.invalid(c.name, "spec", "field is immutable")
		}
		return nil
	}
	has, gets := before.Status.Allocation, after.Status.Allocation
	isNew := func(u resourcev1.ResourceClaimConsumerReference) bool {
		return !slices.Contains(before.Status.ReservedFor, u)
	}
	switch {
	case has != nil && gets != nil && !reflect.DeepEqual(has, gets):
		return c.invalid(c.name, "status.allocation", "field is immutable")
	case gets == nil && len(after.Status.ReservedFor) > 0:
		return c.invalid(c.name, "status.reservedFor", "may not be specified when allocated is not set")
	case was.GetDeletionTimestamp() != nil && slices.ContainsFunc(after.Status.ReservedFor, isNew):
		return c.invalid(c.name, "status.reservedFor", "new entries may not be added while the claim is being deleted")
	}
	return nil
}
