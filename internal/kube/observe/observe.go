package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	"volcano.sh/apis/pkg/client/clientset/versioned"
	volcanoinformers "volcano.sh/apis/pkg/client/informers/externalversions"

	"ashlar.sh/internal/booking"
	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/kube/api"
	"ashlar.sh/internal/kube/api/client"
	"ashlar.sh/internal/kube/owners"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// Options says what to watch and how to read it.
type Options struct {
	Kube      kubernetes.Interface
	Volcano   versioned.Interface
	Bookings  *client.Client // nil: none are watched
	Translate translate.Options
	// Reads says that the engine reads facts of a kind; it may be called by any goroutine.
	// nil: it reads only the kinds that every cluster has.
	Reads func(model.Kind) bool
	// Adopt takes pods of ours without a PodGroup for gangs of their own (decision 25).
	// Without it they are left alone until a controller has given them one.
	Adopt bool
	// AwaitGroups holds such pods back from being decided on for as long as a controller is seen to
	// take to make their PodGroups; without one they wait a few seconds at first.
	AwaitGroups bool
	// Metadata reads what the owners of such pods say of their jobs; nil: owners are not read.
	Metadata metadata.Interface
	// Jobs reads how long Volcano's Jobs run that own PodGroups, and the deadlines of Kubernetes' Jobs, which needs
	// Metadata, too; nil: neither is read.
	Jobs dynamic.Interface
	// Selectors compiles those of resource claims before the engine is told that they can be met;
	// nil: the engine compiles what it needs.
	Selectors Compiler
	// NodeSelector are labels as key:value; nodes with none of them are as if they were
	// not there. None: all nodes are seen.
	NodeSelector []string
	// Shard is how nodes are shared with other schedulers.
	Shard Sharding
	// Ring is the schedulers that share nodes and jobs by name.
	Ring Ring
	// Resync is client-go's resync period. What it repeats is no fact; 0 is best.
	Resync time.Duration
	// Panicked is told of panics, which are bugs, in any goroutine: see Lost.
	Panicked crash.Handler
	Now      func() int64 // the engine's time, by which windows of bookings pass; nil: the machine's clock
}

// Observer watches. Its methods but Start may be called from any goroutine, Drain from
// one only.
type Observer struct {
	options   Options
	queue     *queue
	groups    cache.Indexer
	queues    cache.Indexer
	pods      cache.Indexer
	shard     shard
	claims    handedOverClaims
	ahead     ahead
	selectors *selectors
	bookings  bookings

	translating   sync.Mutex  // held while pods are translated, which goroutines share
	lost          atomic.Bool // see Lost
	storeRestored atomic.Bool // see StoreRestored

	mu        sync.Mutex
	watched   []watched
	ownership ownership
	discovery discovery
}

// New makes an observer that has seen nothing yet. An error is client-go's, of an
// informer that was started before; it does not occur.
func New(o Options) (*Observer, error) {
	if o.Translate.Specs == nil {
		o.Translate.Specs = &translate.Specs{}
	}
	w := (&Observer{options: o, queue: newQueue(), discovery: discovery{looks: make(chan struct{}, 1), asked: -1,
		core:    informers.NewSharedInformerFactory(o.Kube, o.Resync),
		volcano: volcanoinformers.NewSharedInformerFactory(o.Volcano, o.Resync)}}).wire()
	if o.Adopt && o.AwaitGroups {
		w.ownership.grouping, w.queue.held.late = newGrouping(), w.ownership.late
	}
	w.selectors = newSelectors(o.Selectors, func(claim any) { w.queue.add(claim, false) })
	if o.Metadata != nil && (o.Adopt || o.Jobs != nil) {
		w.ownership.owners = owners.New(owners.Options{Discovery: o.Kube.Discovery(), Metadata: o.Metadata, Jobs: o.Jobs,
			Answered: w.ownership.answered, Panicked: o.Panicked})
	}
	for _, k := range kinds() {
		if !k.always {
			continue
		}
		if err := w.watch(k); err != nil {
			return nil, err
		}
	}
	groups := w.discovery.volcano.Scheduling().V1beta1().PodGroups().Informer()
	if err := groups.AddIndexers(cache.Indexers{byOwner: estimatedBy, byStart: startOf}); err != nil {
		return nil, fmt.Errorf("watch %s: %w", model.KindPodGroup, err)
	}
	w.groups = groups.GetIndexer()
	w.queues = w.discovery.volcano.Scheduling().V1beta1().Queues().Informer().GetIndexer()
	w.pods = podInformer(w.discovery.core).GetIndexer()
	return w, nil
}

