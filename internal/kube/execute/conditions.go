package execute

import (
	"context"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/sched/ledger"
)

// fewWaiting is how many conditions of pods may wait to be said for one that is not urgent to be
// added: two seconds of them.
const fewWaiting = 100

// Waiting is what a pod that waits is told.
type Waiting struct {
	Pod ledger.Key
	UID string
	// Version is the resourceVersion of the pod that the wait was judged by; "" or "0": it is not
	// known, and the pod is read first.
	Version         string
	Reason, Message string
	Urgent          bool // an autoscaler looks for it
	Order           Order
	Since           bool // the pod shows already that it waits: the condition keeps the time since when
}

// PodCondition writes a pod's PodScheduled=False with a reason. A write may wait for minutes: it has the
// pod's version as its precondition, so that a pod that was bound meanwhile never shows that it waits.
// Of two writes for a pod the newer one holds. It returns false when too much waits to be said: for
// what is not urgent, when what waits of its order and before takes more than seconds, so that autoscalers
// hear of their pods before all others are told of theirs.
func (c *Executor) PodCondition(w Waiting) bool {
	if !w.Urgent && c.slow.ahead(w.Order) >= fewWaiting {
		return false
	}
	turn := c.newest.begin(w.UID)
	write := &podCondition{x: c, pod: w.Pod, uid: w.UID, version: w.Version, seq: turn, since: w.Since,
		condition: corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Reason: w.Reason, Message: Clip(w.Message), LastTransitionTime: metav1.Now()}}
	if write.version == "0" {
		write.version = ""
	}
	said := sayInOrder(c, w.Order, c.slow, write.send, func() { c.newest.over(w.UID, turn) })
	if !said {
		c.newest.over(w.UID, turn)
	}
	return said
}

// OwnCondition writes a condition of the pod that this process runs in. It returns false when too much waits to be
// said.
func (c *Executor) OwnCondition(pod ledger.Key, uid string, condition corev1.PodCondition) bool {
	condition.Message = Clip(condition.Message)
	return c.say(c.figures, func(ctx context.Context) error {
		pods := c.options.Clients.Slow.CoreV1().Pods(pod.Namespace)
		_, err := pods.Patch(ctx, pod.Name, types.StrategicMergePatchType, conditions(uid, condition),
			metav1.PatchOptions{}, "status")
		return err
	})
}

// podCondition is one write of a pod's condition.
type podCondition struct {
	x         *Executor
	pod       ledger.Key
	uid       string
	version   string // its precondition; "": the pod has to be read
	seq       uint64
	since     bool // see Waiting
	condition corev1.PodCondition
}

// patch writes the condition. Without a time in it the one that is there stays.
func (p *podCondition) patch() []byte {
	if !p.since {
		return conditionsAt(p.uid, p.version, []corev1.PodCondition{p.condition})
	}
	return conditionsAt(p.uid, p.version, []map[string]any{{"type": p.condition.Type, "status": p.condition.Status,
		"reason": p.condition.Reason, "message": p.condition.Message}})
}

// send writes the condition, unless a newer one was asked for, or the pod waits no more.
func (p *podCondition) send(ctx context.Context) (err error) {
	pods := p.x.options.Clients.Slow.CoreV1().Pods(p.pod.Namespace)
	for range tries {
		if !p.x.newest.newest(p.uid, p.seq) {
			return nil
		}
		if p.version == "" {
			now, err := pods.Get(ctx, p.pod.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if string(now.UID) != p.uid || now.Spec.NodeName != "" || now.DeletionTimestamp != nil {
				return nil
			}
			p.version = now.ResourceVersion
			p.since = slices.ContainsFunc(now.Status.Conditions, func(c corev1.PodCondition) bool {
				return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse
			})
		}
		_, err = pods.Patch(ctx, p.pod.Name, types.StrategicMergePatchType,
			p.patch(), metav1.PatchOptions{}, "status")
		if !apierrors.IsConflict(err) {
			return err
		}
		p.version = "" // it has changed: perhaps it is bound
	}
	return err
}

// newestConditions numbers the conditions that wait to be written, so that of two for a pod the newer one holds.
type newestConditions struct {
	mu    sync.Mutex
	count uint64
	last  map[string]uint64 // the newest by the pod's UID
}

// begin notes a condition that is to be written, and returns its number.
func (t *newestConditions) begin(uid string) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[string]uint64{}
	}
	t.count++
	t.last[uid] = t.count
	return t.count
}

// newest says that no newer condition of the pod is to be written.
func (t *newestConditions) newest(uid string, number uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last[uid] == number
}

// over notes that a condition was written or given up.
func (t *newestConditions) over(uid string, number uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last[uid] == number {
		delete(t.last, uid)
	}
}
