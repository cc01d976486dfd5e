package loop

import (
	"context"
	"time"

	"k8s.io/klog/v2"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// gather is the least time between two cycles: objects that arrive one by one in that time, as the pods
// of a PodGroup do, are decided on together. An object that comes when nothing happened for that long
// does not wait.
const gather = 2 * time.Millisecond

// loop is the state of a run. Only its own goroutine uses the engine.
type loop struct {
	o        Options
	volcano  versioned.Interface
	observer *observe.Observer
	executor *execute.Executor
	cut      context.CancelFunc // ends the executor's requests
	lead     *leadership
	conf     *configuration
	engine   *sched.Engine // to read; what changes it goes through input
	input    engineInput
	metrics  *metrics
	health   *health
	reported *reported
	reads    reads
	lines    logLines

	began      time.Time
	acting     bool      // this run has taken over
	next       int64     // the time at which the engine has to run again; 0: none
	rest       time.Time // no cycle before this time: after a failure that would repeat
	refusals   refusedBindings
	origins    gangOrigins
	reports    reports
	stranded   strandedGangs
	rivals     rivalSchedulers
	background background
	rebuilds   rebuilds
}

// now is the wall clock at the start plus the monotonic time since: setting the clock moves no
// deadline.
func (l *loop) now() int64 {
	return l.began.Add(l.o.Simulated.Ahead).UnixNano() + int64(time.Since(l.began))
}

// cycles runs cycle after cycle (once) until ctx ends or the lease is lost.
func (l *loop) cycles(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx) // what goes on beside cycles ends with them
	defer end()
	period := time.NewTicker(l.o.Period)
	defer period.Stop()
	var ended time.Time
	for {
		// Of several that are ready select takes any: these come first.
		if ctx.Err() != nil {
			return nil
		}
		if l.lead.isLost() {
			return errLost
		}
		due, stop := l.due()
		select {
		case <-ctx.Done():
			stop()
			return nil
		case <-l.lead.lost:
			stop()
			return errLost
		case <-l.observer.Wake():
		case <-l.executor.Wake():
		case <-l.lead.won:
		case <-l.o.Dump:
			l.rebuilds.runOrRebuild("dumping", l.background.dump)
		case asked := <-l.background.questions.asked:
			stop()
			l.background.questions.reply(asked)
			continue
		case <-period.C:
		case <-due:
		}
		stop()
		time.Sleep(gather - time.Since(ended))
		if l.o.Simulated.BeforeCycle != nil {
			l.o.Simulated.BeforeCycle()
		}
		if l.storeRestored() {
			return errStoreRestored
		}
		// Drain the channels that wake the loop first: what woke it is part of this cycle, and a second one would be empty.
		taken(l.observer.Wake())
		taken(l.executor.Wake())
		taken(period.C)
		l.withoutPanic("running a cycle", func() { l.once(ctx) })
		ended = time.Now()
		l.health.beat()
	}
}

// taken takes a value that waits in a channel, if there is one.
func taken[T any](c <-chan T) {
	select {
	case <-c:
	default:
	}
}

// due fires at the time at which the engine has to run again, or a first reason is to be told, and not before a pause
// is over.
func (l *loop) due() (<-chan time.Time, func() bool) {
	wait := time.Duration(l.next - l.now())
	if look := l.reports.firsts.due; !look.IsZero() && (l.next == 0 || time.Until(look) < wait) {
		wait = time.Until(look)
	} else if l.next == 0 {
		return nil, func() bool { return true }
	}
	t := time.NewTimer(max(0, wait, time.Until(l.rest)))
	return t.C, t.Stop
}

// once gives new facts and receipts to the engine and, if this scheduler acts, decides.
func (l *loop) once(ctx context.Context) {
	l.reports.firsts.due = time.Time{}
	missing, forbidden := l.observer.Awaited(l.reading()) // before draining, so that what was synced is drained
	synced := len(missing) == 0
	l.health.synced(synced, missing)
	l.lookAtAwaited()
	l.takeIn()
	if !l.acting {
		l.withoutPanic("looking at the configuration", l.conf.glance)
	}
	if !synced && (forbidden || l.conf.awaited.engine != nil) && l.seeing() {
		l.reload() // the file may hold by now what does not read what is missing
	}
	if !synced || !l.lead.leading() || time.Now().Before(l.rest) || !l.seeing() {
		return
	}
	acted := l.acting
	if !l.acting {
		if err := l.takeOver(ctx); err != nil {
			l.rivals.sayNotReady(err, time.Now())
			l.rest = time.Now().Add(time.Second)
			return
		}
		l.takeIn()
		l.acting = true
	}
	l.reload()
	if !acted && l.conf.holdsAtTakeOver() {
		return
	}
	if l.decide() { // an engine that was made anew knows no reasons yet
		l.background.afterwards()
	}
}

