package observe

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

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
	fact, controller := p.Fact(), metav1.GetControllerOfNoCopy(in)
	if ow.owners == nil || controller == nil {
		return
	}
	if owners.KubernetesJob(controller) && ow.comes(p) {
		ow.owners.Renew(fact.Namespace, controller)
	}
	ends := ow.endsWith(fact, controller)
	lacks := translate.LacksOf(in.Annotations)
	if !ow.o.options.Adopt || fact.Group != "" {
		lacks = 0
	}
	if !fact.Ours || lacks == 0 && !ends {
		return
	}
	if p.owner = ow.owners.Of(fact.Namespace, controller); p.owner == nil {
		return
	}
	p.lacks = lacks
	if !fact.Phase.Finished() { // what has finished follows those that have not
		ow.owners.Ask(p.owner, placeable(fact) && lacks != 0)
	}
	said, known := ow.owners.Said(p.owner)
	if p.open = known != owners.Final || ends; !p.open {
		p.fact.Object = translate.Owned(fact, lacks, said)
	}
}

// comes says that a pod was not there before.
func (ow *ownership) comes(p *Pod) bool {
	was, there, err := ow.o.pods.GetByKey(p.fact.Ref.Namespace + "/" + p.fact.Ref.Name)
	return err == nil && (!there || was.(*Pod).fact.UID != p.fact.UID)
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
		if known == owners.Unread && p.lacks != 0 {
			unheard := *pod
			unheard.Adopt.Open = true
			pod = &unheard
		}
		f.Object = pod
	}
	return f
}

// holdsFor is how long a pod may be held back from being decided on: until its owners are heard, and
// until it names the PodGroup that a controller may make for it. 0: it need not wait.
func (ow *ownership) holdsFor(p *Pod) time.Duration {
	fact := p.Fact()
	if !placeable(fact) {
		return 0
	}
	var most time.Duration
	if ow.grouping != nil && fact.Ours && fact.Group == "" {
		most = ow.grouping.holdsFor(p.fact.UID)
	}
	if p.open && p.lacks != 0 {
		if _, known := ow.owners.Said(p.owner); known == owners.Unread {
			most = max(most, moment)
		}
	}
	return most
}

// came takes in a pod's newest state. A pod is held back for some time at its first sight, so
// that its owners can be heard and its PodGroup made before it is decided on; never later, and
// never one that has a node.
func (ow *ownership) came(p *Pod, first bool) {
	if most := ow.holdsFor(p); most > 0 && ow.o.queue.hold(p, first, most) {
		return
	}
	ow.o.queue.add(p, false)
}

// late notes that a pod was held back for as long as it may be.
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
		ow.o.ahead.seen(p.fact)
		ow.came(p, first)
		p.handedOver.Store(true)
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { shown(o.(*Pod), true) },
		UpdateFunc: func(before, after any) {
			a, b := before.(*Pod), after.(*Pod)
			if same(before, after) {
				b.handedOver.Store(a.handedOver.Load()) // it is the same
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
		groups, err := ow.o.groups.ByIndex(byOwner, o.Key())
		if err != nil {
			continue
		}
		for _, g := range groups {
			ow.o.queue.add(g, false)
		}
	}
	if !ow.owners.Crowded() {
		return
	}
	var named []*owners.Owner
	for _, o := range ow.o.pods.List() {
		if p, ok := o.(*Pod); ok && p.owner != nil {
			named = append(named, p.owner)
		}
	}
	for _, g := range ow.o.groups.List() {
		if o := ow.estimates(g.(*schedulingv1beta1.PodGroup)); o != nil {
			named = append(named, o)
		}
	}
	ow.owners.Retain(slices.Values(named))
}

// jobOf is the Job of a PodGroup, of Volcano or Kubernetes, that may say how long its pods run or until when; nil where
// that need not be known: the PodGroup is done.
func jobOf(g *schedulingv1beta1.PodGroup) *metav1.OwnerReference {
	controller := metav1.GetControllerOfNoCopy(g)
	if controller == nil || g.Status.Phase == schedulingv1beta1.PodGroupCompleted ||
		!owners.VolcanoJob(controller) && !owners.KubernetesJob(controller) {
		return nil
	}
	return controller
}

// estimatedBy is the index of PodGroups by the keys of the Jobs that may say how long their pods run.
func estimatedBy(o any) ([]string, error) {
	if g, is := o.(*schedulingv1beta1.PodGroup); is {
		if job := jobOf(g); job != nil {
			return []string{owners.Key(g.Namespace, job.UID)}, nil
		}
	}
	return nil, nil
}

// estimates is the Job of a PodGroup that is read for how long the pods run; nil: none is.
func (ow *ownership) estimates(g *schedulingv1beta1.PodGroup) *owners.Owner {
	job := jobOf(g)
	if ow.owners == nil || ow.o.options.Jobs == nil || job == nil {
		return nil
	}
	return ow.owners.Of(g.Namespace, job)
}

// estimated gives the fact of a PodGroup what its Job says of how long its pods run, as far as that is known.
// Nothing waits for it: it is a guess, and comes with the next fact.
func (ow *ownership) estimated(g *schedulingv1beta1.PodGroup, fact *model.PodGroup) {
	if job := jobOf(g); job == nil || fact.Lasts != 0 && owners.VolcanoJob(job) {
		return
	}
	if job := ow.estimates(g); job != nil {
		ow.owners.Ask(job, false)
		if said, known := ow.owners.Said(job); known != owners.Unread {
			translate.Estimated(fact, said.Estimate)
			if said.JobLimit != 0 {
				fact.JobEnds = model.After(said.JobSince, said.JobLimit)
			}
		}
	}
}
