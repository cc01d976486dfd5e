package devices

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Consumer is how a claim names a pod that uses it.
func Consumer(pod ledger.Key, uid string) resourcev1.ResourceClaimConsumerReference {
	return resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: types.UID(uid)}
}

// Holds says that a claim is reserved for the pod of a uid.
func Holds(c *resourcev1.ResourceClaim, uid string) bool {
	return slices.ContainsFunc(c.Status.ReservedFor,
		func(r resourcev1.ResourceClaimConsumerReference) bool { return string(r.UID) == uid })
}

// Written is what a pod's claims look like once what was chosen for it is written. see is
// the content of an object as it is, nil when there is none.
func Written(chosen ledger.Chosen, pod ledger.Key, uid string, see func(model.Ref) any) (out []model.Fact) {
	w, err := WritesOf(chosen)
	if err != nil {
		return nil
	}
	for _, left := range w.Left {
		out = append(out, model.Fact{Ref: model.Ref{Kind: Claim, Namespace: pod.Namespace, Name: left.Name}})
	}
	for _, write := range w.Claims {
		if write.Special != nil {
			if c, err := write.made(pod, uid); err == nil {
				out = append(out, fact(c))
			}
			continue
		}
		namespace, name, _ := strings.Cut(write.Claim, "/")
		c, _ := see(model.Ref{Kind: Claim, Namespace: namespace, Name: name}).(*resourcev1.ResourceClaim)
		if c == nil {
			continue
		}
		c = c.DeepCopy()
		if a, err := write.Allocated(); err == nil && a != nil {
			c.Status.Allocation = a
		}
		if !Holds(c, uid) {
			c.Status.ReservedFor = append(c.Status.ReservedFor, Consumer(pod, uid))
		}
		out = append(out, fact(c))
	}
	return out
}

// made is the special claim of a pod, with its devices. It is named after the pod, where an executor draws a name.
func (w Write) made(pod ledger.Key, uid string) (*resourcev1.ResourceClaim, error) {
	a, err := w.Allocated()
	if err != nil || a == nil {
		return nil, fmt.Errorf("no devices: %w", err)
	}
	c := w.Special.Claim(pod, uid, simulatedName(pod, uid))
	c.UID = types.UID("special-" + uid)
	c.Status.Allocation = a
	c.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{Consumer(pod, uid)}
	return c, nil
}

func simulatedName(pod ledger.Key, uid string) string {
	return SpecialPrefix(pod.Name) + digestOf([]byte(uid)).String()[:5]
}

// Freed is what the claims of a pod look like once it is over: they are not reserved for
// it any more, and one that no other pod uses has no devices, as Kubernetes' controller of claims
// sees to it. original is the pod as it came.
func Freed(original any, uid string, see func(model.Ref) any) (out []model.Fact) {
	pod, _ := original.(*corev1.Pod)
	if pod == nil {
		return nil
	}
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil || name == nil {
			continue
		}
		c, _ := see(model.Ref{Kind: Claim, Namespace: pod.Namespace, Name: *name}).(*resourcev1.ResourceClaim)
		if c == nil || !Holds(c, uid) {
			continue
		}
		c = c.DeepCopy()
		c.Status.ReservedFor = slices.DeleteFunc(c.Status.ReservedFor,
			func(r resourcev1.ResourceClaimConsumerReference) bool { return string(r.UID) == uid })
		if len(c.Status.ReservedFor) == 0 {
			c.Status.Allocation, c.Status.Devices = nil, nil
		}
		out = append(out, fact(c))
	}
	special := model.Ref{Kind: Claim, Namespace: pod.Namespace,
		Name: simulatedName(ledger.Key{Namespace: pod.Namespace, Name: pod.Name}, uid)}
	if see(special) != nil {
		out = append(out, model.Fact{Ref: special}) // it goes with its pod
	}
	return out
}

func fact(c *resourcev1.ResourceClaim) model.Fact {
	return model.Fact{Ref: model.Ref{Kind: Claim, Namespace: c.Namespace, Name: c.Name},
		Object: &model.Opaque{Meta: model.Meta{Namespace: c.Namespace, Name: c.Name}, Content: c}}
}
