package sim

import (
	"cmp"
	"container/heap"
	"math"
	"time"

	"ashlar.sh/sched/model"
)

// happening is what an event does. The order is the one in which events of one moment
// take place: pods that leave before pods that come.
type happening uint8

const (
	vanish happening = iota // a terminating pod is gone
	lost                    // a pod is gone because its node is
	finish                  // a pod has run for its duration
	start                   // a bound pod is Running
	submit                  // an item appears
)

// event is something that will happen to one life.
type event struct {
	at   time.Duration
	what happening
	ref  model.Ref
	life *life
	seq  uint64 // as they were handed over: between two items of one name and moment
}

func (e *event) compare(o *event) int {
	return cmp.Or(cmp.Compare(e.at, o.at), cmp.Compare(e.what, o.what), cmp.Compare(e.ref.Kind, o.ref.Kind),
		cmp.Compare(e.ref.Namespace, o.ref.Namespace), cmp.Compare(e.ref.Name, o.ref.Name), cmp.Compare(e.seq, o.seq))
}

// never is later than any time.
const never = time.Duration(math.MaxInt64)

// horizon is the last moment of virtual time, 146 years from the first: what would be
// later does not happen, and no sum of times below it overflows.
const horizon = never / 2

// agenda is the events to come, the earliest first. Their order is total, so the order
// of handing over decides nothing else.
type agenda struct {
	events []event
	seq    uint64
}

// add puts an event on the agenda, unless it lies beyond the horizon.
func (a *agenda) add(at time.Duration, what happening, ref model.Ref, l *life) {
	if at > horizon {
		return
	}
	a.seq++
	heap.Push(a, event{at, what, ref, l, a.seq})
}

// first is the earliest event; false when there is none.
func (a *agenda) first() (event, bool) {
	if len(a.events) == 0 {
		return event{}, false
	}
	return a.events[0], true
}

// drop takes the earliest event off.
func (a *agenda) drop() { heap.Pop(a) }

// Len implements heap.Interface.
func (a *agenda) Len() int { return len(a.events) }

// Less implements heap.Interface.
func (a *agenda) Less(i, j int) bool { return a.events[i].compare(&a.events[j]) < 0 }

// Swap implements heap.Interface.
func (a *agenda) Swap(i, j int) { a.events[i], a.events[j] = a.events[j], a.events[i] }

// Push implements heap.Interface.
func (a *agenda) Push(x any) { a.events = append(a.events, x.(event)) }

// Pop implements heap.Interface.
func (a *agenda) Pop() any {
	last := len(a.events) - 1
	e := a.events[last]
	a.events[last] = event{}
	a.events = a.events[:last]
	return e
}
