package observe

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// ahead is the pods and resource claims of which Refresh told more than the watch has shown.
// The watch may never show it: where it is lost and made up for by a list, a pod that came and went meanwhile is
// not spoken of at all, and the end of another one bears the version that the watch knew last.
// With the newer state the engine would then hold room for a pod that is gone.
type ahead struct {
	mu   sync.Mutex
	told map[model.Ref]newer
}

type newer struct {
	uid     string
	version uint64
	since   time.Time
	object  any // as the informer would keep it
}

func (a *ahead) note(f model.Fact, object any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.told == nil {
		a.told = map[model.Ref]newer{}
	}
	a.told[f.Ref] = newer{f.UID, f.Version, time.Now(), object}
}

// all is the objects that were told of and are not shown yet.
func (a *ahead) all() (objects []any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range a.told {
		objects = append(objects, n.object)
	}
	return objects
}

// shown forgets a pod once the watch has shown as much.
func (a *ahead) shown(f model.Fact) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n, ok := a.told[f.Ref]; ok && f.Version >= n.version {
		delete(a.told, f.Ref)
	}
}

// ended is the fact that a pod is gone, no older than what Refresh told of its life.
func (a *ahead) ended(f model.Fact) model.Fact {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n, ok := a.told[f.Ref]; ok && (n.uid == f.UID || f.Version >= n.version) {
		f.Version = max(f.Version, n.version)
		delete(a.told, f.Ref)
	}
	return f
}

// since are the pods that were told of at a time or before, and are not shown yet.
func (a *ahead) since(at time.Time) (out []model.Fact) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for ref, n := range a.told {
		if !n.since.After(at) {
			out = append(out, model.Fact{Ref: ref, UID: n.uid, Version: n.version})
		}
	}
	return out
}

// pageWithin bounds the answer to one request of a list; a list of many pages may take longer.
const pageWithin = 30 * time.Second

func within(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, pageWithin)
	defer cancel()
	return ask(ctx)
}

// refreshPage is how many pods are read at once: with what pods have that is dropped at once, some 10 MiB.
const refreshPage = 1000

// Refresh lists the pods that have not finished from the API server itself, past every
// cache, and the resource claims if they are watched, and hands them on: what another
// scheduler bound and allocated a moment ago is then known. Pods that are as the watch has told of them are not told of
// again: on a cluster at rest these are all. On a large one it takes minutes: goOn is asked after each
// page, and its error ends it.
func (w *Observer) Refresh(ctx context.Context, goOn func() error) error {
	at := metav1.ListOptions{FieldSelector: "status.phase!=Succeeded,status.phase!=Failed", Limit: refreshPage}
	for {
		var list *corev1.PodList
		err := within(ctx, func(ctx context.Context) (err error) {
			list, err = w.options.Kube.CoreV1().Pods(metav1.NamespaceAll).List(ctx, at)
			return err
		})
		if err != nil {
			return fmt.Errorf("list the pods that are bound: %w", err)
		}
		if err := goOn(); err != nil {
			return err
		}
		for i := range list.Items {
			p := &list.Items[i]
			if w.Pod(p.Namespace, p.Name).wasTold(string(p.UID), translate.Version(p.ResourceVersion)) {
				continue
			}
			o, err := w.pod(p)
			if err != nil {
				return err
			}
			w.tell(o.(*Pod))
		}
		if at.Continue = list.Continue; at.Continue == "" {
			return w.refreshClaims(ctx, goOn)
		}
	}
}

// tell hands on what was read of a pod past the watch.
func (w *Observer) tell(p *Pod) {
	w.ahead.note(p.fact, p)
	known := w.Pod(p.GetNamespace(), p.GetName())
	if known != nil {
		w.ahead.shown(known.fact)
	}
	w.ownership.came(p, known == nil)
}

// confirm asks about the pods and claims that the watch had time to show and did not, and
// hands on that those are gone which are. get returns the uid of the pod of a name, "" for none.
func (w *Observer) confirm(told time.Time, get func(model.Ref) (uid string, err error)) {
	for _, f := range w.ahead.since(told) {
		uid, err := get(f.Ref)
		if err != nil {
			klog.ErrorS(err, "Asking for what the watch does not show", "object", f.Ref)
			continue
		}
		switch {
		case uid == f.UID:
		case f.Ref.Kind == translate.KindResourceClaim:
			w.queue.add(ending(w.ahead.ended(f)), true)
		default:
			w.queue.add(&Pod{ObjectMeta: &nothing, fact: w.ahead.ended(f)}, true)
		}
	}
}

// uidOf asks the API server for the uid of the pod or claim of a name, "" for none.
func (w *Observer) uidOf(ctx context.Context) func(model.Ref) (string, error) {
	return func(r model.Ref) (string, error) {
		var p metav1.Object
		var err error
		if r.Kind == translate.KindResourceClaim {
			p, err = w.options.Kube.ResourceV1().ResourceClaims(r.Namespace).Get(ctx, r.Name, metav1.GetOptions{})
		} else {
			p, err = w.options.Kube.CoreV1().Pods(r.Namespace).Get(ctx, r.Name, metav1.GetOptions{})
		}
		if apierrors.IsNotFound(err) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		return string(p.GetUID()), nil
	}
}
