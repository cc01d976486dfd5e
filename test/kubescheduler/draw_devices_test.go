package kubescheduler

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// bar is a resource that devices meet, by the class that stands for it, or a device plugin.
const bar = "example.com/bar"

const deviceDriver = "dev.example.com"

func cut(key string) (namespace, name string, ok bool) { return strings.Cut(key, "/") }

// devicesOfCluster adds devices of nodes and of the network, their classes, and claims.
func (d *draw) devicesOfCluster() {
	d.add(deviceClass(d.meta("", "any", nil), ""))
	if d.percent(40) {
		named := deviceClass(d.meta("", "named", nil), "")
		named.Spec.ExtendedResourceName = pointer(bar)
		d.add(named)
	}
	d.add(deviceClass(d.meta("", "big", nil), fmt.Sprintf(`device.attributes[%q].size > 1`, deviceDriver)))
	for _, node := range d.nodes {
		if d.percent(65) {
			d.add(d.slice(node+"-devices", node, func(s *resourcev1.ResourceSliceSpec) { s.NodeName = &node }))
		}
	}
	if d.percent(25) {
		d.add(d.slice("network", "network", func(s *resourcev1.ResourceSliceSpec) { s.AllNodes = pointer(true) }))
	}
	if d.percent(25) {
		d.add(d.slice("zone", "zone", func(s *resourcev1.ResourceSliceSpec) {
			s.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone,
					Operator: corev1.NodeSelectorOpIn, Values: d.some("a", "b")}}}}}
		}))
	}
	for i := range 1 + d.upTo(4) {
		namespace, name := d.from("here", "here", "there"), fmt.Sprint("devices", i)
		d.devices = append(d.devices, namespace+"/"+name)
		c := &resourcev1.ResourceClaim{ObjectMeta: d.meta(namespace, name, nil), Spec: d.claimSpec()}
		if d.percent(35) {
			d.allocate(c)
		}
		if d.percent(93) {
			d.add(c)
		}
	}
}

func deviceClass(m metav1.ObjectMeta, selector string) *resourcev1.DeviceClass {
	c := &resourcev1.DeviceClass{ObjectMeta: m}
	c.Spec.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
		Expression: fmt.Sprintf("device.driver == %q", deviceDriver)}}}
	if selector != "" {
		c.Spec.Selectors = append(c.Spec.Selectors, resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{
			Expression: selector}})
	}
	return c
}

// slice is the devices of a pool.
func (d *draw) slice(name, pool string, where func(*resourcev1.ResourceSliceSpec)) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: d.meta("", name, nil)}
	s.Spec.Driver = deviceDriver
	s.Spec.Pool = resourcev1.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}
	if d.percent(5) {
		s.Spec.Pool.ResourceSliceCount = 2 // the other one is not there yet
	}
	where(&s.Spec)
	for i := range 1 + d.upTo(3) {
		of := resourcev1.Device{Name: fmt.Sprint("dev-", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
				"size": {IntValue: pointer(int64(1 + d.upTo(2)))}, "root": {StringValue: pointer(d.from("x", "y"))}}}
		if d.has("device taints") {
			of.Taints = []resourcev1.DeviceTaint{{Key: "broken", Value: d.from("", "yes"),
				Effect:    resourcev1.DeviceTaintEffect(d.from("NoSchedule", "NoExecute", "None")),
				TimeAdded: pointer(metav1.Unix(1_700_000_000, 0))}}
		}
		s.Spec.Devices = append(s.Spec.Devices, of)
	}
	return s
}

