package translate_test

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/translate"
)

// What drivers are told, and what anybody wrote into annotations, is not kept; what decisions read is.
func TestWhatDriversAreToldIsNotKept(t *testing.T) {
	const secret = "hunter2"
	all := map[string]string{"a": secret}
	meta := metav1.ObjectMeta{Name: "kept", Annotations: map[string]string{"team/password": secret, "plain": secret,
		corev1.LastAppliedConfigAnnotation: secret, "volume.kubernetes.io/selected-node": "kept-node"}}
	volume := corev1.PersistentVolumeSpec{StorageClassName: "kept-class", MountOptions: []string{secret},
		PersistentVolumeSource: corev1.PersistentVolumeSource{
			CSI: &corev1.CSIPersistentVolumeSource{Driver: "kept-driver", VolumeHandle: "kept-handle", VolumeAttributes: all,
				NodeStageSecretRef: &corev1.SecretReference{Name: secret}},
			FlexVolume: &corev1.FlexPersistentVolumeSource{Driver: "kept-flex", Options: all}}}
	for _, c := range []struct {
		object any
		keeps  []string
	}{
		{&corev1.PersistentVolume{ObjectMeta: meta, Spec: volume, Status: corev1.PersistentVolumeStatus{Phase: "kept-phase",
			Message: secret}}, []string{"kept-class", "kept-driver", "kept-handle", "kept-flex", "kept-phase", "kept-node"}},
		{&corev1.PersistentVolumeClaim{ObjectMeta: meta, Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "kept-volume"}},
			[]string{"kept-volume", "kept-node"}},
		{&storagev1.StorageClass{ObjectMeta: meta, Provisioner: "kept-provisioner", Parameters: all,
			MountOptions: []string{secret}}, []string{"kept-provisioner"}},
		{&storagev1.VolumeAttachment{ObjectMeta: meta, Spec: storagev1.VolumeAttachmentSpec{Attacher: "kept-attacher",
			Source: storagev1.VolumeAttachmentSource{InlineVolumeSpec: volume.DeepCopy()}},
			Status: storagev1.VolumeAttachmentStatus{AttachmentMetadata: all}}, []string{"kept-attacher", "kept-handle"}},
	} {
		translate.BareStorage(c.object)
		text, err := json.Marshal(c.object)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), secret) {
			t.Errorf("%T still has the secret: %s", c.object, text)
		}
		for _, want := range c.keeps {
			if !strings.Contains(string(text), want) {
				t.Errorf("%T has lost %s: %s", c.object, want, text)
			}
		}
	}
}
