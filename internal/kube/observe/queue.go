package observe

import (
	"sync"
	"time"

	"ashlar.sh/sched/model"
)

// change is what an informer reported and the loop has not drained yet.
type change struct {
	object  any
	gone    bool
	uid     string
	version uint64
	at      time.Time // when the first of the states it stands for was reported
}

// queue holds the newest state of each object that changed. It is no Queue of jobs: those are Observer.queues.
type queue struct {
	mu      sync.Mutex
	changes []change
	last    map[model.Ref]int // index of the newest change of an object
	held    held
	wake    chan struct{}
}

func newQueue() *queue {
	return &queue{last: map[model.Ref]int{}, held: held{of: map[model.Ref]any{}}, wake: make(chan struct{}, 1)}
}

// add takes an object's newest state in and wakes the reader. An earlier state of the
// same life is replaced; an earlier life stays, for its end must be seen.
func (q *queue) add(object any, gone bool) {
	of, ok := goneFact(object)
	if !ok {
		return
	}
	q.enqueue(object, gone, of)
	q.awake()
}

func (q *queue) enqueue(object any, gone bool, of model.Fact) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if held, is := q.held.of[of.Ref]; is {
		if life, _ := goneFact(held); life.UID == of.UID || life.Version <= of.Version { // not a later life
			delete(q.held.of, of.Ref)
		}
	}
	q.put(object, gone, of)
}

// put is add's work; the lock is held.
func (q *queue) put(object any, gone bool, of model.Fact) {
	c := change{object: object, gone: gone, uid: of.UID, version: of.Version, at: time.Now()}
	if i, waits := q.last[of.Ref]; waits && q.changes[i].uid == c.uid {
		c.at = q.changes[i].at
		if c.version >= q.changes[i].version { // a list may be older than what was watched
			q.changes[i] = c
		}
	} else {
		q.last[of.Ref] = len(q.changes)
		q.changes = append(q.changes, c)
	}
}

// awake wakes the reader.
func (q *queue) awake() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// largeDrain is after how many changes at once the map is made anew, to give its memory back: the first lists of a
// large cluster do not come again.
const largeDrain = 1 << 13

// take empties the queue.
func (q *queue) take() []change {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.letGo()
	out := q.changes
	q.changes = nil
	if clear(q.last); len(out) > largeDrain {
		q.last = map[model.Ref]int{}
	}
	return out
}
