package world

import (
	"fmt"
	"net/http"

	"ashlar.sh/test/world/apimodel"
)

// claimOfPod is what a pod calls its claim for devices.
const claimOfPod = "cards"

// nameOf is the name of a pod's claim for devices; "": it has none yet.
func (d *devices) nameOf(one *job, pod string) string {
	switch {
	case one.shared:
		return one.name
	case one.template:
		return claimMade(d.w.api.Get(d.w.jobs.pods, userNamespace, pod))
	case one.extended:
		return extendedClaim(d.w.api.Get(d.w.jobs.pods, userNamespace, pod))
	}
	return pod
}

// claimMade is the claim that was made for a pod from a template, as its status names it.
func claimMade(p *apimodel.Stored) string {
	if p == nil {
		return ""
	}
	list, _ := asMap(p.Object["status"])["resourceClaimStatuses"].([]any)
	for _, x := range list {
		return text(asMap(x), "resourceClaimName")
	}
	return ""
}

// generate makes the claims of pods from templates, as Kubernetes' controller does: first the claim, which the pod
// owns, and then the pod's status names it.
func (d *devices) generate() {
	if !d.w.Templates {
		return
	}
	for _, p := range d.w.api.List(d.w.jobs.pods) {
		m, one := p.Meta(), d.w.jobs.of(p)
		if one == nil || !one.template || m.GetDeletionTimestamp() != nil || ended(p) {
			continue
		}
		uid := string(m.GetUID())
		name := fmt.Sprintf("%s-%s-%s", m.GetName(), claimOfPod, uid[len(uid)-5:])
		if d.w.api.Get(d.claims, userNamespace, name) == nil {
			d.w.did("a claim made from a template")
			d.w.post(d.claims, one.claim(map[string]any{"name": name, "namespace": userNamespace,
				"annotations": map[string]any{"resource.kubernetes.io/pod-claim-name": claimOfPod},
				"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "Pod", "name": m.GetName(), "uid": uid,
					"controller": true, "blockOwnerDeletion": true}}}))
		}
		if claimMade(p) != name {
			d.w.do(http.MethodPatch, d.w.jobs.pods.Path(userNamespace, m.GetName(), "status"), map[string]any{
				"status": map[string]any{"resourceClaimStatuses": []any{
					map[string]any{"name": claimOfPod, "resourceClaimName": name}}}})
		}
	}
}

// ungenerate deletes a claim that was made for a pod that has ended or is gone.
func (d *devices) ungenerate(c *apimodel.Stored) {
	m := c.Meta()
	for _, owner := range m.GetOwnerReferences() {
		if m.GetDeletionTimestamp() == nil && !d.lives(map[string]any{"name": owner.Name, "uid": string(owner.UID)}) {
			d.w.do(http.MethodDelete, d.claims.Path(userNamespace, m.GetName()), map[string]any{})
		}
	}
}

func ended(p *apimodel.Stored) bool {
	phase := text(p.Object, "status", "phase")
	return phase == "Succeeded" || phase == "Failed"
}
