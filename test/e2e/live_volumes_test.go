package e2e

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"
)

// storage makes two classes that wait for the first consumer, ns for volumes that are there
// and ns-made for those that provision makes, and deletes them with the test.
func storage(t *testing.T, ns string) {
	t.Helper()
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	for name, provisioner := range map[string]string{ns: "kubernetes.io/no-provisioner", ns +
		"-made": "e2e.ashlar.sh/disks"} {
		class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner,
			VolumeBindingMode: &wait}
		if _, err := shared.kube.StorageV1().StorageClasses().Create(t.Context(), class, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = shared.kube.StorageV1().StorageClasses().Delete(context.Background(), name, metav1.DeleteOptions{})
		})
	}
}

// disk is a volume of a gibibyte, not created yet.
func disk(name, class string) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PersistentVolumeSpec{
		StorageClassName: class, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Capacity:                      corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
		PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
		PersistentVolumeSource: corev1.PersistentVolumeSource{
			CSI: &corev1.CSIPersistentVolumeSource{Driver: "e2e.ashlar.sh", VolumeHandle: name}}}}
}

// inZone lets nodes of a zone alone reach a volume.
func inZone(v *corev1.PersistentVolume, zone string) *corev1.PersistentVolume {
	v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{
		Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn,
				Values: []string{zone}}}}}}}
	return v
}

func createDisk(t *testing.T, v *corev1.PersistentVolume) {
	t.Helper()
	if _, err := shared.kube.CoreV1().PersistentVolumes().Create(t.Context(), v, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = shared.kube.CoreV1().PersistentVolumes().Delete(context.Background(), v.Name, metav1.DeleteOptions{})
	})
}

// createClaim asks for a gibibyte of a class; with a volume's name for that one.
func createClaim(t *testing.T, ns, name, class, volumeName string) {
	t.Helper()
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class, VolumeName: volumeName,
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(
					"1Gi")}}}}
	if _, err := shared.kube.CoreV1().PersistentVolumeClaims(ns).Create(t.Context(), c,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// claims is a pod for the test's own scheduler that uses claims.
func claims(ns, name string, names ...string) *corev1.Pod {
	p := pod(ns, name)
	p.Spec.SchedulerName = ns
	for _, c := range names {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: c, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: c}}})
	}
	return p
}

// provision does once what a provisioner does: it makes a volume for each claim for which a
// node was selected, in that node's zone. The volume controller binds the two.
func provision(t *testing.T, ns string) {
	t.Helper()
	list, err := shared.kube.CoreV1().PersistentVolumeClaims(ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		c := &list.Items[i]
		on := c.Annotations[volume.AnnSelectedNode]
		if on == "" || c.Spec.VolumeName != "" {
			continue
		}
		name := "pvc-" + string(c.UID)
		if _, err := shared.kube.CoreV1().PersistentVolumes().Get(t.Context(), name, metav1.GetOptions{}); err == nil {
			continue
		}
		n, err := shared.kube.CoreV1().Nodes().Get(t.Context(), on, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		v := disk(name, *c.Spec.StorageClassName)
		if zone := n.Labels[corev1.LabelTopologyZone]; zone != "" {
			inZone(v, zone)
		}
		v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: ns,
			Name: c.Name, UID: c.UID}
		createDisk(t, v)
	}
}

