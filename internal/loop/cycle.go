package loop

import (
	"context"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/carry"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

// gather is the least time between two cycles: what arrives one by one in that time, as a
// PodGroup's pods do, is decided on at once. What comes when nothing happened for as long
// does not wait.
const gather = 2 * time.Millisecond

// loop is what a run is made of. Its goroutine alone touches the engine.
type loop struct {
	o          Options
	kube       kubernetes.Interface
	volcano    versioned.Interface
	seen       *observe.Observer
	carrier    *carry.Carrier
	lead       *lead
	conf       *configuration
	engine     *sched.Engine
	metrics    *metrics
	health     *health
	told       *told
	complaints complaints
	aside      aside
	reads      reads
	dumping    sync.Mutex // held while a dump is written

	began    time.Time
	acting   bool          // this run has taken over
	next     int64         // when the engine wants to be asked again; 0: no matter when
	panics   int           // in a row
	rest     time.Time     // no cycle before: after what failed and would fail again
	afterAt  time.Time     // when the last round of words began
	after    time.Duration // how long it took
	auditAt  time.Time
	auditing time.Duration // how long the last audit took
}

// now is the wall clock at the start, run on monotonically: a clock that is set moves
// no deadline.
func (l *loop) now() int64 { return l.began.UnixNano() + int64(time.Since(l.began)) }

// cycle runs cycles until ctx ends or the lease is lost.
func (l *loop) cycle(ctx context.Context) error {
	period := time.NewTicker(l.o.Period)
	defer period.Stop()
	var ended time.Time
	for {
		due, stop := l.due()
		select {
		case <-ctx.Done():
			stop()
			return nil
		case <-l.lead.lost:
			stop()
			return errLost
		case <-l.seen.Wake():
		case <-l.carrier.Wake():
		case <-l.lead.won:
		case <-l.o.Dump:
			l.guard("dumping", l.dump)
		case <-period.C:
		case <-due:
		}
		stop()
		time.Sleep(gather - time.Since(ended))
		l.once(ctx)
		ended = time.Now()
		l.health.beat()
	}
}

// due fires when the engine wants to be asked again.
func (l *loop) due() (<-chan time.Time, func() bool) {
	if l.next == 0 {
		return nil, func() bool { return true }
	}
	t := time.NewTimer(max(0, time.Duration(l.next-l.now())))
	return t.C, t.Stop
}

// once takes in what was seen and answered and, if it is ours to decide, decides.
func (l *loop) once(ctx context.Context) {
	synced, missing := l.seen.Synced() // before draining, so that what was synced is drained
	l.health.synced(synced, missing)
	l.takeIn()
	if !synced || !l.lead.leading() || time.Now().Before(l.rest) {
		return
	}
	if !l.acting {
		if err := l.takeOver(ctx); err != nil {
			klog.ErrorS(err, "Not ready to decide yet")
			l.rest = time.Now().Add(time.Second)
			return
		}
		l.takeIn()
		l.acting = true
	}
	l.reload()
	l.decide()
	l.afterwards()
}

// takeIn hands what was seen and answered to the engine.
func (l *loop) takeIn() {
	facts, oldest := l.seen.Drain()
	receipts := l.carrier.Receipts()
	if len(facts) == 0 && len(receipts) == 0 {
		return
	}
	l.guard("taking in facts", func() {
		for _, f := range facts {
			l.metrics.watched(l, f)
			l.engine.Apply(l.aside.mark(f))
		}
		l.metrics.retried(l.engine.Ledger(), receipts, l.metrics.retrying)
		l.engine.Receive(receipts...)
	})
	l.metrics.tookIn(len(facts), oldest)
}

// takeOver makes what every cluster has and reads what the last scheduler did last.
func (l *loop) takeOver(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := makeQueues(ctx, l.volcano, l.o.DefaultQueue); err != nil {
		return err
	}
	if l.o.Election == nil {
		return nil
	}
	return l.seen.Refresh(ctx)
}

// decide runs one cycle and has its plan carried out.
func (l *loop) decide() {
	began := time.Now()
	l.engine.Record(verbosity())
	l.guard("deciding", func() {
		plan, events, next := l.engine.Decide(l.now())
		l.next = next
		l.panics = 0
		logEvents(events)
		l.carry(plan.Items, began)
		l.metrics.decided(time.Since(began), plan, l)
		for _, i := range plan.Items {
			klog.V(4).InfoS("Planned", "kind", i.Kind, "pod", i.Pod, "node", i.Node, "podGroup", i.Group, "phase", i.Phase, "statement", i.Statement)
		}
	})
}

// logEvents prints what a cycle did, a line each.
func logEvents(events []trace.Event) {
	for _, e := range events {
		level, text := explain.Log(e)
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); level == 0 {
				klog.Error(line)
			} else {
				klog.V(klog.Level(level)).Info(line)
			}
		}
	}
}

// verbosity is up to which level the cycle's events are wanted: from 3, where the
// first of them are logged.
func verbosity() int {
	for _, v := range []klog.Level{5, 4, 3} {
		if klog.V(v).Enabled() {
			return int(v)
		}
	}
	return 0
}

// round is the least time between two rounds of words: a second, and a little less, so
// that a ticker of a second does not miss every other one.
const round = 950 * time.Millisecond

// afterwards says what is to be said, if it is time: once a second, and for at most a
// tenth of the time.
func (l *loop) afterwards() {
	pause := max(round, 10*l.after)
	if l.o.Period < pause && l.after*10 < l.o.Period {
		pause = l.o.Period
	}
	if time.Since(l.afterAt) < pause {
		return
	}
	began := time.Now()
	l.guard("telling", func() {
		l.tell(began)
		l.mend(began)
		l.complain(began)
		l.metrics.figures(l)
		l.audit()
	})
	l.afterAt, l.after = began, time.Since(began)
}
