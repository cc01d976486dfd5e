package carry

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/klog/v2"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Options says how to carry.
type Options struct {
	Clients Clients
	// Leading is asked before every write; while it is false nothing is sent. nil: always.
	Leading func() bool
	// Reporter is the component that events come from; "" is volcano.
	Reporter string
	// QuietBinds leaves out the event that says of a pod where it went: half of what a
	// bound pod costs in writes.
	QuietBinds bool
	// Patience is for how long a write is repeated; 0 is 30 seconds.
	Patience time.Duration
	// Urgent says that somebody waits for a PodGroup to show a phase: it goes at once, and
	// with the bindings. nil: Inqueue, for which controllers wait to create pods.
	Urgent func(item sched.Item) bool
	// PodGroup returns the newest state that was seen of a PodGroup, nil without one.
	PodGroup func(namespace, name string) *schedulingv1beta1.PodGroup
	// Storage is what volumes and devices are prepared by. nil: no plan may choose any.
	Storage Storage
	// VolumeWait is how long a pod's volumes and devices may take to be bound; it is asked in
	// Carry. nil: DefaultVolumeWait.
	VolumeWait func() time.Duration
	// Prepared is told of each pod whose volumes and devices were bound, and how long that took.
	// nil: nobody.
	Prepared func(item sched.Item, took time.Duration)
	// Answered is told of every item once, with the latency of its last request. nil: nobody.
	Answered func(item sched.Item, outcome sched.Outcome, latency time.Duration)
}

// request bounds a single request. A server that has not answered by then may still do
// what it was asked.
const request = 10 * time.Second

// Carrier carries plans out. Its methods may be called from any goroutine.
type Carrier struct {
	options Options
	ctx     context.Context
	fast    *lane
	status  *lane // of PodGroups
	slow    *lane // conditions of pods
	figures *lane // of queues
	events  *lane
	turn    atomic.Uint64 // of the connections
	groups  groupWrites
	dropped atomic.Int64

	mu       sync.Mutex
	receipts []sched.Receipt
	setbacks map[string]int  // refusals in a row, by UID
	denied   map[string]bool // the last answer was that it will not be had, by UID
	wake     chan struct{}
}

// New makes a carrier whose requests end with ctx.
func New(ctx context.Context, o Options) *Carrier {
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
	c := &Carrier{options: o, ctx: ctx, setbacks: map[string]int{}, denied: map[string]bool{}, wake: make(chan struct{}, 1),
		fast: newLane(mostInFlight), status: newLane(mostStatuses), slow: newLane(mostInFlight), figures: newLane(mostInFlight), events: newLane(mostInFlight)}
	c.groups.pending = map[ledger.Key]*groupWrite{}
	return c
}

// Carry takes a plan's items over. It does not wait; each item is answered by one
// receipt, in no particular order.
func (c *Carrier) Carry(items []sched.Item) {
	late := unready(items)
	for _, list := range late { // each by itself
		go c.bindReady(list, c.options.VolumeWait())
	}
	for i, item := range items {
		if _, waits := late[item.Statement]; waits && item.Kind == sched.BindPod {
			continue
		}
		if item.Kind == sched.SetPhase {
			c.setPhase(item)
			continue
		}
		if superseded(item, items[i+1:]) {
			c.answer(item, sched.Done, 0)
			continue
		}
		c.bring(item)
	}
}

// bring carries an item out as soon as the server has time for it.
func (c *Carrier) bring(item sched.Item) {
	c.fast.do(func() (time.Duration, bool) {
		outcome, latency, overloaded := c.run(c.errand(item))
		c.answer(item, outcome, latency)
		return latency, overloaded
	})
}

// superseded says that an item takes a nomination back which a later one of the same plan
// writes anew: requests are under way side by side, and the wrong one could come last.
func superseded(item sched.Item, later []sched.Item) bool {
	return item.Kind == sched.NominatePod && item.Node == "" && slices.ContainsFunc(later, func(o sched.Item) bool {
		return o.Kind == sched.NominatePod && o.Node != "" && o.Pod == item.Pod && o.UID == item.UID
	})
}

// Receipts returns what became of items since the last call.
func (c *Carrier) Receipts() []sched.Receipt {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.receipts
	c.receipts = nil
	return out
}

// Wake receives a value when there are receipts.
func (c *Carrier) Wake() <-chan struct{} { return c.wake }

// Load is how many requests of plans are under way, how many wait, and how many may be
// under way at once by what the server bears.
func (c *Carrier) Load() (flying, waiting, limit int) { return c.fast.load() }

