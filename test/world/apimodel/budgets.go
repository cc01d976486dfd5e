package apimodel

import (
	"errors"
	"net/http"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-helpers/apps/poddisruptionbudget"
)

// spend takes one disruption from the budget of a pod, if it has one. Of a pod that does not count, since it is not
// ready, it takes none, and returns true.
func (c *call) spend(pod *unstructured.Unstructured) (free bool, err error) {
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
		return false, nil
	case 1:
	default:
		return false, statusError(metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."})
	}
	b := found[0]
	budget := budgetOf(b)
	healthy := budget.Status.CurrentHealthy >= budget.Status.DesiredHealthy && budget.Status.DesiredHealthy > 0
	always := budget.Spec.UnhealthyPodEvictionPolicy != nil &&
		*budget.Spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow
	if !isReady(pod) && (always || healthy) {
		return true, nil
	}
	const refused = "Cannot evict pod as it would violate the pod's disruption budget."
	const mostDisrupted = 2000
	switch {
	case budget.Status.ObservedGeneration < budget.Generation:
		return false, apierrors.NewTooManyRequests(refused, 10) // its controller has not looked at it yet
	case budget.Status.DisruptionsAllowed < 0, len(budget.Status.DisruptedPods) > mostDisrupted:
		return false, apierrors.NewForbidden(kind.GroupResource(), budget.Name, errors.New("its status cannot be"))
	case budget.Status.DisruptionsAllowed == 0:
		return false, apierrors.NewTooManyRequests(refused, 0)
	}
	return false, disrupt(c, kind, b, budget, pod.GetName())
}

// disrupt notes in the status of a budget that a pod leaves.
func disrupt(c *call, kind *Kind, b *Stored, budget policyv1.PodDisruptionBudget, pod string) error {
	if budget.Status.DisruptionsAllowed--; budget.Status.DisruptionsAllowed == 0 {
		poddisruptionbudget.UpdateDisruptionAllowedCondition(&budget)
	}
	now := metav1.NewTime(c.s.now())
	for i := range budget.Status.Conditions {
		if budget.Status.Conditions[i].Type == policyv1.DisruptionAllowedCondition {
			budget.Status.Conditions[i].LastTransitionTime = now
		}
	}
	if budget.Status.DisruptedPods == nil {
		budget.Status.DisruptedPods = map[string]metav1.Time{}
	}
	budget.Status.DisruptedPods[pod] = now
	typed, err := plain(&budget)
	if err != nil {
		return err
	}
	after := copied(b.Object)
	after["status"] = typed["status"]
	at := &call{Request: c.Request, s: c.s, kind: kind, namespace: budget.Namespace, name: budget.Name, dry: c.dry}
	itself := *at // the API server asks itself, and owns what it writes
	itself.Request, itself.sub = &Request{Client: "kube-apiserver"}, "status"
	_, err = c.s.write(at, b, own(&itself, b, after))
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
