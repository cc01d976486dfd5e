package observe

import (
	"time"

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
		said, known := w.owners.Said(p.owner)
		pod := translate.Owned(p.Fact(), p.lacks, said)
		if known == owners.Unread {
			unheard := *pod
			unheard.Adopt.Open = true
			pod = &unheard
		}
		f.Object = pod
	}
	return f
}

// waits is how long a pod may be kept from being decided on: until its owners are heard, and
// until it names the PodGroup that a controller may make for it. 0: it need not wait.
func (w *Observer) waits(p *Pod) time.Duration {
	fact := p.Fact()
	if !placeable(fact) {
		return 0
	}
	var most time.Duration
	if w.grouping != nil && fact.Ours && fact.Group == "" {
		most = w.grouping.waits(p.fact.UID)
	}
	if p.open {
		if _, known := w.owners.Said(p.owner); known == owners.Unread {
			most = max(most, moment)
		}
	}
	return most
}

// came takes in a pod's newest state. A pod is kept for some time at its first sight, so
// that its owners can be heard and its PodGroup made before it is decided on; never later, and
// never one that has a node.
func (w *Observer) came(p *Pod, first bool) {
	if most := w.waits(p); most > 0 && w.queue.keep(p, first, most) {
		return
	}
	w.queue.add(p, false)
}

// late notes that a pod was kept for as long as it may be.
func (w *Observer) late(o any) {
	if p, ok := o.(*Pod); ok && w.grouping != nil {
		w.grouping.late(p.fact.UID)
	}
}

// regrouped notes what became of a pod that named no PodGroup.
func (w *Observer) regrouped(before, after *Pod) {
	if w.grouping == nil || before.Fact().Group != "" {
		return
	}
	switch {
	case before.fact.UID != after.fact.UID:
		w.grouping.gone(before.fact.UID)
	case after.Fact().Group != "":
		w.grouping.grouped(after.fact.UID)
	}
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
				w.regrouped(a, b)
				shown(b, a.fact.UID != b.fact.UID)
			}
		},
		DeleteFunc: func(o any) {
			p := last(o).(*Pod)
			if w.grouping != nil {
				w.grouping.gone(p.fact.UID)
			}
			w.queue.add(&Pod{ObjectMeta: &nothing, fact: w.ahead.ended(p.fact)}, true)
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
			w.came(p.(*Pod), false)
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
