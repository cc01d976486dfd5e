package manifest

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/translate"
)

// makeClaims makes the resource claims that a pod has templates for, as Kubernetes'
// controller of claims does, and says so on the pod; what its status says is made already.
// Without the template the pod waits for it.
func (b *builder) makeClaims(where Position, p *corev1.Pod, submitAt time.Duration) {
	for i := range p.Spec.ResourceClaims {
		c := &p.Spec.ResourceClaims[i]
		if c.ResourceClaimTemplateName == nil || slices.ContainsFunc(p.Status.ResourceClaimStatuses,
			func(s corev1.PodResourceClaimStatus) bool {
				return s.Name == c.Name
			}) {
			continue
		}
		o := b.byName[identity{resourcev1.GroupName, "ResourceClaimTemplate", p.Namespace, *c.ResourceClaimTemplateName}]
		if o == nil {
			continue
		}
		template := o.Object.(*resourcev1.ResourceClaimTemplate)
		yes, name := true, p.Name+"-"+c.Name
		p.Status.ResourceClaimStatuses = append(slices.Clone(p.Status.ResourceClaimStatuses),
			corev1.PodResourceClaimStatus{Name: c.Name, ResourceClaimName: &name})
		if b.byName[identity{resourcev1.GroupName, "ResourceClaim", p.Namespace, name}] != nil {
			continue // if it is another's, the pod says so
		}
		claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: name,
			Labels: template.Spec.Labels, Annotations: template.Spec.Annotations,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID,
				Controller: &yes}}},
			Spec: *template.Spec.Spec.DeepCopy()}
		withDefaults(&claim.Spec)
		f, _ := translate.Fact(claim, b.options)
		b.add(Item{Where: where, Fact: f, SubmitAt: submitAt})
	}
}

// withDefaults fills in what the API server would.
func withDefaults(s *resourcev1.ResourceClaimSpec) {
	one := func(mode *resourcev1.DeviceAllocationMode, count *int64, tolerations []resourcev1.DeviceToleration) {
		if *mode == "" {
			*mode = resourcev1.DeviceAllocationModeExactCount
		}
		if *mode == resourcev1.DeviceAllocationModeExactCount && *count == 0 {
			*count = 1
		}
		for i := range tolerations {
			if tolerations[i].Operator == "" {
				tolerations[i].Operator = resourcev1.DeviceTolerationOpEqual
			}
		}
	}
	for i := range s.Devices.Requests {
		r := &s.Devices.Requests[i]
		if r.Exactly != nil {
			one(&r.Exactly.AllocationMode, &r.Exactly.Count, r.Exactly.Tolerations)
		}
		for j := range r.FirstAvailable {
			one(&r.FirstAvailable[j].AllocationMode, &r.FirstAvailable[j].Count, r.FirstAvailable[j].Tolerations)
		}
	}
}
