package devices_test

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// What is left of a pod is named as long as the pod waits; or while the pod has a node, the claim has no devices, and
// the pod's status does not name it. One that the pod's spec names is never left, whatever it says.
func TestLeftovers(t *testing.T) {
	p := asks("p", extended)
	objects := []metav1.Object{standing("gpu", 1), node("n1"), slice("n1", 2)}
	made := chosenFor(t, newWorld(t, append(objects, p)...).decide(), "p")
	named := []devices.Leftover{{Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "uid-p",
		Claimed: devices.Claimed{Name: "mine", UID: "uid-mine"}}}
	ofBound, empty := slices.Clone(named), slices.Clone(named)
	ofBound[0].Bound, ofBound[0].Empty, empty[0].Empty = true, true, true
	none := func(c *resourcev1.ResourceClaim) { c.Status.Allocation = nil }
	others := func(c *resourcev1.ResourceClaim) { heldBy(c, "uid-other") }
	going := func(c *resourcev1.ResourceClaim) { c.DeletionTimestamp = &metav1.Time{} }
	for name, c := range map[string]struct {
		pod   func(*corev1.Pod)
		claim func(*resourcev1.ResourceClaim)
		want  []devices.Leftover
	}{
		"it waits":                    {want: named},
		"it is reserved for it":       {claim: func(c *resourcev1.ResourceClaim) { heldBy(c, "uid-p") }, want: named},
		"it waits at a gate":          {pod: gated, want: named},
		"it runs":                     {pod: runsWith("")},
		"it runs, and it has none":    {pod: runsWith(""), claim: none, want: ofBound},
		"it runs with it":             {pod: runsWith("mine")},
		"it runs with another":        {pod: runsWith("other")},
		"it asks for it by name":      {pod: names("mine")},
		"it runs, and asks for it":    {pod: func(p *corev1.Pod) { runsWith("other")(p); names("mine")(p) }, claim: none},
		"it runs, without devices":    {pod: runsWith("other"), claim: none, want: ofBound},
		"it runs, and another has it": {pod: runsWith("other"), claim: others},
		"it ran":                      {pod: func(p *corev1.Pod) { runsWith("")(p); p.Status.Phase = corev1.PodSucceeded }},
		"it runs, of another life":    {pod: func(p *corev1.Pod) { runsWith("")(p); p.UID = "second" }},
		"another scheduler's runs":    {pod: func(p *corev1.Pod) { runsWith("")(p); p.Spec.SchedulerName = "other" }},
		"it is another scheduler's":   {pod: func(p *corev1.Pod) { p.Spec.SchedulerName = "other" }},
		"it is another by now":        {pod: func(p *corev1.Pod) { p.UID = "second" }},
		"the claim has no devices":    {claim: none, want: empty},
		"another pod uses it":         {claim: others},
		"it does not say that":        {claim: func(c *resourcev1.ResourceClaim) { c.Annotations = nil }},
		"it is of another namespace":  {claim: func(c *resourcev1.ResourceClaim) { c.Namespace = "other" }},
		"the claim is being deleted":  {claim: going, want: named},
		"it is deleted, and has none": {claim: func(c *resourcev1.ResourceClaim) { going(c); none(c) }},
		"the pod is being terminated": {pod: func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }},
	} {
		t.Run(name, func(t *testing.T) {
			claim, pod := left(made, p, "mine"), p.DeepCopy()
			if c.claim != nil {
				c.claim(claim)
			}
			if c.pod != nil {
				c.pod(pod)
			}
			w := newWorld(t, append(objects, claim, pod)...)
			if got := devices.Leftovers(w.e.Ledger()); !slices.Equal(got, c.want) {
				t.Errorf("left is %+v, want %+v", got, c.want)
			}
		})
	}
}

// The claim that a pod is left with is deleted by a client, and its finalizer keeps it with its devices. The pod is
// bound all the same.
func TestAClaimThatIsBeingDeletedIsGivenBack(t *testing.T) {
	p := asks("p", extended)
	objects := []metav1.Object{standing("gpu", 1), node("n1"), slice("n1", 2)}
	made := chosenFor(t, newWorld(t, append(objects, p)...).decide(), "p")
	for _, going := range []bool{false, true} {
		l := left(made, p, "mine")
		heldBy(l, string(p.UID))
		l.Finalizers = []string{resourcev1.Finalizer}
		if going {
			l.DeletionTimestamp = &metav1.Time{}
		}
		w, bound := newWorld(t, append(objects, l, p)...), 0
		for _, i := range w.decide() {
			if i.Kind == sched.BindPod {
				bound++
			}
		}
		if bound == 0 {
			t.Errorf("going %t: the pod waits for its own devices (leftovers %v)", going, devices.Leftovers(w.e.Ledger()))
		}
	}
}

// Claims without devices, which a client makes as many as it likes, hide none that has devices: neither while the pod
// waits nor when it is placed.
func TestClaimsWithoutDevicesHideNoneThatHasSome(t *testing.T) {
	p := asks("p", extended)
	objects := []metav1.Object{standing("gpu", 1), node("n1"), slice("n1", 2), p}
	made := chosenFor(t, newWorld(t, objects...).decide(), "p")
	objects = append(objects, left(made, p, "mine"))
	for n := range 9 {
		c := left(made, p, fmt.Sprint("a-", n))
		c.Status.Allocation = nil
		objects = append(objects, c)
	}
	w := newWorld(t, objects...)
	of := devices.Leftovers(w.e.Ledger())
	if len(of) != 9 || !slices.ContainsFunc(of, func(l devices.Leftover) bool { return l.Name == "mine" && !l.Empty }) {
		t.Errorf("while the pod waits left is %+v, want the one with devices and eight others", of)
	}
	if at := chosenFor(t, w.decide(), "p").Left; len(at) != 9 || at[0].Name != "mine" {
		t.Errorf("when it is placed %+v is to be deleted, want the one with devices and eight others", at)
	}
}

// A binding failed, so that the pod's status names a claim that is gone; then no class stands for the resource any
// more, and a device plugin has it. The pod is not bound with that status: a kubelet would wait for the claim.
func TestAStatusThatNamesAClaimWhichIsGoneIsCleared(t *testing.T) {
	p := asks("p", extended)
	p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "gone"}
	if got := chosenFor(t, newWorld(t, offers(node("n1"), "2"), p).decide(), "p"); !got.Unsaid {
		t.Errorf("chosen is %+v, and the status is not cleared", got)
	}
}

// names has the spec of a pod name a claim.
func names(claim string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "its", ResourceClaimName: &claim}}
	}
}

func gated(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "later"}} }

// runsWith is a pod that runs with a claim that was made for it; "": with none.
func runsWith(claim string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.NodeName, p.Status.Phase = "n1", corev1.PodRunning
		if claim != "" {
			p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: claim}
		}
	}
}
