package observe

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/internal/kube/owners"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// byOwner is the index of pods whose owners may say more than their facts do, by what the
// owner is known by.
const byOwner = "owner"

func openOf(o any) ([]string, error) {
	if p, ok := o.(*Pod); ok && p.open {
		return []string{p.owner.Key()}, nil
	}
	return nil, nil
}

// askOwner has the owner of a pod that is adopted asked for what the pod lacks, and gives
// the pod what is known already.
func (w *Observer) askOwner(p *Pod, in *corev1.Pod) {
	fact := p.Fact()
	if w.owners == nil || !fact.Ours || fact.Group != "" {
		return
	}
	controller, lacks := metav1.GetControllerOfNoCopy(in), translate.LacksOf(in.Annotations)
	if controller == nil || lacks == 0 {
		return
	}
	if p.owner = w.owners.Of(fact.Namespace, controller); p.owner == nil {
		return
	}
	p.lacks = lacks
	if fact.Phase != model.PodSucceeded && fact.Phase != model.PodFailed { // what has finished follows those that have not
		w.owners.Ask(p.owner, placeable(fact))
	}
	said, known := w.owners.Said(p.owner)
	if p.open = known != owners.Final; !p.open {
		p.fact.Object = translate.Owned(fact, lacks, said)
	}
}

// placeable says that a decision on a pod may be made any time.
func placeable(p *model.Pod) bool {
	return p.Node == "" && !p.Deleting && p.Phase == model.PodPending
}

// owned is the fact of a pod, with what its owners say as far as that is known.
func (w *Observer) owned(p *Pod) model.Fact {
	f := p.fact
	if p.open {
		said, _ := w.owners.Said(p.owner)
		f.Object = translate.Owned(p.Fact(), p.lacks, said)
	}
	return f
}

// waits says that nothing is to be decided on a pod before its owners are heard.
func (w *Observer) waits(o any) bool {
	p, ok := o.(*Pod)
	if !ok || !p.open || !placeable(p.Fact()) {
		return false
	}
	_, known := w.owners.Said(p.owner)
	return known == owners.Unread
}

// came takes in a pod's newest state. A pod is kept for a moment at its first sight, so
// that its owners can be heard before it is decided on; never later, and never one that
// has a node.
func (w *Observer) came(o any, first bool) {
	if w.waits(o) && w.queue.keep(o, first) {
		return
	}
	w.queue.add(o, false)
}

// podHandler is the handler of pods.
func (w *Observer) podHandler() cache.ResourceEventHandler {
	shown := func(p *Pod, first bool) {
		w.ahead.shown(p.fact)
		w.came(p, first)
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { shown(o.(*Pod), true) },
		UpdateFunc: func(before, after any) {
			if !same(before, after) {
				a, b := before.(*Pod), after.(*Pod)
				shown(b, a.fact.UID != b.fact.UID)
			}
		},
		DeleteFunc: func(o any) {
			w.queue.add(&Pod{ObjectMeta: &nothing, fact: w.ahead.ended(last(o).(*Pod).fact)}, true)
		},
	}
}

// answered notes that more is known of an owner; any goroutine may call it.
func (w *Observer) answered(o *owners.Owner) {
	w.mu.Lock()
	w.heard = append(w.heard, o)
	w.mu.Unlock()
	w.queue.awake()
}

// hear puts the pods of owners that were heard into the queue, and forgets owners that no
// pod names any more.
func (w *Observer) hear() {
	if w.owners == nil {
		return
	}
	w.mu.Lock()
	heard := w.heard
	w.heard = nil
	w.mu.Unlock()
	for _, o := range heard {
		pods, err := w.pods.ByIndex(byOwner, o.Key())
		if err != nil {
			continue // there is such an index
		}
		for _, p := range pods {
			w.queue.add(p, false)
		}
	}
	if !w.owners.Crowded() {
		return
	}
	pods := w.pods.List()
	w.owners.Keep(func(yield func(*owners.Owner) bool) {
		for _, o := range pods {
			if p, ok := o.(*Pod); ok && p.owner != nil && !yield(p.owner) {
				return
			}
		}
	})
}
