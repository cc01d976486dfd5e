package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched"
)

// deviceClaims reserves devices for pods before the pods are bound.
type deviceClaims struct {
	x           *Executor
	underWay    poolsUnderWay
	undeletable undeletable
	back        claimsGivenBack
}

// reservation is one resource claim, and the pods of a statement that are to use it.
type reservation struct {
	namespace, name, uid string
	had                  string                       // devices.Digest of its devices at the time of the decision
	devices              *resourcev1.AllocationResult // nil: it has devices already
	pods                 []sched.Item
	special              *devices.Special // it is to be made, for the one pod

	now     *resourcev1.ResourceClaim // the newest that is known of it, as the API server said
	gave    bool                      // devices were written
	wrote   bool                      // anything was
	refusal error                     // why the claim cannot be reserved
	asked   time.Time                 // when it was read that is not seen yet
	version string                    // that the pod of a special claim has, once its status names that; "": not known
}

// reservationsOf are the claims of a statement's pods, each once, in the order in which
// they are named first.
func reservationsOf(items []sched.Item) ([]*reservation, *obstacle) {
	var out []*reservation
	at := map[string]*reservation{}
	for _, i := range items {
		w, err := devices.WritesOf(i.Chosen)
		if err == nil && w.Refused != "" {
			err = errors.New(w.Refused)
		}
		if err != nil {
			return nil, &obstacle{i, sched.Failed, "devices", err}
		}
		for _, claim := range w.Claims {
			r := at[claim.Claim]
			if claim.Special != nil {
				r = &reservation{special: claim.Special, namespace: i.Pod.Namespace, name: drawn(i.Pod)}
				out = append(out, r)
			}
			if r == nil {
				r = &reservation{uid: claim.UID, had: claim.Had}
				r.namespace, r.name, _ = strings.Cut(claim.Claim, "/")
				at[claim.Claim] = r
				out = append(out, r)
			}
			a, err := claim.Allocated()
			if err == nil && a != nil && r.devices != nil && !sameDevices(a, r.devices) {
				err = fmt.Errorf("claim %s was chosen devices for twice", claim.Claim)
			}
			if err != nil {
				return nil, &obstacle{i, sched.Failed, "devices", err}
			}
			if a != nil {
				r.devices = a
			}
			r.pods = append(r.pods, i)
		}
	}
	return out, nil
}

// reserve writes the devices of the claims of a statement's pods and reserves the claims for the
// pods, all or none: if one write fails, the writes for the other claims are undone. It returns
// when the engine has seen the writes, so that no device looks free once its pod is seen bound,
// and when the devices are ready, with the claims that were made by pod; no obstacle on success.
func (dc *deviceClaims) reserve(items []sched.Item, until time.Time) (map[string]*reservation, *obstacle) {
	list, failed := reservationsOf(items)
	if failed == nil {
		failed = dc.clean(items)
	}
	if failed != nil {
		return nil, failed
	}
	one, failed := dc.begin(list, items, until)
	if failed != nil {
		return nil, failed
	}
	defer dc.leave(one)
	ready := false
	defer func() { // after a panic, too
		if !ready && !dc.unreserve(list) {
			dc.notUndone()
		}
	}()
	for n, outcome := range dc.x.volumes.together(len(list), func(n int) request { return dc.reserving(list[n]) }) {
		if r := list[n]; outcome != sched.Done {
			err := r.refusal
			if err == nil {
				err = errNotTaken
			}
			failed = &obstacle{r.pods[0], sched.Failed, "devices", fmt.Errorf("claim %s: %w", r.name, err)}
			failed = cmp.Or(dc.gone(items), failed)
			break
		}
	}
	if failed == nil {
		failed = dc.writeStatuses(items, list)
	}
	if failed == nil && len(list) > 0 {
		failed = dc.awaitDevices(list, items, until)
	}
	ready = failed == nil
	return madeFor(list), failed
}

