package execute

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// podGroupWriter writes the statuses of PodGroups.
type podGroupWriter struct {
	x *Executor

	waiting groupWrites
}

// gather is for how long changes of a PodGroup's status are collected into one write. A phase for
// which a controller waits (Options.Urgent) is written at once.
const gather = 200 * time.Millisecond

// Counts are a PodGroup's members by phase.
type Counts struct{ Running, Succeeded, Failed int32 }

// GroupStatus is what is to be written to a PodGroup's status beside its phase. Each condition
// replaces the one of its type; conditions of other types stay.
type GroupStatus struct {
	Counts     Counts
	Conditions []schedulingv1beta1.PodGroupCondition
}

// groupWrites collects writes by PodGroup. For each PodGroup one write is under way at a time, so
// that the newest state is written last.
type groupWrites struct {
	mu     sync.Mutex
	unsent map[ledger.Key]*groupWrite
	armed  uint16 // counts those that wait for gather to be over
}

type groupWrite struct {
	uid string
	wanted
	urgent bool        // a controller waits for it
	due    *time.Timer // nil: nothing is gathered, or a write is under way
	flying bool
}

// wanted is what is to be written.
type wanted struct {
	phase  *sched.Item
	status *GroupStatus
	record *string // the annotation persisted.RefusedBindsKey, "" to be removed; nil: it stays
	start  *string // the annotation persisted.StartKey, in the same way
	then   []awaits
}

// annotations are those to be written, "" for one to be removed.
func (w *wanted) annotations() map[string]*string {
	out := map[string]*string{}
	annotations := map[string]*string{persisted.RefusedBindsKey: w.record, persisted.StartKey: w.start}
	for key, value := range annotations { // order-free: a map
		if value != nil {
			out[key] = value
		}
	}
	return out
}

// awaits is a caller that waits for a record to be written.
type awaits struct {
	value string
	then  func(written bool)
}

func (w *wanted) none() bool {
	return w.phase == nil && w.status == nil && w.record == nil && w.start == nil
}

func (w wanted) withoutStart() wanted {
	w.start = nil
	return w
}

func (c *Executor) setPhase(item sched.Item) {
	urgent := false
	c.withoutPanic("asking whether a controller waits for a phase", func() { urgent = c.options.Urgent(item) })
	c.podGroups.write(item.Group, item.UID, func(w *groupWrite) {
		if w.phase != nil {
			c.answerAll(receipt(*w.phase, sched.Done, ""), 0) // a newer phase took its place
		}
		w.phase, w.urgent = &item, w.urgent || urgent
	})
}

// PodGroupStatus writes counts and conditions, together with a phase that is to be
// written at that time.
func (c *Executor) PodGroupStatus(group ledger.Key, uid string, s GroupStatus) {
	for i := range s.Conditions {
		s.Conditions[i].Message = Clip(s.Conditions[i].Message)
	}
	c.podGroups.write(group, uid, func(w *groupWrite) {
		if w.status != nil {
			s.Conditions = replaced(w.status.Conditions, s.Conditions)
		}
		w.status = &s
	})
}

// Record writes the annotation persisted.RefusedBindsKey on a PodGroup, or removes it if value is "", together
// with what else is to be written there. If then is not nil the write is sent at once, and another
// goroutine calls then with whether exactly that value is written now.
func (c *Executor) Record(group ledger.Key, uid, value string, then func(written bool)) {
	c.podGroups.write(group, uid, func(w *groupWrite) {
		w.record = &value
		if then != nil {
			w.urgent = true
			w.then = append(w.then, awaits{value, then})
		}
	})
}

// WriteStart has an executor write the annotation persisted.StartKey on a PodGroup, or remove it if value is "",
// together with what else is to be written there.
func WriteStart(c *Executor, group ledger.Key, uid, value string) {
	c.podGroups.write(group, uid, func(w *groupWrite) { w.start = &value })
}

