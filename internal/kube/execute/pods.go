package execute

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// request is the request that carries out a plan's item about a pod. made is the claim that was made for it to be bound
// with; nil: none.
func (c *Executor) request(i sched.Item, made *reservation) request {
	pods := c.pods(i.Pod.Namespace)
	switch i.Kind {
	case sched.EvictPod:
		return c.leaving.evict(pods, i)
	case sched.NominatePod:
		return nominate(pods, i)
	case sched.OpenGate:
		return openGate(pods, i)
	default:
		return c.bind(pods, i, made)
	}
}

// pods takes the connections in turn.
func (c *Executor) pods(namespace string) typedcorev1.PodInterface {
	all := c.options.Clients.Fast
	return all[c.requestCount.Add(1)%uint64(len(all))].CoreV1().Pods(namespace)
}

// bindingOf is the binding that an item asks for.
func bindingOf(i sched.Item) *corev1.Binding {
	return &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: i.Pod.Namespace, Name: i.Pod.Name, UID: types.UID(i.UID)},
		Target:     corev1.ObjectReference{Kind: "Node", Name: i.Node},
	}
}

// bind binds a pod. With a claim that was made for it, the binding names the version in which the pod's status named
// that claim: where the binding is carried out late, and a later scheduler wrote another claim into the status, it is
// refused. The pod may be written otherwise; then it is read, and its newer version named, but no more than mostClashes
// times: its author may write it all the time.
func (c *Executor) bind(pods typedcorev1.PodInterface, i sched.Item, made *reservation) request {
	version, clashes := "", 0
	if made != nil {
		version = made.version
	}
	binding := bindingOf(i)
	return request{
		what:  fmt.Sprintf("bind %s to %s", i.Pod, i.Node),
		grave: true,
		send: func(ctx context.Context) error {
			binding.ResourceVersion = version
			err := pods.Bind(ctx, binding, metav1.CreateOptions{})
			if err == nil {
				c.bound(i)
			}
			return err
		},
		shown: shown(pods, i, func(p *corev1.Pod) (bool, sched.Outcome) {
			switch p.Spec.NodeName {
			case "":
				if version != "" && !says(p, made.name) {
					return true, sched.Failed
				}
				if clashes++; version != "" && clashes < mostClashes {
					version = p.ResourceVersion
				} else {
					version = ""
				}
				// Not bound. One that is leaving or gated cannot be.
				return p.DeletionTimestamp != nil || len(p.Spec.SchedulingGates) > 0, sched.Failed
			case i.Node:
				c.bound(i)
				return true, sched.Done
			default:
				return true, sched.Failed
			}
		}),
	}
}

// shown reads the pod that an item is about; no pod, or a pod of that name with another UID, is Missing.
func shown(pods typedcorev1.PodInterface, i sched.Item, judge func(*corev1.Pod) (bool,
	sched.Outcome)) func(context.Context) (bool, sched.Outcome, error) {
	return func(ctx context.Context) (bool, sched.Outcome, error) {
		p, err := pods.Get(ctx, i.Pod.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return true, sched.Missing, nil
		case err != nil:
			return false, 0, err
		case string(p.UID) != i.UID:
			return true, sched.Missing, nil
		}
		settled, outcome := judge(p)
		return settled, outcome, nil
	}
}

// evict writes the reason to the pod, in Volcano's conditions, and then deletes the pod. The conditions are tried
// once; only the deletion counts. A pod that has finished meanwhile is not deleted: the deletion has a resourceVersion
// as its precondition, that of a version that had not finished. Where the answer to the conditions had no version, and
// before each further try, the pod is read; under a role that forbids that it is deleted in whatever version. So is a
// pod that was written between reading and deleting it mostClashes times: its author may do that all the time, and
// would never lose it.
func (e *evictions) evict(pods typedcorev1.PodInterface, i sched.Item) request {
	now, why := metav1.Now(), evicted(i)
	words := conditions(i.UID,
		corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "Evict", Message: why,
			LastTransitionTime: now},
		corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
			Reason:  corev1.PodReasonPreemptionByScheduler,
			Message: why, LastTransitionTime: now})
	said, version, clashes := false, "", 0
	return request{
		what: "evict " + i.Pod.String(), grave: true,
		send: func(ctx context.Context) error {
			if !e.begin(i) {
				return errWithdrawn
			}
			if !said {
				said = true
				// words only, but for what they are answered with
				told, err := pods.Patch(ctx, i.Pod.Name, types.StrategicMergePatchType, words, metav1.PatchOptions{}, "status")
				if err == nil && ended(told) {
					return errWithdrawn
				}
				if err == nil {
					version = told.ResourceVersion
				}
				e.x.Event(Event{Kind: "Pod", Object: i.Pod, UID: i.UID, Warning: true, Reason: "Evict", Message: why})
			}
			if version == "" { // the words were refused, or their answer was lost
				now, err := pods.Get(ctx, i.Pod.Name, metav1.GetOptions{})
				switch {
				case err == nil && string(now.UID) == i.UID && ended(now):
					return errWithdrawn
				case err == nil && string(now.UID) == i.UID:
					version = now.ResourceVersion
				case kindOf(err) == unknown, kindOf(err) == later:
					return err // it may have ended meanwhile
				}
			}
			if clashes >= mostClashes {
				version = ""
			}
			err := remove(ctx, pods, i.Pod.Name, i.UID, version)
			if kindOf(err) == clash {
				clashes++
			}
			return err
		},
		shown: shown(pods, i, func(p *corev1.Pod) (bool, sched.Outcome) {
			if p.DeletionTimestamp == nil && ended(p) {
				return true, sched.Withdrawn
			}
			version = "" // the next try may be seconds later
			return p.DeletionTimestamp != nil, sched.Done
		}),
	}
}

