package observe

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// watched is a kind that is watched.
type watched struct {
	kind   model.Kind
	store  cache.Store
	synced cache.InformerSynced
	denied *atomic.Bool // a list of it was forbidden
	right  string       // that it needs: the resource with its group
	always bool         // it is awaited whatever the engine reads
	late   bool         // the API server began to serve it while this scheduler did without
}

// watch makes the informer of a kind, for the next start of the factories.
func (w *Observer) watch(k kind) error {
	informer, strip := k.informer(w), k.strip
	if k.name == model.KindPod {
		strip = w.pod
	}
	if err := informer.SetTransform(w.recovering(k.name, strip)); err != nil {
		return fmt.Errorf("watch %s: %w", k.name, err)
	}
	handler := w.handler()
	switch k.name {
	case translate.KindNodeShard:
		handler = w.shardHandler()
	case translate.KindResourceClaim:
		handler = w.claimHandler()
	case model.KindPod:
		handler = w.ownership.podHandler()
	}
	handled, err := informer.AddEventHandler(recoveringHandler{handler, w})
	if err != nil {
		return fmt.Errorf("watch %s: %w", k.name, err)
	}
	denied, right := &atomic.Bool{}, k.resource.GroupResource().String()
	late := slices.Contains(w.discovery.unserved, string(k.name))
	if err := informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
		if apierrors.IsForbidden(err) && !denied.Swap(true) && late && !handled.HasSynced() {
			klog.InfoS("The API server serves a kind now and forbids to list it: it is as if there were none of its objects "+
				"until the scheduler's role grants list and watch", "kind", k.name, "resource", right)
		}
		cache.DefaultWatchErrorHandler(ctx, r, err)
	}); err != nil {
		return fmt.Errorf("watch %s: %w", k.name, err)
	}
	w.watched = append(w.watched, watched{kind: k.name, store: informer.GetStore(), synced: handled.HasSynced,
		denied: denied, right: right, always: k.always || k.name == translate.KindNodeShard, late: late})
	return nil
}

// Awaited names the kinds of which the first list has not been handed on yet, and says whether one of them may not be
// listed. Kinds that every cluster has are awaited, and those that reads says true of; nil: Options.Reads. A kind that
// began to be served later and may not be listed is not: until then nothing was known of its objects, either.
func (w *Observer) Awaited(reads func(model.Kind) bool) (missing []string, forbidden bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if reads == nil {
		reads = w.options.Reads
	}
	for _, s := range w.watched {
		switch denied := s.denied.Load(); {
		case s.synced(), !s.always && !reads(s.kind), denied && s.late:
		case denied:
			forbidden = true
			missing = append(missing, fmt.Sprintf("%s (forbidden: the scheduler's role has to grant list and watch on %s)",
				s.kind, s.right))
		default:
			missing = append(missing, string(s.kind))
		}
	}
	if w.discovery.asked != w.discovery.wants {
		missing = append(missing, "what else the API server serves")
	}
	return missing, forbidden
}
