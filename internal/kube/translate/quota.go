package translate

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Quota translates a ResourceQuota: what bounds requests, by the resource's own name.
// Where cpu and requests.cpu are both there, the smaller limit holds. A quota with
// scopes is empty (see model.Quota). Whatever is wrong with one amount, the others hold.
func Quota(q *corev1.ResourceQuota) *model.Quota {
	var f faults
	out := &model.Quota{Meta: meta(&q.ObjectMeta)}
	if len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil {
		f.taken("spec.scopes", "quotas with scopes are not heeded before pods exist: the API server holds them then")
		out.Faults = f
		return out
	}
	out.Hard = f.bounds("spec.hard", q.Spec.Hard, func(a, b int64) int64 { return min(a, b) })
	out.Used = f.bounds("status.used", q.Status.Used, func(a, b int64) int64 { return max(a, b) })
	out.Faults = f
	return out
}

// bounds lists what a quota says of requests; both joins two names of one resource.
func (f *faults) bounds(path string, list corev1.ResourceList, both func(a, b int64) int64) resource.List {
	found := map[string]int64{}
	var out resource.List
	for _, name := range names(list) {
		of, requests := strings.CutPrefix(string(name), "requests.")
		if of == string(corev1.ResourcePods) || of == string(corev1.ResourceStorage) || quotaOnly(of) {
			continue
		}
		if !requests && !byName(of) {
			continue
		}
		v := f.clamped(at(path, string(name)), corev1.ResourceName(of), list[name], clusterBound)
		if other, twice := found[of]; twice {
			v = both(v, other)
		}
		found[of] = v
	}
	for of, v := range found { // order-free: sorted by Normalize
		out = append(out, resource.Amount{Name: of, Value: v})
	}
	return resource.Normalize(out)
}

// byName says that a quota may bound requests of a resource by its name alone. Others,
// such as devices, have to be written requests.NAME.
func byName(name string) bool {
	switch corev1.ResourceName(name) {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return true
	}
	return strings.HasPrefix(name, corev1.ResourceHugePagesPrefix)
}
