package apimodel

import (
	"net/http"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// spend takes one disruption from the budget of a pod, if it has one.
func (c *call) spend(pod *unstructured.Unstructured) error {
	kind := c.s.Kind("policy", "poddisruptionbudgets")
	var found []*Stored
	for _, b := range c.s.List(kind) {
		budget := budgetOf(b)
		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		if err == nil && budget.Namespace == c.namespace && selector.Matches(labels.Set(pod.GetLabels())) {
			found = append(found, b)
		}
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
	default:
		return statusError(metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."})
	}
	b := found[0]
	budget := budgetOf(b)
	healthy := budget.Status.CurrentHealthy >= budget.Status.DesiredHealthy && budget.Status.DesiredHealthy > 0
	always := budget.Spec.UnhealthyPodEvictionPolicy != nil &&
		*budget.Spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow
	if !isReady(pod) && (always || healthy) {
		return nil // a pod that is not ready does not count
	}
	if budget.Status.DisruptionsAllowed <= 0 || budget.Status.ObservedGeneration < budget.Generation {
		return apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
	}
	after := copied(b.Object)
	left := int64(budget.Status.DisruptionsAllowed - 1)
	_ = unstructured.SetNestedField(after, left, "status", "disruptionsAllowed") // they are maps
	_ = unstructured.SetNestedField(after, c.s.now().UTC().Format(time.RFC3339), "status", "disruptedPods", pod.GetName())
	at := &call{Request: c.Request, s: c.s, kind: kind, namespace: budget.Namespace, name: budget.Name}
	_, err := c.s.write(at, b, after)
	return err
}

func budgetOf(o *Stored) (b policyv1.PodDisruptionBudget) {
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &b) // it was read as one before
	return b
}

func isReady(pod *unstructured.Unstructured) bool {
	list, _, _ := unstructured.NestedSlice(pod.Object, "status", "conditions")
	for _, x := range list {
		if one, _ := x.(map[string]any); one["type"] == "Ready" && one["status"] == "True" {
			return true
		}
	}
	return false
}
