package execute

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/api"
	"ashlar.sh/sched/ledger"
)

// Bounds of what waits to be said, conditions, figures and events each.
const (
	mostWaiting = 8192 // words that wait; more are dropped
	mostMessage = 1024 // bytes of a message
	tries       = 4
)

// Event is an event that is to be recorded about an object.
type Event struct {
	Kind    string // one of apiVersions
	Object  ledger.Key
	UID     string
	Warning bool
	Reason  string
	Message string
}

// apiVersions are the API versions of the kinds that events are about.
var apiVersions = map[string]string{
	"Pod": "v1", "Node": "v1", "Namespace": "v1", "ResourceQuota": "v1", "PodDisruptionBudget": "policy/v1",
	"PriorityClass": "scheduling.k8s.io/v1", "PodGroup": "scheduling.volcano.sh/v1beta1",
	"Queue": "scheduling.volcano.sh/v1beta1", "HyperNode": "topology.volcano.sh/v1alpha1",
	"Booking": api.Version.String(),
}

// Event tells of something, unless too much waits to be told: then it returns false. It
// does not wait, and tells no one when the API server did not take it: an event is worth
// no repetition. What is told of an object without a namespace is kept in default, as
// kubectl describe expects.
func (c *Executor) Event(e Event) bool {
	sum := e.sum()
	e.Message = Clip(e.Message) // now: thousands may wait, with names that are as long as tenants write them
	return c.say(c.events, func(ctx context.Context) error {
		now := metav1.Now()
		kind, namespace := corev1.EventTypeNormal, e.Object.Namespace
		if e.Warning {
			kind = corev1.EventTypeWarning
		}
		if namespace == "" {
			namespace = metav1.NamespaceDefault
		}
		_, err := c.options.Clients.Events.CoreV1().Events(namespace).Create(ctx, &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace,
				Name: fmt.Sprintf("%s.%x.%04x", e.Object.Name, now.UnixNano(), sum)},
			InvolvedObject: corev1.ObjectReference{APIVersion: apiVersions[e.Kind], Kind: e.Kind,
				Namespace: e.Object.Namespace, Name: e.Object.Name, UID: types.UID(e.UID)},
			Type: kind, Reason: e.Reason, Message: e.Message,
			Source: corev1.EventSource{Component: c.options.Reporter}, ReportingController: c.options.Reporter,
			FirstTimestamp: now, LastTimestamp: now, Count: 1,
		}, metav1.CreateOptions{})
		return err
	})
}

// sum tells apart the names of events about one object at one time.
func (e Event) sum() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, e.Kind, e.UID, e.Reason, e.Message)
	return h.Sum64() & 0xffff
}

// QueueAllocated writes a queue's status.allocated: quantities by resource, nil for one
// that is there and should not be. It returns false when too much waits to be said.
func (c *Executor) QueueAllocated(name, uid string, allocated map[string]*string) bool {
	patch, _ := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": uid}, "status": map[string]any{"allocated": allocated}}) // strings only
	return c.say(c.figures, func(ctx context.Context) error {
		_, err := c.options.Clients.Figures.SchedulingV1beta1().Queues().Patch(ctx, name,
			types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		return err
	})
}

// bookingFields are the fields of a booking's status: one that is not written anew is removed.
var bookingFields = []string{"phase", "window", "asked", "nodeCount", "nodes", "conflictCount", "conflicts", "overlaps",
	"message", "endedEarly"}

// BookingStatus has an executor write how a booking stands, in the place of what its status says. It returns false when
// too much waits to be said.
func BookingStatus(c *Executor, name, uid string, status *api.BookingStatus) bool {
	fields := map[string]any{}
	text, _ := json.Marshal(status) // strings and numbers only
	_ = json.Unmarshal(text, &fields)
	for _, f := range bookingFields {
		if _, is := fields[f]; !is {
			fields[f] = nil
		}
	}
	patch, _ := json.Marshal(map[string]any{"metadata": map[string]any{"uid": uid}, "status": fields})
	return c.options.Clients.Bookings != nil && c.say(c.figures, func(ctx context.Context) error {
		return c.options.Clients.Bookings.PatchStatus(ctx, name, patch)
	})
}

// ShardStatus writes a NodeShard's status: the nodes that its scheduler uses, those that it will
// use once others do not, and those that it has to give up and still uses. It returns false when
// too much waits to be said.
func (c *Executor) ShardStatus(name, uid string, inUse, toAdd, toRemove []string) bool {
	list := func(names []string) []string { return append([]string{}, names...) } // null would remove the list
	patch, _ := json.Marshal(map[string]any{"metadata": map[string]any{"uid": uid}, "status": map[string]any{
		"nodesInUse": list(inUse), "nodesToAdd": list(toAdd), "nodesToRemove": list(toRemove)}}) // strings only
	return c.say(c.figures, func(ctx context.Context) error {
		_, err := c.options.Clients.Figures.ShardV1alpha1().NodeShards().Patch(ctx, name,
			types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		if err != nil {
			klog.ErrorS(err, "Writing the status of the NodeShard", "nodeShard", name)
		}
		return err
	})
}

// say does something in one of the slow queues, a few times if the server has no time; false
// when too much waits.
func (c *Executor) say(on *requestQueue, what func(context.Context) error) bool {
	return sayInOrder(c, 0, on, what)
}

// sayInOrder is say, before what is of a later order. Unless it returns false, another goroutine calls over, if any,
// once it is said or given up.
func sayInOrder(c *Executor, o Order, on *requestQueue, what func(context.Context) error, over ...func()) bool {
	if _, waiting, _ := on.load(); waiting >= mostWaiting {
		c.dropped.Add(1)
		return false
	}
	on.inOrder(o, func() (latency time.Duration, overloaded bool) {
		for _, f := range over {
			defer f()
		}
		for n := range tries {
			if !c.requests.leading() || c.ctx.Err() != nil {
				return latency, overloaded
			}
			err := c.requests.timed(&latency, what)
			if answer := kindOf(err); answer != later && answer != unknown {
				return 0, overloaded // the client's own rate limit is in the latency
			}
			overloaded = true
			if !sleep(c.ctx, pause(err, n)) {
				break
			}
		}
		c.dropped.Add(1)
		return 0, overloaded
	})
	return true
}

// Clip is a message as it is written: as much of it as an object may have, in whole letters. The API server would show
// another text than was sent where a letter is cut in two.
func Clip(message string) string {
	if len(message) <= mostMessage {
		return message
	}
	end := mostMessage - 3
	for i := range utf8.UTFMax {
		if utf8.RuneStart(message[end-i]) {
			end -= i
			break
		}
	}
	return message[:end] + "..."
}