// mostClashes is how often a pod is to be deleted in one version.
const mostClashes = 3

// ended says that a pod holds no room any more: to delete it would only lose what it says of its work.
func ended(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// remove deletes a pod, in a version if one is given.
func remove(ctx context.Context, pods typedcorev1.PodInterface, name, uid, version string) error {
	life := types.UID(uid)
	only := metav1.Preconditions{UID: &life}
	if version != "" {
		only.ResourceVersion = &version
	}
	return pods.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &only})
}

// evicted says why a pod is evicted: for which pod, by which action, and which plugins permitted it.
func evicted(i sched.Item) string {
	if i.Record == nil {
		return Clip("evicted by " + i.Action)
	}
	return Clip(explain.Evicted(i.Record))
}

// nominate writes the node on which room was freed for a pod; without a node it takes the
// nomination back.
func nominate(pods typedcorev1.PodInterface, i sched.Item) request {
	var node any // null removes the field
	what := fmt.Sprintf("nominate nothing for %s", i.Pod)
	if i.Node != "" {
		node, what = i.Node, fmt.Sprintf("nominate %s for %s", i.Node, i.Pod)
	}
	patch, _ := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": i.UID}, "status": map[string]any{"nominatedNodeName": node}}) // strings only
	return request{
		what: what,
		send: func(ctx context.Context) error {
			_, err := pods.Patch(ctx, i.Pod.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
			return err
		},
		shown: shown(pods, i, func(p *corev1.Pod) (bool, sched.Outcome) {
			return p.Status.NominatedNodeName == i.Node, sched.Done
		}),
	}
}

// openGate removes the queue's gate from a pod, and leaves other gates as they are.
func openGate(pods typedcorev1.PodInterface, i sched.Item) request {
	patch, _ := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": i.UID},
		// strings only
		"spec": map[string]any{"schedulingGates": []any{map[string]any{"$patch": "delete",
			"name": translate.QueueGate}}}})
	return request{
		what: fmt.Sprintf("open the queue's gate to %s", i.Pod),
		send: func(ctx context.Context) error {
			_, err := pods.Patch(ctx, i.Pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
			return err
		},
		shown: shown(pods, i, func(p *corev1.Pod) (bool, sched.Outcome) {
			return !slices.Contains(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: translate.QueueGate}), sched.Done
		}),
	}
}

// Release deletes a bound member of a gang that cannot be completed, so that its controller makes it anew (decision
// 22). Its receipt says whether that failed; that the pod goes comes as a fact, too.
func (c *Executor) Release(pod ledger.Key, uid, why string) {
	i := sched.Item{Kind: sched.EvictPod, Pod: pod, UID: uid, Action: why}
	c.Execute([]sched.Item{i})
}

// OfRelease says that an item is of Release, and of no plan.
func OfRelease(i sched.Item) bool { return i.Kind == sched.EvictPod && i.ID == 0 }

// bound writes an event on a pod that names its node, as Volcano does.
func (c *Executor) bound(i sched.Item) {
	if c.options.QuietBinds {
		return
	}
	c.Event(Event{Kind: "Pod", Object: i.Pod, UID: i.UID, Reason: "Scheduled",
		Message: fmt.Sprintf("Successfully assigned %s to %s", i.Pod, i.Node)})
}

// conditions is a patch of a pod's status; the list is merged by type.
func conditions(uid string, list ...corev1.PodCondition) []byte {
	return conditionsAt(uid, "", list)
}

// conditionsAt is conditions with the pod's resourceVersion as a precondition; "": without it.
func conditionsAt(uid, version string, list any) []byte {
	meta := map[string]any{"uid": uid}
	if version != "" {
		meta["resourceVersion"] = version
	}
	patch, _ := json.Marshal(map[string]any{"metadata": meta, "status": map[string]any{"conditions": list}}) // plain data
	return patch
}
