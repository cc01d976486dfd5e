package apimodel

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// newPod gives a pod the status that new ones have.
func (c *call) newPod(m *unstructured.Unstructured) {
	var pod corev1.Pod
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(m.Object, &pod) // it was read as one before
	status := map[string]any{"phase": "Pending", "qosClass": string(qosOf(&pod))}
	if len(pod.Spec.SchedulingGates) > 0 {
		status["conditions"] = []any{map[string]any{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
			"message": "Scheduling is blocked due to non-empty scheduling gates", "lastProbeTime": nil,
			"lastTransitionTime": c.s.now().UTC().Format(time.RFC3339)}}
	}
	m.Object["status"] = status
}

// qosOf is the quality-of-service class by cpu and memory of the pod's containers.
func qosOf(pod *corev1.Pod) corev1.PodQOSClass {
	any, guaranteed := false, true
	for _, c := range append(append([]corev1.Container{}, pod.Spec.Containers...), pod.Spec.InitContainers...) {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			request, limit := c.Resources.Requests[name], c.Resources.Limits[name]
			any = any || !request.IsZero() || !limit.IsZero()
			guaranteed = guaranteed && !limit.IsZero() && request.Cmp(limit) == 0
		}
	}
	switch {
	case !any:
		return corev1.PodQOSBestEffort
	case guaranteed:
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}

// keepPod refuses changes that pods do not allow: of a pod's spec only images, gates that go, tolerations that come and
// its deadline change.
func (c *call) keepPod(was, m *unstructured.Unstructured) error {
	if c.sub == "status" {
		return c.keepPodStatus(was, m)
	}
	var before, after corev1.Pod
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(was.Object, &before) // they were read as pods before
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(m.Object, &after)
	gates := map[string]bool{}
	for _, g := range before.Spec.SchedulingGates {
		gates[g.Name] = true
	}
	for _, g := range after.Spec.SchedulingGates {
		if !gates[g.Name] {
			return c.invalid(c.name, "spec.schedulingGates", "only deletion is allowed")
		}
	}
	spec := after.Spec.DeepCopy()
	spec.SchedulingGates = before.Spec.SchedulingGates
	spec.ActiveDeadlineSeconds = before.Spec.ActiveDeadlineSeconds
	for i := range min(len(spec.Containers), len(before.Spec.Containers)) {
		spec.Containers[i].Image = before.Spec.Containers[i].Image
	}
	for _, t := range before.Spec.Tolerations {
		kept := false
		for _, n := range spec.Tolerations {
			kept = kept || reflect.DeepEqual(n, t)
		}
		if !kept {
			return c.invalid(c.name, "spec.tolerations", "existing tolerations can not be modified except its tolerationSeconds")
		}
	}
	spec.Tolerations = before.Spec.Tolerations
	if !reflect.DeepEqual(*spec, before.Spec) {
		return c.invalid(c.name, "spec", "pod updates may not change fields other than a few")
	}
	return nil
}

// keepPodStatus refuses a nomination of a pod that has a node.
func (c *call) keepPodStatus(was, m *unstructured.Unstructured) error {
	if nested(m, "status", "qosClass") == "" {
		_ = unstructured.SetNestedField(m.Object, nested(was, "status", "qosClass"), "status", "qosClass") // a map
	}
	nominated := nested(m, "status", "nominatedNodeName")
	switch {
	case nested(m, "status", "qosClass") != nested(was, "status", "qosClass"):
		return c.invalid(c.name, "status.qosClass", "field is immutable")
	case nominated != "" && nominated != nested(was, "status", "nominatedNodeName") && nested(was, "spec",
		"nodeName") != "":
		return c.invalid(c.name, "status.nominatedNodeName", "may not be set on pods that are already bound to a node")
	}
	return nil
}

func nested(m *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(m.Object, path...)
	return s
}

// podSubresource answers POST of a binding or an eviction.
func (c *call) podSubresource() (Response, error) {
	if c.Method != http.MethodPost {
		return Response{}, apierrors.NewMethodNotSupported(c.resource(), c.Method)
	}
	if err := c.mayMakeIn(); err != nil {
		return Response{}, err
	}
	o, err := c.object()
	if err != nil {
		return Response{}, err
	}
	if c.sub == "binding" {
		err = c.bind(o)
	} else {
		err = c.evict(o)
	}
	if err != nil {
		return Response{}, err
	}
	return Response{Code: http.StatusCreated, Body: metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status",
		APIVersion: "v1"},
		Status: metav1.StatusSuccess}}, nil
}

