package observe

import (
	"slices"
	"time"

	"ashlar.sh/sched/model"
)

// moment is how long a pod is kept from being decided on at most so that its owners can be heard.
const moment = 5 * time.Second

// kept are objects that came and are not to be drained yet, each in its newest state.
type kept struct {
	of    map[model.Ref]any
	until []deadline // in the order in which they are due; those of objects that were drained meanwhile are passed over
	// late is called with what was kept for as long as it may be; nil: no call.
	late func(object any)
}

type deadline struct {
	ref  model.Ref
	uid  string
	time time.Time
}

// keep holds an object back for some time at the most, from when it came first. It returns
// false for one that is not held back: it came before.
func (q *queue) keep(object any, first bool, most time.Duration) bool {
	of, ok := head(object)
	if !ok {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	before, held := q.kept.of[of.Ref]
	if !held && !first {
		return false
	}
	if held {
		if was, _ := head(before); was.UID == of.UID {
			if was.Version <= of.Version { // a list may be older than what was watched
				q.kept.of[of.Ref] = object
			}
			return true
		}
	}
	q.kept.of[of.Ref] = object
	due := deadline{of.Ref, of.UID, time.Now().Add(most)}
	at, _ := slices.BinarySearchFunc(q.kept.until, due, func(d, new deadline) int {
		if d.time.After(new.time) {
			return 1
		}
		return -1 // equal ones in the order in which they came
	})
	q.kept.until = slices.Insert(q.kept.until, at, due)
	if at == 0 {
		time.AfterFunc(most, q.awake)
	}
	return true
}

// keeps says that the life that a fact speaks of is held back.
func (q *queue) keeps(f model.Fact) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	o, held := q.kept.of[f.Ref]
	if !held {
		return false
	}
	of, _ := head(o)
	return of.UID == f.UID
}

// letGo puts what was kept long enough where it is drained; the lock is held.
func (q *queue) letGo() {
	now := time.Now()
	gone := 0
	for _, d := range q.kept.until {
		object, held := q.kept.of[d.ref]
		if held {
			of, _ := head(object)
			if held = of.UID == d.uid; held && now.Before(d.time) {
				break
			}
			if held {
				delete(q.kept.of, d.ref)
				q.put(object, false, of)
				if q.kept.late != nil {
					q.kept.late(object)
				}
			}
		}
		gone++
	}
	if q.kept.until = q.kept.until[gone:]; len(q.kept.until) > 0 {
		if gone > 0 {
			time.AfterFunc(time.Until(q.kept.until[0].time), q.awake)
		}
		return
	}
	q.kept.until = nil
}
