package filters

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/storage/volume"

	"ashlar.sh/sched/ledger"
)

// unresolvable is which pods no node takes for want of volumes, for as long as no volume, claim and node changes: the
// first jobs of queues in order are asked about in each cycle. What it needs for that is found once until then.
type unresolvable struct {
	of    map[*corev1.Pod]bool
	stock uint64
	facts ledger.Cursor

	free  map[string][]*corev1.PersistentVolume // that no claim has, by class; nil: not looked yet
	given map[string][]*corev1.PersistentVolume // by the claim that has it, namespace/name
	meets map[string]bool                       // whether a free one does, by what a claim asks for
	sites map[string]map[string]bool            // the values that nodes have of a label, by label
}

// mostUnresolvable is of how many pods that is remembered: a pod that is written to is another one.
const mostUnresolvable = 100_000

// podOf is a task's pod as it was read; nil where the task came without it.
func podOf(task *ledger.Task) *corev1.Pod {
	pod, _ := task.Pod.Opaque.(*corev1.Pod)
	return pod
}

// Unresolvable implements policy.Unresolvable. A volume belongs to its claim whether a pod uses it or not, so that no
// end of a pod gives one; the claims of generic ephemeral volumes are not counted, they end with their pods. Where a
// claim waits for its volume and one can be made, or some volume would do, on whatever node, it says false.
func (v *Volumes) Unresolvable(t ledger.TaskID) bool {
	task := v.l.Task(t)
	if v.off || !v.Concerns(task.Pod.Spec) {
		return false
	}
	u, pod := &v.unresolvable, podOf(task)
	if pod == nil {
		return true // its claims are not known, and no node takes it
	}
	now := v.l.Changes.NodeFacts.Now()
	if u.of == nil || u.stock != v.version || u.facts != now || len(u.of) > mostUnresolvable {
		*u = unresolvable{of: map[*corev1.Pod]bool{}, stock: v.version, facts: now}
	}
	never, known := u.of[pod]
	if !known { // to ask costs a look at all volumes of a class
		never = v.never(pod)
		u.of[pod] = never
	}
	return never
}

// never says that a claim of a pod is not there, will not get a volume, or that no node has what all its volumes ask
// of one.
func (v *Volumes) never(pod *corev1.Pod) bool {
	asked := map[string][]string{} // by label: the values that all volumes allow
	for _, name := range claimsOf(pod) {
		c, _, _ := v.stores[Claim].GetByKey(name)
		claim, there := c.(*corev1.PersistentVolumeClaim)
		switch {
		case !there, claim.DeletionTimestamp != nil, claim.Status.Phase == corev1.ClaimLost:
			return true
		case claim.Spec.VolumeName != "":
			if pv, _, _ := v.stores[Volume].GetByKey(claim.Spec.VolumeName); pv != nil {
				narrow(asked, pv)
			}
		case !v.obtainable(claim):
			return true
		}
	}
	for label, values := range asked { // order-free: whether there is one
		if at := v.valuesOf(label); !slices.ContainsFunc(values, func(s string) bool { return at[s] }) {
			return true
		}
	}
	return false
}

// narrow takes from the values of labels those that a volume cannot be used with. Of a volume that is on one node that
// is enough; where a volume leaves a choice between several rules, none is looked at.
func narrow(asked map[string][]string, object any) {
	pv, _ := object.(*corev1.PersistentVolume)
	if pv == nil || pv.Spec.NodeAffinity == nil || pv.Spec.NodeAffinity.Required == nil ||
		len(pv.Spec.NodeAffinity.Required.NodeSelectorTerms) != 1 {
		return
	}
	for _, e := range pv.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions {
		if e.Operator != corev1.NodeSelectorOpIn {
			continue
		}
		before, some := asked[e.Key]
		asked[e.Key] = slices.DeleteFunc(slices.Clone(e.Values), func(s string) bool {
			return some && !slices.Contains(before, s)
		})
	}
}

// valuesOf are the values that nodes have of a label.
func (v *Volumes) valuesOf(label string) map[string]bool {
	if v.sites == nil {
		v.sites = map[string]map[string]bool{}
	}
	at, known := v.sites[label]
	if known {
		return at
	}
	at = map[string]bool{}
	for n := range ledger.NodeID(v.l.Nodes.Len()) {
		fact := v.l.Node(n).Fact
		if fact == nil {
			continue
		}
		for _, l := range fact.Labels {
			if l.Key == label {
				at[l.Value] = true
			}
		}
	}
	v.sites[label] = at
	return at
}

// obtainable says that a volume can be made for a claim, or that one would do which no other claim has.
func (v *Volumes) obtainable(claim *corev1.PersistentVolumeClaim) bool {
	name := volume.GetPersistentVolumeClaimClass(claim)
	of, _, _ := v.stores[StorageClass].GetByKey(name)
	if class, ok := of.(*storagev1.StorageClass); ok && class.Provisioner != volume.NotSupportedProvisioner {
		return true
	}
	v.look()
	if slices.ContainsFunc(v.given[key(claim)], func(pv *corev1.PersistentVolume) bool {
		return volume.GetPersistentVolumeClass(pv) == name && volume.IsVolumeBoundToClaim(pv, claim) && meets(claim, pv)
	}) {
		return true
	}
	asks := name + " " + claim.Spec.String() // pods of a job ask for the same
	some, known := v.meets[asks]
	if !known {
		selector, err := metav1.LabelSelectorAsSelector(claim.Spec.Selector)
		some = err == nil && slices.ContainsFunc(v.free[name], func(pv *corev1.PersistentVolume) bool {
			return meets(claim, pv) && (claim.Spec.Selector == nil || selector.Matches(labels.Set(pv.Labels)))
		})
		v.meets[asks] = some
	}
	return some
}

// meets says that a volume is large enough for a claim, and can be used in the ways that it asks for.
func meets(claim *corev1.PersistentVolumeClaim, pv *corev1.PersistentVolume) bool {
	has, asks := pv.Spec.Capacity[corev1.ResourceStorage], claim.Spec.Resources.Requests[corev1.ResourceStorage]
	return has.Cmp(asks) >= 0 && !volume.CheckVolumeModeMismatches(&claim.Spec, &pv.Spec) &&
		volume.CheckAccessModes(claim, pv)
}

// look finds out which volumes no claim has. One that is being deleted, or was released by a claim and is not cleaned,
// is none; one that is not available yet will be.
func (v *Volumes) look() {
	if v.free != nil {
		return
	}
	v.free, v.given = map[string][]*corev1.PersistentVolume{}, map[string][]*corev1.PersistentVolume{}
	v.meets = map[string]bool{}
	for _, one := range v.stores[Volume].List() { // order-free: whether one would do
		pv, ok := one.(*corev1.PersistentVolume)
		switch {
		case !ok || pv.DeletionTimestamp != nil:
		case pv.Spec.ClaimRef != nil:
			to := cache.NewObjectName(pv.Spec.ClaimRef.Namespace, pv.Spec.ClaimRef.Name).String()
			v.given[to] = append(v.given[to], pv)
		case pv.Status.Phase != corev1.VolumeReleased && pv.Status.Phase != corev1.VolumeFailed:
			name := volume.GetPersistentVolumeClass(pv)
			v.free[name] = append(v.free[name], pv)
		}
	}
}
