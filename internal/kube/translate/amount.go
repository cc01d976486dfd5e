package translate

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"gopkg.in/inf.v0"
	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"

	"ashlar.sh/sched/resource"
)

// objectBound is the most of a resource that a Node or a Pod has, in the units of the engine: 256Ti of
// what counts whole, billions of cores, and 256Ti of anything else, which some count in bytes.
func objectBound(name string) int64 {
	if milli(name) && name != string(corev1.ResourceCPU) {
		return 1000 << 48
	}
	return 1 << 48
}

// clusterBound is the same for a Queue or a PodGroup, which may speak for a whole cluster.
func clusterBound(name string) int64 {
	if milli(name) && name != string(corev1.ResourceCPU) {
		return 1 << 62
	}
	return 1 << 60
}

// amounts translates a list, sorted by name. Amounts that cannot be are fatal faults
// under path and left out; names that only quotas know are left out silently.
func (f *faults) amounts(path string, list corev1.ResourceList, bound func(string) int64) resource.List {
	if list == nil {
		return nil
	}
	out := make(resource.List, 0, len(list))
	for _, name := range names(list) {
		v, ok := f.amount(at(path, string(name)), name, list[name], bound)
		if ok && !quotaOnly(string(name)) {
			out = append(out, resource.Amount{Name: string(name), Value: v})
		}
	}
	return out
}

// amount translates one quantity, and is false when it cannot be.
func (f *faults) amount(field string, name corev1.ResourceName, q quantity.Quantity, bound func(string) int64) (int64,
	bool) {
	v, wrong := within(name, q, bound)
	if wrong != "" {
		f.fatal(field, "%s", wrong)
	}
	return v, wrong == ""
}

// offered translates a list of which an amount that cannot be costs that resource alone: below zero
// there is none, and above its bound there is as much as the bound.
func (f *faults) offered(path string, list corev1.ResourceList) resource.List {
	return f.bounded(path, list, objectBound)
}

func (f *faults) bounded(path string, list corev1.ResourceList, bound func(string) int64) resource.List {
	if list == nil {
		return nil
	}
	out := make(resource.List, 0, len(list))
	for _, name := range names(list) {
		if quotaOnly(string(name)) {
			continue
		}
		v := f.clamped(at(path, string(name)), name, list[name], bound)
		out = append(out, resource.Amount{Name: string(name), Value: v})
	}
	return out
}

// clamped translates one quantity, held at zero and at its bound.
func (f *faults) clamped(field string, name corev1.ResourceName, q quantity.Quantity, bound func(string) int64) int64 {
	v, wrong := within(name, q, bound)
	if wrong != "" {
		f.taken(field, "%s: %s taken", wrong, written(string(name), v))
	}
	return v
}

// within is a quantity in the units of the engine and what is wrong with it, "" where nothing is.
// What is wrong is held at zero or at its bound.
func within(name corev1.ResourceName, q quantity.Quantity, bound func(string) int64) (v int64, wrong string) {
	if q.Sign() < 0 {
		return 0, fmt.Sprintf("%s is negative", short(q.String()))
	}
	most := bound(string(name))
	v, ok := units(q, milli(string(name)), most)
	if !ok {
		return most, fmt.Sprintf("%s is more than the bound of %s", short(q.String()), written(string(name), most))
	}
	return v, ""
}

// names lists the names in order.
func names(list corev1.ResourceList) []corev1.ResourceName {
	out := make([]corev1.ResourceName, 0, len(list))
	for name := range list {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// milli says that a resource is counted in thousandths. What is counted whole: bytes,
// volumes, places for pods.
func milli(name string) bool {
	switch corev1.ResourceName(name) {
	case corev1.ResourceMemory, corev1.ResourceEphemeralStorage, corev1.ResourcePods:
		return false
	}
	return !strings.HasPrefix(name, corev1.ResourceHugePagesPrefix) &&
		!strings.HasPrefix(name, corev1.ResourceAttachableVolumesPrefix)
}

// quotaOnly says that a name limits how much of something a namespace may ask for; no
// node offers it.
func quotaOnly(name string) bool {
	switch corev1.ResourceName(name) {
	case corev1.ResourceServices, corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers,
		corev1.ResourceReplicationControllers, corev1.ResourceQuotas, corev1.ResourceSecrets,
		corev1.ResourceConfigMaps, corev1.ResourcePersistentVolumeClaims, corev1.ResourceStorage:
		return true
	}
	return strings.HasPrefix(name, "count/") || strings.HasPrefix(name, "requests.") ||
		strings.HasPrefix(name, "limits.") || strings.Contains(name, ".storageclass.storage.k8s.io/")
}

// units converts without the wraps and saturations of Quantity's own methods: parts of a
// unit round up, and false means more than bound. The quantity is not negative.
func units(q quantity.Quantity, milli bool, bound int64) (int64, bool) {
	if q.Sign() == 0 {
		return 0, true
	}
	factor := int64(1)
	if milli {
		factor = 1000
	}
	if v, whole := q.AsInt64(); whole {
		return v * factor, v <= bound/factor
	}
	scale := quantity.Scale(0)
	if milli {
		scale = quantity.Milli
	}
	d := q.AsDec()
	// A mantissa of n bits with k places behind the point exceeds 2^(n-1-4k) and one
	// with k zeros behind it 2^k: what is certainly too much is not computed.
	if k := int64(d.Scale()); int64(d.UnscaledBig().BitLen())-1-4*max(k, 0) > 64 || -k > 64 {
		return 0, false
	}
	whole := new(inf.Dec).Round(d, inf.Scale(-scale), inf.RoundUp)
	if !whole.UnscaledBig().IsInt64() || whole.UnscaledBig().Cmp(big.NewInt(bound)) > 0 {
		return 0, false
	}
	return whole.UnscaledBig().Int64(), true
}

// quantityOf is an amount as a quantity.
func quantityOf(name string, v int64) quantity.Quantity {
	switch {
	case milli(name):
		return *quantity.NewMilliQuantity(v, quantity.DecimalSI)
	case corev1.ResourceName(name) == corev1.ResourcePods || strings.HasPrefix(name,
		corev1.ResourceAttachableVolumesPrefix):
		return *quantity.NewQuantity(v, quantity.DecimalSI)
	default:
		return *quantity.NewQuantity(v, quantity.BinarySI)
	}
}

// written is an amount as a manifest would have it.
func written(name string, v int64) string {
	q := quantityOf(name, v)
	return q.String()
}