// Start begins to watch, until ctx ends. It does not wait.
func (w *Observer) Start(ctx context.Context) {
	w.discovery.core.StartWithContext(ctx)
	w.discovery.volcano.Start(ctx.Done())
	w.untilEnd(ctx, "asking what the API server serves", w.discovery.discover)
	for lane := range w.selectors.wake {
		w.untilEnd(ctx, "compiling the selectors of resource claims", func(ctx context.Context) {
			w.selectors.run(ctx, lane)
		})
	}
	if w.ownership.owners != nil {
		w.untilEnd(ctx, "reading the owners of pods", w.ownership.owners.Run)
		if w.options.Jobs != nil {
			w.untilEnd(ctx, "reading Jobs anew", w.ownership.renewJobs)
		}
	}
}

// Shutdown returns when all watches have ended, which needs Start's ctx to have.
func (w *Observer) Shutdown() {
	w.discovery.core.Shutdown()
	w.discovery.volcano.Shutdown()
	w.bookings.running.Wait()
}

// Wake receives a value when there is something to drain.
func (w *Observer) Wake() <-chan struct{} { return w.queue.wake }

// Drain returns what was seen since the last call, and when the oldest of it was
// reported; the zero time when there is nothing.
func (w *Observer) Drain() (facts []model.Fact, oldest time.Time) {
	w.ownership.hear()
	for _, c := range w.queue.take() {
		if oldest.IsZero() || c.at.Before(oldest) {
			oldest = c.at
		}
		if f, ok := w.fact(c); ok {
			facts = append(facts, f)
		}
	}
	return w.bookings.renewed(facts, w.options.now()), oldest
}

// All is every object as it was last seen, as facts: what an engine is made anew from.
// Pods that are held back for their owners to be heard are left out: Drain will return them. Call
// it where Drain is called.
func (w *Observer) All() (facts []model.Fact) {
	w.mu.Lock()
	all := slices.Clone(w.watched)
	w.mu.Unlock()
	add := func(c change) {
		if f, ok := w.fact(c); ok && !w.queue.holds(f) {
			facts = append(facts, f)
		}
	}
	for _, kind := range all {
		if kind.kind == translate.KindNodeShard {
			continue // nodes say where they belong
		}
		for _, o := range kind.store.List() {
			add(change{object: o})
		}
	}
	for _, c := range w.ahead.all() { // newer than what the watch has shown of them
		add(c)
	}
	return facts
}

// fact returns the fact of a change. If a bug makes reading the object panic, the object counts as absent.
func (w *Observer) fact(c change) (f model.Fact, ok bool) {
	if w.options.Panicked.Recover("reading an object", func() { f, ok = w.read(c) }) == nil {
		return f, ok
	}
	_ = w.options.Panicked.Recover("leaving an object out", func() { f, ok = goneFact(c.object) }) // else no word
	return f, ok
}

func (w *Observer) read(c change) (model.Fact, bool) {
	if node, is := c.object.(*corev1.Node); c.gone || is && w.hidden(node) {
		return goneFact(c.object)
	}
	if pod, is := c.object.(*Pod); is {
		return w.ownership.owned(pod), true
	}
	if group, is := c.object.(*schedulingv1beta1.PodGroup); is && !w.options.Ring.owns(job(group)) {
		return goneFact(c.object)
	}
	if claim, is := c.object.(*resourcev1.ResourceClaim); is {
		c.object = w.selectors.shown(claim)
	}
	f, ok := translate.Fact(c.object, w.options.Translate)
	switch o := f.Object.(type) {
	case *model.PodGroup:
		w.ownership.estimated(c.object.(*schedulingv1beta1.PodGroup), o)
	case *model.Node:
		o.Elsewhere = w.elsewhere(o.Name)
	case *model.Booking:
		f.Object = booking.Renew(o, w.options.now())
	}
	return f, ok
}

