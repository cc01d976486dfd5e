package loop

import (
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// untilPods is how long a job that is let in without its pods, and that no controller
// owns, keeps its PodGroup from saying so: whoever makes both one after the other has
// made the pods by then, and the phase goes with the word on what became of them. A
// controller that owns the PodGroup may wait for the phase to make pods: it is not kept
// waiting.
const untilPods = 200 * time.Millisecond

// letIn are phases that are kept back, the oldest first.
type letIn []keptPhase

type keptPhase struct {
	item  sched.Item
	until time.Time
}

// carry has a plan carried out but for what is kept back for a moment.
func (l *loop) carry(items []sched.Item, now time.Time) {
	onTheirWay := items[:0:0]
	for _, i := range items {
		if i.Kind == sched.SetPhase {
			l.overtaken(i.Group)
			if l.lacksPods(i) && !l.owned(i) {
				l.letIn = append(l.letIn, keptPhase{i, now.Add(untilPods)})
				continue
			}
		}
		onTheirWay = append(onTheirWay, i)
	}
	l.carrier.Carry(onTheirWay)
}

// overtaken hands on what is kept of a group of which something newer is to be said.
func (l *loop) overtaken(group ledger.Key) {
	l.handOn(func(k keptPhase) bool { return k.item.Group == group })
}

// handOver hands on the phases whose time is over or whose jobs have their pods.
func (l *loop) handOver(now time.Time) {
	l.handOn(func(k keptPhase) bool { return !now.Before(k.until) || !l.lacksPods(k.item) })
}

func (l *loop) handOn(which func(keptPhase) bool) {
	kept := l.letIn[:0]
	for _, k := range l.letIn {
		if which(k) {
			l.carrier.Carry([]sched.Item{k.item})
		} else {
			kept = append(kept, k)
		}
	}
	clear(l.letIn[len(kept):])
	l.letIn = kept
}

// lacksPods says that a job is let in and still lacks pods, so that somebody may wait for
// its PodGroup to say so. A job that has them is scheduled or told why not, and its phase
// goes with that.
func (l *loop) lacksPods(i sched.Item) bool {
	if i.Phase != model.GroupInqueue {
		return false
	}
	led := l.engine.Ledger()
	id, ok := led.FindJob(ledger.JobKey{Namespace: i.Group.Namespace, Name: i.Group.Name})
	return !ok || led.Job(id).Tasks < max(1, led.Job(id).MinMember)
}

// owned says that a PodGroup has an owner.
func (l *loop) owned(i sched.Item) bool {
	group := l.seen.PodGroup(i.Group.Namespace, i.Group.Name)
	return group != nil && len(group.OwnerReferences) > 0
}
