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

// requests returns what a pod requests of a node by the full formula of Kubernetes (decision 23), and one place among
// the node's pods. Every quantity is bounded before any is added. If a pod is set aside because of an impossible
// quantity, that quantity counts as zero or as its bound, and the others count as they are. Such a pod gets no node; if
// it runs already, it holds these amounts.
func (f *faults) requests(pod *corev1.Pod) resource.List {
	before := len(*f)
	if f.checkPod(pod) {
		pod = bounded(pod)
	}
	told := len(*f) > before
	sum := formula.PodRequests(defaulted(pod), formula.PodResourcesOptions{
		UseStatusResources: true,
		InPlacePodLevelResourcesVerticalScalingEnabled: true,
		UseDRANodeAllocatableResourceClaimStatus:       true,
	})
	out := resource.List{{Name: resource.PodsName, Value: 1}}
	for _, name := range names(sum) {
		v, wrong := within(name, sum[name], objectBound)
		if wrong != "" && !told {
			q := sum[name]
			f.fatal("spec", "the requests of %s add up to %s, more than the bound of %s",
				short(string(name)), q.String(), written(string(name), v))
		}
		if v != 0 && name != corev1.ResourcePods && !quotaOnly(string(name)) {
			out = append(out, resource.Amount{Name: string(name), Value: v})
		}
	}
	return resource.Normalize(out)
}

// checkPod says what is wrong with the quantities that the formula reads, and returns true
// where any quantity of the pod has to be bounded before anything is computed from it.
func (f *faults) checkPod(pod *corev1.Pod) (absurd bool) {
	eachList(pod, func(l amountList) {
		for name, q := range l.list {
			if _, wrong := within(name, q, objectBound); wrong != "" {
				f.checkList(pod, l)
				absurd = true
				return
			}
		}
	})
	return absurd
}

// checkList says what is wrong with those quantities of a list that the formula reads: not
// with a limit beside a request, which nothing is made from.
func (f *faults) checkList(pod *corev1.Pod, l amountList) {
	for _, name := range names(l.list) {
		if !l.limits || l.standsIn(pod, name) {
			f.amount(at(l.path(), string(name)), name, l.list[name], objectBound)
		}
	}
}

// amountList is one list of quantities of a pod.
type amountList struct {
	list     corev1.ResourceList
	in, rest string // its path is in[index]rest, or in+rest
	index    int    // -1: of the pod as a whole
	limits   bool
	beside   corev1.ResourceList // of limits: the requests beside them
}

func (l *amountList) path() string {
	if l.index < 0 {
		return l.in + l.rest
	}
	return fmt.Sprintf("%s[%d]%s", l.in, l.index, l.rest)
}

// standsIn says that a limit is read as a request: as one that is missing, or where those of the
// pod as a whole are made from the limits of its containers.
func (l *amountList) standsIn(pod *corev1.Pod, name corev1.ResourceName) bool {
	if _, given := l.beside[name]; !given {
		return true
	}
	if pod.Spec.Resources == nil || !isHuge(name) {
		return false
	}
	_, given := pod.Spec.Resources.Requests[name]
	return !given
}

// eachList visits every list of quantities that the formula may read, in the order of fields.
func eachList(pod *corev1.Pod, visit func(amountList)) {
	both := func(in string, i int, rest string, r *corev1.ResourceRequirements) {
		visit(amountList{list: r.Requests, in: in, index: i, rest: rest + ".requests"})
		visit(amountList{list: r.Limits, in: in, index: i, rest: rest + ".limits", limits: true, beside: r.Requests})
	}
	for i := range pod.Spec.Containers {
		both("spec.containers", i, ".resources", &pod.Spec.Containers[i].Resources)
	}
	for i := range pod.Spec.InitContainers {
		both("spec.initContainers", i, ".resources", &pod.Spec.InitContainers[i].Resources)
	}
	if pod.Spec.Resources != nil {
		both("spec.resources", -1, "", pod.Spec.Resources)
	}
	visit(amountList{list: pod.Spec.Overhead, in: "spec.overhead", index: -1})
	reported := func(in string, list []corev1.ContainerStatus) {
		for i := range list {
			if r := list[i].Resources; r != nil {
				visit(amountList{list: r.Requests, in: in, index: i, rest: ".resources.requests"})
			}
			visit(amountList{list: list[i].AllocatedResources, in: in, index: i, rest: ".allocatedResources"})
		}
	}
	reported("status.containerStatuses", pod.Status.ContainerStatuses)
	reported("status.initContainerStatuses", pod.Status.InitContainerStatuses)
	if pod.Status.Resources != nil {
		visit(amountList{list: pod.Status.Resources.Requests, in: "status.resources.requests", index: -1})
	}
	visit(amountList{list: pod.Status.AllocatedResources, in: "status.allocatedResources", index: -1})
	for i := range pod.Status.NodeAllocatableResourceClaimStatuses {
		visit(amountList{list: pod.Status.NodeAllocatableResourceClaimStatuses[i].Resources,
			in: "status.nodeAllocatableResourceClaimStatuses", index: i, rest: ".resources"})
	}
}

// bounded is a copy of a pod with every quantity held at zero and at its bound.
func bounded(pod *corev1.Pod) *corev1.Pod {
	out := pod.DeepCopy()
	eachList(out, func(l amountList) {
		for name, q := range l.list { // order-free: each by itself
			if v, wrong := within(name, q, objectBound); wrong != "" {
				l.list[name] = quantityOf(string(name), v)
			}
		}
	})
	return out
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
	r.Requests = withDefaults(r.Requests, podLevel(formula.AggregateContainerRequests(pod, formula.PodResourcesOptions{}),
		false))
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
