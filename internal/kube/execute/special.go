package execute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
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
// claim. Under a role that may not read pods it names none.
func (dc *deviceClaims) said(i sched.Item, r *reservation) request {
	var status *corev1.PodExtendedResourceClaimStatus
	if r != nil {
		status = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: r.name, RequestMappings: r.special.Mappings}
	}
	pods := dc.x.pods(i.Pod.Namespace)
	is := func(p *corev1.Pod) bool {
		return equality.Semantic.DeepEqual(p.Status.ExtendedResourceClaimStatus, status)
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
			case string(before.UID) == i.UID && is(before):
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
			}
			return err
		},
		shown: shown(pods, i, func(p *corev1.Pod) (bool, sched.Outcome) { return is(p), sched.Done }),
	}
}

// clean deletes the special claims that were made for pods before and are not theirs now; nil: none is left.
func (dc *deviceClaims) clean(items []sched.Item) *obstacle {
	for _, i := range items {
		w, err := devices.WritesOf(i.Chosen)
		if err != nil {
			return &obstacle{i, sched.Failed, "devices", err}
		}
		if len(w.Left) > 0 {
			if err := dc.waits(i); err != nil {
				return &obstacle{i, sched.Failed, "devices", err}
			}
		}
		var wrong error
		outcomes := dc.x.volumes.together(len(w.Left), func(n int) request {
			return dc.deleting(i, w.Left[n], false, &wrong)
		})
		for n, outcome := range outcomes {
			if outcome != sched.Done && outcome != sched.Missing {
				if wrong == nil {
					wrong = errNotTaken
				}
				return &obstacle{i, sched.Failed, "devices",
					fmt.Errorf("claim %s, which was made for the pod before, could not be deleted: %w",
						w.Left[n].Name, wrong)}
			}
		}
	}
	return nil
}

// waits returns an error if the API server does not show that a pod waits: a binding by the scheduler before may have
// been carried out late, and the pod run with a claim that it left.
func (dc *deviceClaims) waits(i sched.Item) error {
	ctx, cancel := context.WithTimeout(dc.x.ctx, apiRequest)
	defer cancel()
	waits, err := dc.unused(ctx, devices.Leftover{Pod: i.Pod, UID: i.UID})
	if err == nil && !waits {
		err = errBound
	}
	if err != nil {
		return fmt.Errorf("no claim that was made for the pod before is deleted: %w", err)
	}
	return nil
}

// errBound says that a pod does not wait any more.
var errBound = errors.New("it is gone, or has a node by now")

// deleting deletes a claim that was made for a pod, if that is what it is and no other pod uses it, and with empty only
// if it has no devices; under a role that may not delete claims, it takes its devices back. wrong is where a refusal
// for good goes.
func (dc *deviceClaims) deleting(i sched.Item, of devices.Claimed, empty bool, wrong *error) request {
	claims := dc.claimsIn(i.Pod.Namespace)
	look := func(ctx context.Context) (*resourcev1.ResourceClaim, error) { // nil: there is nothing to delete
		c, err := claims.Get(ctx, of.Name, metav1.GetOptions{})
		if err != nil {
			return nil, ignoreNotFound(err)
		}
		others := slices.ContainsFunc(c.Status.ReservedFor,
			func(u resourcev1.ResourceClaimConsumerReference) bool { return string(u.UID) != i.UID })
		going := c.DeletionTimestamp != nil && len(c.Finalizers) == 0
		inUse := others || empty && (c.Status.Allocation != nil || len(c.Status.ReservedFor) > 0)
		if string(c.UID) != of.UID || devices.SpecialOf(c) != i.UID || inUse || going {
			return nil, nil
		}
		return c, nil
	}
	return request{
		what: "delete claim " + i.Pod.Namespace + "/" + of.Name,
		send: func(ctx context.Context) error {
			c, err := look(ctx)
			if err != nil || c == nil {
				return err
			}
			r := &reservation{namespace: c.Namespace, name: c.Name, now: c}
			if slices.Contains(c.Finalizers, resourcev1.Finalizer) {
				rest := slices.DeleteFunc(slices.Clone(c.Finalizers), func(f string) bool { return f == resourcev1.Finalizer })
				err = dc.patchClaim(ctx, r, map[string]any{"finalizers": rest}, nil)
			}
			if err == nil { // in this version: another pod may come to use it
				err = ignoreNotFound(claims.Delete(ctx, of.Name, metav1.DeleteOptions{
					Preconditions: &metav1.Preconditions{UID: &c.UID, ResourceVersion: &r.now.ResourceVersion}}))
			}
			if apierrors.IsForbidden(err) && c.Status.Allocation != nil { // it stays, with nothing, until its pod goes
				err = dc.writeStatus(ctx, r, nil, nil)
			}
			if kindOf(err) == refused {
				*wrong = &refusal{err}
			}
			return err
		},
		shown: func(ctx context.Context) (bool, sched.Outcome, error) {
			c, err := look(ctx)
			return err == nil && c == nil, sched.Done, err
		},
	}
}

// discard deletes the claim that was made for a pod which is not bound after all.
func (dc *deviceClaims) discard(r *reservation) {
	if r != nil && r.uid != "" {
		dc.delete(r.pods[0], devices.Claimed{Name: r.name, UID: r.uid})
	}
}

// delete deletes a special claim of a pod, as deleting has it, without waiting.
func (dc *deviceClaims) delete(i sched.Item, of devices.Claimed) {
	dc.started(dc.deleting(i, of, false, new(error)))
}

// started has a request carried out, without waiting.
func (dc *deviceClaims) started(e request) {
	dc.x.fast.do(func() (time.Duration, bool) {
		_, latency, overloaded := dc.x.requests.run(e)
		return latency, overloaded
	})
}

// GiveBack deletes a claim that was made for a pod which waits, or which is bound and does not use it, if that is what
// the API server itself shows still. It does not wait, and nothing is answered.
func (c *Executor) GiveBack(l devices.Leftover) {
	item := sched.Item{Pod: l.Pod, UID: l.UID}
	e := c.devices.deleting(item, l.Claimed, l.Bound, new(error))
	send := e.send
	e.send = func(ctx context.Context) error {
		if unused, err := c.devices.unused(ctx, l); err != nil || !unused {
			return notSent(err)
		}
		return send(ctx)
	}
	c.fast.do(func() (time.Duration, bool) {
		_, _, overloaded := c.requests.run(e)
		return 0, overloaded // it is several requests, one after the other: how long they took says nothing of each
	})
}

// unused says whether the API server shows a pod as a leftover has it: it has no node, or it has one and its status
// does not name the claim.
func (dc *deviceClaims) unused(ctx context.Context, l devices.Leftover) (bool, error) {
	p, err := dc.x.pods(l.Pod.Namespace).Get(ctx, l.Pod.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsForbidden(err):
		return !l.Bound, nil
	case err != nil:
		return false, ignoreNotFound(err) // where it is gone, its claims go
	case string(p.UID) != l.UID || l.Bound != (p.Spec.NodeName != ""):
		return false, nil
	}
	s := p.Status.ExtendedResourceClaimStatus
	return !l.Bound || s == nil || s.ResourceClaimName != l.Name, nil
}

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
