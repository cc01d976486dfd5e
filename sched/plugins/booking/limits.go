package booking

import (
	"maps"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// limits counts the pods that wait by how long they may run: as time passes, one limit after the other is too long to
// end before a window. It is added once there is a booking, and follows facts alone.
type limits struct {
	l      *ledger.Ledger
	pods   map[int64]int // by limit, 0 for none
	sorted []int64       // the keys of pods above 0, where in is set
	in     bool
}

func newLimits(l *ledger.Ledger) *limits { return &limits{l: l, pods: map[int64]int{}} }

// limit is how long a pod may run before its kubelet ends it; 0: for ever.
func limit(p *model.Pod) int64 { return p.RunTime(nil, 0, 0).Limit }

// next is when the first pod that waits is no longer let start on a booking's nodes, 0 for never.
func (x *limits) next(h *held, now int64) (next int64) {
	if drain := model.After(h.window.From, -h.DrainBefore); x.pods[0] > 0 && drain > now {
		next = drain
	}
	next = model.Earlier(next, x.outgrow(model.After(h.window.From, h.StartDelay), now))
	if !h.Maintenance && !h.Flex {
		next = model.Earlier(next, x.outgrow(h.window.To, now))
	}
	return next
}

// outgrow is when the first of the pods that would have ended by a time would do so no longer, 0 for never.
func (x *limits) outgrow(by, now int64) int64 {
	if !x.in {
		x.sorted, x.in = slices.AppendSeq(x.sorted[:0], maps.Keys(x.pods)), true // order-free: sorted below
		slices.Sort(x.sorted)
	}
	i, fits := slices.BinarySearch(x.sorted, model.Between(now, by))
	if !fits {
		i--
	}
	if i < 0 || x.sorted[i] == 0 {
		return 0
	}
	return model.After(by, 1-x.sorted[i])
}

func (x *limits) count(p *model.Pod, by int) {
	if !p.Ours || p.Node != "" || p.Phase.Finished() {
		return
	}
	of := limit(p)
	was := x.pods[of]
	if x.pods[of] += by; x.pods[of] == 0 {
		delete(x.pods, of)
	}
	x.in = x.in && was > 0 && x.pods[of] > 0
}

// Name implements ledger.PluginState, as the others do.
func (x *limits) Name() string { return "limits of pods that wait" }

// Enter counts a pod.
func (x *limits) Enter(_ ledger.TaskID, task *ledger.Task) { x.count(task.Pod, 1) }

// Leave takes an Enter back.
func (x *limits) Leave(_ ledger.TaskID, task *ledger.Task) { x.count(task.Pod, -1) }

// Take does nothing: where a pod is to run is not asked before a fact says so.
func (x *limits) Take(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) {}

// Give does nothing.
func (x *limits) Give(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) {}

// Audit counts again from nothing and compares.
func (x *limits) Audit(func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) bool)) []string {
	again := newLimits(x.l)
	x.l.Tasks.Each(func(t ledger.TaskID) bool {
		again.Enter(t, x.l.Task(t))
		return true
	})
	if maps.Equal(again.pods, x.pods) {
		return nil
	}
	return []string{"the pods that wait are counted by other limits than they have"}
}
