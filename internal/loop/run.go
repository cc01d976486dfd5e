package loop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/internal/kube/api/client"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/kube/rbacfallback"
	"ashlar.sh/internal/kube/stranded"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
)

// Run schedules until ctx ends, which is no error: requests under way are then finished within
// Options.Drain, and the lease is released. It returns an error if a configuration or an address
// cannot be used, if the lease is lost, and if the API server's store was put back to an older state: the process then
// has to be started again.
func Run(ctx context.Context, o Options) error {
	o = o.withDefaults()
	conf, err := newConfiguration(o)
	if err != nil {
		return err
	}
	metrics := newMetrics()
	metrics.onViolation = o.Simulated.Violated
	conf.watch = &stopwatch{m: metrics}
	engine, err := conf.engine(o)
	if err != nil {
		return err
	}
	// Requests outlive ctx, so that what is under way at the end can be finished.
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	l := (&loop{o: o, conf: conf, engine: engine, metrics: metrics, reported: newReported(), health: &health{},
		refusals: refusedBindings{memory: newRefusalMemory()}, began: time.Now(),
		background: background{auditAt: time.Now()}}).wire()
	l.lines.period = o.Period
	l.reads.of(engine)
	l.health.config.Flags = o.Flags
	l.health.configured(conf)
	if conf.refused != nil {
		l.metrics.ofFile.success.Set(0)
		l.health.refused(conf.refused)
	}
	if err := l.input.recorder.start(); err != nil {
		return err
	}
	defer l.input.recorder.stop()
	if err := l.connect(ctx, work); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	servers, err := serve(o.Addresses, l.metrics.registry, l.health)
	if err != nil {
		return err
	}
	defer servers.close()
	deaf, err := serveLevels(o.LevelSocket)
	if err != nil {
		klog.ErrorS(err, "The log level cannot be set while it runs") // no reason not to schedule
		deaf = func() {}
	}
	defer deaf()
	api, err := l.readAPI(o.Read)
	if err != nil {
		return err
	}
	defer api.close()
	lead, err := elect(work, o, l.rivals.kube, api.labels)
	if err != nil {
		return err
	}
	l.lead = lead
	api.serve(work)
	l.observer.Start(work)
	err = l.cycles(ctx)
	l.background.questions.end(err)
	l.stop(err)
	end()
	l.observer.Shutdown()
	return err
}

// connect makes the clients and what they need. It waits until the API serves Volcano's kinds, since they
// may be installed after this scheduler.
func (l *loop) connect(ctx, work context.Context) error {
	config := rest.CopyConfig(l.o.Config)
	config.QPS = -1
	config.Wrap(l.metrics.counted)
	plain := rest.CopyConfig(config)
	config.Wrap(rbacfallback.Wrapper()) // outside of it: each request that is really sent is counted
	volcano, err := versioned.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client for Volcano's kinds: %w", err)
	}
	core := rest.CopyConfig(config)
	core.ContentType = "application/vnd.kubernetes.protobuf"
	core.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	if l.rivals.kube, err = kubernetes.NewForConfig(core); err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	if err := awaitKinds(ctx, l.rivals.kube.Discovery()); err != nil {
		return err
	}
	heads, err := metadata.NewForConfig(plain) // owners that may not be read are done without
	if err != nil {
		return fmt.Errorf("make a client for the owners of pods: %w", err)
	}
	jobs, err := dynamic.NewForConfig(plain)
	if err != nil {
		return fmt.Errorf("make a client for Volcano's Jobs: %w", err)
	}
	booked, err := client.NewForConfig(config)
	if err != nil {
		return err
	}
	l.observer, err = observe.New(observe.Options{Kube: l.rivals.kube, Volcano: volcano, Bookings: booked,
		Metadata: heads, Jobs: jobs, Resync: l.o.Resync,
		Adopt: l.o.Adopt != AdoptNever, AwaitGroups: l.o.Adopt == AdoptAuto, NodeSelector: l.o.NodeSelector,
		Shard: l.o.Shard, Ring: l.o.Ring, Now: l.now,
		Reads: l.reads.has, Panicked: l.panicked, Selectors: l.conf.selectors,
		Translate: translate.Options{Schedulers: l.o.SchedulerNames, DefaultQueue: l.o.DefaultQueue}})
	if err != nil {
		return err
	}
	l.stranded.reader = &stranded.Reader{Kube: l.rivals.kube, Volcano: volcano, Metadata: heads}
	leading := func() bool { return l.lead.leading() }
	clients, err := execute.NewClients(config, leading)
	if err != nil {
		return err
	}
	l.volcano = clients.Groups
	requests, cut := context.WithCancel(work)
	l.cut = cut
	l.executor = execute.New(requests, execute.Options{Clients: clients, Reporter: reporter(l.o.SchedulerNames),
		QuietBinds: l.o.QuietBinds,
		Leading:    leading, PodGroup: l.observer.PodGroup, Storage: l.observer, VolumeWait: l.conf.volumeWait,
		Prepared: func(i sched.Item, took time.Duration) { l.metrics.prepared(l, i, took) },
		Urgent:   l.urgent, Panicked: l.panicked, Answered: func(i sched.Item, o sched.Outcome, latency time.Duration) {
			l.metrics.answered(i, o, latency)
			if i.Kind == sched.BindPod && o == sched.Done {
				l.metrics.bound(l, i)
			}
		}})
	return nil
}

// reporter is the component that events name: the scheduler's name, or volcano if it has several.
func reporter(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return translate.DefaultScheduler
}

// errLost ends a run when another scheduler has its lease.
var errLost = errors.New("the lease was lost: another scheduler acts now, or this one could not renew it in time")

// returned is how long cancelled requests have to return.
const returned = 5 * time.Second

// stop finishes the requests under way, cancels those that do not end, and only then lets another scheduler
// act. If the API server may still carry out a cancelled request, the lease is not released but left
// to run out, so that the server has time to do so.
func (l *loop) stop(err error) {
	l.finish(err)
	left := l.executor.InFlight()
	if left > 0 {
		klog.InfoS("Requests were cut short by the end: the lease is left to run out", "unanswered", left)
	}
	l.cut()
	back, cancel := context.WithTimeout(context.Background(), returned)
	defer cancel()
	l.executor.Wait(back)
	l.lead.resign(left == 0)
}

// finish waits for the requests under way, unless nothing may be sent any more.
func (l *loop) finish(err error) {
	if errors.Is(err, errLost) || errors.Is(err, errStoreRestored) {
		return
	}
	bound, cancel := context.WithTimeout(context.Background(), l.o.Drain)
	defer cancel()
	l.handOverAll()
	l.executor.Wait(bound)
	l.background.usage.flush(bound)
	brief, stop := context.WithTimeout(bound, time.Second) // another scheduler may wait for the lease
	defer stop()
	l.executor.WaitForStatuses(brief)
}
