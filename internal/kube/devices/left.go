package devices

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Leftover is a special claim that its pod does not use: a scheduler that ended made it, it could not be deleted when a
// binding failed, or the request that makes it was carried out after that.
type Leftover struct {
	Pod   ledger.Key
	UID   string // of the pod
	Bound bool   // the pod has a node
	Empty bool   // the claim has no devices; so it is of all pods that have a node
	Claimed
}

// Leftovers are claims to give back, by namespace, pod and name. Those of waiting pods: while the pod waits for
// something else than devices they keep theirs from all other pods, and count in the namespace's quota; when it is
// placed they are deleted in any case. And those of pods that have a node, which have no devices and which the pod's
// status does not name. One with devices may be in use there, whatever the status names: an API server before
// Kubernetes 1.34 forgets that, and a client may write it. Of a pod at most eight are named that have devices, and
// eight that have none; and none that another pod uses or that the pod's spec names.
func Leftovers(l *ledger.Ledger) (out []Leftover) {
	state, _ := l.PluginStates.Find(Name)
	d, is := state.(*Devices)
	if !is {
		return nil
	}
	for uid, keys := range d.special.of { // order-free: sorted below
		for key := range keys { // order-free: all of one uid, which the first pod that has it ends
			fact := d.claims[key].fact
			pod := ledger.Key{Namespace: fact.Namespace, Name: metav1.GetControllerOfNoCopy(fact).Name}
			t, known := l.Tasks.Find(pod)
			if !known {
				continue
			}
			used, bound := usedBy(l.Task(t), uid)
			if !bound && !lacksNode(l.Task(t), uid) || len(keys) == 1 && used == fact.Name {
				continue
			}
			for _, c := range d.special.leftOf(l.Task(t), func(c *resourcev1.ResourceClaim) bool {
				return !bound || c.Status.Allocation == nil && c.Name != used
			}) {
				empty := d.claims[pod.Namespace+"/"+c.Name].fact.Status.Allocation == nil
				out = append(out, Leftover{pod, uid, bound, empty, c})
			}
			break
		}
	}
	slices.SortFunc(out, func(a, b Leftover) int {
		return cmp.Or(cmp.Compare(a.Pod.Namespace, b.Pod.Namespace), cmp.Compare(a.Pod.Name, b.Pod.Name),
			cmp.Compare(a.Name, b.Name))
	})
	return out
}

// usedBy says whether a task is the pod of a uid, one of this scheduler's, and runs on a node or is about to; and which
// special claim it uses then, "": none. That does not change while it has the node.
func usedBy(task *ledger.Task, uid string) (claim string, bound bool) {
	p, known := task.Pod.Opaque.(*corev1.Pod)
	if !known || task.Pod.UID != uid || !task.Pod.Ours || task.Pod.Node == "" || !task.Status.Holds() {
		return "", false
	}
	if s := p.Status.ExtendedResourceClaimStatus; s != nil {
		claim = s.ResourceClaimName
	}
	return claim, true
}

// lacksNode says that a task is the pod of a uid, one of this scheduler's, and has no node nor is about to have one.
func lacksNode(task *ledger.Task, uid string) bool {
	return task.Pod.UID == uid && task.Pod.Ours && task.Status == model.Pending && task.Pod.Node == ""
}
