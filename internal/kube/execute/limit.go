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

	// Conditions of pods are limited by their rate. A request that waits for its turn there keeps its place: with so few
	// under way, one that comes first has two thirds of a second before it at most, and a server that takes as long to
	// answer is still used at that rate.
	mostConditions = 32
)

// slow is the latency from which a server counts as loaded: more requests at once would only wait
// longer.
const slow = time.Second

// requestQueue runs work with as many goroutines as the server can answer in time: one more for each
// full round of answers in time, 30 % fewer when it is overloaded (additive increase, multiplicative
// decrease).
type requestQueue struct {
	mu      sync.Mutex
	waiting [orders]fifo // the work of an order begins before that of later ones
	held    int          // how many will still give work to it
	flying  int
	limit   float64
	most    float64
	cut     time.Time // when the limit was last lowered
	idle    *sync.Cond

	panicked crash.Handler
}

// Order says which conditions of pods are written before others that wait, too.
type Order int

// From the first to the last.
const (
	ChangedReason Order = iota // the first pod of a job that shows a reason which holds no more
	FirstReason                // the first pod of a job that shows none yet
	OtherPods                  // the other pods of a job
	TextOnly                   // the reason is shown, and its amounts have changed
	orders
)

// fifo is work that waits, in the order in which it came.
type fifo struct {
	work []func() (latency time.Duration, overloaded bool)
	head int
}

func (f *fifo) len() int { return len(f.work) - f.head }

// take removes the first of it.
func (f *fifo) take() func() (time.Duration, bool) {
	work := f.work[f.head]
	f.work[f.head] = nil
	f.head++
	if f.head == len(f.work) {
		f.work, f.head = f.work[:0], 0
	}
	return work
}

func newRequestQueue(most int, panicked crash.Handler) *requestQueue {
	l := &requestQueue{limit: float64(min(firstInFlight, most)), most: float64(most), panicked: panicked}
	l.idle = sync.NewCond(&l.mu)
	return l
}

// do runs work as soon as there is room for it, in the order of the calls.
func (l *requestQueue) do(work func() (time.Duration, bool)) { l.inOrder(0, work) }

// inOrder runs work as soon as there is room for it and no work of an earlier order waits.
func (l *requestQueue) inOrder(o Order, work func() (time.Duration, bool)) {
	l.mu.Lock()
	l.waiting[o].work = append(l.waiting[o].work, work)
	l.fill()
	l.mu.Unlock()
}

// hold has the queue count as one in which work waits, though none does for now, until the returned function is called.
// No place in it is taken.
func (l *requestQueue) hold() (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held--
		l.idle.Broadcast()
	}
}

// after calls do after a pause, which then gives work to the queue.
func (l *requestQueue) after(pause time.Duration, do func()) {
	release := l.hold()
	time.AfterFunc(pause, func() {
		defer release()
		_ = l.panicked.Recover("trying once more", do) // the process goes on
	})
}

// first takes the work that comes first, nil when none waits.
func (l *requestQueue) first() func() (time.Duration, bool) {
	for o := range l.waiting {
		if l.waiting[o].len() > 0 {
			return l.waiting[o].take()
		}
	}
	return nil
}

// ahead is how much work waits of an order and of those before it.
func (l *requestQueue) ahead(o Order) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.upTo(o)
}

func (l *requestQueue) upTo(o Order) (n int) {
	for i := range l.waiting[:o+1] {
		n += l.waiting[i].len()
	}
	return n
}

// fill starts what there is room for.
func (l *requestQueue) fill() {
	for l.flying < int(l.limit) {
		work := l.first()
		if work == nil {
			return
		}
		l.flying++
		go l.run(work)
	}
}

func (l *requestQueue) run(work func() (time.Duration, bool)) {
	for work != nil {
		var latency time.Duration
		var overloaded bool
		_ = l.panicked.Recover("carrying something out", func() { latency, overloaded = work() }) // the queue goes on
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
	if l.flying < int(l.limit) {
		if work := l.first(); work != nil {
			l.flying++
			return work
		}
	}
	l.idle.Broadcast()
	return nil
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
	return l.flying, l.upTo(orders-1) + l.held, int(l.limit)
}

// wait returns when nothing waits, nothing is to come, and nothing is under way.
func (l *requestQueue) wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.flying > 0 || l.upTo(orders-1)+l.held > 0 {
		l.idle.Wait()
	}
}
