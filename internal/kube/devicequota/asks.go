package devicequota

import (
	"cmp"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// The names by which a Queue bounds devices, as with Volcano: deviceclass/gpu.example.com for how
// many, memory.deviceclass/gpu.example.com for what of their capacity is consumed.
const (
	classPrefix   = "deviceclass/"
	classCapacity = ".deviceclass/"
)

// OfDevices says that a name of a Queue's amounts is one of those, and whether it is of capacity.
func OfDevices(name string) (is, capacity bool) {
	capacity = strings.Contains(name, classCapacity)
	return capacity || strings.HasPrefix(name, classPrefix), capacity
}

// ask is what a claim takes of one of those names, in thousandths. A list has each name once, in order.
type ask struct {
	name  string
	value int64
}

// mostCounted bounds what is counted of a claim: beyond what any has, and far enough from where a sum
// would wrap.
const mostCounted = 1 << 60

// asksOf returns what a claim counts for, as Kubernetes' ResourceQuota counts it. A claim with devices counts for
// those. A claim without devices counts for its requests: of alternatives the largest number for each class, and for
// allocationMode All as many devices as a claim can have. Access for administrators takes no device.
func asksOf(c *resourcev1.ResourceClaim) []ask {
	sums := map[string]int64{}
	if a := c.Status.Allocation; a != nil {
		for i := range a.Devices.Results {
			r := &a.Devices.Results[i]
			if class := classOf(c, r.Request); class != "" && (r.AdminAccess == nil || !*r.AdminAccess) {
				takes(sums, class, 1, r.ConsumedCapacity)
			}
		}
		return listed(sums)
	}
	for i := range c.Spec.Devices.Requests {
		r := &c.Spec.Devices.Requests[i]
		if e := r.Exactly; e != nil && (e.AdminAccess == nil || !*e.AdminAccess) {
			takes(sums, e.DeviceClassName, counted(e.AllocationMode, e.Count), requested(e.Capacity))
		}
		most := map[string]int64{}
		for k := range r.FirstAvailable {
			s, one := &r.FirstAvailable[k], map[string]int64{}
			takes(one, s.DeviceClassName, counted(s.AllocationMode, s.Count), requested(s.Capacity))
			for name, v := range one { // order-free: a maximum of each
				most[name] = max(most[name], v)
			}
		}
		for name, v := range most { // order-free: a sum of each
			sums[name] = bounded(sums[name], v)
		}
	}
	return listed(sums)
}

func takes(sums map[string]int64, class string, count int64, capacity map[resourcev1.QualifiedName]resource.Quantity) {
	sums[classPrefix+class] = bounded(sums[classPrefix+class], times(1000, count))
	for dim, q := range capacity { // order-free: a sum of each
		name := string(dim) + classCapacity + class
		sums[name] = bounded(sums[name], times(thousandths(q), count))
	}
}

// counted is how many devices a request asks for; none in a mode of tomorrow.
func counted(mode resourcev1.DeviceAllocationMode, count int64) int64 {
	switch mode {
	case resourcev1.DeviceAllocationModeAll:
		return resourcev1.AllocationResultsMaxSize
	case resourcev1.DeviceAllocationModeExactCount, "":
		return max(count, 1)
	}
	return 0
}

func requested(c *resourcev1.CapacityRequirements) map[resourcev1.QualifiedName]resource.Quantity {
	if c == nil {
		return nil
	}
	return c.Requests
}

func thousandths(q resource.Quantity) int64 {
	if q.Sign() <= 0 {
		return 0
	}
	if q.CmpInt64(mostCounted/1000) > 0 {
		return mostCounted
	}
	return q.MilliValue()
}

func times(a, b int64) int64 {
	if a > 0 && b > mostCounted/a {
		return mostCounted
	}
	return a * b
}

func bounded(a, b int64) int64 { return min(a+b, mostCounted) }

// classOf is the class of the request, or alternative (request/alternative), of a claim that a device was
// allocated for; "" where the claim has none of that name.
func classOf(c *resourcev1.ResourceClaim, request string) string {
	name, alternative, _ := strings.Cut(request, "/")
	for i := range c.Spec.Devices.Requests {
		r := &c.Spec.Devices.Requests[i]
		if r.Name != name {
			continue
		}
		if r.Exactly != nil {
			return r.Exactly.DeviceClassName
		}
		for k := range r.FirstAvailable {
			if r.FirstAvailable[k].Name == alternative {
				return r.FirstAvailable[k].DeviceClassName
			}
		}
	}
	return ""
}

func listed(sums map[string]int64) []ask {
	out := make([]ask, 0, len(sums))
	for name, v := range sums { // order-free: sorted below
		if v > 0 {
			out = append(out, ask{name, v})
		}
	}
	slices.SortFunc(out, func(a, b ask) int { return cmp.Compare(a.name, b.name) })
	return out
}
