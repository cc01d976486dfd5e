package carry

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// unready are the items of a plan that have to wait for what their pods need beside a
// node: the bindings of each statement in which a volume is to be had or a resource claim
// reserved. They wait together, since a gang of which one member does not get it must not
// have bound the others.
func unready(items []sched.Item) map[uint64][]sched.Item {
	var out map[uint64][]sched.Item
	for _, i := range items {
		if i.Chosen == "" || i.Kind != sched.BindPod || !needs(i.Chosen) {
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

// needs says that something has to be written first, or that nobody knows what.
func needs(c ledger.Chosen) bool {
	v, err := filters.WritesOf(c)
	if err != nil || v.Any() {
		return true
	}
	d, err := devices.WritesOf(c)
	return err != nil || d.Any()
}

// errPodGone says that nobody is there to be bound any more.
var errPodGone = errors.New("the pod is gone")

// setback is why the pods of a statement cannot be bound.
type setback struct {
	item    sched.Item // the one that cannot
	outcome sched.Outcome
	what    string // it could not have
	err     error
}

// bindReady writes what was chosen for the pods of a statement, waits until it is so and
// then binds them. What goes wrong before that fails them all, and the engine decides
// anew, with what stays written as facts: volumes do, and of devices what could not be
// taken back. Volumes come first, for they may take minutes.
func (c *Carrier) bindReady(items []sched.Item, patience time.Duration) {
	began := time.Now()
	until := began.Add(patience)
	if failed := c.makeReady(items, until); failed != nil {
		c.abandon(items, failed)
		return
	}
	for _, i := range items {
		if i.Chosen != "" {
			c.options.Prepared(i, time.Since(began))
		}
	}
	klog.V(2).InfoS("What was chosen for pods is theirs", "pods", len(items), "first", items[0].Pod, "took", time.Since(began))
	for _, i := range items {
		c.bring(i)
	}
}

// makeReady makes all pods of a statement ready to be bound; nil when they are.
func (c *Carrier) makeReady(items []sched.Item, until time.Time) *setback {
	for _, i := range items {
		w, err := filters.WritesOf(i.Chosen)
		if err != nil {
			return &setback{i, sched.Failed, "volumes", err}
		}
		if !w.Any() {
			continue
		}
		if outcome, err := c.prepare(i, w, until); outcome != sched.Done {
			return &setback{i, outcome, "volumes", err}
		}
	}
	return c.reserve(items, until)
}

// abandon answers items that cannot be bound because of one of them.
func (c *Carrier) abandon(items []sched.Item, because *setback) {
	if c.ctx.Err() == nil && c.options.Leading() {
		klog.ErrorS(because.err, "A pod could not have what was chosen for it", "what", because.what, "pod", because.item.Pod, "node", because.item.Node)
		c.Event(Event{Kind: "Pod", Object: because.item.Pod, UID: because.item.UID, Warning: true, Reason: "FailedScheduling",
			Message: clip(fmt.Sprintf("%s could not be bound on node %s: %v", because.what, because.item.Node, because.err))})
	}
	for _, i := range items {
		became := sched.Failed
		if i.Pod == because.item.Pod {
			became = because.outcome
		}
		c.answer(i, became, 0)
	}
}
