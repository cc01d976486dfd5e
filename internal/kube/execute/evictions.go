package execute

import (
	"errors"
	"sync"

	"ashlar.sh/sched"
)

// evictions are those that were asked for and are not answered yet. One that was not begun can
// be taken back: the pod knows nothing of it, and stays.
type evictions struct {
	mu     sync.Mutex
	states map[uint64]*eviction // by item
}

// eviction is how far one has come.
type eviction struct {
	begun     bool // the pod may have been told
	withdrawn bool // nothing is to be sent
}

// errWithdrawn says that an eviction was taken back before anything was sent.
var errWithdrawn = errors.New("taken back before it was begun")

// expect notes an eviction that a plan asks for.
func (e *evictions) expect(i sched.Item) {
	if i.Kind != sched.EvictPod || i.ID == 0 {
		return // what is of no plan nobody can take back
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.states[i.ID] = &eviction{}
}

// begin notes that something is about to be sent for an eviction; false: it was taken back.
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

// withdraw takes evictions back: all of them, or none where one was begun or is over, since
// what is to go together is not to be taken apart.
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
