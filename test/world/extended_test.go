package world

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// Pods of some jobs ask for devices by an extended resource that the class stands for. They have no claim: a scheduler
// makes one for each pod before it binds the pod.

const (
	extendedResource   = "cards.world.ashlar.sh/card"
	extendedAnnotation = "resource.kubernetes.io/extended-resource-claim"
	// leftClaim is for how long a claim may be there that no pod uses, once there is no trouble.
	leftClaim = 3 * time.Minute
)

// extendedFrom is the first seed of worlds in which there are such jobs.
const extendedFrom = 50_000_000

// extend draws, from a source of its own, what worlds from there on have.
func (o *Options) extend() {
	r := rand.New(rand.NewPCG(o.Seed, 9))
	if r.IntN(3) == 0 {
		return
	}
	o.Extended, o.Devices = true, true
	if r.IntN(2) == 0 {
		o.Trouble.Drivers = 30*time.Second + time.Duration(r.Int64N(int64(2*time.Minute)))
	}
}

// extendedInto writes into the spec of a pod that it asks for devices by the extended resource.
func (one *job) extendedInto(spec map[string]any) {
	for _, c := range spec["containers"].([]any) {
		resources := asMap(asMap(c)["resources"])
		many := fmt.Sprint(one.devices)
		asMap(resources["requests"])[extendedResource] = many
		resources["limits"] = map[string]any{extendedResource: many}
	}
}

// extendedClaim is the claim that a scheduler made for a pod, as the pod's status names it; "": none.
func extendedClaim(p *apimodel.Stored) string {
	if p == nil {
		return ""
	}
	return text(p.Object, "status", "extendedResourceClaimStatus", "resourceClaimName")
}

// leftOver checks that no claim which a scheduler made is left to a pod that does not use it.
func (d *devices) leftOver(c *apimodel.Stored) {
	m, w := c.Meta(), d.w
	if m.GetAnnotations()[extendedAnnotation] == "" {
		return
	}
	uid := m.GetUID()
	for _, owner := range m.GetOwnerReferences() {
		p := w.api.Get(w.jobs.pods, userNamespace, owner.Name)
		bound := p != nil && text(p.Object, "spec", "nodeName") != ""
		if !d.lives(map[string]any{"name": owner.Name, "uid": string(owner.UID)}) ||
			!w.calm || bound && extendedClaim(p) == m.GetName() {
			delete(d.left, uid)
			continue
		}
		if since, is := d.left[uid]; !is {
			d.left[uid] = time.Now()
		} else if time.Since(since) > leftClaim {
			delete(d.left, uid)
			w.wrong("claim %s is left to pod %s, which does not use it: bound %t, its claim %q", m.GetName(), owner.Name,
				bound, extendedClaim(p))
		}
	}
}

// unclaimed are defects that worlds with extended resources find.
func unclaimed() map[string]func() Breaks {
	return map[string]func() Breaks{
		"leaves claims that it made": func() Breaks {
			return Breaks{wrap: with(pretend(http.MethodDelete, "/resourceclaims/")), shows: "is left to pod",
				world: func(o *Options) {
					o.Devices, o.Extended, o.Pace, o.Settles = true, true, 10, 10*time.Hour
					o.Trouble = Trouble{ServerTrouble: ServerTrouble{Denied: 0.3}}
				}}
		},
	}
}
