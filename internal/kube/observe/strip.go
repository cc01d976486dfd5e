package observe

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/internal/kube/translate"
)

// appliedBy is where kubectl keeps a copy of the whole object.
const appliedBy = "kubectl.kubernetes.io/last-applied-configuration"

// stripMeta drops what no decision reads and every object carries.
func stripMeta(o any) (any, error) {
	m, err := meta.Accessor(o)
	if err != nil {
		return o, nil // a tombstone: its object was stripped when it came
	}
	m.SetManagedFields(nil)
	if a := m.GetAnnotations(); a[appliedBy] != "" {
		delete(a, appliedBy)
	}
	return o, nil
}

// stripGroup keeps of a PodGroup that its spec has fields which are not read.
func stripGroup(o any) (any, error) {
	g, ok := o.(*schedulingv1beta1.PodGroup)
	if !ok {
		return o, nil
	}
	unheeded := translate.Unheeded(g.ManagedFields)
	_, err := stripMeta(g)
	g.ManagedFields = unheeded
	return g, err
}

// stripNode keeps of a node its labels, its spec, its amounts, what it lends beyond them, the features that it declares
// and a pod can need, and its images, sorted. It
// drops the conditions: they change with every heartbeat, and each change would be a fact without news.
func stripNode(o any) (any, error) {
	n, ok := o.(*corev1.Node)
	if !ok {
		return o, nil
	}
	n.Annotations = translate.Oversubscription(n.Annotations)
	n.Status = corev1.NodeStatus{Capacity: n.Status.Capacity, Allocatable: n.Status.Allocatable,
		DeclaredFeatures: translate.NeededFeatures(n.Status.DeclaredFeatures),
		Images:           translate.LargestImages(n.Status.Images, imageNames.one)}
	return stripMeta(n)
}

// stripPod keeps of a pod what placing it and evicting it read, its phase and four
// conditions (whether it is scheduled, is ready, and can be resized, and where it was let run);
// of a container its amounts and ports, and when it is restarted. What it runs, and when it ended, is kept for the
// translation alone: stripRun.
func stripPod(p *corev1.Pod) error {
	stripContainers(p.Spec.InitContainers)
	stripContainers(p.Spec.Containers)
	p.Spec.EphemeralContainers = nil
	p.Spec.ImagePullSecrets, p.Spec.HostAliases, p.Spec.DNSConfig = nil, nil, nil
	p.Spec.SecurityContext = nil
	p.Spec.Volumes = claims(p.Spec.Volumes)
	s := &p.Status
	*s = corev1.PodStatus{Phase: s.Phase, StartTime: s.StartTime, NominatedNodeName: s.NominatedNodeName,
		Conditions: placed(s.Conditions),
		Resources:  s.Resources, AllocatedResources: s.AllocatedResources,
		ContainerStatuses: amounts(s.ContainerStatuses), InitContainerStatuses: amounts(s.InitContainerStatuses),
		NodeAllocatableResourceClaimStatuses: s.NodeAllocatableResourceClaimStatuses,
		ResourceClaimStatuses:                s.ResourceClaimStatuses,
		ExtendedResourceClaimStatus:          s.ExtendedResourceClaimStatus}
	_, err := stripMeta(p)
	return err
}

// stripBudget drops a budget's conditions, which its controller writes when nothing else
// has changed.
func stripBudget(o any) (any, error) {
	if b, ok := o.(*policyv1.PodDisruptionBudget); ok {
		b.Annotations, b.Status.Conditions = nil, nil
	}
	return stripMeta(o)
}

// stripStorage drops what drivers are told: no decision reads it, and it may be secret.
func stripStorage(o any) (any, error) {
	translate.BareStorage(o)
	return stripMeta(o)
}

// stripBare drops all that is said of an object beside its spec.
func stripBare(o any) (any, error) {
	if m, err := meta.Accessor(o); err == nil {
		m.SetLabels(nil)
		m.SetAnnotations(nil)
		m.SetOwnerReferences(nil)
	}
	return stripMeta(o)
}

// stripClaim keeps of a resource claim its allocation, its owner and the pods that use it, whether it says that a
// scheduler made it for extended resources, and of what drivers say of its devices the conditions.
func stripClaim(o any) (any, error) {
	c, ok := o.(*resourcev1.ResourceClaim)
	if !ok {
		return o, nil
	}
	special := c.Annotations[resourcev1.ExtendedResourceClaimAnnotation]
	if c.Labels, c.Annotations = nil, nil; special != "" {
		c.Annotations = map[string]string{resourcev1.ExtendedResourceClaimAnnotation: special}
	}
	for i := range c.Status.Devices {
		d := &c.Status.Devices[i]
		*d = resourcev1.AllocatedDeviceStatus{Driver: d.Driver, Pool: d.Pool, Device: d.Device, ShareID: d.ShareID,
			Conditions: d.Conditions}
	}
	return stripMeta(c)
}

