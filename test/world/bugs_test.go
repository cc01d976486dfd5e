package world

import (
	"hash/fnv"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
	"ashlar.sh/test/world/apimodel"
)

// bug makes a process panic, in its engine, in what it sends, or in what it takes in.
type bug struct {
	touches atomic.Int64 // at the last of so many, the engine panics, once; 0: it does not
	until   atomic.Int64 // requests whose path falls in panic until then
	after   atomic.Bool  // they do so once they were carried out
	facts   atomic.Bool  // the next facts that are taken in panic
	shown   atomic.Int64 // panics so far
	// answered is how many of them showed after a request was carried out.
	answered atomic.Int64

	mu     sync.Mutex
	unsent []*apimodel.Request // those that panicked, until they are taken
}

func (b *bug) panics(where string) {
	b.shown.Add(1)
	panic("the bug of the world in " + where)
}

// strike has the bug show, soon.
func (b *bug) strike(w *World) {
	w.did("a bug about to show")
	switch w.random.IntN(5) {
	case 0, 1:
		b.touches.Store(1 + w.random.Int64N(60))
	case 2, 3:
		b.after.Store(w.Trouble.Answered && w.chance(0.5))
		b.until.Store(time.Now().Add(w.between(10*time.Millisecond, time.Second)).UnixNano())
	default:
		b.facts.Store(true)
	}
}

// order is byName, with the bug in what takes facts in.
func (b *bug) order(facts []model.Fact) {
	if len(facts) > 0 && b.facts.CompareAndSwap(true, false) {
		b.panics("taking in facts")
	}
	byName(facts)
}

// inRequests is the bug in what sends: of writes, but of no lease, whose client has no guard of ours.
func (b *bug) inRequests(next http.RoundTripper) http.RoundTripper {
	return sender(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "/leases") && time.Now().UnixNano() < b.until.Load() {
			switch after := b.after.Load(); {
			case !strikes(r.URL.Path):
			case after:
				if answer, err := next.RoundTrip(r); err == nil {
					_ = answer.Body.Close() // nobody reads it
				}
				b.answered.Add(1)
				b.panics("an answer")
			default:
				b.keep(r)
				b.panics("a request")
			}
		}
		return next.RoundTrip(r)
	})
}

// strikes says that the bug is in what is sent to a path.
func strikes(path string) bool {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(path)) // a hash takes all
	return sum.Sum32()%3 == 0
}

// keep notes a request that is not sent.
func (b *bug) keep(r *http.Request) {
	one := &apimodel.Request{Method: r.Method, Path: r.URL.Path}
	if r.Body != nil {
		one.Body, _ = io.ReadAll(r.Body) // it is in memory
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unsent = append(b.unsent, one)
}

// take returns the requests that were not sent since the last call.
func (b *bug) take() []*apimodel.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.unsent
	b.unsent = nil
	return out
}

// plugin is the bug in the engine: a plugin without an opinion.
func (b *bug) plugin() policy.Definition {
	return policy.Definition{Name: "bug", Meaning: "panics when the world says so", Arguments: []*policy.Argument{},
		New: func(policy.Choice, *ledger.Ledger) (any, error) { return clumsy{b}, nil }}
}

type clumsy struct{ b *bug }

func (c clumsy) touched() {
	if c.b.touches.Load() > 0 && c.b.touches.Add(-1) == 0 {
		c.b.panics("a plugin")
	}
}

// CompareJobs implements policy.JobOrder.
func (c clumsy) CompareJobs(_, _ ledger.JobID) int {
	c.touched()
	return 0
}

// ValidateJob implements policy.JobValid.
func (c clumsy) ValidateJob(ledger.JobID) trace.Reason {
	c.touched()
	return trace.Reason{}
}
