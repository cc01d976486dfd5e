package translate

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	nodeinfov1alpha1 "volcano.sh/apis/pkg/apis/nodeinfo/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/model"
)

// The bounds of a report about a node's NUMA nodes.
const (
	mostCPUs      = 4096
	mostNUMANodes = 64
)

// processor is one processor of a report.
type processor struct{ id, numa, socket, core int }

// NUMA translates a report about the NUMA nodes of the node of its name. A report with an error
// is set aside: the free cpus would be a guess. Of the reported resources only cpus count.
func NUMA(r *nodeinfov1alpha1.Numatopology) *model.NUMA {
	var f faults
	out := &model.NUMA{
		Meta:   meta(&r.ObjectMeta),
		Static: r.Spec.Policies[nodeinfov1alpha1.CPUManagerPolicy] == "static",
		Policy: f.numaPolicy("spec.policies.TopologyManagerPolicy", r.Spec.Policies[nodeinfov1alpha1.TopologyManagerPolicy]),
	}
	free, ok := cpuSet(r.Spec.NumaResMap[string(corev1.ResourceCPU)].Allocatable)
	if !ok {
		f.fatal("spec.numares.cpu.allocatable", "%q is no list of cpus, as 0-3,8 is, of numbers below %d",
			short(r.Spec.NumaResMap[string(corev1.ResourceCPU)].Allocatable), mostCPUs)
	}
	all := f.cpus(r.Spec.CPUDetail)
	reserved := f.reservedCPUs(r.Spec.ResReserved[string(corev1.ResourceCPU)])
	for i, c := range all {
		k := slices.IndexFunc(out.Nodes, func(x model.NUMANode) bool { return x.ID == int32(c.numa) })
		if k < 0 {
			k = len(out.Nodes)
			out.Nodes = append(out.Nodes, model.NUMANode{ID: int32(c.numa)})
		}
		node := &out.Nodes[k]
		node.CPUs++
		if int64(i) < reserved {
			continue
		}
		node.Usable++
		if free[c.id] {
			node.Free++
		}
	}
	slices.SortFunc(out.Nodes, func(a, b model.NUMANode) int { return cmp.Compare(a.ID, b.ID) })
	if len(out.Nodes) > mostNUMANodes {
		f.fatal("spec.cpuDetail", "it has %d NUMA nodes, more than %d", len(out.Nodes), mostNUMANodes)
	}
	out.Faults = f
	return out
}

// cpus lists the processors of a report in the order in which a kubelet reserves them: whole
// cores of the first socket first.
func (f *faults) cpus(detail map[string]nodeinfov1alpha1.CPUInfo) (out []processor) {
	if len(detail) > mostCPUs {
		f.fatal("spec.cpuDetail", "it has %d cpus, more than %d", len(detail), mostCPUs)
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(detail)) {
		d := detail[key]
		id, err := strconv.Atoi(key)
		if err != nil || id < 0 || id >= mostCPUs || d.NUMANodeID < 0 || d.NUMANodeID >= mostCPUs {
			f.fatal(at("spec.cpuDetail", key), "it is no cpu of a NUMA node, both numbered from 0 to %d", mostCPUs-1)
			return nil
		}
		out = append(out, processor{id, d.NUMANodeID, d.SocketID, d.CoreID})
	}
	slices.SortFunc(out, func(a, b processor) int {
		return cmp.Or(cmp.Compare(a.socket, b.socket), cmp.Compare(a.core, b.core), cmp.Compare(a.id, b.id))
	})
	return out
}

// reservedCPUs is how many whole cpus are kept for the system.
func (f *faults) reservedCPUs(text string) int64 {
	if text == "" {
		return 0
	}
	q, err := quantity.ParseQuantity(text)
	if err != nil || q.Sign() < 0 || q.CmpInt64(mostCPUs) > 0 {
		f.fatal("spec.resReserved.cpu", "%q is no amount of cpus", short(text))
		return 0
	}
	return q.Value() // rounded up
}

// numaPolicy reads a policy of Kubernetes' topology manager; nothing is none.
func (f *faults) numaPolicy(field, text string) model.NUMAPolicy {
	switch p := model.NUMAPolicy(text); p {
	case "":
		return model.NUMANone
	case model.NUMANone, model.NUMABestEffort, model.NUMARestricted, model.NUMASingle:
		return p
	}
	f.taken(field, "%q is none of none, best-effort, restricted and single-numa-node: none taken", short(text))
	return model.NUMANone
}

// cpuSet reads a list of cpus: 0-3,8.
func cpuSet(text string) (set map[int]bool, ok bool) {
	set = map[int]bool{}
	if text = strings.TrimSpace(text); text == "" {
		return set, true
	}
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(low)
		last := first
		if isRange && err == nil {
			last, err = strconv.Atoi(high)
		}
		if err != nil || first < 0 || last < first || last >= mostCPUs {
			return nil, false
		}
		for i := first; i <= last; i++ {
			set[i] = true
		}
	}
	return set, true
}

// numa returns what a pod requests of NUMA nodes; nil unless the pod is Guaranteed, since only such a pod gets CPUs of
// its own. Containers that end before the others start do not count: the others get the same CPUs.
func (f *faults) numa(p *corev1.Pod) *model.NUMADemand {
	policy := f.numaPolicy(annotation(schedulingv1beta1.NumaPolicyKey), p.Annotations[schedulingv1beta1.NumaPolicyKey])
	if !guaranteed(p) {
		return nil
	}
	d := &model.NUMADemand{Policy: policy}
	for i := range p.Spec.Containers {
		d.Cores = wholeCores(d.Cores, &p.Spec.Containers[i])
	}
	for i := range p.Spec.InitContainers {
		if c := &p.Spec.InitContainers[i]; c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			d.Cores = wholeCores(d.Cores, c)
		}
	}
	slices.Sort(d.Cores)
	if len(d.Cores) == 0 && policy == model.NUMANone {
		return nil
	}
	return d
}

// wholeCores adds a container's cpus where it asks for whole ones.
func wholeCores(list []int32, c *corev1.Container) []int32 {
	q := c.Resources.Limits[corev1.ResourceCPU]
	if n := q.Value(); n > 0 && q.CmpInt64(n) == 0 && n <= mostCPUs {
		return append(list, int32(n))
	}
	return list
}

// guaranteed says that a pod has Kubernetes' quality of service of that name: each of its
// containers has limits for cpu and memory, and requests as much.
func guaranteed(p *corev1.Pod) bool {
	for _, list := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range list {
			r := &list[i].Resources
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
				limit := r.Limits[name]
				request, given := r.Requests[name]
				if limit.Sign() <= 0 || given && request.Cmp(limit) != 0 {
					return false
				}
			}
		}
	}
	return len(p.Spec.Containers) > 0 && p.Spec.Resources == nil
}
