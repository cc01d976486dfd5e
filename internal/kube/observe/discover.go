package observe

import (
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/translate"
)

// How often the API server is asked what it serves: soon again while it did not answer,
// now and then for kinds that it does not serve, which may be installed any time. For as
// long the watch may be behind what Refresh told, before it is asked what is true.
const (
	askAgain   = time.Second
	lookAround = 30 * time.Second
)

// Look asks the API server anew what it serves: after the engine has come to read other
// kinds. It does not wait; until the answer nothing has synced.
func (w *Observer) Look() {
	w.mu.Lock()
	w.wants++
	w.mu.Unlock()
	select {
	case w.looks <- struct{}{}:
	default:
	}
}

// Unserved are the kinds that the engine reads and the API server does not serve, as it
// was last asked. It is as if there were none of their objects.
func (w *Observer) Unserved() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.unserved)
}

// discover begins to watch what is wanted, as soon as it is served, and asks after what the
// watch does not show, until ctx ends.
func (w *Observer) discover(ctx context.Context) {
	for {
		pause := lookAround
		if err := w.ask(ctx); err != nil {
			klog.ErrorS(err, "Asking the API server what it serves")
			pause = askAgain
		}
		w.confirm(time.Now().Add(-lookAround), w.uidOf(ctx))
		w.queue.awake() // what has synced may have changed, without any object
		again := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			again.Stop()
			return
		case <-again.C:
		case <-w.looks:
			again.Stop()
		}
	}
}

// ask asks for the kinds that are wanted and not watched, and watches those there are.
func (w *Observer) ask(ctx context.Context) error {
	w.mu.Lock()
	wants := w.wants
	w.mu.Unlock()
	served := map[schema.GroupVersion][]string{}
	var unserved []string
	for _, k := range w.wanted() {
		version := k.resource.GroupVersion()
		names, known := served[version]
		if !known {
			list, err := w.options.Kube.Discovery().ServerResourcesForGroupVersion(version.String())
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
			for i := 0; err == nil && i < len(list.APIResources); i++ {
				names = append(names, list.APIResources[i].Name)
			}
			served[version] = names
		}
		if !slices.Contains(names, k.resource.Resource) {
			unserved = append(unserved, string(k.name))
			continue
		}
		w.mu.Lock()
		err := w.watch(k)
		w.mu.Unlock()
		if err != nil {
			return err
		}
		klog.V(2).InfoS("Watching", "kind", k.name)
	}
	w.core.StartWithContext(ctx) // those that run already run on
	w.volcano.Start(ctx.Done())
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(unserved, w.unserved) {
		klog.InfoS("The API server does not serve some kinds: it is as if there were none of their objects", "kinds", unserved)
	}
	w.unserved, w.asked = unserved, wants
	return nil
}

// wanted are the kinds that the engine reads and that are not watched yet.
func (w *Observer) wanted() (out []kind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range kinds() {
		is := func(o watched) bool { return o.kind == k.name }
		reads := w.options.Reads != nil && w.options.Reads(k.name)
		if k.name == translate.KindNodeShard {
			reads = w.options.Shard.Mode.on()
		}
		if !k.always && reads && !slices.ContainsFunc(w.watched, is) {
			out = append(out, k)
		}
	}
	return out
}
