package devices

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"ashlar.sh/sched/ledger"
)

// leavingDevices follows which devices will be free when the pods that hold them have left.
type leavingDevices struct {
	d *Devices

	pods map[ledger.NodeID]leavers
	lent bool // see without
}

// The devices that leaving tasks will free. A claim gives its devices back when the last pod that uses it has ended. So
// a task may wait on a node (with future) for the devices of a claim if all tasks that use the claim are leaving that
// node. The devices that it will have are reserved for it: no other pod finds them free, neither before they are given
// back nor after. That gives no claim an allocation, so that other pods that share the claim are not bound by it.

// leavers counts the tasks with claims, or with extended resources, that are leaving a node, by uid, and the claims
// that they name.
type leavers struct{ uids, claims map[string]int }

// leave notes that a task is leaving a node (by is 1), or undoes that (by is -1).
func (ld *leavingDevices) leave(task *ledger.Task, n ledger.NodeID, by int) {
	of, known := ld.pods[n]
	if !known {
		of = leavers{map[string]int{}, map[string]int{}}
		ld.pods[n] = of
	}
	tally(of.uids, task.Pod.UID, by)
	for _, key := range ClaimsOf(task) {
		tally(of.claims, key, by)
	}
	if len(of.uids)+len(of.claims) == 0 {
		delete(ld.pods, n)
	}
}

func tally(of map[string]int, what string, by int) {
	if of[what] += by; of[what] == 0 {
		delete(of, what)
	}
}

// count adds the devices that a task waits for (by is 1), or subtracts them (by is -1).
func (ld *leavingDevices) count(w Writes, by int) {
	for _, write := range w.Claims {
		if len(write.Allocation) > 0 {
			ld.d.used.count(ld.d.questions.read(write), by)
		}
	}
}

// any says that devices may come free when the tasks have ended that are leaving a node.
func (ld *leavingDevices) any(n ledger.NodeID) bool {
	of := ld.pods[n]
	if len(of.claims) > 0 {
		return true
	}
	for uid := range of.uids { // order-free: some of them
		if len(ld.d.special.of[uid]) > 0 {
			return true
		}
	}
	return false
}

// claims are those that tasks which are leaving a node name, and those that were made for them.
func (ld *leavingDevices) claims(of leavers) map[string]int {
	out := of.claims
	for uid := range of.uids { // order-free: into a map
		for key := range ld.d.special.of[uid] { // order-free: into a map
			if len(out) == len(of.claims) {
				out = maps.Clone(out)
			}
			out[key]++
		}
	}
	return out
}

// givenBack are the devices that will be free on a node once the tasks that are leaving it have ended.
func (ld *leavingDevices) givenBack(n ledger.NodeID) (out []*resourcev1.AllocationResult) {
	of := ld.pods[n]
	for key := range ld.claims(of) { // order-free: counts of devices
		if a := ld.d.claims[key].freed(func(uid string) bool { return of.uids[uid] > 0 }); a != nil {
			out = append(out, a)
		}
	}
	return out
}

// freed are the devices that a claim gives back once some pods have ended; nil: none, as another pod has it.
func (c *claim) freed(ends func(uid string) bool) *resourcev1.AllocationResult {
	if c == nil || c.fact == nil || c.fact.Status.Allocation == nil || len(c.fact.Status.ReservedFor) == 0 {
		return nil
	}
	for i := range c.fact.Status.ReservedFor {
		if !ends(string(c.fact.Status.ReservedFor[i].UID)) {
			return nil
		}
	}
	for uid := range c.users { // order-free: some of them
		if !ends(uid) {
			return nil
		}
	}
	return c.fact.Status.Allocation
}

// first calls f with devices counted as free, and all others of a node's own pools as taken; then, if f finds nothing,
// as without does.
func (ld *leavingDevices) first(back []*resourcev1.AllocationResult, n ledger.NodeID, f func() (found bool)) {
	spare := ld.d.spare(n)
	ld.without(back, func() {
		ld.d.used.lend(spare, 1)
		ld.d.questions.last.found = false
		found := f()
		ld.d.used.lend(spare, -1)
		if !found {
			ld.d.questions.last.found = false
			f()
		}
	})
}

// without calls f with devices counted as free.
func (ld *leavingDevices) without(back []*resourcev1.AllocationResult, f func()) {
	for _, a := range back {
		ld.d.used.lend(a, -1)
	}
	ld.lent = true
	f()
	ld.lent = false
	for _, a := range back {
		ld.d.used.lend(a, 1)
	}
}

// ClaimsOf names the claims of a pod that have names already, each once, namespace/name.
func ClaimsOf(task *ledger.Task) []string {
	pod, _ := task.Pod.Opaque.(*corev1.Pod)
	if pod == nil {
		return nil
	}
	var out []string
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil || name == nil {
			continue
		}
		if key := pod.Namespace + "/" + *name; !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}