// bind gives a pod its node, once.
func (c *call) bind(o map[string]any) error {
	var b corev1.Binding
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o, &b); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if b.Name != "" && b.Name != c.name {
		return apierrors.NewBadRequest("name in URL does not match name in Binding object")
	}
	if b.Target.Kind != "" && b.Target.Kind != "Node" || b.Target.Name == "" {
		return unexplained("target must name a Node")
	}
	before, err := c.existing()
	if err != nil {
		return apierrors.NewNotFound(c.resource(), c.name)
	}
	m := &unstructured.Unstructured{Object: copied(before.Object)}
	gates, _, _ := unstructured.NestedSlice(m.Object, "spec", "schedulingGates")
	why := ""
	switch {
	case b.UID != "" && b.UID != m.GetUID():
		why = fmt.Sprintf("precondition failed: UID in precondition: %s, UID in object meta: %s", b.UID, m.GetUID())
	case b.ResourceVersion != "" && b.ResourceVersion != m.GetResourceVersion():
		why = "precondition failed: ResourceVersion"
	case m.GetDeletionTimestamp() != nil:
		why = fmt.Sprintf("pod %s is being deleted, cannot be assigned to a host", c.name)
	case nested(m, "spec", "nodeName") != "":
		why = fmt.Sprintf("pod %s is already assigned to node %q", c.name, nested(m, "spec", "nodeName"))
	case len(gates) > 0:
		why = fmt.Sprintf("pod %s has non-empty .spec.schedulingGates", c.name)
	}
	if why != "" {
		return c.conflict(fmt.Errorf("%s", why))
	}
	_ = unstructured.SetNestedField(m.Object, b.Target.Name, "spec", "nodeName") // they are maps
	unstructured.RemoveNestedField(m.Object, "status", "nominatedNodeName")
	c.condition(m, map[string]any{"type": "PodScheduled", "status": "True"})
	for k, v := range b.Annotations {
		_ = unstructured.SetNestedField(m.Object, v, "metadata", "annotations", k)
	}
	for k, v := range b.Labels {
		_ = unstructured.SetNestedField(m.Object, v, "metadata", "labels", k)
	}
	_, err = c.s.write(c, before, m.Object)
	return err
}

// condition puts a condition into a pod's status.
func (c *call) condition(m *unstructured.Unstructured, condition map[string]any) {
	list, _, _ := unstructured.NestedSlice(m.Object, "status", "conditions")
	condition["lastProbeTime"] = nil
	condition["lastTransitionTime"] = c.s.now().UTC().Format(time.RFC3339)
	for i := range list {
		if was, _ := list[i].(map[string]any); was["type"] == condition["type"] {
			if was["status"] == condition["status"] {
				condition["lastTransitionTime"] = was["lastTransitionTime"]
			}
			list[i] = condition
			condition = nil
			break
		}
	}
	if condition != nil {
		list = append(list, condition)
	}
	_ = unstructured.SetNestedSlice(m.Object, list, "status", "conditions") // a map
}

// evict deletes a pod unless a budget forbids it.
func (c *call) evict(o map[string]any) error {
	var e policyv1.Eviction
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o, &e); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if e.Name != c.name {
		return apierrors.NewBadRequest("name in URL does not match name in Eviction object")
	}
	before, err := c.existing()
	if err != nil {
		return err
	}
	options := metav1.DeleteOptions{}
	if e.DeleteOptions != nil {
		options = *e.DeleteOptions
	}
	c.dry = c.dry || len(options.DryRun) > 0
	m := before.Meta()
	unprotected := []string{"Pending", "Succeeded", "Failed"} // pods that no budget protects
	if m.GetDeletionTimestamp() == nil && !slices.Contains(unprotected, nested(m, "status", "phase")) {
		free, err := c.spend(m)
		if err != nil {
			return err
		}
		if free { // the real server has its own precondition then, and forgets which version the client named
			own, version := metav1.Preconditions{}, m.GetResourceVersion()
			if options.Preconditions != nil {
				own = *options.Preconditions
			}
			own.ResourceVersion = &version
			options.Preconditions = &own
		}
	}
	if err := c.meets(before, options.Preconditions); err != nil {
		return err
	}
	if c.dry {
		_, _, err = c.remove(before, options)
		return err
	}
	marked := &unstructured.Unstructured{Object: copied(before.Object)}
	c.condition(marked, map[string]any{"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI",
		"message": "Eviction API: evicting"})
	if !reflect.DeepEqual(before.Object, marked.Object) {
		if before, err = c.s.write(c, before, marked.Object); err != nil {
			return err
		}
	}
	_, _, err = c.remove(before, options)
	return err
}
