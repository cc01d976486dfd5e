package filters

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/storage/volume"
)

// unclaimed are the volumes that a claim may still get.
type unclaimed struct {
	// free are the largest that no claim has, or one that ends with its pod, by class, and of a class by how they can
	// be used; nil: not looked yet.
	free  map[string]map[string]*corev1.PersistentVolume
	given map[string][]*corev1.PersistentVolume // by the claim that has it, namespace/name
	as    uint64                                // Volumes.offers, when that was looked at
}

// obtainable says that a volume will be made for a claim once its pod has a node, or that one would do which no other
// claim has. Where volumes are made before there is a pod, none may ever come, so it says false until one is there. A
// claim's selector is not looked at.
func (v *Volumes) obtainable(claim *corev1.PersistentVolumeClaim) bool {
	name := volume.GetPersistentVolumeClaimClass(claim)
	o, _, _ := v.stores[StorageClass].GetByKey(name)
	if class, ok := o.(*storagev1.StorageClass); ok && v.provisions(class) {
		return true
	}
	v.look()
	for _, pv := range v.free[name] { // order-free: whether one would do
		if meets(claim, pv) {
			return true
		}
	}
	return slices.ContainsFunc(v.given[key(claim)], func(pv *corev1.PersistentVolume) bool {
		return volume.IsVolumeBoundToClaim(pv, claim) && meets(claim, pv)
	})
}

// provisions says that volumes of a class are made for the nodes of pods, and for some node.
func (v *Volumes) provisions(class *storagev1.StorageClass) bool {
	if class.Provisioner == volume.NotSupportedProvisioner || class.VolumeBindingMode == nil ||
		*class.VolumeBindingMode != storagev1.VolumeBindingWaitForFirstConsumer {
		return false
	}
	return len(class.AllowedTopologies) == 0 ||
		slices.ContainsFunc(class.AllowedTopologies, func(term corev1.TopologySelectorTerm) bool {
			asked := map[string][]string{}
			for _, e := range term.MatchLabelExpressions {
				asked[e.Key] = e.Values
			}
			return v.somewhere(asked)
		})
}

// meets says that a volume is of a claim's class, large enough for it, and can be used in the ways that it asks for.
func meets(claim *corev1.PersistentVolumeClaim, pv *corev1.PersistentVolume) bool {
	has, asks := pv.Spec.Capacity[corev1.ResourceStorage], claim.Spec.Resources.Requests[corev1.ResourceStorage]
	return volume.GetPersistentVolumeClass(pv) == volume.GetPersistentVolumeClaimClass(claim) && has.Cmp(asks) >= 0 &&
		!volume.CheckVolumeModeMismatches(&claim.Spec, &pv.Spec) && volume.CheckAccessModes(claim, pv)
}

// look finds out which volumes no claim has. One that is being deleted is none, nor is one that no node can use.
func (v *Volumes) look() {
	if v.free != nil && v.as == v.offers {
		return
	}
	v.as, v.free = v.offers, map[string]map[string]*corev1.PersistentVolume{}
	v.given = map[string][]*corev1.PersistentVolume{}
	for _, one := range v.stores[Volume].List() { // order-free: the largest, of which the name does not matter
		pv, ok := one.(*corev1.PersistentVolume)
		if !ok || pv.DeletionTimestamp != nil || !v.usable(pv) {
			continue
		}
		if ref := pv.Spec.ClaimRef; ref != nil {
			to := cache.NewObjectName(ref.Namespace, ref.Name).String()
			v.given[to] = append(v.given[to], pv)
			if !v.ofPod(to) {
				continue
			}
		}
		v.offer(pv)
	}
}

// offer notes a volume if it is the largest of its class that can be used so.
func (v *Volumes) offer(pv *corev1.PersistentVolume) {
	class := volume.GetPersistentVolumeClass(pv)
	if v.free[class] == nil {
		v.free[class] = map[string]*corev1.PersistentVolume{}
	}
	mode := corev1.PersistentVolumeFilesystem
	if pv.Spec.VolumeMode != nil {
		mode = *pv.Spec.VolumeMode
	}
	use := fmt.Sprint(mode, slices.Sorted(slices.Values(pv.Spec.AccessModes)))
	has := pv.Spec.Capacity[corev1.ResourceStorage]
	if largest := v.free[class][use]; largest != nil && has.Cmp(largest.Spec.Capacity[corev1.ResourceStorage]) <= 0 {
		return
	}
	v.free[class][use] = pv
}

// usable says that some node has the labels that a volume asks for.
func (v *Volumes) usable(pv *corev1.PersistentVolume) bool {
	asked := map[string][]string{}
	narrow(asked, pv)
	return v.somewhere(asked)
}

// ofPod says that a claim is of a generic ephemeral volume: its volume may be another's once the pod has ended.
func (v *Volumes) ofPod(claim string) bool {
	o, _, _ := v.stores[Claim].GetByKey(claim)
	c, _ := o.(*corev1.PersistentVolumeClaim)
	if c == nil {
		return false
	}
	by := metav1.GetControllerOf(c)
	return by != nil && by.Kind == "Pod"
}
