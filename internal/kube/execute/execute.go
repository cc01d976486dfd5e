package execute

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/crash"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Options says how plans are carried out.
type Options struct {
	Clients Clients
	// Leading is asked before every write; while it is false nothing is sent. nil: always.
	Leading func() bool
	// Reporter is the component that events come from; "" is volcano.
	Reporter string
	// QuietBinds leaves out the event that says to which node a pod was bound: half of the writes
	// that a bound pod costs.
	QuietBinds bool
	// Patience is for how long a write is repeated; 0 is 30 seconds.
	Patience time.Duration
	// Urgent reports whether a controller waits for a PodGroup to show a phase: the phase is then
	// written at once, in the queue of the bindings. nil: Inqueue, for which controllers wait before
	// they create pods.
	Urgent func(item sched.Item) bool
	// PodGroup returns the newest state that was seen of a PodGroup, nil without one.
	PodGroup func(namespace, name string) *schedulingv1beta1.PodGroup
	// Storage binds volumes and allocates devices. nil: no plan may choose any.
	Storage Storage
	// VolumeWait is how long a pod's volumes and devices may take to be bound; it is asked in
	// Execute. nil: DefaultVolumeWait.
	VolumeWait func() time.Duration
	// Prepared is called for each pod with bound volumes and devices, with the time that this
	// took. nil: it is not called.
	Prepared func(item sched.Item, took time.Duration)
	// Answered is called once for every item, with the latency of its last request. nil: it is not called.
	Answered func(item sched.Item, outcome sched.Outcome, latency time.Duration)
	// Panicked is called for each panic, which is a bug, in any goroutine; the item is answered
	// nevertheless.
	Panicked crash.Handler
}

// Executor carries plans out. Its methods may be called from any goroutine.
type Executor struct {
	options      Options
	ctx          context.Context
	fast         *requestQueue
	status       *requestQueue // of PodGroups
	slow         *requestQueue // conditions of pods
	figures      *requestQueue // of queues
	events       *requestQueue
	requestCount atomic.Uint64 // counts requests, so that the connections are used in turn
	leaving      evictions
	newest       newestConditions
	dropped      atomic.Int64

	mu        sync.Mutex
	receipts  []sched.Receipt
	retries   map[string]int // failures in a row, by UID
	wake      chan struct{}
	devices   deviceClaims
	volumes   volumeBinder
	preparing preparations
	podGroups podGroupWriter
	requests  requests
}

// New makes an executor; its requests end with ctx.
func New(ctx context.Context, o Options) *Executor {
	if o.Patience <= 0 {
		o.Patience = 30 * time.Second
	}
	if o.Leading == nil {
		o.Leading = func() bool { return true }
	}
	if o.Reporter == "" {
		o.Reporter = "volcano"
	}
	if o.Answered == nil {
		o.Answered = func(sched.Item, sched.Outcome, time.Duration) {}
	}
	if o.Urgent == nil {
		o.Urgent = func(i sched.Item) bool { return i.Phase == model.GroupInqueue }
	}
	if o.Prepared == nil {
		o.Prepared = func(sched.Item, time.Duration) {}
	}
	if o.VolumeWait == nil {
		o.VolumeWait = func() time.Duration { return DefaultVolumeWait }
	}
	if o.PodGroup == nil {
		o.PodGroup = func(string, string) *schedulingv1beta1.PodGroup { return nil }
	}
	c := (&Executor{options: o, ctx: ctx, retries: map[string]int{}, wake: make(chan struct{}, 1),
		fast: newRequestQueue(mostInFlight, o.Panicked), status: newRequestQueue(mostStatuses, o.Panicked),
		slow:    newRequestQueue(mostConditions, o.Panicked),
		figures: newRequestQueue(mostInFlight, o.Panicked), events: newRequestQueue(mostInFlight, o.Panicked)}).wire()
	c.podGroups.waiting.unsent = map[ledger.Key]*groupWrite{}
	c.leaving.states = map[uint64]*eviction{}
	c.devices.back.queue = newRequestQueue(mostGivenBack, o.Panicked)
	return c
}