// seeing reports whether the engine has all known facts; if it has not, it first tries to make it anew.
func (l *loop) seeing() bool {
	if l.rebuilds.blind {
		if state, ok := l.state(); ok {
			l.rebuilds.remake(state)
		}
	}
	return !l.rebuilds.blind
}

// takeIn gives new facts and receipts to the engine. If a panic prevents that, nothing is lost: the engine
// is then made anew from all facts and from these receipts.
func (l *loop) takeIn() {
	answers := l.executor.Receipts()
	l.withoutPanic("taking in what was only tried", func() { answers = l.refusals.tried(answers) })
	l.input.receipts = append(l.input.receipts, answers...)
	lost := l.observer.Lost()
	l.rebuilds.runOrRebuild("taking in facts", func() {
		facts, oldest := l.observer.Drain()
		l.order(facts)
		if l.rebuilds.blind || lost {
			return // the new facts are part of all facts
		}
		if len(facts) == 0 && len(l.input.receipts) == 0 {
			return
		}
		for _, f := range facts {
			l.metrics.watched(l, f)
			l.input.apply(l.rebuilds.leftOut.mark(f))
		}
		l.refusals.inheritBackoffs(facts)
		l.metrics.ofBindings.retried(l.engine.Ledger(), l.input.receipts, l.metrics.ofBindings.retrying)
		l.input.receive(l.input.receipts)
		l.origins.follow(l.input.receipts)
		l.reports.evictions.follow(l.input.receipts, &l.reports.queues)
		l.engine.Checkpoint()
		l.input.receipts = nil
		l.metrics.tookIn(len(facts), oldest)
	})
	if lost && !l.rebuilds.blind {
		l.rebuilds.blind = true
		l.seeing()
	}
}

// order is Simulated.Order.
func (l *loop) order(facts []model.Fact) {
	if l.o.Simulated.Order != nil {
		l.o.Simulated.Order(facts)
	}
}

// takeOver makes the queues that every cluster has, and reads what the previous scheduler did last.
func (l *loop) takeOver(ctx context.Context) (err error) {
	if panicked := crash.Handler(l.panicked).Recover("taking over", func() { err = l.prepare(ctx) }); panicked != nil {
		return panicked
	}
	return err
}

// goOn notes that a step which lasts goes on, unless nothing may be done any more.
func (l *loop) goOn() error {
	l.health.beat()
	if !l.lead.leading() {
		return errLost
	}
	return nil
}

// briefly bounds what is asked of the API server before the first cycle, but for the list of all pods.
const briefly = time.Minute

func (l *loop) prepare(ctx context.Context) error {
	brief, cancel := context.WithTimeout(ctx, briefly)
	defer cancel()
	if err := l.rivals.await(brief); err != nil {
		return err
	}
	noQueues := makeQueues(brief, l.volcano, l.o.DefaultQueue)
	// Without a lease, too: another scheduler may have acted until now.
	if err := l.observer.Refresh(ctx, l.goOn); err != nil {
		return err
	}
	brief, cancel = context.WithTimeout(ctx, briefly)
	defer cancel()
	if err := l.background.usage.read(brief); err != nil {
		return err
	}
	l.engine.EvictionsKnownFrom(l.now())
	l.engine.Checkpoint()
	l.showConfigurationAtStart()
	if noQueues != nil {
		go l.background.makeQueuesLater(ctx, noQueues)
	}
	go l.rivals.keepLooking(ctx)
	return nil
}

// decide runs one cycle and has its plan carried out. A cycle that panics has no effect: its plan is not
// carried out, and the engine is made anew as it was before. Once the checkpoint is taken, the whole
// plan is carried out, whatever panics.
func (l *loop) decide() (fine bool) {
	began := time.Now()
	var plan sched.Plan
	var events []trace.Event
	if !l.rebuilds.runOrRebuild("deciding", func() {
		l.engine.SetVerbosity(verbosity())
		plan, events, l.next = l.input.decide()
	}) {
		return false
	}
	l.withoutPanic("telling questions that a cycle has run", l.background.questions.decided)
	sent := l.execute(plan.Items, began)
	return l.rebuilds.runOrRebuild("telling what was decided", func() {
		l.lines.log(events, time.Now())
		l.metrics.decided(time.Since(began), sent, l)
		l.metrics.check(l.engine.Ledger(), l.engine.Questions().Ready, plan.Items)
		l.background.estimates.started(plan.Items)
		l.background.passed.started(plan.Items)
		for _, i := range plan.Items {
			klog.V(4).InfoS("Planned", "kind", i.Kind, "pod", i.Pod, "node", i.Node, "podGroup", i.Group, "phase", i.Phase,
				"statement", i.Statement)
		}
	})
}

