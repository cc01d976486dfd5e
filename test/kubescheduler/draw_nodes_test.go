package kubescheduler

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

const gpu, foo = "nvidia.com/gpu", "example.com/foo"

// The images that nodes hold and pods name, with their sizes.
var images = map[string]int64{"small:1": 5 << 20, "medium:1": 300 << 20, "large:1": 1500 << 20,
	"registry.example.com/huge:latest": 3 << 30}

var imageNames = []string{"small:1", "medium:1", "large:1", "registry.example.com/huge:latest"}

func (d *draw) node(name string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: d.meta("", name, map[string]string{corev1.LabelHostname: name,
		"kubernetes.io/os": "linux"})}
	if d.has("odd hostnames") {
		if n.Labels[corev1.LabelHostname] = d.from("n0", "elsewhere"); d.percent(50) {
			delete(n.Labels, corev1.LabelHostname)
		}
	}
	label := func(percent int, key string, values ...string) {
		if v := d.from(values...); d.percent(percent) {
			n.Labels[key] = v
		}
	}
	label(85, corev1.LabelTopologyZone, "a", "b", "c")
	label(50, "rack", "r1", "r2")
	label(50, "disk", "ssd", "hdd")
	label(50, "tier", "1", "2", "10", "x")
	if d.has("regions") {
		label(80, corev1.LabelTopologyRegion, "east", "west")
	}
	if d.has("old zones") {
		label(80, corev1.LabelFailureDomainBetaZone, "a", "b", "c")
	}
	for d.percent(60) && d.has("taints") {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: d.from("dedicated", "slow"), Value: d.from("", "a",
			"b"),
			Effect: corev1.TaintEffect(d.from("NoSchedule", "PreferNoSchedule", "NoExecute"))})
	}
	n.Spec.Unschedulable = d.percent(30) && d.has("cordon")
	n.Status.Capacity = corev1.ResourceList{
		corev1.ResourceCPU:    d.quantity("1", "4", "4", "8", "16", "7500m"),
		corev1.ResourceMemory: d.quantity("1Gi", "4Gi", "4Gi", "8Gi", "16Gi", "9000M"),
		corev1.ResourcePods:   d.quantity("110", "110", "110", "8", "2"),
	}
	if d.has("node disks") {
		n.Status.Capacity[corev1.ResourceEphemeralStorage] = d.quantity("1Gi", "10Gi")
	}
	if d.has("huge pages") {
		n.Status.Capacity["hugepages-2Mi"] = d.quantity("0", "64Mi", "256Mi")
	}
	if d.has("gpus") {
		n.Status.Capacity[gpu] = d.quantity("0", "1", "2", "4")
	}
	if d.has("extended") {
		n.Status.Capacity[foo] = d.quantity("0", "1", "3")
	}
	n.Status.Allocatable = corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{"cpu", "memory", "pods", "ephemeral-storage", "hugepages-2Mi", gpu,
		foo} {
		if q, has := n.Status.Capacity[name]; has {
			n.Status.Allocatable[name] = q
		}
	}
	if d.often("images") {
		for _, image := range d.some(imageNames...) {
			names := []string{image}
			if d.percent(30) {
				names = append(names, fmt.Sprint("alias-of-", len(image), ":1"))
			}
			n.Status.Images = append(n.Status.Images, corev1.ContainerImage{Names: names, SizeBytes: images[image]})
		}
	}
	if d.often("declared features") {
		n.Status.DeclaredFeatures = d.some("InPlacePodLevelResourcesVerticalScaling",
			"RestartAllContainersOnContainerExits")
	}
	return n
}

// requests of a container, and their limits.
func (d *draw) resources() (r corev1.ResourceRequirements) {
	r.Requests, r.Limits = corev1.ResourceList{}, corev1.ResourceList{}
	ask := func(percent int, name corev1.ResourceName, amounts ...string) {
		if !d.percent(percent) {
			return
		}
		q := d.quantity(amounts...)
		switch d.upTo(3) {
		case 0:
			r.Limits[name] = q
		case 1:
			r.Requests[name], r.Limits[name] = q, q
		default:
			r.Requests[name] = q
		}
	}
	empty := 0
	if d.has("no requests") {
		empty = 40
	}
	ask(100-empty, corev1.ResourceCPU, "100m", "250m", "500m", "1", "2", "0")
	ask(100-empty, corev1.ResourceMemory, "64Mi", "256Mi", "512Mi", "1Gi", "100M", "0")
	if d.has("pods' disks") && d.offered(corev1.ResourceEphemeralStorage) {
		ask(100, corev1.ResourceEphemeralStorage, "100Mi", "1Gi")
	}
	both := func(name corev1.ResourceName, amounts ...string) {
		if !d.offered(name) && d.percent(90) {
			return
		}
		q := d.quantity(amounts...)
		r.Requests[name], r.Limits[name] = q, q
	}
	if d.has("huge page pods") {
		both("hugepages-2Mi", "2Mi", "64Mi")
	}
	if d.has("gpu pods") {
		both(gpu, "1", "2")
	}
	if d.has("extended pods") {
		both(foo, "1", "0")
	}
	if d.waiting && len(of[*resourcev1.DeviceClass](d.objects)) > 0 && d.has("bars") {
		name := corev1.ResourceName(d.from(bar, bar, resourcev1.ResourceDeviceClassPrefix+"any"))
		q := d.quantity("1", "2")
		r.Requests[name], r.Limits[name] = q, q
	}
	return r
}

// amounts is one amount of cpu and memory for a whole pod.
func (d *draw) amounts(cpu, memory []string) corev1.ResourceList {
	out := corev1.ResourceList{}
	if d.percent(80) {
		out[corev1.ResourceCPU] = resource.MustParse(d.from(cpu...))
	}
	if d.percent(80) {
		out[corev1.ResourceMemory] = resource.MustParse(d.from(memory...))
	}
	return out
}

// offered says that some node offers a resource.
func (d *draw) offered(name corev1.ResourceName) bool {
	return slices.ContainsFunc(of[*corev1.Node](d.objects), func(n *corev1.Node) bool {
		q := n.Status.Allocatable[name]
		return !q.IsZero()
	})
}