// Execute executes all items of a plan. It does not wait; each item is answered by one receipt,
// in no particular order.
func (c *Executor) Execute(items []sched.Item) {
	items, statements := c.leaving.inOrder(c.leaving.await(items))
	for _, evictions := range statements {
		for _, i := range evictions {
			c.leaving.expect(i)
		}
		c.leaving.together(evictions)
	}
	late := c.unready(items)
	prepared := c.preparing.begin(late)
	for _, statement := range slices.Sorted(maps.Keys(late)) { // each by itself
		list := late[statement]
		patience := volumePatience(c)
		c.options.Panicked.Go("binding pods with volumes and devices", func() {
			c.bindReady(list, patience, prepared[statement])
		})
	}
	together := bindsByStatement(items)
	for i, item := range items {
		if _, waits := late[item.Statement]; waits && item.Kind == sched.BindPod {
			continue
		}
		if !c.withoutPanic("taking an item over", func() { c.start(item, items[i+1:], together[item.Statement]) }) {
			c.answerAll(receipt(item, sched.Failed, ""), 0)
		}
	}
}

// start begins to carry an item out. binds is how many pods its statement binds.
func (c *Executor) start(item sched.Item, later []sched.Item, binds int) {
	switch {
	case item.Kind == sched.SetPhase:
		c.setPhase(item)
	case item.Kind == sched.WithdrawEviction:
		c.leaving.withdraw(item.Evictions)
		c.answerAll(receipt(item, sched.Done, ""), 0)
	case superseded(item, later):
		c.answerAll(receipt(item, sched.Done, ""), 0)
	default:
		c.leaving.expect(item)
		c.bring(item, nil, repeatsOf(item, binds), func(result) {})
	}
}

// withoutPanic runs a step and says that it did not panic.
func (c *Executor) withoutPanic(step string, do func()) bool {
	return c.options.Panicked.Recover(step, do) == nil
}

// bring carries an item out as soon as the server has time for it, and again as often as t says where the server
// refuses it. made is the claim that was made for it. Then then is called with the outcome, in another goroutine.
func (c *Executor) bring(item sched.Item, made *reservation, t repeats, then func(result)) {
	c.fast.do(func() (time.Duration, bool) {
		r := result{outcome: sched.Failed}
		c.withoutPanic("carrying an item out", func() {
			q := c.request(item, made)
			q.again = t.left > 0
			r = c.requests.try(q)
		})
		if r.refused != "" && t.left > 0 && !r.left.is() {
			c.fast.after(t.pause(), func() { c.bring(item, made, t.next(r.refused), then) })
			return r.latency, r.overloaded
		}
		if r.refused == "" && r.outcome == sched.Failed {
			r.refused = t.refused
		}
		if r.left.is() {
			c.requests.resolve(item, r.left, r.latency, r.refused, func(o sched.Outcome) { then(result{outcome: o}) })
			return r.latency, r.overloaded
		}
		c.answerAll(c.leaving.answers(item, r.outcome, r.refused), r.latency)
		then(r)
		return r.latency, r.overloaded
	})
}

// superseded reports whether an item removes a nomination that a later item of the same plan
// writes again: requests run in parallel, so the removal could arrive last.
func superseded(item sched.Item, later []sched.Item) bool {
	return item.Kind == sched.NominatePod && item.Node == "" && slices.ContainsFunc(later, func(o sched.Item) bool {
		return o.Kind == sched.NominatePod && o.Node != "" && o.Pod == item.Pod && o.UID == item.UID
	})
}

// Receipts returns what became of items since the last call.
func (c *Executor) Receipts() []sched.Receipt {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.receipts
	c.receipts = nil
	c.preparing.forget()
	return out
}

// Wake receives a value when there are receipts.
func (c *Executor) Wake() <-chan struct{} { return c.wake }