func (pg *podGroupWriter) write(group ledger.Key, uid string, change func(*groupWrite)) {
	pg.waiting.mu.Lock()
	defer pg.waiting.mu.Unlock()
	w := pg.waiting.unsent[group]
	if w == nil || w.uid != uid {
		if w != nil {
			pg.over(w)
		}
		w = &groupWrite{uid: uid}
		pg.waiting.unsent[group] = w
	}
	change(w)
	if !w.flying { // otherwise it is sent when the write under way is answered
		pg.arm(group, w)
	}
}

// over answers the collected writes for a PodGroup if its name now belongs to one with another
// UID; a write that is under way finds that out by itself. The lock is held.
func (pg *podGroupWriter) over(w *groupWrite) {
	if w.due != nil {
		w.due.Stop()
		w.due = nil
	}
	pg.wrote(w.wanted, sched.Missing, 0)
	w.wanted = wanted{}
}

// wrote answers what was to be written.
func (pg *podGroupWriter) wrote(w wanted, outcome sched.Outcome, latency time.Duration) {
	if w.phase != nil {
		pg.x.answerAll(receipt(*w.phase, outcome, ""), latency)
	}
	for _, a := range w.then {
		pg.x.options.Panicked.Go("telling that a record is written", func() {
			a.then(outcome == sched.Done && *w.record == a.value)
		})
	}
}

// arm sends the collected writes when they are due; the lock is held.
func (pg *podGroupWriter) arm(group ledger.Key, w *groupWrite) {
	switch {
	case w.urgent:
		pg.launch(group, w)
	case w.due == nil:
		// A nanosecond apart: writes that were asked for at one time of the clock are sent in that order.
		pg.waiting.armed++
		w.due = time.AfterFunc(gather-1<<16+time.Duration(pg.waiting.armed), func() {
			pg.waiting.mu.Lock()
			defer pg.waiting.mu.Unlock()
			pg.launch(group, w)
		})
	}
}

// launch sends the collected writes; the lock is held.
func (pg *podGroupWriter) launch(group ledger.Key, w *groupWrite) {
	if w.due != nil {
		w.due.Stop()
		w.due = nil
	}
	if w.flying || w.none() {
		return
	}
	w.flying = true
	what, queue := w.wanted, pg.x.status
	if w.urgent {
		queue = pg.x.fast
	}
	w.wanted, w.urgent = wanted{}, false
	queue.do(func() (latency time.Duration, overloaded bool) {
		outcome := sched.Failed
		pg.x.withoutPanic("writing the status of a PodGroup", func() {
			outcome, latency, overloaded = pg.x.requests.run(pg.request(group, w.uid, what))
		})
		pg.wrote(what, outcome, latency)
		pg.waiting.mu.Lock()
		defer pg.waiting.mu.Unlock()
		if w.flying = false; !w.none() {
			pg.arm(group, w)
		} else if pg.waiting.unsent[group] == w {
			delete(pg.waiting.unsent, group)
		}
		return latency, overloaded
	})
}

