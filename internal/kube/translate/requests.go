package translate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	formula "k8s.io/component-helpers/resource"

	"ashlar.sh/sched/resource"
)

// requests is what a pod asks of a node by the full formula of Kubernetes (decision 23),
// and one place among the node's pods. Every quantity is bounded before any is added.
func (f *faults) requests(pod *corev1.Pod) resource.List {
	place := resource.Amount{Name: resource.PodsName, Value: 1}
	before := len(*f)
	f.checkPod(pod)
	if len(*f) > before {
		return resource.List{place}
	}
	sum := formula.PodRequests(defaulted(pod), formula.PodResourcesOptions{
		UseStatusResources: true,
		InPlacePodLevelResourcesVerticalScalingEnabled: true,
		UseDRANodeAllocatableResourceClaimStatus:       true,
	})
	out := resource.List{place}
	for _, name := range names(sum) {
		v, ok := units(sum[name], milli(string(name)), objectBound)
		if !ok {
			q := sum[name]
			f.fatal("spec", "the requests of %s add up to %s, more than the bound of %s",
				short(string(name)), q.String(), written(string(name), objectBound))
		}
		if v != 0 && name != corev1.ResourcePods && !quotaOnly(string(name)) {
			out = append(out, resource.Amount{Name: string(name), Value: v})
		}
	}
	return resource.Normalize(out)
}

// checkPod bounds every quantity that the formula reads.
func (f *faults) checkPod(pod *corev1.Pod) {
	podLevel := pod.Spec.Resources != nil
	for i := range pod.Spec.Containers {
		f.checkRequests(fmt.Sprintf("spec.containers[%d].resources", i), &pod.Spec.Containers[i].Resources, podLevel)
	}
	for i := range pod.Spec.InitContainers {
		f.checkRequests(fmt.Sprintf("spec.initContainers[%d].resources", i), &pod.Spec.InitContainers[i].Resources, podLevel)
	}
	if podLevel {
		f.checkRequests("spec.resources", pod.Spec.Resources, podLevel)
	}
	f.check("spec.overhead", pod.Spec.Overhead)
	f.checkStatuses("status.containerStatuses", pod.Status.ContainerStatuses)
	f.checkStatuses("status.initContainerStatuses", pod.Status.InitContainerStatuses)
	if pod.Status.Resources != nil {
		f.check("status.resources.requests", pod.Status.Resources.Requests)
	}
	f.check("status.allocatedResources", pod.Status.AllocatedResources)
	for i, c := range pod.Status.NodeAllocatableResourceClaimStatuses {
		path := fmt.Sprintf("status.nodeAllocatableResourceClaimStatuses[%d].resources", i)
		for _, name := range slices.Sorted(maps.Keys(c.Resources)) {
			f.amount(at(path, string(name)), name, c.Resources[name], objectBound)
		}
	}
}

// checkRequests bounds the requests, and the limits that stand in for missing requests;
// or all limits, where requests of the pod as a whole are made from them.
func (f *faults) checkRequests(path string, r *corev1.ResourceRequirements, allLimits bool) {
	f.check(path+".requests", r.Requests)
	for _, name := range names(r.Limits) {
		if _, ok := r.Requests[name]; !ok || allLimits {
			f.amount(at(path+".limits", string(name)), name, r.Limits[name], objectBound)
		}
	}
}

func (f *faults) checkStatuses(path string, list []corev1.ContainerStatus) {
	for i := range list {
		if list[i].Resources != nil {
			f.check(fmt.Sprintf("%s[%d].resources.requests", path, i), list[i].Resources.Requests)
		}
		f.check(fmt.Sprintf("%s[%d].allocatedResources", path, i), list[i].AllocatedResources)
	}
}

func (f *faults) check(path string, list corev1.ResourceList) {
	if len(list) > 0 {
		f.amounts(path, list, objectBound)
	}
}

// defaulted is the pod as the API server would have stored it, as far as requests go
// (decision 31). Objects of a live cluster come back as they are; nothing is written to
// the pod given.
func defaulted(pod *corev1.Pod) *corev1.Pod {
	containers, changed := defaultedContainers(pod.Spec.Containers)
	inits, changedInits := defaultedContainers(pod.Spec.InitContainers)
	if !changed && !changedInits && pod.Spec.Resources == nil {
		return pod
	}
	out := *pod
	out.Spec.Containers, out.Spec.InitContainers = containers, inits
	if pod.Spec.Resources != nil {
		out.Spec.Resources = &corev1.ResourceRequirements{
			Requests: maps.Clone(pod.Spec.Resources.Requests),
			Limits:   maps.Clone(pod.Spec.Resources.Limits),
		}
		defaultPodLevel(&out)
	}
	return &out
}

// defaultedContainers takes limits for requests that are missing.
func defaultedContainers(list []corev1.Container) ([]corev1.Container, bool) {
	out, changed := list, false
	for i := range list {
		r := &list[i].Resources
		full := withDefaults(r.Requests, r.Limits)
		if len(full) == len(r.Requests) {
			continue
		}
		if !changed {
			out, changed = slices.Clone(list), true
		}
		out[i].Resources.Requests = full
	}
	return out, changed
}

// withDefaults adds to a list what it lacks of another; a list that lacks nothing comes
// back as it is.
func withDefaults(list, more corev1.ResourceList) corev1.ResourceList {
	out := list
	for name, q := range more {
		if _, ok := list[name]; ok {
			continue
		}
		if len(out) == len(list) {
			out = maps.Clone(list)
			if out == nil {
				out = corev1.ResourceList{}
			}
		}
		out[name] = q
	}
	return out
}

// defaultPodLevel fills pod-level requests as the API server does: huge pages get a
// limit from the containers' limits; then, if the pod has limits, a request that is
// missing comes from the containers' requests, else from the limit.
func defaultPodLevel(pod *corev1.Pod) {
	r := pod.Spec.Resources
	if len(r.Limits)+len(r.Requests) == 0 {
		return
	}
	huge := corev1.ResourceList{}
	for name, q := range formula.AggregateContainerLimits(pod, formula.PodResourcesOptions{}) {
		_, requested := r.Requests[name]
		if isHuge(name) && !requested {
			huge[name] = q
		}
	}
	r.Limits = withDefaults(r.Limits, huge)
	if len(r.Limits) == 0 {
		return
	}
	r.Requests = withDefaults(r.Requests, podLevel(formula.AggregateContainerRequests(pod, formula.PodResourcesOptions{}), false))
	r.Requests = withDefaults(r.Requests, podLevel(r.Limits, true))
}

// podLevel keeps what a pod as a whole may ask for.
func podLevel(list corev1.ResourceList, hugePages bool) corev1.ResourceList {
	out := map[corev1.ResourceName]quantity.Quantity{}
	for name, q := range list {
		if formula.IsSupportedPodLevelResource(name) && (hugePages || !isHuge(name)) {
			out[name] = q
		}
	}
	return out
}

func isHuge(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}