// reserving writes devices and reservations into a claim's status. What it has by then must be
// what was decided on, or nothing, or ours; the version in which that was seen is the precondition. That does not
// keep a request which is carried out later from giving the devices twice, as another claim may have them by then.
func (dc *deviceClaims) reserving(r *reservation) request {
	return request{
		what: "reserve claim " + r.namespace + "/" + r.name, grave: true,
		send: func(ctx context.Context) error {
			err := dc.writeReservation(ctx, r)
			if kindOf(err) == refused {
				r.refusal = &refusal{err}
			}
			return err
		},
		shown: func(ctx context.Context) (bool, sched.Outcome, error) {
			if r.special != nil && r.uid == "" {
				return false, sched.Failed, dc.created(ctx, r)
			}
			if err := dc.readClaim(ctx, r); err != nil {
				if errors.Is(err, errGone) {
					r.refusal = errGone
				}
				return r.refusal != nil, sched.Failed, noneIf(err, errGone)
			}
			done, err := r.inWantedState()
			switch {
			case err != nil:
				return true, sched.Failed, nil
			case done && r.devices != nil:
				r.gave, r.wrote = true, true // by a request with a lost answer
			case !done && dc.gone(r.pods) != nil:
				return true, sched.Failed, nil
			}
			return done, sched.Done, nil
		},
	}
}

// writeReservation makes a special claim, and writes into a claim what it lacks.
func (dc *deviceClaims) writeReservation(ctx context.Context, r *reservation) error {
	if r.now == nil && r.special != nil {
		if err := dc.create(ctx, r); err != nil {
			return err
		}
	}
	if done, err := dc.mayWrite(ctx, r); done || err != nil {
		return notSent(err)
	}
	if r.devices != nil && r.now.Status.Allocation != nil && !sameDevices(r.devices, r.now.Status.Allocation) {
		if err := dc.writeStatus(ctx, r, nil, nil); err != nil { // another's cannot be overwritten, only given back
			return err
		}
	}
	gives := r.now.Status.Allocation
	if gives == nil {
		if err := dc.finalize(ctx, r); err != nil {
			return err
		}
		gives = stamped(r.devices)
	}
	consumers := slices.Clone(r.now.Status.ReservedFor)
	for _, i := range r.pods {
		if !devices.Holds(r.now, i.UID) {
			consumers = append(consumers, devices.Consumer(i.Pod, i.UID))
		}
	}
	fresh := r.now.Status.Allocation == nil
	if err := dc.writeStatus(ctx, r, gives, consumers); err != nil {
		return err
	}
	r.gave = r.gave || fresh
	return nil
}

// mayWrite says that a claim is in the wanted state already. An error says why nothing may be written.
func (dc *deviceClaims) mayWrite(ctx context.Context, r *reservation) (done bool, err error) {
	watched := r.now == nil
	if watched {
		if r.now = dc.x.options.Storage.DeviceClaim(r.namespace, r.name); r.now == nil {
			return false, errGone
		}
	}
	done, err = r.inWantedState()
	if done && watched { // no write will be refused for its version: the watch may not show yet what was taken back
		if err = dc.readClaim(ctx, r); err != nil {
			r.now = nil // it is still to be read
			return false, err
		}
		done, err = r.inWantedState()
	}
	if done || err != nil {
		return done, err
	}
	if gone := dc.gone(r.pods); gone != nil {
		r.refusal = gone.err
		return false, gone.err
	}
	return false, nil
}

// inWantedState reports whether a claim is in the wanted state. An error says that it never will be: the
// claim is gone, or another client changed or removed its devices since the decision.
func (r *reservation) inWantedState() (bool, error) {
	r.refusal = nil
	has := r.now.Status.Allocation
	right := has != nil && r.devices == nil && devices.Digest(has) == r.had ||
		has != nil && r.devices != nil && sameDevices(has, r.devices)
	switch {
	case string(r.now.UID) != r.uid || r.now.DeletionTimestamp != nil:
		r.refusal = errGone
	case has == nil && r.devices == nil:
		r.refusal = errors.New("its devices were taken back meanwhile")
	case has == nil || right:
	case devices.Digest(has) != r.had:
		r.refusal = errors.New("it has other devices meanwhile")
	case !r.ownOnly():
		r.refusal = errors.New("it has other devices, which are used meanwhile")
	}
	if r.refusal != nil || !right {
		return false, r.refusal
	}
	return !slices.ContainsFunc(r.pods, func(i sched.Item) bool { return !devices.Holds(r.now, i.UID) }), nil
}

