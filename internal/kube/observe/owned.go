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

// ownership finds out which PodGroup a pod belongs to, where the pod's owners say it.
type ownership struct {
	o *Observer

	heard    []*owners.Owner // more is known of them than the facts of their pods say
	grouping *grouping       // nil: no pod waits for a PodGroup
	owners   *owners.Reader  // nil: owners are not read
}

// byOwner is the index of pods with owners that may say more than the pods' facts, by the key
// of the owner.
const byOwner = "owner"

func openOf(o any) ([]string, error) {
	if p, ok := o.(*Pod); ok && p.open {
		return []string{p.owner.Key()}, nil
	}
	return nil, nil
}

// askOwner has the owner of a pod that is adopted asked for what the pod lacks, and gives
// the pod what is known already.
func (ow *ownership) askOwner(p *Pod, in *corev1.Pod) {
	fact := p.Fact()
	if ow.owners == nil || !fact.Ours || fact.Group != "" {
		return
	}
	controller, lacks := metav1.GetControllerOfNoCopy(in), translate.LacksOf(in.Annotations)
	if controller == nil || lacks == 0 {
		return
	}
	if p.owner = ow.owners.Of(fact.Namespace, controller); p.owner == nil {
		return
	}
	p.lacks = lacks
	if fact.Phase != model.PodSucceeded && fact.Phase != model.PodFailed { // what has finished follows those that have not
		ow.owners.Ask(p.owner, placeable(fact))
	}
	said, known := ow.owners.Said(p.owner)
	if p.open = known != owners.Final; !p.open {
		p.fact.Object = translate.Owned(fact, lacks, said)
	}
}

// placeable says that a decision on a pod may be made any time.
func placeable(p *model.Pod) bool {
	return p.Node == "" && !p.Deleting && p.Phase == model.PodPending
}

// owned is the fact of a pod, with what its owners say as far as that is known.
func (ow *ownership) owned(p *Pod) model.Fact {
	f := p.fact
	if p.open {
		said, known := ow.owners.Said(p.owner)
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
func (ow *ownership) waits(p *Pod) time.Duration {
	fact := p.Fact()
	if !placeable(fact) {
		return 0
	}
	var most time.Duration
	if ow.grouping != nil && fact.Ours && fact.Group == "" {
		most = ow.grouping.waits(p.fact.UID)
	}
	if p.open {
		if _, known := ow.owners.Said(p.owner); known == owners.Unread {
			most = max(most, moment)
		}
	}
	return most
}

// came takes in a pod's newest state. A pod is kept for some time at its first sight, so
// that its owners can be heard and its PodGroup made before it is decided on; never later, and
// never one that has a node.
func (ow *ownership) came(p *Pod, first bool) {
	if most := ow.waits(p); most > 0 && ow.o.queue.keep(p, first, most) {
		return
	}
	ow.o.queue.add(p, false)
}

// late notes that a pod was kept for as long as it may be.
func (ow *ownership) late(o any) {
	if p, ok := o.(*Pod); ok && ow.grouping != nil {
		ow.grouping.late(p.fact.UID)
	}
}

// regrouped notes what became of a pod that named no PodGroup.
func (ow *ownership) regrouped(before, after *Pod) {
	if ow.grouping == nil || before.Fact().Group != "" {
		return
	}
	switch {
	case before.fact.UID != after.fact.UID:
		ow.grouping.gone(before.fact.UID)
	case after.Fact().Group != "":
		ow.grouping.grouped(after.fact.UID)
	}
}

// podHandler is the handler of pods.
func (ow *ownership) podHandler() cache.ResourceEventHandler {
	shown := func(p *Pod, first bool) {
		ow.o.ahead.shown(p.fact)
		ow.came(p, first)
		p.told.Store(true)
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { shown(o.(*Pod), true) },
		UpdateFunc: func(before, after any) {
			a, b := before.(*Pod), after.(*Pod)
			if same(before, after) {
				b.told.Store(a.told.Load()) // it is the same
				return
			}
			ow.regrouped(a, b)
			shown(b, a.fact.UID != b.fact.UID)
		},
		DeleteFunc: func(o any) {
			p := last(o).(*Pod)
			if ow.grouping != nil {
				ow.grouping.gone(p.fact.UID)
			}
			ow.o.queue.add(&Pod{ObjectMeta: &nothing, fact: ow.o.ahead.ended(p.fact)}, true)
		},
	}
}

// answered notes that more is known of an owner; any goroutine may call it.
func (ow *ownership) answered(o *owners.Owner) {
	ow.o.mu.Lock()
	ow.heard = append(ow.heard, o)
	ow.o.mu.Unlock()
	ow.o.queue.awake()
}

// hear puts the pods of owners that were heard into the queue, and forgets owners that no
// pod names any more.
func (ow *ownership) hear() {
	if ow.owners == nil {
		return
	}
	ow.o.mu.Lock()
	heard := ow.heard
	ow.heard = nil
	ow.o.mu.Unlock()
	for _, o := range heard {
		pods, err := ow.o.pods.ByIndex(byOwner, o.Key())
		if err != nil {
			continue // there is such an index
		}
		for _, p := range pods {
			ow.came(p.(*Pod), false)
		}
	}
	if !ow.owners.Crowded() {
		return
	}
	pods := ow.o.pods.List()
	ow.owners.Keep(func(yield func(*owners.Owner) bool) {
		for _, o := range pods {
			if p, ok := o.(*Pod); ok && p.owner != nil && !yield(p.owner) {
				return
			}
		}
	})
}