// Dropped counts words that were not said because too many waited.
func (c *Carrier) Dropped() int64 { return c.dropped.Load() }

// Wait returns when every item of a plan and every PodGroup's status was answered, or
// ctx ends.
func (c *Carrier) Wait(ctx context.Context) {
	await(ctx, func() {
		c.flushGroups()
		c.fast.wait()
		c.status.wait()
	})
}

// WaitForWords returns when nothing waits to be said, or ctx ends.
func (c *Carrier) WaitForWords(ctx context.Context) {
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

// Refusals in a row put the receipt off, so that what the server will not have is not
// asked for without a pause; the room stays promised meanwhile.
const (
	firstSetback = 200 * time.Millisecond
	mostSetback  = 10 * time.Second
	mostSetbacks = 10_000 // remembered; beyond that all are forgotten
)

// answer gives the receipt of an item.
func (c *Carrier) answer(item sched.Item, outcome sched.Outcome, latency time.Duration) {
	c.options.Answered(item, outcome, latency)
	wait := time.Duration(0)
	c.mu.Lock()
	if outcome == sched.Failed {
		n := c.setbacks[item.UID]
		if len(c.setbacks) > mostSetbacks {
			clear(c.setbacks)
			clear(c.denied)
		}
		c.setbacks[item.UID] = n + 1
		wait = min(firstSetback<<min(n, 8), mostSetback)
	} else {
		delete(c.setbacks, item.UID)
		delete(c.denied, item.UID)
	}
	c.mu.Unlock()
	if wait > 0 {
		time.AfterFunc(wait, func() { c.deliver(sched.Receipt{Item: item, Outcome: outcome}) })
		return
	}
	c.deliver(sched.Receipt{Item: item, Outcome: outcome})
}

// Denied says that the server has refused a pod's binding for good when it was last asked.
// It goes on being asked, seldom; one that the server had no time for was not denied.
func (c *Carrier) Denied(uid string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.denied[uid]
}

func (c *Carrier) deny(uid string, yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if delete(c.denied, uid); yes && uid != "" {
		c.denied[uid] = true
	}
}

func (c *Carrier) deliver(r sched.Receipt) {
	c.mu.Lock()
	c.receipts = append(c.receipts, r)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// errand is a write, and how to find out whether it happened.
type errand struct {
	what string
	uid  string // of the pod that is to be bound, "" for others
	send func(ctx context.Context) error
	// shown reads the object; settled says that what it shows answers the errand.
	shown func(ctx context.Context) (settled bool, outcome sched.Outcome, err error)
}

// run sends until the server has answered for good or patience is over. A refusal is not for good
// while an earlier try may have been taken without a word and reading failed: the pod may be bound.
func (c *Carrier) run(e errand) (outcome sched.Outcome, latency time.Duration, overloaded bool) {
	began, doubt := time.Now(), false
	for n := 0; ; n++ {
		if !c.options.Leading() || c.ctx.Err() != nil {
			return sched.Failed, latency, overloaded
		}
		err := c.timed(&latency, e.send)
		answer := kindOf(err)
		switch answer {
		case done:
			return sched.Done, latency, overloaded
		case missing:
			return sched.Missing, latency, overloaded
		case unknown:
			doubt = true
		}
		if doubt || answer == clash {
			settled, outcome, failed := c.look(e)
			if failed == nil && settled {
				return outcome, latency, overloaded
			}
			doubt = doubt && failed != nil
		}
		if answer == refused && !doubt {
			c.deny(e.uid, true)
			klog.ErrorS(err, "The API server refused for good", "what", e.what)
			return sched.Failed, latency, overloaded
		}
		overloaded = overloaded || answer == later || answer == unknown
		if time.Since(began) > c.options.Patience {
			c.deny(e.uid, false)
			klog.ErrorS(err, "Gave up", "what", e.what, "after", time.Since(began))
			return sched.Failed, latency, overloaded
		}
		if !sleep(c.ctx, pause(err, n)) {
			return sched.Failed, latency, overloaded
		}
	}
}

// look reads what became of an errand.
func (c *Carrier) look(e errand) (settled bool, outcome sched.Outcome, err error) {
	err = c.timed(new(time.Duration), func(ctx context.Context) (err error) {
		settled, outcome, err = e.shown(ctx)
		return err
	})
	return settled, outcome, err
}

func (c *Carrier) timed(latency *time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(c.ctx, request)
	defer cancel()
	start := time.Now()
	err := f(ctx)
	*latency = time.Since(start)
	return err
}