// claimSpec is what a claim asks for.
func (d *draw) claimSpec() (s resourcev1.ResourceClaimSpec) {
	selectors := func() (out []resourcev1.DeviceSelector) {
		if d.percent(30) {
			out = append(out, resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{
				Expression: fmt.Sprintf(`device.attributes[%q].root == %q`, deviceDriver, d.from("x", "y"))}})
		}
		return out
	}
	var names []string
	for i := range 1 + d.upTo(1) {
		r := resourcev1.DeviceRequest{Name: fmt.Sprint("r", i)}
		names = append(names, r.Name)
		if d.percent(20) {
			for k := range 2 {
				r.FirstAvailable = append(r.FirstAvailable, resourcev1.DeviceSubRequest{Name: fmt.Sprint("s", k),
					DeviceClassName: d.from("any", "big"), AllocationMode: resourcev1.DeviceAllocationModeExactCount,
					Count: int64(1 + d.upTo(2)), Selectors: selectors()})
			}
			s.Devices.Requests = append(s.Devices.Requests, r)
			continue
		}
		e := &resourcev1.ExactDeviceRequest{DeviceClassName: d.from("any", "any", "big", "missing"),
			Selectors:      selectors(),
			AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: int64(1 + d.upTo(1))}
		if d.percent(12) {
			e.AllocationMode, e.Count = resourcev1.DeviceAllocationModeAll, 0
		}
		if d.percent(5) && e.DeviceClassName == "missing" {
			e.DeviceClassName = "any"
		}
		if d.has("device taints") {
			e.Tolerations = []resourcev1.DeviceToleration{{Key: "broken",
				Operator: resourcev1.DeviceTolerationOpExists}}
		}
		r.Exactly = e
		s.Devices.Requests = append(s.Devices.Requests, r)
	}
	if d.percent(20) {
		attribute := resourcev1.FullyQualifiedName(deviceDriver + "/root")
		s.Devices.Constraints = []resourcev1.DeviceConstraint{{Requests: names, MatchAttribute: &attribute}}
	}
	return s
}

// allocate gives a claim a device of some pool that no other claim has.
func (d *draw) allocate(c *resourcev1.ResourceClaim) {
	taken := map[string]bool{}
	for _, o := range of[*resourcev1.ResourceClaim](d.objects) {
		if o.Status.Allocation != nil {
			for _, r := range o.Status.Allocation.Devices.Results {
				taken[r.Pool+"/"+r.Device] = true
			}
		}
	}
	for _, s := range of[*resourcev1.ResourceSlice](d.objects) {
		name := s.Spec.Devices[0].Name
		if taken[s.Spec.Pool.Name+"/"+name] || d.percent(40) {
			continue
		}
		a := &resourcev1.AllocationResult{}
		request := c.Spec.Devices.Requests[0].Name
		if len(c.Spec.Devices.Requests[0].FirstAvailable) > 0 {
			request += "/" + c.Spec.Devices.Requests[0].FirstAvailable[0].Name
		}
		a.Devices.Results = []resourcev1.DeviceRequestAllocationResult{{Request: request, Driver: deviceDriver,
			Pool: s.Spec.Pool.Name, Device: name}}
		if s.Spec.NodeName != nil {
			a.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField,
					Operator: corev1.NodeSelectorOpIn,
					Values:   []string{*s.Spec.NodeName}}}}}}
		} else {
			a.NodeSelector = s.Spec.NodeSelector
		}
		c.Status.Allocation = a
		if d.percent(50) {
			c.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "gone",
				UID: "uid-gone"}}
		}
		return
	}
}

// claimDevices lets a pod use resource claims, named ones and such as are made for it.
func (d *draw) claimDevices(p *corev1.Pod) {
	use := func(c corev1.PodResourceClaim) {
		c.Name = fmt.Sprint("d", len(p.Spec.ResourceClaims))
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, c)
		p.Spec.Containers[0].Resources.Claims = append(p.Spec.Containers[0].Resources.Claims,
			corev1.ResourceClaim{Name: c.Name})
	}
	for len(d.devices) > 0 && d.has("devices") && len(p.Spec.ResourceClaims) < 3 {
		if namespace, name, _ := cut(d.from(d.devices...)); namespace == p.Namespace {
			use(corev1.PodResourceClaim{ResourceClaimName: &name})
		}
	}
	if len(d.devices) == 0 || !d.has("devices of its own") {
		return
	}
	name := p.Name + "-own"
	for _, o := range of[*resourcev1.ResourceClaim](d.objects) {
		if o.Name == name && o.Namespace == p.Namespace {
			return
		}
	}
	use(corev1.PodResourceClaim{ResourceClaimTemplateName: pointer("template")})
	c := &resourcev1.ResourceClaim{ObjectMeta: d.meta(p.Namespace, name, nil), Spec: d.claimSpec()}
	c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID,
		Controller: pointer(true)}}
	c.Annotations = map[string]string{
		"resource.kubernetes.io/pod-claim-name": p.Spec.ResourceClaims[len(p.Spec.ResourceClaims)-1].Name}
	if d.percent(90) {
		p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{
			Name: p.Spec.ResourceClaims[len(p.Spec.ResourceClaims)-1].Name, ResourceClaimName: &name}}
		d.add(c)
	}
}
