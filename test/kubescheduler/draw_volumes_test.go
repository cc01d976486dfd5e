package kubescheduler

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"
)

// driver is the CSI driver of all volumes that are not local.
const driver = "csi.example.com"

// classes of storage, by how their volumes come about.
const (
	atOnce = "at-once" // made when the claim is
	waits  = "waits"   // made where the first pod goes
	zoned  = "zoned"   // as waits, and in some zones only
	local  = "local"   // never made
)

// storage adds classes, volumes and claims, and what nodes can attach.
func (d *draw) storage() {
	class := func(name, provisioner string, mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
		return &storagev1.StorageClass{ObjectMeta: d.meta("", name, nil), Provisioner: provisioner,
			VolumeBindingMode: &mode,
			ReclaimPolicy:     pointer(corev1.PersistentVolumeReclaimDelete)}
	}
	d.add(class(atOnce, driver, storagev1.VolumeBindingImmediate))
	d.add(class(waits, driver, storagev1.VolumeBindingWaitForFirstConsumer))
	d.add(class(local, "kubernetes.io/no-provisioner", storagev1.VolumeBindingWaitForFirstConsumer))
	inZones := class(zoned, driver, storagev1.VolumeBindingWaitForFirstConsumer)
	inZones.AllowedTopologies = []corev1.TopologySelectorTerm{
		{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
			{Key: corev1.LabelTopologyZone, Values: d.some("a", "b")}}}}
	d.add(inZones)
	d.add(&storagev1.CSIDriver{ObjectMeta: d.meta("", driver, nil),
		Spec: storagev1.CSIDriverSpec{StorageCapacity: pointer(d.percent(30))}})
	for _, name := range []string{waits, zoned} {
		for i := 0; d.percent(50) && i < 3; i++ {
			d.add(&storagev1.CSIStorageCapacity{ObjectMeta: d.meta("here", fmt.Sprint("capacity-", name, i), nil),
				StorageClassName: name, Capacity: pointer(d.quantity("1Gi", "10Gi", "0")),
				NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelTopologyZone: d.from("a",
					"b", "c")}}})
		}
	}
	for _, name := range d.nodes {
		if d.percent(80) {
			d.add(d.csiNode(name))
		}
	}
	for i := range 2 + d.upTo(5) {
		d.claim(fmt.Sprint("claim", i))
	}
	for i := range d.upTo(4) {
		d.add(d.volume(fmt.Sprint("free", i), local, d.from("1Gi", "5Gi"), true))
	}
}

func (d *draw) csiNode(name string) *storagev1.CSINode {
	n := &storagev1.CSINode{ObjectMeta: d.meta("", name, nil)}
	if d.percent(85) {
		of := storagev1.CSINodeDriver{Name: driver, NodeID: name, TopologyKeys: []string{corev1.LabelTopologyZone}}
		if d.percent(70) {
			of.Allocatable = &storagev1.VolumeNodeResources{Count: pointer(int32(d.upTo(3)))}
		}
		n.Spec.Drivers = append(n.Spec.Drivers, of)
	}
	return n
}

// volume is one of a class; reach limits the nodes that reach it.
func (d *draw) volume(name, class, size string, reach bool) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: d.meta("", name, map[string]string{})}
	v.Spec.StorageClassName = class
	v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
	v.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadWriteMany}
	v.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	v.Spec.VolumeMode = pointer(corev1.PersistentVolumeFilesystem)
	v.Status.Phase = corev1.VolumeAvailable
	if class == local {
		v.Spec.Local = &corev1.LocalVolumeSource{Path: "/disk"}
	} else {
		v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: d.from(name, name, "shared")}
	}
	if reach || d.percent(30) {
		key, values := corev1.LabelHostname, d.some(d.nodes...)
		if class != local && d.percent(60) {
			key, values = corev1.LabelTopologyZone, d.some("a", "b", "c")
		}
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{
			Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
				{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn,
					Values: values}}}}}}
	}
	if d.percent(20) {
		v.Labels[d.from(corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaZone)] = d.from("a", "b", "a__b")
	}
	if d.percent(10) {
		v.Labels[corev1.LabelTopologyRegion] = d.from("east", "west")
	}
	return v
}

