package observe

import (
	"sync"
	"time"
)

// How long a pod that names no PodGroup waits for one. Volcano's controllers make it within a
// second; a slow or busy one is waited for as long as it is seen to take.
const (
	firstPatience = 5 * time.Second
	mostPatience  = time.Minute
	slack         = 4 // times the slowest PodGroup seen
)

// grouping learns whether a controller makes PodGroups for pods that name none, and how long
// that takes. It knows only what it sees: Volcano's controllers need hold no lease, and there
// may be another controller. Its methods may be called from any goroutine.
type grouping struct {
	mu       sync.Mutex
	since    map[string]time.Time // by UID: when pods came that wait for their PodGroup
	patience time.Duration
	came     time.Time // when a pod last got its PodGroup; zero: none did
	absent   bool      // no controller makes any: pods need not wait
}

func newGrouping() *grouping {
	return &grouping{since: map[string]time.Time{}, patience: firstPatience}
}

// holdsFor is how long a pod without a PodGroup is to be held back from when it came first; 0: it need
// not wait.
func (g *grouping) holdsFor(uid string) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.absent {
		return 0
	}
	if _, known := g.since[uid]; !known {
		g.since[uid] = time.Now()
	}
	return g.patience
}

// grouped notes that a pod which named no PodGroup names one now.
func (g *grouping) grouped(uid string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	took := g.patience // it had been given up
	if since, waited := g.since[uid]; waited {
		took = time.Since(since)
		delete(g.since, uid)
	}
	g.came, g.absent = time.Now(), false
	g.patience = min(max(g.patience, slack*took), mostPatience)
}

// gone notes that a pod needs no PodGroup any more.
func (g *grouping) gone(uid string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.since, uid)
}

// late notes that a pod waited for as long as it should, and names no PodGroup. If one came
// meanwhile for another pod, this one gets none. If none came, though one did a moment before,
// the controller is slow and the next pods wait longer. Otherwise no controller makes any.
func (g *grouping) late(uid string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	since, waited := g.since[uid]
	delete(g.since, uid)
	switch {
	case !waited || g.came.After(since):
	case !g.came.IsZero() && since.Sub(g.came) < mostPatience:
		g.patience = min(2*g.patience, mostPatience)
	default:
		g.absent, g.patience = true, firstPatience
	}
}
