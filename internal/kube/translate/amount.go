package translate

import (
	"math/big"
	"slices"
	"strings"

	"gopkg.in/inf.v0"
	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"

	"ashlar.sh/sched/resource"
)

// The bounds of an amount, in the units of the engine. A Node or a Pod has less than 281
// terabytes or billions of cores; a Queue or a PodGroup may speak for a whole cluster.
const (
	objectBound  = 1 << 48
	clusterBound = 1 << 60
)

// amounts translates a list, sorted by name. Amounts that cannot be are fatal faults
// under path and left out; names that only quotas know are left out silently.
func (f *faults) amounts(path string, list corev1.ResourceList, bound int64) resource.List {
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
func (f *faults) amount(field string, name corev1.ResourceName, q quantity.Quantity, bound int64) (int64, bool) {
	if q.Sign() < 0 {
		f.fatal(field, "%s is negative", short(q.String()))
		return 0, false
	}
	v, ok := units(q, milli(string(name)), bound)
	if !ok {
		f.fatal(field, "%s is more than the bound of %s", short(q.String()), written(string(name), bound))
	}
	return v, ok
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

// written is an amount as a manifest would have it.
func written(name string, v int64) string {
	if milli(name) {
		return quantity.NewMilliQuantity(v, quantity.DecimalSI).String()
	}
	if corev1.ResourceName(name) == corev1.ResourcePods || strings.HasPrefix(name, corev1.ResourceAttachableVolumesPrefix) {
		return quantity.NewQuantity(v, quantity.DecimalSI).String()
	}
	return quantity.NewQuantity(v, quantity.BinarySI).String()
}
