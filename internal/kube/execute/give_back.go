package execute

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched"
)

// A claim that was made for a pod and that the pod does not use is given back: its devices first, then the claim. The
// claim's author may take the mark off that says so, and write the claim all the time. So what this process made is
// known by its UID, and devices are taken back in whatever version the claim has.

// givenBack is a claim to be given back.
type givenBack struct {
	item  sched.Item // of its pod
	claim devices.Claimed
	made  bool // this process made it: it need not say so any more
	empty bool // only where it has no devices
}

// madeNow is the claim of a reservation that fails.
func madeNow(r *reservation) givenBack {
	return givenBack{item: r.pods[0], claim: devices.Claimed{Name: r.name, UID: r.uid}, made: true}
}

// errKept says that a claim was not given back and has devices.
var errKept = errors.New("it keeps its devices, since another pod uses it or its mark was taken off")

// look reads a claim; nil: there is nothing to give back. Another pod uses it, or it is another's; or its pod was bound
// with it. kept says that it has devices then.
func (dc *deviceClaims) look(ctx context.Context, g givenBack) (c *resourcev1.ResourceClaim, kept bool, err error) {
	c, err = dc.claimsIn(g.item.Pod.Namespace).Get(ctx, g.claim.Name, metav1.GetOptions{})
	if err != nil {
		return nil, false, ignoreNotFound(err)
	}
	others := slices.ContainsFunc(c.Status.ReservedFor,
		func(u resourcev1.ResourceClaimConsumerReference) bool { return string(u.UID) != g.item.UID })
	going := c.DeletionTimestamp != nil && len(c.Finalizers) == 0
	marked := devices.SpecialOf(c) == g.item.UID
	switch {
	case string(c.UID) != g.claim.UID, going:
		return nil, false, nil
	case others, g.empty && has(c), !marked && !(g.made && has(c)):
		return nil, c.Status.Allocation != nil, nil
	case !g.made:
		return c, false, nil
	}
	if runs, err := dc.runsWith(ctx, g); runs || err != nil {
		return nil, runs && c.Status.Allocation != nil, err
	}
	return c, false, nil
}

// has says that a claim has devices, or is reserved.
func has(c *resourcev1.ResourceClaim) bool {
	return c.Status.Allocation != nil || len(c.Status.ReservedFor) > 0
}

