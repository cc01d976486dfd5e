package observe

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"
	"unique"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/internal/kube/owners"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// Pod is all that is kept of a pod outside of the engine: the fact, which it shares with the engine, and what its
// status shows. A corev1.Pod takes ten times the memory, and there are more pods than objects of any other kind.
type Pod struct {
	*metav1.ObjectMeta // always nothing: client-go requires it of an object

	fact model.Fact
	// NotScheduled is the reason of the condition PodScheduled if that is False, else "".
	NotScheduled string

	// Told is the message of that condition.
	Told Text

	controller unique.Handle[string] // the UID of its controller: many pods share one

	owner *owners.Owner // its controller, which may say what it lacks; nil: no owner is asked
	lacks translate.Lacks
	open  bool // the owners may say more than the fact says

	handedOver atomic.Bool // it was handed on
}

// Text is what is kept of a text, to tell whether another is the same: the texts of all pods that wait would take more
// than all else that is kept of them.
type Text struct {
	whole uint32
	Words uint32 // of all but its digits: texts that differ in amounts alone have the same
}

// TextOf is what is kept of a text.
func TextOf(text string) Text {
	const offset, prime = 2166136261, 16777619 // FNV-1a
	out := Text{offset, offset}
	for i := range len(text) {
		c := text[i]
		out.whole = (out.whole ^ uint32(c)) * prime
		if c < '0' || c > '9' {
			out.Words = (out.Words ^ uint32(c)) * prime
		}
	}
	return out
}

// nothing is the metadata of every Pod. It is never written: what is read of a pod is in its fact.
var nothing metav1.ObjectMeta

// Fact is the pod as the engine sees it; it must not be changed.
func (p *Pod) Fact() *model.Pod { return p.fact.Object.(*model.Pod) }

// Controller is the UID of its controller, "" without one.
func (p *Pod) Controller() string {
	if p.controller == (unique.Handle[string]{}) {
		return ""
	}
	return p.controller.Value()
}

// GetNamespace, GetName and GetResourceVersion are what client-go's caches read of an object.
func (p *Pod) GetNamespace() string { return p.fact.Ref.Namespace }

// GetName is for client-go's caches, as GetNamespace.
func (p *Pod) GetName() string { return p.fact.Ref.Name }

// GetResourceVersion is for client-go's caches, as GetNamespace.
func (p *Pod) GetResourceVersion() string { return strconv.FormatUint(p.fact.Version, 10) }

// pod is the informer's transform of pods: it returns the Pod for a corev1.Pod. It is called by the goroutine that
// reads the watch, and by Refresh.
func (w *Observer) pod(o any) (any, error) {
	in, ok := o.(*corev1.Pod)
	if !ok {
		return o, nil // a tombstone, or a pod that was transformed when it was listed
	}
	if err := stripPod(in); err != nil {
		return nil, err
	}
	f := w.translated(in)
	if fact := f.Object.(*model.Pod); fact.Deleting && w.pods != nil {
		leavesBy(fact, in, w.Pod(fact.Namespace, fact.Name), w.options.now())
	}
	p := &Pod{ObjectMeta: &nothing, fact: f}
	if fact := p.Fact(); !w.options.Adopt && fact.Group == "" && fact.Charge() == nil || !w.options.Ring.owns(job(in)) {
		fact.Ours = false
	}
	for _, c := range in.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			p.NotScheduled, p.Told = c.Reason, TextOf(c.Message)
		}
	}
	if ref := metav1.GetControllerOfNoCopy(in); ref != nil {
		p.controller = unique.Make(string(ref.UID))
	}
	w.ownership.askOwner(p, in)
	stripRun(in)
	in.Annotations = nil // they are read, and what keeps the pod keeps it for its volumes and devices
	return p, nil
}

// leavesBy gives a pod that is asked to leave its grace from when that was seen: its deletionTimestamp is by the API
// server's clock, which may be behind, and the pod would be taken for overdue from the beginning. Of a pod that was
// terminating already when it was seen first, nothing else is known. A grace can only be shortened later.
func leavesBy(p *model.Pod, in *corev1.Pod, was *Pod, now int64) {
	if was == nil || was.fact.UID != p.UID {
		return
	}
	times, seconds := p.Rare(), int64(0)
	if in.DeletionGracePeriodSeconds != nil {
		seconds = min(*in.DeletionGracePeriodSeconds, 1<<32)
	}
	times.GoneBy = model.After(now, seconds*int64(time.Second))
	if old := was.Fact(); old.Deleting && old.Rare().GoneBy != 0 {
		times.GoneBy = min(times.GoneBy, old.Rare().GoneBy)
	}
	p.SetRare(times)
}

func (w *Observer) translated(in *corev1.Pod) model.Fact {
	w.translating.Lock()
	defer w.translating.Unlock()
	f, _ := translate.Fact(in, w.options.Translate)
	return f
}

// podInformer is the factory's informer for pods with another index, and with a watch that is decoded ahead. The index
// by namespace is left out: nothing reads it, and it names every pod once more. Instead there is an index of pods with
// owners that are not read.
func podInformer(f informers.SharedInformerFactory) cache.SharedIndexInformer {
	return f.InformerFor(&corev1.Pod{}, func(k kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
		all := podClient(k).Pods(metav1.NamespaceAll)
		from := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				return all.List(ctx, o)
			},
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
				events, err := all.Watch(ctx, o)
				if err != nil {
					return nil, err
				}
				return newBuffered(events), nil
			},
		}, k)
		return cache.NewSharedIndexInformer(from, &corev1.Pod{}, resync, cache.Indexers{byOwner: openOf})
	})
}