func stripContainers(list []corev1.Container) {
	for i := range list {
		c := &list[i]
		list[i] = corev1.Container{Name: c.Name, Image: c.Image, Resources: c.Resources, Ports: c.Ports,
			RestartPolicy: c.RestartPolicy, RestartPolicyRules: c.RestartPolicyRules, Command: c.Command, Args: c.Args}
	}
}

// stripRun drops what a pod runs and when it ended, once that was read.
func stripRun(p *corev1.Pod) {
	for _, list := range [...][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for i := range list {
			list[i].Command, list[i].Args = nil, nil
		}
	}
	for i := range p.Status.ContainerStatuses {
		p.Status.ContainerStatuses[i].State = corev1.ContainerState{}
	}
}

// claims keeps the volumes that have a say in where the pod runs.
func claims(list []corev1.Volume) (out []corev1.Volume) {
	for _, v := range list {
		if v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			out = append(out, translate.BareClaimOf(v))
		}
	}
	return out
}

func placed(list []corev1.PodCondition) (out []corev1.PodCondition) {
	for _, c := range list {
		switch c.Type {
		case corev1.PodReady:
			out = append(out, corev1.PodCondition{Type: c.Type, Status: c.Status})
		case corev1.PodScheduled, corev1.PodResizePending, persisted.ChargeCondition:
			out = append(out, c)
		}
	}
	return out
}

// amounts keeps what a pod that is resized in place says of its containers, and when they ended.
func amounts(list []corev1.ContainerStatus) (out []corev1.ContainerStatus) {
	for _, c := range list {
		kept := corev1.ContainerStatus{Name: c.Name, Resources: c.Resources, AllocatedResources: c.AllocatedResources}
		if t := c.State.Terminated; t != nil {
			kept.State.Terminated = &corev1.ContainerStateTerminated{FinishedAt: t.FinishedAt}
		}
		if kept.Resources != nil || kept.AllocatedResources != nil || kept.State.Terminated != nil {
			out = append(out, kept)
		}
	}
	return out
}

// same says that nothing changed between two states that scheduling could read. Nodes
// and budgets are compared in full: heartbeats and conditions are updates without news, and
// so is what drivers say of the devices of a resource claim.
func same(before, after any) bool {
	a, b := before.(metav1.Object), after.(metav1.Object)
	if a.GetResourceVersion() == b.GetResourceVersion() {
		return true
	}
	if x, ok := before.(*policyv1.PodDisruptionBudget); ok {
		y := after.(*policyv1.PodDisruptionBudget)
		return x.UID == y.UID && equality.Semantic.DeepEqual(x.Spec, y.Spec) &&
			equality.Semantic.DeepEqual(x.Status, y.Status)
	}
	if x, ok := before.(*resourcev1.ResourceClaim); ok {
		y := after.(*resourcev1.ResourceClaim)
		return x.UID == y.UID && (x.DeletionTimestamp == nil) == (y.DeletionTimestamp == nil) &&
			devices.SpecialOf(x) == devices.SpecialOf(y) && equality.Semantic.DeepEqual(x.Spec, y.Spec) &&
			equality.Semantic.DeepEqual(x.Status.Allocation, y.Status.Allocation) &&
			equality.Semantic.DeepEqual(x.Status.ReservedFor, y.Status.ReservedFor)
	}
	x, ok := before.(*corev1.Node)
	if !ok {
		return false
	}
	y := after.(*corev1.Node)
	return x.UID == y.UID && equality.Semantic.DeepEqual(x.Labels, y.Labels) && maps.Equal(x.Annotations, y.Annotations) &&
		equality.Semantic.DeepEqual(x.Spec, y.Spec) && equality.Semantic.DeepEqual(x.Status, y.Status)
}

// stripService keeps of a Service its selector.
func stripService(o any) (any, error) {
	s, ok := o.(*corev1.Service)
	if !ok {
		return o, nil
	}
	s.Annotations, s.Labels = nil, nil
	s.Spec, s.Status = corev1.ServiceSpec{Selector: s.Spec.Selector}, corev1.ServiceStatus{}
	return stripMeta(s)
}
