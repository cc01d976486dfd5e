package observe

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// ahead is the pods and resource claims of which Refresh told more than the watch has shown.
// The watch may never show it: where it is lost and made up for by a list, a pod that came and went meanwhile is
// not spoken of at all, and the end of another one bears the version that the watch knew last.
// With the newer state the engine would then hold room for a pod that is gone.
type ahead struct {
	mu     sync.Mutex
	newest map[model.Ref]newer
}

type newer struct {
	uid     string
	version uint64
	since   time.Time
	change  change // as it is in the queue
}

func (a *ahead) note(f model.Fact, c change) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.newest == nil {
		a.newest = map[model.Ref]newer{}
	}
	a.newest[f.Ref] = newer{f.UID, f.Version, time.Now(), c}
}

// all is what was told of and is not shown yet.
func (a *ahead) all() (changes []change) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range a.newest {
		changes = append(changes, n.change)
	}
	return changes
}

// knows says that as much was told of a name, or more.
func (a *ahead) knows(f model.Fact) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, ok := a.newest[f.Ref]
	return ok && n.version >= f.Version
}

// pod is what was told of the pod of a name: nil that it is gone. It returns false where the watch has shown as much.
func (a *ahead) pod(namespace, name string) (p *Pod, is bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, is := a.newest[model.Ref{Kind: model.KindPod, Namespace: namespace, Name: name}]
	if is && !n.change.gone {
		p, _ = n.change.object.(*Pod)
	}
	return p, is
}

// PodUID is the uid of the pod of a name by the newest that the engine may have been told of it; "" when there is none,
// or when it cannot be bound any more: it is being deleted or has finished. The engine then lets others have its room.
func (w *Observer) PodUID(namespace, name string) string {
	p := w.Pod(namespace, name)
	if newer, is := w.ahead.pod(namespace, name); is {
		p = newer
	}
	if p == nil || p.Fact().Deleting || p.Fact().Phase.Finished() {
		return ""
	}
	return p.fact.UID
}

// seen forgets a pod once the watch has shown as much. It returns whether it had told more than the watch so far.
func (a *ahead) seen(f model.Fact) (told bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, told := a.newest[f.Ref]
	if told = told && f.Version >= n.version; told {
		delete(a.newest, f.Ref)
	}
	return told
}

// ended is the fact that a pod is gone, no older than what Refresh told of its life.
func (a *ahead) ended(f model.Fact) model.Fact {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n, ok := a.newest[f.Ref]; ok && (n.uid == f.UID || f.Version >= n.version) {
		f.Version = max(f.Version, n.version)
		delete(a.newest, f.Ref)
	}
	return f
}

// since are those of which was told that they are there, at a time or before, and that are not shown yet.
func (a *ahead) since(at time.Time) (out []model.Fact) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for ref, n := range a.newest {
		if !n.change.gone && !n.since.After(at) {
			out = append(out, model.Fact{Ref: ref, UID: n.uid, Version: n.version})
		}
	}
	return out
}

// confirm asks about the pods and claims that the watch had time to show and did not, and
// hands on that those are gone which are. get returns the uid of the pod of a name, "" for none.
func (w *Observer) confirm(since time.Time, get func(model.Ref) (uid string, err error)) {
	for _, f := range w.ahead.since(since) {
		uid, err := get(f.Ref)
		if err != nil {
			klog.ErrorS(err, "Asking for what the watch does not show", "object", f.Ref)
			continue
		}
		if uid != f.UID {
			w.end(f)
		}
	}
}

// uidOf asks the API server for the uid of the pod or claim of a name, "" for none.
func uidOf(ctx context.Context, w *Observer) func(model.Ref) (string, error) {
	return func(r model.Ref) (string, error) {
		get := listedPods(w).get
		if r.Kind == translate.KindResourceClaim {
			get = listedClaims(w).get
		}
		o, err := get(ctx, r)
		if apierrors.IsNotFound(err) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		return string(o.GetUID()), nil
	}
}