// giving gives a claim back. Under a role that may not delete claims it stays without devices, until its pod goes.
// wrong is where a refusal for good goes, or that it is not given back and has devices: then it is done with.
func (dc *deviceClaims) giving(g givenBack, wrong *error) request {
	clashes := 0
	look := func(ctx context.Context) (*resourcev1.ResourceClaim, error) {
		c, kept, err := dc.look(ctx, g)
		if *wrong = nil; kept {
			*wrong = errKept
		}
		return c, err
	}
	return request{
		what: "give back claim " + g.item.Pod.Namespace + "/" + g.claim.Name,
		send: func(ctx context.Context) error {
			c, err := look(ctx)
			if err != nil || c == nil {
				return err
			}
			r := &reservation{namespace: c.Namespace, name: c.Name, now: c}
			if has(c) {
				err = dc.takeBack(ctx, r)
			}
			if err == nil && devices.SpecialOf(r.now) == g.item.UID {
				err = dc.remove(ctx, r, clashes >= mostClashes)
			}
			switch kindOf(err) {
			case clash:
				clashes++
			case refused:
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

// takeBack takes the devices of a claim and its reservations, if these are still what they are. No version is named:
// a client that may write the claim could write it all the time.
func (dc *deviceClaims) takeBack(ctx context.Context, r *reservation) error {
	if len(r.now.Status.ReservedFor) == 0 { // nothing can be compared that a scheduler writes when it gives it to a pod
		return dc.writeStatus(ctx, r, nil, nil)
	}
	type step struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value,omitempty"`
	}
	steps := []step{{"test", "/metadata/uid", r.now.UID}, {"test", "/status/reservedFor", r.now.Status.ReservedFor},
		{"remove", "/status/reservedFor", nil}}
	if r.now.Status.Allocation != nil {
		steps = append(steps, step{"remove", "/status/allocation", nil})
	}
	if len(r.now.Status.Devices) > 0 {
		steps = append(steps, step{"remove", "/status/devices", nil})
	}
	patch, err := json.Marshal(steps)
	if err != nil {
		return err
	}
	now, err := dc.claimsIn(r.namespace).Patch(ctx, r.name, types.JSONPatchType, patch, metav1.PatchOptions{}, "status")
	switch {
	case apierrors.IsInvalid(err):
		return unsent{err} // another is written meanwhile
	case err != nil:
		return err
	}
	r.now = now
	return nil
}

// remove deletes a claim that has no devices. It names the version, since another pod may come to use the claim, unless
// that was tried too often: the claim then keeps its finalizer, and so stays as long as a pod uses it.
func (dc *deviceClaims) remove(ctx context.Context, r *reservation, anyVersion bool) (err error) {
	only := metav1.Preconditions{UID: &r.now.UID}
	if !anyVersion && slices.Contains(r.now.Finalizers, resourcev1.Finalizer) {
		rest := slices.DeleteFunc(slices.Clone(r.now.Finalizers), func(f string) bool { return f == resourcev1.Finalizer })
		err = dc.patchClaim(ctx, r, map[string]any{"finalizers": rest}, nil)
	}
	if err == nil {
		if !anyVersion {
			only.ResourceVersion = &r.now.ResourceVersion
		}
		err = dc.claimsIn(r.namespace).Delete(ctx, r.name, metav1.DeleteOptions{Preconditions: &only})
	}
	if apierrors.IsForbidden(err) {
		if lacksRight(err, "delete") {
			dc.undeletable.add(string(r.now.UID))
		}
		klog.V(2).InfoS("A claim that was made for a pod may not be deleted: it stays, without devices",
			"namespace", r.namespace, "claim", r.name, "err", err)
		return nil
	}
	return ignoreNotFound(err)
}

// undeletable are claims without devices that could not be deleted for lack of the right, by UID.
type undeletable struct {
	mu   sync.Mutex
	uids map[string]bool
}

// mostUndeletable bounds them; beyond that all are forgotten, and tried once more.
const mostUndeletable = 10_000

func (u *undeletable) add(uid string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.uids == nil || len(u.uids) >= mostUndeletable {
		u.uids = map[string]bool{}
	}
	u.uids[uid] = true
}

func (u *undeletable) is(uid string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.uids[uid]
}

// GiveBack deletes a claim that was made for a pod which waits, or which is bound and does not use it, if that is what
// the API server itself shows still. It does not wait, and nothing is answered. One without devices that this process
// may not delete is left alone, and so is one that is being given back already.
func (c *Executor) GiveBack(l devices.Leftover) {
	if l.Empty && c.devices.undeletable.is(l.Claimed.UID) {
		return
	}
	g := givenBack{item: sched.Item{Pod: l.Pod, UID: l.UID}, claim: l.Claimed, empty: l.Bound}
	e := c.devices.giving(g, new(error))
	send := e.send
	e.send = func(ctx context.Context) error {
		if unused, err := c.devices.unused(ctx, l); err != nil || !unused {
			return notSent(err)
		}
		return send(ctx)
	}
	c.devices.started(g, e, func(sched.Outcome) {})
}

// unused says whether the API server shows a pod as its leftovers, one or more, have it: it has no node, or it has one
// and its status names none of the claims as the one that was made for it. And it names none as one of a template.
func (dc *deviceClaims) unused(ctx context.Context, all ...devices.Leftover) (bool, error) {
	l := all[0]
	p, err := dc.x.pods(l.Pod.Namespace).Get(ctx, l.Pod.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsForbidden(err):
		return !l.Bound, nil
	case err != nil:
		return false, ignoreNotFound(err) // where it is gone, its claims go
	case string(p.UID) != l.UID || l.Bound != (p.Spec.NodeName != ""):
		return false, nil
	}
	return !slices.ContainsFunc(all, func(l devices.Leftover) bool {
		return l.Bound && says(p, l.Name) ||
			slices.ContainsFunc(p.Status.ResourceClaimStatuses, func(s corev1.PodResourceClaimStatus) bool {
				return s.ResourceClaimName != nil && *s.ResourceClaimName == l.Name
			})
	}), nil
}

// says that the status of a pod names a claim as the one that was made for it.
func says(p *corev1.Pod, claim string) bool {
	s := p.Status.ExtendedResourceClaimStatus
	return s != nil && s.ResourceClaimName == claim
}

// runsWith says whether the API server shows that a pod was bound with a claim after all. Under a role that may not
// read pods it was not.
func (dc *deviceClaims) runsWith(ctx context.Context, g givenBack) (bool, error) {
	p, err := dc.x.pods(g.item.Pod.Namespace).Get(ctx, g.item.Pod.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return false, nil
	}
	return err == nil && string(p.UID) == g.item.UID && p.Spec.NodeName != "" && says(p, g.claim.Name), err
}