// flush sends all collected writes.
func (pg *podGroupWriter) flush() {
	pg.waiting.mu.Lock()
	defer pg.waiting.mu.Unlock()
	groups := slices.SortedFunc(maps.Keys(pg.waiting.unsent), func(a, b ledger.Key) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, group := range groups {
		pg.launch(group, pg.waiting.unsent[group])
	}
}

// request patches a PodGroup's status, which is no subresource, its record and its planned start, and nothing else.
// With conditions the list is replaced as a whole, so the version it was made from is
// a precondition. It also is with a phase: a request that was given up, and that the server carries
// out later, must not take the place of the phase that was written after it.
func (pg *podGroupWriter) request(group ledger.Key, uid string, what wanted) request {
	groups := pg.x.options.Clients.Groups.SchedulingV1beta1().PodGroups(group.Namespace)
	base := pg.x.options.PodGroup(group.Namespace, group.Name)
	return request{
		what: "write the status of PodGroup " + group.String(),
		send: func(ctx context.Context) error {
			if base == nil || string(base.UID) != uid {
				return apierrors.NewConflict(schedulingv1beta1.Resource("podgroups"), group.Name, nil)
			}
			patch := func() error {
				_, err := groups.Patch(ctx, group.Name, types.MergePatchType, groupPatch(base, uid, what), metav1.PatchOptions{})
				return err
			}
			err := patch()
			if rest := what.withoutStart(); !rest.none() && what.start != nil &&
				(apierrors.IsForbidden(err) || apierrors.IsInvalid(err)) {
				// The admission policy of an earlier version knows no such annotation. The status must not wait for it.
				what = rest
				err = patch()
			}
			if apierrors.IsInvalid(err) {
				return apierrors.NewConflict(schedulingv1beta1.Resource("podgroups"), group.Name, err) // perhaps another life
			}
			return err
		},
		shown: func(ctx context.Context) (bool, sched.Outcome, error) {
			g, err := groups.Get(ctx, group.Name, metav1.GetOptions{})
			switch {
			case apierrors.IsNotFound(err):
				return true, sched.Missing, nil
			case err != nil:
				return false, 0, err
			case string(g.UID) != uid:
				return true, sched.Missing, nil
			}
			base = g
			return shows(g, what), sched.Done, nil
		},
	}
}

func groupPatch(base *schedulingv1beta1.PodGroup, uid string, what wanted) []byte {
	meta, changes := map[string]any{"uid": uid}, map[string]any{}
	phase, status := what.phase, what.status
	if phase != nil {
		changes["phase"] = phase.Phase.String()
		meta["resourceVersion"] = base.ResourceVersion
	}
	if status != nil {
		changes["running"], changes["succeeded"], changes["failed"] = status.Counts.Running, status.Counts.Succeeded,
			status.Counts.Failed
		if len(status.Conditions) > 0 {
			meta["resourceVersion"] = base.ResourceVersion
			if phase == nil && base.Status.Phase == "" {
				changes["phase"] = schedulingv1beta1.PodGroupPending // nothing is lost: the version is a precondition
			}
			changes["conditions"] = replaced(base.Status.Conditions, status.Conditions)
		}
	}
	annotations := map[string]any{}
	for key, value := range what.annotations() { // order-free: a map
		if annotations[key] = *value; *value == "" {
			annotations[key] = nil // null removes it
		}
	}
	if len(annotations) > 0 {
		meta["annotations"] = annotations
	}
	all := map[string]any{"metadata": meta}
	if len(changes) > 0 {
		all["status"] = changes
	}
	patch, _ := json.Marshal(all) // plain data
	return patch
}

// replaced is the list of conditions, in which newer conditions replace those of the same types.
func replaced(list, newer []schedulingv1beta1.PodGroupCondition) []schedulingv1beta1.PodGroupCondition {
	list = slices.DeleteFunc(slices.Clone(list), func(c schedulingv1beta1.PodGroupCondition) bool {
		return slices.ContainsFunc(newer, func(n schedulingv1beta1.PodGroupCondition) bool { return n.Type == c.Type })
	})
	return append(list, newer...)
}

// shows reports whether a PodGroup shows what was to be written.
func shows(g *schedulingv1beta1.PodGroup, what wanted) bool {
	phase, status := what.phase, what.status
	if phase != nil && string(g.Status.Phase) != phase.Phase.String() {
		return false
	}
	for key, value := range what.annotations() { // order-free: all of them
		if g.Annotations[key] != *value {
			return false
		}
	}
	if status == nil {
		return true
	}
	if status.Counts != (Counts{g.Status.Running, g.Status.Succeeded, g.Status.Failed}) {
		return false
	}
	for _, want := range status.Conditions {
		if !slices.ContainsFunc(g.Status.Conditions, func(c schedulingv1beta1.PodGroupCondition) bool {
			return c.Type == want.Type && c.Status == want.Status && c.TransitionID == want.TransitionID &&
				c.Message == want.Message
		}) {
			return false
		}
	}
	return true
}
