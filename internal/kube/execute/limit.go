package execute

import (
	"sync"
	"time"

	"ashlar.sh/internal/crash"
)

// How many requests may be under way at once.
const (
	leastInFlight = 8
	firstInFlight = 64 // the best number for a server on two cores; the limit adapts from there
	mostInFlight  = 256

	// Statuses of PodGroups are not urgent: only so few writes of them are under way that the server
	// has most of its capacity for bindings.
	mostStatuses = 16
)

// slow is the latency from which a server counts as loaded: more requests at once would only wait
// longer.
const slow = time.Second

// requestQueue runs work with as many goroutines as the server can answer in time: one more for each
// full round of answers in time, 30 % fewer when it is overloaded (additive increase, multiplicative
// decrease).
type requestQueue struct {
	mu      sync.Mutex
	waiting []func() (latency time.Duration, overloaded bool)
	head    int
	flying  int
	limit   float64
	most    float64
	cut     time.Time // when the limit was last lowered
	idle    *sync.Cond

	panicked crash.Handler
}

func newRequestQueue(most int, panicked crash.Handler) *requestQueue {
	l := &requestQueue{limit: float64(min(firstInFlight, most)), most: float64(most), panicked: panicked}
	l.idle = sync.NewCond(&l.mu)
	return l
}

// do runs work as soon as there is room for it, in the order of the calls.
func (l *requestQueue) do(work func() (time.Duration, bool)) {
	l.mu.Lock()
	l.waiting = append(l.waiting, work)
	l.fill()
	l.mu.Unlock()
}

// fill starts what there is room for.
func (l *requestQueue) fill() {
	for l.flying < int(l.limit) && l.head < len(l.waiting) {
		work := l.waiting[l.head]
		l.waiting[l.head] = nil
		l.head++
		l.flying++
		go l.run(work)
	}
	if l.head == len(l.waiting) {
		l.waiting, l.head = l.waiting[:0], 0
	}
}

func (l *requestQueue) run(work func() (time.Duration, bool)) {
	for work != nil {
		var latency time.Duration
		var overloaded bool
		_ = l.panicked.Guard("carrying something out", func() { latency, overloaded = work() }) // the queue goes on
		work = l.next(latency, overloaded)
	}
}

// next records an answer and returns the goroutine's next work, nil if the goroutine has to end.
func (l *requestQueue) next(latency time.Duration, overloaded bool) func() (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.learn(latency, overloaded)
	l.flying--
	defer l.fill()
	if l.flying >= int(l.limit) || l.head == len(l.waiting) {
		l.idle.Broadcast()
		return nil
	}
	work := l.waiting[l.head]
	l.waiting[l.head] = nil
	l.head++
	l.flying++
	return work
}

func (l *requestQueue) learn(latency time.Duration, overloaded bool) {
	switch {
	case overloaded || latency > slow:
		// The answers of one round count as one: they lower the limit once.
		if now := time.Now(); now.Sub(l.cut) > 100*time.Millisecond {
			l.cut = now
			l.limit = max(leastInFlight, l.limit*0.7)
		}
	default:
		l.limit = min(l.most, l.limit+1/l.limit)
	}
}

// load is how many requests are under way, how many wait, and how many may be under way.
func (l *requestQueue) load() (flying, waiting, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flying, len(l.waiting) - l.head, int(l.limit)
}

// wait returns when nothing waits and nothing is under way.
func (l *requestQueue) wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.flying > 0 || l.head < len(l.waiting) {
		l.idle.Wait()
	}
}