// execute hands the items of a plan to the executor, except for the phases that are held to be written together with
// conditions. No item is lost, whatever panics. Members of a gang that was refused before are bound one after the
// other, and no pod is evicted for one that is refused still. execute returns the items without such evictions.
func (l *loop) execute(items []sched.Item, now time.Time) (sent []sched.Item) {
	l.withoutPanic("noting which gangs are begun", func() { l.origins.begin(items, now) })
	l.withoutPanic("noting what is evicted", func() { l.reports.evictions.ask(l.engine.Ledger(), items) })
	send := items[:0:0]
	for _, i := range items {
		kept := false
		if i.Kind == sched.SetPhase {
			l.withoutPanic("keeping a phase", func() { kept = l.holdPhase(i, now) })
		}
		if !kept {
			send = append(send, i)
		}
	}
	sent = l.refusals.evictOnTrial(send)
	l.executor.Execute(l.refusals.bindInOrder(sent, now))
	return sent
}

// verbosity is the level up to which the cycle's events are needed; the first of them are logged at
// level 3.
func verbosity() int {
	for _, v := range []klog.Level{5, 4, 3} {
		if klog.V(v).Enabled() {
			return int(v)
		}
	}
	return 0
}

// round is the least time between two rounds of statuses and events: a little less than a second, so
// that a ticker of a second does not miss every second one.
const round = 950 * time.Millisecond

// latestRound is when a round is due although it takes more than a tenth of the time, as on a busy machine: what
// changed is written two rounds later (lasting), and is to be there within three seconds.
const latestRound = 1400 * time.Millisecond

// betweenRounds is the time from one round to the next when a round takes so long: a second, for at most a tenth of the
// time, or up to a quarter of it so that it is no later than latestRound.
func betweenRounds(took, period time.Duration) time.Duration {
	pause := max(round, min(10*took, max(latestRound, 4*took)))
	if period < pause && took*10 < period {
		pause = period
	}
	return pause
}

// afterwards writes statuses and events, and does what else a round does, if it is time. Before that it tells what is
// not to wait for a round.
func (bg *background) afterwards() {
	began := time.Now()
	if began.Before(bg.rest) {
		return
	}
	if began.Sub(bg.afterAt) < betweenRounds(bg.after, bg.l.o.Period) {
		bg.tell("telling first reasons", func() { bg.l.reports.look(began) })
		return
	}
	bg.tell("telling", func() {
		bg.l.refusals.tend()
		bg.giveBack(began)
		bg.l.stranded.suspects = nil // of a round that ended in a panic
		bg.l.reports.all(began)
		bg.l.stranded.round(began)
		bg.l.reports.reportProblems(began)
		bg.l.metrics.figures(bg.l)
		bg.audit()
		bg.l.input.recorder.tend()
		bg.usage.tend(context.Background(), began)
		bg.l.rebuilds.panics = 0 // a cycle, and all that follows one, went through
	})
	took := time.Since(began)
	if bg.auditAt.After(began) {
		took -= bg.auditing // it has a bound of its own
	}
	bg.tookRound(began, took)
	bg.l.reports.firsts.looked(bg.l.engine, time.Now())
}

// tell runs a step that follows cycles. After panics in a row such steps pause as deciding does after its own, and
// deciding goes on: nothing that is told is needed for it.
func (bg *background) tell(step string, do func()) {
	if !bg.l.rebuilds.runOrRebuild(step, do) && !bg.l.rebuilds.blind {
		bg.rest, bg.l.rest = bg.l.rest, time.Time{}
	}
}

// tookRound notes a round. One that was held up, as on a machine that gave this process no processor for seconds, says
// nothing of how long the next takes: of the last two the shorter counts. Else what changed would be told only after
// four times as long.
func (bg *background) tookRound(began time.Time, took time.Duration) {
	bg.afterAt, bg.after, bg.last = began, min(took, bg.last), took
}

// wire tells the parts what they are parts of.
func (l *loop) wire() *loop {
	l.background.questions = newQuestions(l)
	l.refusals.l = l
	l.origins.l = l
	l.reports.l = l
	l.stranded.l = l
	l.rivals.l = l
	l.background.l = l
	l.input.l, l.input.recorder.l = l, l
	l.background.usage.l = l
	l.background.estimates.l = l
	l.background.copying = make(chan struct{}, 1)
	l.background.searches.wire(l)
	l.background.plans.wire(l)
	l.background.passed.l = l
	l.rebuilds.l = l
	return l
}
