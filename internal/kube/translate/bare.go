package translate

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// BareStorage takes from an object of storage what its driver is told and no decision reads: parameters of classes,
// attributes and options of volumes, what an attachment came with, and annotations that are not Kubernetes' own.
// Passwords have been seen there. It changes the object; other kinds stay as they are.
func BareStorage(o any) {
	switch o := o.(type) {
	case *corev1.PersistentVolume:
		o.Annotations = kubernetesOwn(o.Annotations)
		bareVolume(&o.Spec)
		o.Status = corev1.PersistentVolumeStatus{Phase: o.Status.Phase}
	case *corev1.PersistentVolumeClaim:
		o.Annotations = kubernetesOwn(o.Annotations)
	case *storagev1.StorageClass:
		o.Annotations = kubernetesOwn(o.Annotations)
		o.Parameters, o.MountOptions = nil, nil
	case *storagev1.VolumeAttachment:
		o.Annotations = kubernetesOwn(o.Annotations)
		o.Status = storagev1.VolumeAttachmentStatus{Attached: o.Status.Attached}
		if inline := o.Spec.Source.InlineVolumeSpec; inline != nil {
			bareVolume(inline)
		}
	}
}

func bareVolume(s *corev1.PersistentVolumeSpec) {
	s.MountOptions = nil
	if s.CSI != nil {
		s.CSI = &corev1.CSIPersistentVolumeSource{Driver: s.CSI.Driver, VolumeHandle: s.CSI.VolumeHandle}
	}
	if s.FlexVolume != nil {
		s.FlexVolume = &corev1.FlexPersistentVolumeSource{Driver: s.FlexVolume.Driver}
	}
}

// kubernetesOwn are the annotations of Kubernetes' own domains, without kubectl's copies of whole objects.
func kubernetesOwn(all map[string]string) map[string]string {
	out := maps.Clone(all)
	maps.DeleteFunc(out, func(key, _ string) bool {
		domain, _, _ := strings.Cut(key, "/")
		return domain == "kubectl.kubernetes.io" || !strings.HasSuffix("."+domain, ".kubernetes.io")
	})
	return out
}

// BareClaimOf is a volume of a pod for which a claim is made, without what is said of that claim beside its spec.
func BareClaimOf(v corev1.Volume) corev1.Volume {
	if v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil {
		v.Ephemeral = &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{
			Spec: v.Ephemeral.VolumeClaimTemplate.Spec}}
	}
	return v
}
