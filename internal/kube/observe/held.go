package observe

import (
	"slices"
	"time"

	"ashlar.sh/sched/model"
)

// moment is how long a pod is held back from being decided on at most so that its owners can be heard.
const moment = 5 * time.Second

// held are objects that came and are not to be drained yet, each in its newest state.
type held struct {
	of    map[model.Ref]any
	until []deadline // in the order in which they are due; those of objects that were drained meanwhile are passed over
	// late is called with what was held for as long as it may be; nil: no call.
	late func(object any)
}

type deadline struct {
	ref  model.Ref
	uid  string
	time time.Time
}

// hold holds an object back for some time at the most, from when it came first. It returns
// false for one that is not held back: it came before.
func (q *queue) hold(object any, first bool, most time.Duration) bool {
	of, ok := goneFact(object)
	if !ok {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	before, held := q.held.of[of.Ref]
	if !held && !first {
		return false
	}
	if held {
		if was, _ := goneFact(before); was.UID == of.UID {
			if was.Version <= of.Version { // a list may be older than what was watched
				q.held.of[of.Ref] = object
			}
			return true
		}
	}
	q.held.of[of.Ref] = object
	due := deadline{of.Ref, of.UID, time.Now().Add(most)}
	at, _ := slices.BinarySearchFunc(q.held.until, due, func(d, new deadline) int {
		if d.time.After(new.time) {
			return 1
		}
		return -1 // equal ones in the order in which they came
	})
	q.held.until = slices.Insert(q.held.until, at, due)
	if at == 0 {
		time.AfterFunc(most, q.awake)
	}
	return true
}

// holds says that the life that a fact speaks of is held back.
func (q *queue) holds(f model.Fact) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	o, held := q.held.of[f.Ref]
	if !held {
		return false
	}
	of, _ := goneFact(o)
	return of.UID == f.UID
}

// letGo puts what was held long enough where it is drained; the lock is held.
func (q *queue) letGo() {
	now := time.Now()
	gone := 0
	for _, d := range q.held.until {
		object, held := q.held.of[d.ref]
		if held {
			of, _ := goneFact(object)
			if held = of.UID == d.uid; held && now.Before(d.time) {
				break
			}
			if held {
				delete(q.held.of, d.ref)
				q.put(object, false, of)
				if q.held.late != nil {
					q.held.late(object)
				}
			}
		}
		gone++
	}
	if q.held.until = q.held.until[gone:]; len(q.held.until) > 0 {
		if gone > 0 {
			time.AfterFunc(time.Until(q.held.until[0].time), q.awake)
		}
		return
	}
	q.held.until = nil
}
