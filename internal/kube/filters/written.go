package filters

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Bound returns the facts that follow from what was chosen for a pod that is bound: its volumes and its claims of
// devices as they are once all is written. see returns an object's present content, nil without one.
func Bound(bind sched.Item, see func(model.Ref) any) []model.Fact {
	return append(Written(bind.Chosen, see), devices.Written(bind.Chosen, bind.Pod, bind.UID, see)...)
}

// Over returns the facts that follow from a pod that is over: its claims give their devices back.
func Over(p *model.Pod, see func(model.Ref) any) []model.Fact {
	return devices.Freed(p.Opaque, p.UID, see)
}

// Written returns the facts that a volume controller and a provisioner would bring about for what was chosen for a pod.
// see returns an object's present content, nil without one. A volume that is made is reachable from every node, because
// the input does not say from which nodes it would be.
func Written(c ledger.Chosen, see func(model.Ref) any) (out []model.Fact) {
	w, err := WritesOf(c)
	if err != nil {
		return nil
	}
	for _, v := range w.Volumes {
		claim, pv := claimAt(v.Claim, see), volumeAt(v.Volume, see)
		if claim == nil || pv == nil {
			continue
		}
		given, _, err := volume.GetBindVolumeToClaim(pv, claim)
		if err != nil {
			continue
		}
		given.Status.Phase = corev1.VolumeBound
		out = append(out, opaque(Volume, given), opaque(Claim, boundTo(claim, given)))
	}
	for _, p := range w.Provision {
		claim := claimAt(p.Claim, see)
		if claim == nil || claim.Spec.StorageClassName == nil {
			continue
		}
		made := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + claim.Namespace + "-" + claim.Name},
			Spec: corev1.PersistentVolumeSpec{AccessModes: claim.Spec.AccessModes, Capacity: claim.Spec.Resources.Requests,
				StorageClassName: *claim.Spec.StorageClassName}}
		if given, _, err := volume.GetBindVolumeToClaim(made, claim); err == nil {
			given.Status.Phase = corev1.VolumeBound
			out = append(out, opaque(Volume, given), opaque(Claim, boundTo(claim, given)))
		}
	}
	return out
}

func boundTo(claim *corev1.PersistentVolumeClaim, pv *corev1.PersistentVolume) *corev1.PersistentVolumeClaim {
	out := claim.DeepCopy()
	out.Spec.VolumeName, out.Status.Phase = pv.Name, corev1.ClaimBound
	metav1.SetMetaDataAnnotation(&out.ObjectMeta, volume.AnnBindCompleted, "yes")
	return out
}

func opaque(k model.Kind, o metav1.Object) model.Fact {
	return model.Fact{Ref: model.Ref{Kind: k, Namespace: o.GetNamespace(), Name: o.GetName()},
		Object: &model.Opaque{Meta: model.Meta{Namespace: o.GetNamespace(), Name: o.GetName()}, Content: o}}
}

func claimAt(key string, see func(model.Ref) any) *corev1.PersistentVolumeClaim {
	namespace, name, _ := strings.Cut(key, "/")
	c, _ := see(model.Ref{Kind: Claim, Namespace: namespace, Name: name}).(*corev1.PersistentVolumeClaim)
	return c
}

func volumeAt(name string, see func(model.Ref) any) *corev1.PersistentVolume {
	v, _ := see(model.Ref{Kind: Volume, Name: name}).(*corev1.PersistentVolume)
	return v
}
