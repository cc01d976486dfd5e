package execute

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
)

// unready are the items of a plan that have to wait for what their pods need beside a
// node: the bindings of each statement in which a volume is to be had or a resource claim
// reserved. They wait together, since a gang of which one member does not get it must not
// have bound the others; and so do the members of later statements (Item.After).
func (c *Executor) unready(items []sched.Item) map[uint64][]sched.Item {
	var out map[uint64][]sched.Item
	for _, i := range items {
		if i.Kind != sched.BindPod || !c.needs(i) && !c.preparing.awaits(i.After, out) {
			continue
		}
		if out == nil {
			out = map[uint64][]sched.Item{}
		}
		out[i.Statement] = nil
	}
	for _, i := range items {
		if _, waits := out[i.Statement]; waits && i.Kind == sched.BindPod {
			out[i.Statement] = append(out[i.Statement], i)
		}
	}
	return out
}

// needs says that something has to be written before a pod is bound, or that what was chosen for it cannot be read.
func (c *Executor) needs(bind sched.Item) (yes bool) {
	chosen := bind.Chosen
	if chosen == "" {
		return false
	}
	known := c.withoutPanic("reading what was chosen for a pod", func() {
		v, err := filters.WritesOf(chosen)
		if err != nil || v.Any() {
			yes = true
			return
		}
		d, err := devices.WritesOf(chosen)
		yes = err != nil || d.Any()
	})
	return yes || !known
}

// errPodGone says that the pod to be bound is gone.
var errPodGone = errors.New("the pod is gone")

// gone is the first of some pods that cannot be bound any more, as the obstacle to what is prepared for it; nil: none.
func gone(in Storage, items []sched.Item, what string) *obstacle {
	for _, i := range items {
		if in.PodUID(i.Pod.Namespace, i.Pod.Name) != i.UID {
			return &obstacle{i, sched.Missing, what, errPodGone}
		}
	}
	return nil
}

// wait lets a pause pass before what is awaited is looked at again. The error says why it is awaited no longer: late,
// when the time is over.
func (re *requests) wait(pause time.Duration, until time.Time, late error) error {
	switch {
	case time.Now().After(until):
		return late
	case !re.leading():
		return errors.New("the lease is lost")
	case !sleep(re.x.ctx, pause):
		return re.x.ctx.Err()
	}
	return nil
}

// errPanicked says that a bug ended the preparing.
var errPanicked = errors.New("preparing it made the scheduler panic, which is a bug in ashlar")

// refusal is the API server's answer to what a pod needs that asking again does not change: its job asks less and less
// often, as where the binding is refused.
type refusal struct{ error }

// Unwrap returns the answer.
func (r *refusal) Unwrap() error { return r.error }

// obstacle is why the pods of a statement cannot be bound.
type obstacle struct {
	item    sched.Item // the one that cannot
	outcome sched.Outcome
	what    string // it could not have
	err     error
}

// volumePatience is how long the volumes and devices of a plan may take to be bound.
func volumePatience(c *Executor) time.Duration {
	patience := DefaultVolumeWait
	c.withoutPanic("asking how long volumes may take", func() { patience = c.options.VolumeWait() })
	return patience
}

// bindReady writes what was chosen for the pods of a statement, waits until it is so and
// then binds them. What goes wrong before that fails them all, and the engine decides
// anew, with what stays written as facts: volumes do, and of devices what could not be
// taken back. Volumes come first, for they may take minutes. What the rest of a gang waits for
// comes before that: without it, nothing is written.
func (c *Executor) bindReady(items []sched.Item, patience time.Duration, own *preparation) {
	made, ready := map[string]*reservation(nil), false
	defer func() { c.preparing.end(own, ready) }()
	if failed, rest := own.await(c.ctx); !rest {
		c.failWith(failed, items)
		return
	}
	if made, ready = c.prepared(items, patience); !ready {
		return
	}
	for _, i := range items {
		c.bring(i, made[i.UID], repeatsOf(i, len(items)), func(r result) {
			if r.outcome != sched.Done {
				c.devices.discard(made[i.UID])
			}
		})
	}
}

// prepared makes the pods of a statement ready to be bound, and says which claims were made for them; where it cannot,
// it has answered them.
func (c *Executor) prepared(items []sched.Item, patience time.Duration) (made map[string]*reservation, ready bool) {
	began := time.Now()
	until := began.Add(patience)
	failed := &obstacle{items[0], sched.Failed, "volumes and devices", errPanicked}
	c.withoutPanic("preparing volumes and devices", func() {
		found := c.volumes.prepare(items, until)
		if found == nil {
			made, found = c.devices.reserve(items, until)
		}
		failed = found
	})
	if failed != nil {
		c.abandon(items, failed)
		return nil, false
	}
	c.withoutPanic("counting what was prepared", func() {
		for _, i := range items {
			if i.Chosen != "" {
				c.options.Prepared(i, time.Since(began))
			}
		}
	})
	klog.V(2).InfoS("What was chosen for pods is theirs", "pods", len(items), "first", items[0].Pod, "took",
		time.Since(began))
	return made, true
}

// abandon answers items that cannot be bound because of one of them.
func (c *Executor) abandon(items []sched.Item, because *obstacle) {
	if c.ctx.Err() == nil && c.requests.leading() {
		klog.ErrorS(because.err, "A pod could not have what was chosen for it", "what", because.what, "pod", because.item.Pod,
			"node", because.item.Node)
		c.Event(Event{Kind: "Pod", Object: because.item.Pod, UID: because.item.UID, Warning: true, Reason: "FailedScheduling",
			Message: Clip(fmt.Sprintf("%s could not be bound on node %s: %v", because.what, because.item.Node, because.err))})
	}
	answers := make([]sched.Receipt, len(items))
	for n, i := range items {
		answers[n] = sched.Receipt{Item: i, Outcome: sched.Failed}
		if i.Pod == because.item.Pod {
			answers[n].Outcome = because.outcome
			if r := (*refusal)(nil); errors.As(because.err, &r) {
				answers[n].Refused = Clip(because.err.Error())
			}
		}
	}
	c.answerAll(answers, 0)
}
