package filters

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/storage/volume"

	"ashlar.sh/sched/ledger"
)

// unresolvable is which pods no node takes for want of volumes, for as long as no volume, claim and node changes: the
// first jobs of queues in order are asked about in each cycle.
type unresolvable struct {
	of    map[*corev1.Pod]bool
	stock uint64
	facts ledger.Cursor
}

// Unresolvable implements policy.Unresolvable. A volume belongs to its claim whether a pod uses it or not, so that no
// end of a pod gives one. Where a claim waits for its volume and some volume would do, on whatever node, or one can be
// made, it says false.
func (v *Volumes) Unresolvable(t ledger.TaskID) bool {
	task := v.l.Task(t)
	if v.off || !v.Concerns(task.Pod.Spec) {
		return false
	}
	q := v.ask(task)
	if q.claims == nil {
		return true
	}
	u := &v.unresolvable
	if now := v.l.Changes.NodeFacts.Now(); u.of == nil || u.stock != v.version || u.facts != now {
		*u = unresolvable{map[*corev1.Pod]bool{}, v.version, now}
	}
	never, known := u.of[q.pod]
	if !known {
		never = v.nowhere(task, q.pod)
		u.of[q.pod] = never
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
	for _, one := range v.stores[Volume].List() {
		pv, ok := one.(*corev1.PersistentVolume)
		if ok && pv.DeletionTimestamp == nil && volume.GetPersistentVolumeClass(pv) == name &&
			(pv.Spec.ClaimRef == nil || volume.IsVolumeBoundToClaim(pv, claim)) {
			return true
		}
	}
	return false
}
