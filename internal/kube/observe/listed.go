package observe

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// listed is a kind that Refresh lists.
type listed struct {
	kind     model.Kind
	resource schema.GroupVersionResource
	selector string // of fields
	store    cache.Store
	rest     rest.Interface
	keep     cache.TransformFunc
	list     func(context.Context, metav1.ListOptions) ([]metav1.Object, metav1.ListMeta, error)
	get      func(context.Context, model.Ref) (metav1.Object, error)

	// These take an object as the store has it.
	finished   func(any) bool // it is not selected
	handedOver func(any) bool // it was handed on
	handOver   func(any)
}

// allListed are the pods that have not finished, and the resource claims if they are watched.
func allListed(w *Observer) []listed {
	if w.store(translate.KindResourceClaim) == nil {
		return []listed{listedPods(w)}
	}
	return []listed{listedPods(w), listedClaims(w)}
}

func listedPods(w *Observer) listed {
	return listed{kind: model.KindPod, resource: corev1.SchemeGroupVersion.WithResource("pods"),
		selector: "status.phase!=Succeeded,status.phase!=Failed", store: w.store(model.KindPod),
		rest: w.options.Kube.CoreV1().RESTClient(),
		keep: w.recovering(model.KindPod, w.pod),
		list: func(ctx context.Context, o metav1.ListOptions) ([]metav1.Object, metav1.ListMeta, error) {
			list, err := w.options.Kube.CoreV1().Pods(metav1.NamespaceAll).List(ctx, o)
			if err != nil {
				return nil, metav1.ListMeta{}, err
			}
			return objectsOf(list.Items), list.ListMeta, nil
		},
		get: func(ctx context.Context, r model.Ref) (metav1.Object, error) {
			return w.options.Kube.CoreV1().Pods(r.Namespace).Get(ctx, r.Name, metav1.GetOptions{})
		},
		finished: func(o any) bool {
			p, is := o.(*Pod)
			return is && p.Fact().Phase.Finished()
		},
		handedOver: func(o any) bool {
			p, is := o.(*Pod)
			return is && p.handedOver.Load()
		},
		handOver: func(o any) {
			if p, is := o.(*Pod); is {
				w.handOver(p)
			}
		}}
}

func listedClaims(w *Observer) listed {
	return listed{kind: translate.KindResourceClaim,
		resource: resourcev1.SchemeGroupVersion.WithResource("resourceclaims"),
		store:    w.store(translate.KindResourceClaim), rest: w.options.Kube.ResourceV1().RESTClient(),
		keep: w.recovering(translate.KindResourceClaim, stripClaim),
		list: func(ctx context.Context, o metav1.ListOptions) ([]metav1.Object, metav1.ListMeta, error) {
			list, err := w.options.Kube.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(ctx, o)
			if err != nil {
				return nil, metav1.ListMeta{}, err
			}
			return objectsOf(list.Items), list.ListMeta, nil
		},
		get: func(ctx context.Context, r model.Ref) (metav1.Object, error) {
			return w.options.Kube.ResourceV1().ResourceClaims(r.Namespace).Get(ctx, r.Name, metav1.GetOptions{})
		},
		finished: func(any) bool { return false },
		handedOver: func(o any) bool {
			c, is := o.(*resourcev1.ResourceClaim)
			if !is {
				return false
			}
			told := w.DeviceClaim(c.Namespace, c.Name)
			return told != nil && translate.Version(told.ResourceVersion) >= translate.Version(c.ResourceVersion)
		},
		handOver: func(o any) {
			if c, is := o.(*resourcev1.ResourceClaim); is {
				handOverClaim(w, c)
			}
		}}
}

// objectsOf are the items of a list, in its memory.
func objectsOf[T any, P interface {
	*T
	metav1.Object
}](items []T) []metav1.Object {
	out := make([]metav1.Object, len(items))
	for i := range items {
		out[i] = P(&items[i])
	}
	return out
}

// handOver hands on what was read of a pod past the watch.
func (w *Observer) handOver(p *Pod) {
	w.ahead.note(p.fact, change{object: p})
	known := w.Pod(p.GetNamespace(), p.GetName())
	if known != nil {
		w.ahead.seen(known.fact)
	}
	w.ownership.came(p, known == nil)
}

// handOverClaim is handOver for a claim. The watch may show its end meanwhile: as the claim is noted as ahead of the
// watch last, confirm asks whether it is there, or the end forgets it in both places.
func handOverClaim(w *Observer, c *resourcev1.ResourceClaim) {
	w.claims.noteFirst(c)
	w.ahead.note(claimHead(c), change{object: c})
	told := c
	if o, has := stored(w.store(translate.KindResourceClaim), claimHead(c).Ref); has {
		if now := o.(*resourcev1.ResourceClaim); w.ahead.seen(claimHead(now)) {
			told = now
		}
	}
	w.queue.add(told, false)
}

// end hands on that a life is gone. That is remembered for as long as the watch shows something older of the name.
func (w *Observer) end(f model.Fact) {
	gone := change{object: &Pod{ObjectMeta: &nothing, fact: f}, gone: true}
	if f.Ref.Kind == translate.KindResourceClaim {
		gone.object = ending(f)
		w.claims.end(f)
	}
	w.ahead.note(f, gone)
	o, has := stored(w.store(f.Ref.Kind), f.Ref)
	if _, at := version(o); !has || at > f.Version {
		w.ahead.ended(f)
	}
	w.queue.add(gone.object, true)
}

// stored is what an informer has of a name.
func stored(in cache.Store, of model.Ref) (any, bool) {
	if in == nil {
		return nil, false
	}
	o, has, err := in.GetByKey(of.Namespace + "/" + of.Name)
	return o, has && err == nil
}
