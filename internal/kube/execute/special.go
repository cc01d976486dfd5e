package execute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// Where a node meets a pod's extended resources by devices (KEP-5004), a claim is made for the pod: it is created,
// allocated and reserved like any other, and the pod's status says which of its requests is for which container. It is
// the pod's alone and of no use to another binding: where this one fails it is deleted.

// errDropped says that the pod's status cannot name the claim.
var errDropped = errors.New("the API server does not keep status.extendedResourceClaimStatus: " +
	"its feature gate DRAExtendedResource is off")

// create makes the special claim of a reservation. Its name is drawn here and not by the API server, so that a request
// without an answer can be looked up and is not carried out twice.
func (dc *deviceClaims) create(ctx context.Context, r *reservation) error {
	pod := r.pods[0]
	now, err := dc.claimsIn(r.namespace).Create(ctx, r.special.Claim(pod.Pod, pod.UID, r.name), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	r.now, r.uid, r.wrote = now, string(now.UID), true
	return nil
}

// drawn is a name for a special claim.
func drawn(pod ledger.Key) string { return devices.SpecialPrefix(pod.Name) + utilrand.String(5) }

// created looks whether the claim was made by a request without an answer. A claim of that name that is not the pod's
// is left alone, and another name drawn.
func (dc *deviceClaims) created(ctx context.Context, r *reservation) error {
	now, err := dc.claimsIn(r.namespace).Get(ctx, r.name, metav1.GetOptions{})
	if err != nil {
		return ignoreNotFound(err)
	}
	pod := r.pods[0]
	if devices.SpecialOf(now) != pod.UID || !equality.Semantic.DeepEqual(now.Spec.Devices,
		r.special.Claim(pod.Pod, pod.UID, "").Spec.Devices) {
		r.name = drawn(pod.Pod)
		return nil
	}
	r.now, r.uid, r.wrote = now, string(now.UID), true
	return nil
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// said writes into a pod's status which claim was made for it, nil: none. It names the version that the pod has before,
// so that a request without an answer is not carried out after the pod was bound or after its status named another
// claim; and it notes the version that the pod has then, which its binding names. Under a role that may not read pods
// it names and notes none. It fails where the pod has a node by now.
func (dc *deviceClaims) said(i sched.Item, r *reservation) request {
	var status *corev1.PodExtendedResourceClaimStatus
	if r != nil {
		status = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: r.name, RequestMappings: r.special.Mappings}
	}
	pods := dc.x.pods(i.Pod.Namespace)
	is := func(p *corev1.Pod) bool {
		return equality.Semantic.DeepEqual(p.Status.ExtendedResourceClaimStatus, status)
	}
	note := func(p *corev1.Pod) {
		if r != nil {
			r.version = p.ResourceVersion
		}
	}
	return request{
		what: fmt.Sprintf("say which claim was made for %s", i.Pod), grave: true,
		send: func(ctx context.Context) error {
			metadata := map[string]any{"uid": i.UID}
			before, err := pods.Get(ctx, i.Pod.Name, metav1.GetOptions{})
			switch {
			case apierrors.IsForbidden(err):
			case err != nil:
				return notSent(err)
			case string(before.UID) == i.UID && before.Spec.NodeName != "":
				return notSent(errBound)
			case string(before.UID) == i.UID && is(before):
				note(before)
				return nil
			default:
				metadata["resourceVersion"] = before.ResourceVersion
			}
			patch, _ := json.Marshal(map[string]any{ // plain data
				"metadata": metadata, "status": map[string]any{"extendedResourceClaimStatus": status}})
			p, err := pods.Patch(ctx, i.Pod.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
			switch {
			case err != nil && r != nil && kindOf(err) == refused:
				r.refusal = &refusal{err}
			case err == nil && r != nil && p.Status.ExtendedResourceClaimStatus == nil:
				r.refusal = &refusal{errDropped}
			case err == nil && metadata["resourceVersion"] != nil:
				note(p)
			}
			return err
		},
		shown: shown(pods, i, func(p *corev1.Pod) (bool, sched.Outcome) {
			if p.Spec.NodeName != "" {
				return true, sched.Failed
			}
			if is(p) {
				note(p)
			}
			return is(p), sched.Done
		}),
	}
}

// clean deletes the special claims that were made for pods before and are not theirs now; nil: none is left, and their
// devices are free, as was taken for granted when the pods were given theirs.
func (dc *deviceClaims) clean(items []sched.Item) *obstacle {
	for _, i := range items {
		w, err := devices.WritesOf(i.Chosen)
		if err != nil {
			return &obstacle{i, sched.Failed, "devices", err}
		}
		if len(w.Left) > 0 {
			if err := dc.waits(i, w.Left); err != nil {
				return &obstacle{i, sched.Failed, "devices", err}
			}
		}
		wrong := make([]error, len(w.Left))
		outcomes := dc.x.volumes.together(len(w.Left), func(n int) request {
			return dc.giving(givenBack{item: i, claim: w.Left[n]}, &wrong[n])
		})
		for n, outcome := range outcomes {
			err := wrong[n]
			if err == nil && outcome != sched.Done && outcome != sched.Missing {
				err = errNotTaken
			}
			if err != nil {
				return &obstacle{i, sched.Failed, "devices",
					fmt.Errorf("claim %s, which was made for the pod before, could not be deleted: %w", w.Left[n].Name, err)}
			}
		}
	}
	return nil
}

// waits returns an error if the API server does not show that a pod waits and uses none of the claims that are left: a
// binding by the scheduler before may have been carried out late, and the pod run with one of them. Where the pod's
// status names a claim it names none from here on. That is another version of the pod, so that such a binding, which
// names the version before, is refused.
func (dc *deviceClaims) waits(i sched.Item, left []devices.Claimed) error {
	fenced := dc.x.volumes.together(1, func(int) request { return dc.said(i, nil) })[0] == sched.Done
	ctx, cancel := context.WithTimeout(dc.x.ctx, apiRequest)
	defer cancel()
	var all []devices.Leftover
	for _, c := range left {
		all = append(all, devices.Leftover{Pod: i.Pod, UID: i.UID, Claimed: c})
	}
	unused, err := dc.unused(ctx, all...)
	switch {
	case err == nil && !unused:
		err = errBound
	case err == nil && !fenced:
		err = errNotTaken
	}
	if err != nil {
		return fmt.Errorf("no claim that was made for the pod before is deleted: %w", err)
	}
	return nil
}

// errBound says that a pod does not wait any more, or uses a claim.
var errBound = errors.New("it is gone, has a node or uses the claim by now")

// writeStatuses writes into the status of pods which claims were made for them.
func (dc *deviceClaims) writeStatuses(items []sched.Item, list []*reservation) *obstacle {
	made := madeFor(list)
	var about []sched.Item
	for _, i := range items {
		if w, err := devices.WritesOf(i.Chosen); err == nil && w.Unsaid || made[i.UID] != nil {
			about = append(about, i)
		}
	}
	outcomes := dc.x.volumes.together(len(about), func(n int) request { return dc.said(about[n], made[about[n].UID]) })
	for n, outcome := range outcomes {
		i, r, err := about[n], made[about[n].UID], errNotTaken
		switch {
		case outcome == sched.Missing:
			return &obstacle{i, sched.Missing, "devices", errPodGone}
		case r != nil && r.refusal != nil:
			err = r.refusal
		case outcome == sched.Done:
			continue
		}
		return &obstacle{i, sched.Failed, "devices", fmt.Errorf("its status could not name its claim: %w", err)}
	}
	return nil
}

// madeFor are the reservations of special claims by the uids of their pods.
func madeFor(list []*reservation) map[string]*reservation {
	out := map[string]*reservation{}
	for _, r := range list {
		if r.special != nil {
			out[r.pods[0].UID] = r
		}
	}
	return out
}

// unseen says whether a special claim that the engine has not seen yet is there: errGone if it is not. It asks once a
// second.
func (dc *deviceClaims) unseen(r *reservation) error {
	if time.Since(r.asked) < time.Second {
		return nil
	}
	first := r.asked.IsZero()
	r.asked = time.Now()
	if first {
		return nil
	}
	ctx, cancel := context.WithTimeout(dc.x.ctx, apiRequest)
	defer cancel()
	if err := dc.readClaim(ctx, r); errors.Is(err, errGone) || err == nil && string(r.now.UID) != r.uid {
		return errGone
	}
	return nil
}