// ownOnly reports whether a claim is reserved only for pods that are about to be bound with it: its
// devices may then be exchanged for other devices.
func (r *reservation) ownOnly() bool {
	return !slices.ContainsFunc(r.now.Status.ReservedFor, func(u resourcev1.ResourceClaimConsumerReference) bool {
		return !slices.ContainsFunc(r.pods, func(i sched.Item) bool { return i.UID == string(u.UID) })
	})
}

// sameDevices compares what a claim has with what was chosen, by the devices: an API server
// leaves out what it has switched off.
func sameDevices(a, b *resourcev1.AllocationResult) bool {
	return slices.EqualFunc(a.Devices.Results, b.Devices.Results,
		func(x, y resourcev1.DeviceRequestAllocationResult) bool {
			return x.Request == y.Request && x.Driver == y.Driver && x.Pool == y.Pool && x.Device == y.Device
		})
}

// stamped says from when devices are waited for that have to be made ready.
func stamped(a *resourcev1.AllocationResult) *resourcev1.AllocationResult {
	if !slices.ContainsFunc(a.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool {
		return len(r.BindingConditions) > 0
	}) {
		return a
	}
	out := a.DeepCopy()
	out.AllocationTimestamp = &metav1.Time{Time: time.Now()}
	return out
}

// awaitDevices waits until the engine has seen what was written and the devices are ready.
func (dc *deviceClaims) awaitDevices(list []*reservation, items []sched.Item, until time.Time) *obstacle {
	for pause := lookAgain / 16; ; pause = min(2*pause, lookAgain) {
		if gone := dc.gone(items); gone != nil {
			return gone
		}
		waits := (*reservation)(nil)
		for _, r := range list {
			ready, err := dc.devicesReady(r)
			if err != nil {
				return &obstacle{r.pods[0], sched.Failed, "devices", fmt.Errorf("claim %s: %w", r.name, err)}
			}
			if !ready {
				waits = r
			}
		}
		if waits == nil {
			return nil
		}
		late := fmt.Errorf("the devices of claim %s were not ready in time", waits.name)
		if err := dc.x.requests.wait(pause, until, late); err != nil {
			return &obstacle{waits.pods[0], sched.Failed, "devices", err}
		}
	}
}

// devicesReady says that a reservation is known to the engine, and that nothing has to
// happen to its devices before a pod may be bound.
func (dc *deviceClaims) devicesReady(r *reservation) (bool, error) {
	seen := dc.x.options.Storage.DeviceClaim(r.namespace, r.name)
	if r.special != nil && seen == nil {
		return false, dc.unseen(r)
	}
	if seen == nil || string(seen.UID) != r.uid {
		return false, errGone
	}
	if version(seen) < version(r.now) {
		return false, nil
	}
	r.now = seen
	if done, err := r.inWantedState(); err != nil || !done {
		if err == nil {
			err = errors.New("its reservation was taken back")
		}
		return false, err
	}
	for i := range seen.Status.Allocation.Devices.Results {
		d := &seen.Status.Allocation.Devices.Results[i]
		if len(d.BindingConditions) == 0 {
			continue
		}
		conditions := conditionsOf(seen, d)
		for _, name := range d.BindingFailureConditions {
			if f := apimeta.FindStatusCondition(conditions, name); f != nil && f.Status == metav1.ConditionTrue {
				return false, fmt.Errorf("device %s could not be made ready: %s: %s", d.Device, f.Reason, f.Message)
			}
		}
		for _, name := range d.BindingConditions {
			if !apimeta.IsStatusConditionTrue(conditions, name) {
				return false, nil
			}
		}
	}
	return true, nil
}

func conditionsOf(c *resourcev1.ResourceClaim, d *resourcev1.DeviceRequestAllocationResult) []metav1.Condition {
	for _, s := range c.Status.Devices {
		if s.Driver == d.Driver && s.Pool == d.Pool && s.Device == d.Device {
			return s.Conditions
		}
	}
	return nil
}
