package observe

import (
	"context"
	"fmt"
	"slices"
	"sync"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/internal/kube/translate"
)

// told is the resource claims as they were handed on, or are about to be with the next
// Drain. An informer's store may be ahead of that: who binds a pod as soon as its claim
// is in the store may have the pod's fact come before the claim's, and for that moment
// its devices would look free. The zero value is ready.
type told struct {
	mu     sync.Mutex
	claims map[string]*resourcev1.ResourceClaim
}

// after is a handler that notes what another has handed on.
func (t *told) after(h cache.ResourceEventHandler) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) {
			h.OnAdd(o, false)
			t.note(o)
		},
		UpdateFunc: func(before, after any) {
			h.OnUpdate(before, after) // what is no news is known as well
			t.note(after)
		},
		DeleteFunc: func(o any) {
			h.OnDelete(o)
			if missed, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = missed.Obj
			}
			if c, ok := o.(*resourcev1.ResourceClaim); ok {
				t.mu.Lock()
				delete(t.claims, cache.MetaObjectToName(c).String())
				t.mu.Unlock()
			}
		},
	}
}

func (t *told) note(o any) {
	c, ok := o.(*resourcev1.ResourceClaim)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.claims == nil {
		t.claims = map[string]*resourcev1.ResourceClaim{}
	}
	t.claims[cache.MetaObjectToName(c).String()] = c
}

// DeviceClaim is the newest state of a ResourceClaim that was handed on, nil when there is
// none. It must not be changed.
func (w *Observer) DeviceClaim(namespace, name string) *resourcev1.ResourceClaim {
	w.claims.mu.Lock()
	defer w.claims.mu.Unlock()
	return w.claims.claims[namespace+"/"+name]
}

// refreshClaims lists the resource claims from the API server itself, if they are watched.
func (w *Observer) refreshClaims(ctx context.Context) error {
	w.mu.Lock()
	watched := slices.ContainsFunc(w.watched, func(o watched) bool { return o.kind == translate.KindResourceClaim })
	w.mu.Unlock()
	if !watched {
		return nil
	}
	at := metav1.ListOptions{Limit: 1000}
	for {
		list, err := w.options.Kube.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(ctx, at)
		if err != nil {
			return fmt.Errorf("list the claims that have devices: %w", err)
		}
		for i := range list.Items {
			o, err := stripClaim(&list.Items[i])
			if err != nil {
				return err
			}
			w.queue.add(o, false)
		}
		if at.Continue = list.Continue; at.Continue == "" {
			return nil
		}
	}
}
