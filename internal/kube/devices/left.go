package devices

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Leftover is a special claim with devices of a pod that waits: a scheduler that ended made it, or it could not be
// deleted when a binding failed.
type Leftover struct {
	Pod ledger.Key
	UID string // of the pod
	Claimed
}

// Leftovers are the claims of waiting pods that keep devices from all other pods, by namespace, pod and name. While the
// pod waits for something else than devices these are idle; when it is placed the claims are deleted in any case. At
// most eight of a pod are named, and none that another pod uses.
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
			if t, known := l.Tasks.Find(pod); known && lacksNode(l.Task(t), uid) {
				for _, c := range d.special.left(pod.Namespace, uid) {
					if d.claims[pod.Namespace+"/"+c.Name].fact.Status.Allocation != nil {
						out = append(out, Leftover{pod, uid, c})
					}
				}
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b Leftover) int {
		return cmp.Or(cmp.Compare(a.Pod.Namespace, b.Pod.Namespace), cmp.Compare(a.Pod.Name, b.Pod.Name),
			cmp.Compare(a.Name, b.Name))
	})
	return out
}

// lacksNode says that a task is the pod of a uid, one of this scheduler's, and has no node nor is about to have one.
func lacksNode(task *ledger.Task, uid string) bool {
	return task.Pod.UID == uid && task.Pod.Ours && task.Status == model.Pending && task.Pod.Node == ""
}
