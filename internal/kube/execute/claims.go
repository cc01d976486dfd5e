package execute

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedresourcev1 "k8s.io/client-go/kubernetes/typed/resource/v1"

	"ashlar.sh/sched"
)

// claimsIn takes the connections in turn.
func (dc *deviceClaims) claimsIn(namespace string) typedresourcev1.ResourceClaimInterface {
	all := dc.x.options.Clients.Fast
	return all[dc.x.requestCount.Add(1)%uint64(len(all))].ResourceV1().ResourceClaims(namespace)
}

// readClaim reads a claim from the API server itself.
func (dc *deviceClaims) readClaim(ctx context.Context, r *reservation) error {
	now, err := dc.claimsIn(r.namespace).Get(ctx, r.name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return errGone
	case err != nil:
		return err
	}
	r.now = now
	return nil
}

// noneIf leaves out an error that is an answer.
func noneIf(err, answer error) error {
	if errors.Is(err, answer) {
		return nil
	}
	return err
}

// finalize keeps a claim from vanishing while it has devices.
func (dc *deviceClaims) finalize(ctx context.Context, r *reservation) error {
	if slices.Contains(r.now.Finalizers, resourcev1.Finalizer) {
		return nil
	}
	return dc.patchClaim(ctx, r, map[string]any{"finalizers": append(slices.Clone(r.now.Finalizers),
		resourcev1.Finalizer)}, nil)
}

// writeStatus replaces a claim's devices and its list of pods that use it.
func (dc *deviceClaims) writeStatus(ctx context.Context, r *reservation, gives *resourcev1.AllocationResult,
	consumers []resourcev1.ResourceClaimConsumerReference) error {
	status := map[string]any{"allocation": nil, "reservedFor": nil}
	if gives != nil {
		if r.now.Status.Allocation != nil {
			delete(status, "allocation") // it stays as it is
		} else {
			status["allocation"] = gives
		}
	} else if len(r.now.Status.Devices) > 0 {
		status["devices"] = nil
	}
	if len(consumers) > 0 {
		status["reservedFor"] = consumers
	}
	return dc.patchClaim(ctx, r, map[string]any{}, status)
}

// patchClaim changes a claim if it is still what is known of it, and notes what it is then.
func (dc *deviceClaims) patchClaim(ctx context.Context, r *reservation, metadata, status map[string]any) error {
	metadata["uid"], metadata["resourceVersion"] = r.now.UID, r.now.ResourceVersion
	patch := map[string]any{"metadata": metadata}
	var sub []string
	if status != nil {
		patch["status"], sub = status, []string{"status"}
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	now, err := dc.claimsIn(r.namespace).Patch(ctx, r.name, types.MergePatchType, text, metav1.PatchOptions{}, sub...)
	if err != nil {
		return err
	}
	r.now, r.wrote = now, true
	return nil
}

// unreserve undoes what was written for pods that will not be bound with it: their reservations, devices that were
// written for them and that no other pod uses, and claims that were made for them. Where that fails, the claim still
// belongs to its pod, and its devices may be exchanged; unreserve returns once the engine has seen it, or is told that
// it is gone: until then the same devices would be chosen for another claim. It says whether all was undone.
func (dc *deviceClaims) unreserve(list []*reservation) (undone bool) {
	var back []request
	var of []*reservation
	wrong := make([]error, len(list))
	for _, r := range list {
		switch {
		case !r.wrote:
			continue
		case r.special != nil:
			back = append(back, dc.giving(madeNow(r), &wrong[len(back)]))
		default:
			back = append(back, dc.unreserving(r))
		}
		of = append(of, r)
	}
	until := time.Now().Add(longestUnseen)
	undone = true
	for n, outcome := range dc.x.volumes.together(len(back), func(n int) request { return back[n] }) {
		taken := outcome == sched.Done && wrong[n] == nil
		undone = undone && taken
		if of[n].special != nil {
			dc.discardUnless(outcome, of[n])
		}
		for !taken && !dc.seen(of[n]) {
			if dc.x.requests.wait(lookAgain, until, errNotTaken) != nil {
				return false
			}
		}
	}
	return undone
}

// longestUnseen is for how long it is awaited that the engine sees a claim that was written.
const longestUnseen = 10 * time.Minute

// seen says that the engine has seen what is known of a claim, or that the claim is gone.
func (dc *deviceClaims) seen(r *reservation) bool {
	switch now := dc.x.options.Storage.DeviceClaim(r.namespace, r.name); {
	case now != nil:
		return string(now.UID) != r.uid || version(now) >= version(r.now)
	case r.special != nil: // or it was not handed on yet
		return errors.Is(dc.unseen(r), errGone)
	default:
		return true
	}
}

// unreserving is grave: carried out later, it would take the devices from a pod that is bound with them meanwhile, as
// they were found to be its own.
func (dc *deviceClaims) unreserving(r *reservation) request {
	mine := func(u resourcev1.ResourceClaimConsumerReference) bool {
		return slices.ContainsFunc(r.pods, func(i sched.Item) bool { return i.UID == string(u.UID) })
	}
	ours := func() bool { // the devices are those that were written
		return r.gave && r.now.Status.Allocation != nil && sameDevices(r.now.Status.Allocation, r.devices)
	}
	held := func() bool { // there is something to take back
		return string(r.now.UID) == r.uid && r.now.Status.Allocation != nil &&
			(slices.ContainsFunc(r.now.Status.ReservedFor, mine) || ours() && len(r.now.Status.ReservedFor) == 0)
	}
	return request{
		what: "take back claim " + r.namespace + "/" + r.name, grave: true,
		send: func(ctx context.Context) error {
			if !held() {
				return nil
			}
			rest := slices.DeleteFunc(slices.Clone(r.now.Status.ReservedFor), mine)
			keeps := r.now.Status.Allocation
			if len(rest) == 0 && ours() {
				keeps = nil
			}
			return dc.writeStatus(ctx, r, keeps, rest)
		},
		shown: func(ctx context.Context) (bool, sched.Outcome, error) {
			if err := dc.readClaim(ctx, r); err != nil {
				return errors.Is(err, errGone), sched.Done, noneIf(err, errGone)
			}
			return !held(), sched.Done, nil
		},
	}
}