// Load is how many requests of plans are under way, how many wait, and how many may be under way
// at once, given how fast the server answers.
func (c *Executor) Load() (flying, waiting, limit int) { return c.fast.load() }

// InFlight is how many requests of plans, of PodGroups' statuses and to give claims back are under way or wait, how
// many of pods' conditions, of figures and of events are under way, and how many items were given up that may be
// carried out all the same. What waits to be told, of pods and by events, is not sent once this scheduler ends.
func (c *Executor) InFlight() int {
	flying, waiting, _ := c.fast.load()
	statuses, later, _ := c.status.load()
	claims, queued, _ := c.devices.back.queue.load()
	all := flying + waiting + statuses + later + claims + queued + int(c.requests.doubts.Load())
	for _, q := range []*requestQueue{c.slow, c.figures, c.events} {
		n, _, _ := q.load()
		all += n
	}
	return all
}

// Dropped counts conditions and events that were not written because too many waited.
func (c *Executor) Dropped() int64 { return c.dropped.Load() }

// Wait returns when every item of a plan and every PodGroup's status was answered and no claim is being given back, or
// ctx ends.
func (c *Executor) Wait(ctx context.Context) {
	await(ctx, func() {
		c.podGroups.flush()
		c.fast.wait()
		c.devices.back.queue.wait() // a binding that fails gives its claim back
		c.status.wait()
	})
}

// WaitForStatuses returns when no status waits to be written, or ctx ends.
func (c *Executor) WaitForStatuses(ctx context.Context) {
	await(ctx, func() {
		c.slow.wait()
		c.figures.wait()
		c.events.wait()
	})
}

func await(ctx context.Context, what func()) {
	done := make(chan struct{})
	go func() {
		what()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Failures in a row delay the receipt, so that what cannot be done is not requested again without a
// pause; the room stays taken meanwhile. So does what is not there any more: where the watch lags, it would be decided
// on again and again until a fact says that it is gone. A bind that was refused for good is answered at once:
// its job decides how long to wait, and keeps no room meanwhile.
const (
	firstRetry   = 200 * time.Millisecond
	longestRetry = 10 * time.Second
	mostRetries  = 10_000 // remembered; beyond that all are forgotten
)

// answerAll gives receipts all at once: when a gang fails together, no member counts as bound
// while another one is decided on again.
func (c *Executor) answerAll(list []sched.Receipt, latency time.Duration) {
	wait := time.Duration(0)
	for _, r := range list {
		if !OfTrial(r.Item) {
			c.withoutPanic("counting an answer", func() { c.options.Answered(r.Item, r.Outcome, latency) })
		}
		c.leaving.over(r.Item)
		wait = max(wait, c.putOff(r))
	}
	if wait > 0 {
		time.AfterFunc(wait, func() { c.deliver(list) })
		return
	}
	c.deliver(list)
}

// putOff counts the failures of a pod in a row, and returns how long the receipt is delayed. Releases are not repeated
// without a pause, whatever becomes of them, and say nothing about items of plans.
func (c *Executor) putOff(r sched.Receipt) time.Duration {
	if OfRelease(r.Item) {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Outcome != sched.Failed && r.Outcome != sched.Missing || r.Refused != "" {
		delete(c.retries, r.Item.UID)
		return 0
	}
	n := c.retries[r.Item.UID]
	if len(c.retries) > mostRetries {
		clear(c.retries)
	}
	c.retries[r.Item.UID] = n + 1
	return min(firstRetry<<min(n, 8), longestRetry)
}

func (c *Executor) deliver(list []sched.Receipt) {
	c.mu.Lock()
	c.receipts = append(c.receipts, list...)
	c.receipts = append(c.receipts, c.preparing.answer(list)...)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// wire tells the parts what they are parts of.
func (c *Executor) wire() *Executor {
	c.leaving.x = c
	c.devices.x = c
	c.volumes.x = c
	c.podGroups.x = c
	c.requests.x = c
	return c
}