// zoned makes a node in a zone.
func zoned(t *testing.T, name, zone, cpu string) {
	t.Helper()
	node(t, name, cpu)
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, corev1.LabelTopologyZone, zone)
	if _, err := shared.kube.CoreV1().Nodes().Patch(t.Context(), name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// Pods with claims go where their volumes are or can be made, and are bound when those are:
// kubelets would start them. Node big has the room that everybody prefers.
func TestVolumesAreBoundBeforeTheirPods(t *testing.T) {
	ns := namespace(t)
	zoned(t, ns+"-big", "east", "16")
	zoned(t, ns+"-small", "west", "4")
	storage(t, ns)
	createDisk(t, inZone(disk(ns+"-waits", ns), "west"))
	old := disk(ns+"-old", "")
	old.Labels = map[string]string{corev1.LabelTopologyZone: "west"}
	createDisk(t, old)
	createClaim(t, ns, "made", ns+"-made", "")
	createClaim(t, ns, "again", ns+"-made", "")
	createClaim(t, ns, "given", ns, "")
	createClaim(t, ns, "old", "", ns+"-old")
	live(t, ns)
	create(t, claims(ns, "given", "given"))
	create(t, claims(ns, "old", "old"))
	create(t, claims(ns, "lost", "nowhere"))
	create(t, claims(ns, "made", "made"))
	pods := map[string]*corev1.Pod{}
	await := func(what string, provisions bool, names ...string) {
		eventually(t, what, func(ctxless) (bool, error) {
			if provisions {
				provision(t, ns)
			}
			done := true
			for _, name := range names {
				pods[name] = get(t, ns, name)
				done = done && pods[name].Spec.NodeName != ""
			}
			return done, nil
		}, func() string {
			text := ""
			for _, name := range names {
				text += fmt.Sprintf("%s on %q %v; ", name, pods[name].Spec.NodeName, pods[name].Status.Conditions)
			}
			return text
		})
	}
	await("the pods with existing volumes", false, "given", "old")
	for _, name := range []string{"given", "old"} {
		if on := pods[name].Spec.NodeName; on != ns+"-small" {
			t.Errorf("pod %s is on %s, and its volume is in the other zone", name, on)
		}
	}
	v, err := shared.kube.CoreV1().PersistentVolumes().Get(t.Context(), ns+"-waits", metav1.GetOptions{})
	if err != nil || v.Spec.ClaimRef == nil || v.Spec.ClaimRef.Name != "given" || v.Status.Phase != corev1.VolumeBound {
		t.Errorf("the volume is %+v (%v), want it bound to the claim", v, err)
	}
	c := func(name string) *corev1.PersistentVolumeClaim {
		got, err := shared.kube.CoreV1().PersistentVolumeClaims(ns).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	eventually(t, "a node to be selected for the claim without a volume", func(ctxless) (bool, error) {
		return c("made").Annotations[volume.AnnSelectedNode] != "", nil
	}, func() string { return fmt.Sprint(c("made")) })
	if on := get(t, ns, "made").Spec.NodeName; on != "" {
		t.Errorf("the pod is on %s, and its volume is not made yet", on)
	}
	// A provisioner that cannot make it there takes the node from the claim: all is decided anew.
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`, volume.AnnSelectedNode)
	if _, err := shared.kube.CoreV1().PersistentVolumeClaims(ns).Patch(t.Context(), "made", types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pod to say that its volume could not be made", func(ctxless) (bool, error) {
		return len(events(t, ns, "Pod", "made", "FailedScheduling")) > 0, nil
	}, func() string { return fmt.Sprint(c("made")) })
	create(t, claims(ns, "both", "again", "made"))
	await("the pods with new volumes", true, "made", "both")
	if made := c("made"); !metav1.HasAnnotation(made.ObjectMeta, volume.AnnBindCompleted) || made.Spec.VolumeName == "" {
		t.Errorf("the pod is bound and its claim is %+v", made)
	}
	if a, b := pods["made"].Spec.NodeName, pods["both"].Spec.NodeName; a != b {
		t.Errorf("two pods that share a volume are on %s and %s", a, b)
	}
	eventually(t, "the pod without its claim to say so", func(ctxless) (bool, error) {
		for _, condition := range get(t, ns, "lost").Status.Conditions {
			if condition.Type == corev1.PodScheduled && condition.Reason == "PrePredicateFailed" {
				return true, nil
			}
		}
		return false, nil
	}, func() string { return fmt.Sprint(get(t, ns, "lost").Status.Conditions) })
}
