package execute

import (
	"errors"
	"sync"

	"ashlar.sh/sched"
)

// evictions are the evictions that plans ask for and that are not answered yet. An eviction that
// was not begun can be withdrawn: nothing was written to the pod, and it stays.
type evictions struct {
	x *Executor

	mu     sync.Mutex
	states map[uint64]*eviction // by item
	// denials are how often in a row the deletion of a pod failed, by its UID; see together.
	denials map[string]int32
	ordered []*orderedEvictions // under way
}

// eviction is the progress of one eviction.
type eviction struct {
	begun     bool              // the pod may show a reason already
	withdrawn bool              // nothing is to be sent
	behind    *orderedEvictions // what is carried out only if this one is accepted; nil: nothing
}

// errWithdrawn says that an eviction was withdrawn before anything was sent, or that the pod had ended by itself.
var errWithdrawn = errors.New("taken back before it was begun")

// expect notes an eviction that a plan asks for.
func (e *evictions) expect(i sched.Item) {
	if i.Kind != sched.EvictPod || OfRelease(i) {
		return // no plan can withdraw it
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.states[i.ID] = &eviction{}
}

// begin notes that a request is about to be sent for an eviction; false: the eviction was withdrawn.
func (e *evictions) begin(i sched.Item) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	at := e.states[i.ID]
	if at == nil {
		return true
	}
	at.begun = !at.withdrawn
	return at.begun
}

// withdraw withdraws evictions: all of them, or none if one was begun or is over, since they are
// carried out together or not at all.
func (e *evictions) withdraw(items []uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range items {
		if at := e.states[id]; at == nil || at.begun {
			return
		}
	}
	for _, id := range items {
		e.states[id].withdrawn = true
	}
}

// over forgets an eviction that was answered.
func (e *evictions) over(i sched.Item) {
	if i.Kind != sched.EvictPod {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.states, i.ID)
}