// goneFact is the fact that an object is gone; false for what there are no facts of.
func goneFact(o any) (model.Fact, bool) {
	if pod, is := o.(*Pod); is {
		f := pod.fact
		f.Object = nil
		return f, true
	}
	return translate.Gone(o)
}

func (w *Observer) selected(n *corev1.Node) bool {
	for _, label := range w.options.NodeSelector {
		key, value, _ := strings.Cut(label, ":")
		if v, ok := n.Labels[key]; ok && v == value {
			return true
		}
	}
	return len(w.options.NodeSelector) == 0
}

// PodGroup is the newest state that was seen of a PodGroup, nil when there is none. It
// must not be changed.
func (w *Observer) PodGroup(namespace, name string) *schedulingv1beta1.PodGroup {
	return find[schedulingv1beta1.PodGroup](w.groups, namespace+"/"+name)
}

// Queue is the newest state that was seen of a Queue, nil when there is none. It must
// not be changed.
func (w *Observer) Queue(name string) *schedulingv1beta1.Queue {
	return find[schedulingv1beta1.Queue](w.queues, name)
}

// Booking is the newest state that an observer has seen of a Booking, nil when there is none. It must not be changed.
func Booking(w *Observer, name string) *api.Booking {
	return findIn[api.Booking](w, model.KindBooking, name)
}

// Pod is what is kept of the newest state that was seen of a pod; nil when there is none.
func (w *Observer) Pod(namespace, name string) *Pod {
	return find[Pod](w.pods, namespace+"/"+name)
}

// Claim is the newest state that was seen of a PersistentVolumeClaim, nil when there is
// none or claims are not watched. It must not be changed; nor must what Volume and Node
// return.
func (w *Observer) Claim(namespace, name string) *corev1.PersistentVolumeClaim {
	return findIn[corev1.PersistentVolumeClaim](w, translate.KindPersistentVolumeClaim, namespace+"/"+name)
}

// Volume is Claim for a PersistentVolume.
func (w *Observer) Volume(name string) *corev1.PersistentVolume {
	return findIn[corev1.PersistentVolume](w, translate.KindPersistentVolume, name)
}

// Node is the newest state that was seen of a node, without what the transforms leave out.
func (w *Observer) Node(name string) *corev1.Node {
	return findIn[corev1.Node](w, model.KindNode, name)
}

func findIn[T any](w *Observer, k model.Kind, key string) *T {
	if store := w.store(k); store != nil {
		return find[T](store, key)
	}
	return nil
}

// store is what the informer of a kind has, nil if the kind is not watched.
func (w *Observer) store(k model.Kind) cache.Store {
	if k == model.KindPod {
		return w.pods
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.IndexFunc(w.watched, func(o watched) bool { return o.kind == k }); i >= 0 {
		return w.watched[i].store
	}
	return nil
}

func find[T any](in cache.Store, key string) *T {
	o, ok, err := in.GetByKey(key)
	if err != nil || !ok {
		return nil
	}
	t, _ := o.(*T)
	return t
}

// handler puts what an informer reports into the queue.
func (w *Observer) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { w.queue.add(o, false) },
		UpdateFunc: func(before, after any) {
			if !same(before, after) {
				w.queue.add(after, false)
			}
		},
		DeleteFunc: func(o any) { w.queue.add(last(o), true) },
	}
}

// last is the last state that was known of what an informer says is gone: a deletion that
// was missed comes with it.
func last(o any) any {
	if missed, ok := o.(cache.DeletedFinalStateUnknown); ok {
		return missed.Obj
	}
	return o
}

// wire tells the parts what they are parts of.
func (w *Observer) wire() *Observer {
	w.ownership.o = w
	w.discovery.o = w
	return w
}