// claim adds a claim with or without a volume, or only its name.
func (d *draw) claim(name string) {
	namespace := d.from("here", "here", "there")
	d.claims = append(d.claims, namespace+"/"+name)
	if d.percent(5) {
		return // a pod may name a claim that is not there
	}
	class := d.from(atOnce, waits, waits, zoned, local)
	c := &corev1.PersistentVolumeClaim{ObjectMeta: d.meta(namespace, name, nil)}
	c.Spec.StorageClassName = &class
	c.Spec.VolumeMode = pointer(corev1.PersistentVolumeFilesystem)
	c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.PersistentVolumeAccessMode(
		d.from("ReadWriteOnce", "ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod"))}
	c.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: d.quantity("1Gi", "2Gi", "20Gi")}
	c.Status.Phase = corev1.ClaimPending
	switch {
	case d.percent(45):
		v := d.volume("volume-of-"+name, class, "20Gi", class == local)
		v.Spec.AccessModes = c.Spec.AccessModes
		v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: namespace,
			Name: name, UID: c.UID}
		v.Status.Phase = corev1.VolumeBound
		c.Spec.VolumeName, c.Status.Phase = v.Name, corev1.ClaimBound
		c.Annotations = map[string]string{volume.AnnBindCompleted: "yes"}
		if d.percent(90) {
			d.add(v)
		}
	case d.percent(10) && class != local && class != atOnce:
		c.Annotations = map[string]string{volume.AnnSelectedNode: d.from(d.nodes...)}
	}
	if d.percent(4) {
		c.Status.Phase = corev1.ClaimLost
	}
	if d.percent(4) {
		c.DeletionTimestamp, c.Finalizers = pointer(metav1.Unix(1_700_000_100, 0)),
			[]string{"kubernetes.io/pvc-protection"}
	}
	d.add(c)
}

// mount lets a pod mount volumes.
func (d *draw) mount(p *corev1.Pod) {
	add := func(s corev1.VolumeSource) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: fmt.Sprint("v", len(p.Spec.Volumes)),
			VolumeSource: s})
	}
	for len(d.claims) > 0 && d.has("claims") && len(p.Spec.Volumes) < 3 {
		namespace, name, _ := cut(d.from(d.claims...))
		if namespace == p.Namespace {
			add(corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}})
		}
	}
	if len(d.claims) > 0 && d.has("ephemeral volumes") {
		d.ephemeral(p, add)
	}
	if d.has("volumes of nodes") {
		disk := d.from("disk-a", "disk-b")
		switch d.upTo(4) {
		case 3:
			add(corev1.VolumeSource{AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: disk,
				ReadOnly: d.percent(50)}})
		case 0:
			add(corev1.VolumeSource{ISCSI: &corev1.ISCSIVolumeSource{TargetPortal: "10.0.0.9",
				IQN:      "iqn.2001-04.com.example:" + disk,
				ReadOnly: d.percent(50)}})
		case 1:
			add(corev1.VolumeSource{GCEPersistentDisk: &corev1.GCEPersistentDiskVolumeSource{PDName: disk,
				ReadOnly: d.percent(50)}})
		case 2:
			add(corev1.VolumeSource{RBD: &corev1.RBDVolumeSource{CephMonitors: d.some("m1", "m2"), RBDImage: disk,
				ReadOnly: d.percent(50)}})
		default:
			add(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}})
		}
	}
}

// ephemeral gives a pod a volume of its own, and the claim that a controller makes for it.
func (d *draw) ephemeral(p *corev1.Pod, add func(corev1.VolumeSource)) {
	class := d.from(waits, zoned, local)
	spec := corev1.PersistentVolumeClaimSpec{StorageClassName: &class,
		VolumeMode:  pointer(corev1.PersistentVolumeFilesystem),
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceStorage: resource.MustParse("1Gi")}}}
	name := fmt.Sprint(p.Name, "-v", len(p.Spec.Volumes))
	add(corev1.VolumeSource{
		Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{
			Spec: spec}}})
	c := &corev1.PersistentVolumeClaim{ObjectMeta: d.meta(p.Namespace, name, nil), Spec: spec}
	c.Status.Phase = corev1.ClaimPending
	if d.percent(90) {
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID,
			Controller: pointer(true)}}
	}
	for _, o := range of[*corev1.PersistentVolumeClaim](d.objects) {
		if o.Namespace == c.Namespace && o.Name == c.Name {
			return
		}
	}
	if d.percent(90) {
		d.add(c)
	}
}
