package filters

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/storage/volume"

	"ashlar.sh/sched/ledger"
)

// unresolvable is which pods no node takes for want of volumes, for as long as no volume, claim and node changes: the
// first jobs of queues in order are asked about in each cycle.
type unresolvable struct {
	of    map[*corev1.Pod]bool
	free  map[string]bool                       // the classes with a volume that no claim has
	given map[string][]*corev1.PersistentVolume // by the claim that has it, namespace/name
	stock uint64
	facts ledger.Cursor
}

// mostUnresolvable is of how many pods that is remembered: a pod that is written to is another one.
const mostUnresolvable = 10_000

// podOf is a task's pod as it was read; nil where the task came without it.
func podOf(task *ledger.Task) *corev1.Pod {
	pod, _ := task.Pod.Opaque.(*corev1.Pod)
	return pod
}

// Unresolvable implements policy.Unresolvable. A volume belongs to its claim whether a pod uses it or not, so that no
// end of a pod gives one. Where a claim waits for its volume and some volume would do, on whatever node, or one can be
// made, it says false.
func (v *Volumes) Unresolvable(t ledger.TaskID) bool {
	task := v.l.Task(t)
	if v.off || !v.Concerns(task.Pod.Spec) {
		return false
	}
	u, pod := &v.unresolvable, podOf(task)
	now := v.l.Changes.NodeFacts.Now()
	if u.of == nil || u.stock != v.version || u.facts != now || len(u.of) > mostUnresolvable {
		*u = unresolvable{of: map[*corev1.Pod]bool{}, stock: v.version, facts: now}
	}
	never, known := u.of[pod]
	if !known { // to ask costs a look at all volumes of a class
		never = v.ask(task).claims == nil || v.nowhere(task, pod)
		u.of[pod] = never
	}
	return never
}

// nowhere says that the claims of a task, which are all there, cannot be met on any node.
func (v *Volumes) nowhere(task *ledger.Task, pod *corev1.Pod) bool {
	waits := false
	for _, name := range claimsOf(pod) {
		if c, _, _ := v.stores[Claim].GetByKey(name); c != nil {
			if claim, ok := c.(*corev1.PersistentVolumeClaim); ok && claim.Spec.VolumeName == "" {
				if waits = true; !v.obtainable(claim) {
					return true
				}
			}
		}
	}
	if waits {
		return false
	}
	for n := range ledger.NodeID(v.l.Nodes.Len()) {
		if v.l.Node(n).Fact == nil {
			continue
		}
		if found, _ := v.find(task, n); found != nil {
			return false
		}
	}
	return true
}

// obtainable says that a volume can be made for a claim, or that there is one which no other claim has.
func (v *Volumes) obtainable(claim *corev1.PersistentVolumeClaim) bool {
	name := volume.GetPersistentVolumeClaimClass(claim)
	of, _, _ := v.stores[StorageClass].GetByKey(name)
	if class, ok := of.(*storagev1.StorageClass); ok && class.Provisioner != volume.NotSupportedProvisioner {
		return true
	}
	v.look()
	return v.free[name] || slices.ContainsFunc(v.given[key(claim)], func(pv *corev1.PersistentVolume) bool {
		return volume.GetPersistentVolumeClass(pv) == name && volume.IsVolumeBoundToClaim(pv, claim)
	})
}

// look finds out once, until something changes, which volumes are free.
func (v *Volumes) look() {
	if v.free != nil {
		return
	}
	v.free, v.given = map[string]bool{}, map[string][]*corev1.PersistentVolume{}
	for _, one := range v.stores[Volume].List() { // order-free: sets
		pv, ok := one.(*corev1.PersistentVolume)
		switch {
		case !ok || pv.DeletionTimestamp != nil:
		case pv.Spec.ClaimRef == nil:
			v.free[volume.GetPersistentVolumeClass(pv)] = true
		default:
			to := cache.NewObjectName(pv.Spec.ClaimRef.Namespace, pv.Spec.ClaimRef.Name).String()
			v.given[to] = append(v.given[to], pv)
		}
	}
}
