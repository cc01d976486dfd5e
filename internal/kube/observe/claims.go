package observe

import (
	"strconv"
	"sync"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// handedOverClaims is the resource claims as they were handed on, or are about to be with the next
// Drain. An informer's store may be ahead of that: if a pod is bound as soon as its claim
// is in the store, the pod's fact may come before the claim's, and for that moment the
// devices would look free. The zero value is ready.
type handedOverClaims struct {
	mu     sync.Mutex
	claims map[string]*resourcev1.ResourceClaim
}

// claimHandler is the handler of resource claims: it notes what the queue has been told.
func (w *Observer) claimHandler() cache.ResourceEventHandler {
	h := w.handler()
	comes := func(o any) { // before it is handed on: what is compiled after that hands it on again
		if c, ok := o.(*resourcev1.ResourceClaim); ok {
			w.selectors.note(c)
		}
	}
	came := func(o any) {
		if c, ok := o.(*resourcev1.ResourceClaim); ok {
			if w.ahead.seen(claimHead(c)) { // no news to the watch may be news after what it skipped
				w.queue.add(c, false)
			}
			w.claims.note(c)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) {
			comes(o)
			h.OnAdd(o, false)
			came(o)
		},
		UpdateFunc: func(before, after any) {
			comes(after)
			h.OnUpdate(before, after) // what is no news is known as well
			came(after)
		},
		DeleteFunc: func(o any) {
			if c, ok := last(o).(*resourcev1.ResourceClaim); ok {
				o = ending(w.ahead.ended(claimHead(c)))
				w.claims.forget(c) // after that: see handOverClaim
				w.selectors.forget(c)
			}
			h.OnDelete(o)
		},
	}
}

// claimHead is the fact that a claim is gone, as far as is known of its versions.
func claimHead(c *resourcev1.ResourceClaim) model.Fact {
	f, _ := translate.Gone(c)
	return f
}

// ending is a claim of which nothing is known but that it is gone.
func ending(f model.Fact) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: f.Ref.Namespace, Name: f.Ref.Name,
		UID: types.UID(f.UID), ResourceVersion: strconv.FormatUint(f.Version, 10)}}
}

func (t *handedOverClaims) note(c *resourcev1.ResourceClaim) { t.put(c, true) }

// noteFirst is note for a claim that was read past the watch. The watch may show an older version of it later, which
// then counts: no claim is held to be newer than what the watch will show in the end.
func (t *handedOverClaims) noteFirst(c *resourcev1.ResourceClaim) { t.put(c, false) }

// put notes a claim, in place of another one only with replace.
func (t *handedOverClaims) put(c *resourcev1.ResourceClaim, replace bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.claims == nil {
		t.claims = map[string]*resourcev1.ResourceClaim{}
	}
	name := cache.MetaObjectToName(c).String()
	if _, known := t.claims[name]; replace || !known {
		t.claims[name] = c
	}
}

// end forgets a life of a claim that was read past the watch.
func (t *handedOverClaims) end(f model.Fact) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := f.Ref.Namespace + "/" + f.Ref.Name
	if c := t.claims[name]; c != nil && string(c.UID) == f.UID {
		delete(t.claims, name)
	}
}

func (t *handedOverClaims) of(namespace, name string) *resourcev1.ResourceClaim {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.claims[namespace+"/"+name]
}

func (t *handedOverClaims) forget(c *resourcev1.ResourceClaim) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.claims, cache.MetaObjectToName(c).String())
}

// DeviceClaim is the newest state of a ResourceClaim that was handed on, nil when there is
// none. It must not be changed.
func (w *Observer) DeviceClaim(namespace, name string) *resourcev1.ResourceClaim {
	return w.claims.of(namespace, name)
}
