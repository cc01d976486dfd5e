package filters

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// zoneLabels are where a volume may run, and the label that a node has for it today.
var zoneLabels = [...]struct{ key, today string }{
	{corev1.LabelFailureDomainBetaZone, corev1.LabelTopologyZone},
	{corev1.LabelFailureDomainBetaRegion, corev1.LabelTopologyRegion},
	{corev1.LabelTopologyZone, corev1.LabelTopologyZone},
	{corev1.LabelTopologyRegion, corev1.LabelTopologyRegion},
}

// zones refuses a node in another zone or region than a volume of the pod is labelled
// with, by Kubernetes' rule (VolumeZone): only volumes that claims have already count, a
// label may name several zones, separated by "__", and a node without any such label is
// in a cluster without zones.
func (v *Volumes) zones(task *ledger.Task, n ledger.NodeID) policy.Verdict {
	pod := podOf(task)
	if pod == nil || !v.zoning {
		return policy.Verdict{}
	}
	labels := v.node(n).Labels
	zoned := false
	for _, z := range zoneLabels {
		_, has := labels[z.key]
		zoned = zoned || has
	}
	if !zoned {
		return policy.Verdict{}
	}
	for i := range pod.Spec.Volumes {
		c := pod.Spec.Volumes[i].PersistentVolumeClaim
		if c == nil {
			continue
		}
		volume := v.volumeOf(pod.Namespace, c.ClaimName)
		if volume == nil {
			continue
		}
		for _, z := range zoneLabels {
			want, asked := volume.Labels[z.key]
			is, has := labels[z.key]
			if !has {
				is = labels[z.today]
			}
			if asked && !slices.Contains(strings.Split(want, "__"), is) {
				return refuse("volume " + volume.Name + " is in " + z.key + " " + want)
			}
		}
	}
	return policy.Verdict{}
}

// volumeOf is the volume that a claim has, nil while it has none.
func (v *Volumes) volumeOf(namespace, name string) *corev1.PersistentVolume {
	o, _, _ := v.stores[Claim].GetByKey(namespace + "/" + name)
	claim, _ := o.(*corev1.PersistentVolumeClaim)
	if claim == nil || claim.Spec.VolumeName == "" {
		return nil
	}
	o, _, _ = v.stores[Volume].GetByKey(claim.Spec.VolumeName)
	volume, _ := o.(*corev1.PersistentVolume)
	return volume
}
