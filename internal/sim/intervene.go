package sim

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Submit adds items during a run: each appears in the first cycle to come at or after
// its SubmitAt. An item with a past time appears, and counts as created, in the next.
func (w *World) Submit(items ...Item) {
	w.alone = 0
	for _, i := range items {
		if i.SubmitAt <= w.shows-w.period || i.SubmitAt < 0 {
			i.SubmitAt = w.shows
		}
		l := &life{item: i, ref: i.Fact.Ref, uid: i.Fact.UID, object: i.Fact.Object, ends: never}
		if l.object != nil && l.uid == "" {
			l.uid = l.object.Common().UID
		}
		w.objects.agenda.add(i.SubmitAt, submit, l.ref, l)
	}
}

// Delete deletes an object, as a user does; one that does not exist is left at that. A
// pod on a node terminates: it is Releasing in the next cycle and gone in the one
// after. Anything else is gone in the next cycle. Pods outlive their PodGroup; those
// on a node that is deleted are gone one cycle after it. Pods that are Owned and have
// not finished are replaced.
func (w *World) Delete(ref model.Ref) {
	w.alone = 0
	w.remove(ref)
}

// Finish ends a pod now: Failed or Succeeded. One that does not exist, has no node,
// terminates or has finished is left at that.
func (w *World) Finish(key ledger.Key, failed bool) {
	w.alone = 0
	l := w.objects.lives[podRef(key)]
	if l == nil || l.pod() == nil || l.pod().Node == "" || l.pod().Deleting || l.pod().Phase.Finished() {
		return
	}
	phase := model.PodSucceeded
	if failed {
		phase = model.PodFailed
	}
	w.objects.finish(l, phase)
}

// Backoff has a job in a backoff, or with only one of its pods: a fact that the simulated
// nodes never make, since they refuse no binding.
func (w *World) Backoff(b *model.Backoff, pod ledger.Key, only bool) {
	if l := w.objects.lives[model.Ref{Kind: model.KindPodGroup, Namespace: b.Namespace, Name: b.Name}]; l != nil &&
		!b.Adopted {
		b.UID = l.uid
	}
	if l := w.objects.lives[podRef(pod)]; l != nil && only {
		b.Pods = []string{l.uid}
	}
	w.Apply(model.Fact{Ref: b.Ref(), UID: b.UID, Object: b})
}

// Apply makes an object what a fact says, to be seen in the next cycle: a node's
// labels, a queue's weight, a pod's gates. Its uid stays unless the fact has another,
// which begins another life; without content the object is gone at once.
func (w *World) Apply(f model.Fact) {
	w.alone = 0
	l := w.objects.lives[f.Ref]
	switch {
	case f.Object == nil && l == nil:
		return
	case f.Object == nil:
		w.objects.end(l)
		if l.ref.Kind == model.KindNode {
			w.lose(l.ref.Name)
		}
		return
	case l == nil || f.UID != "" && f.UID != l.uid:
		l = &life{item: Item{Fact: f, SubmitAt: w.shows}, ref: f.Ref, uid: f.UID, ends: never, born: w.shows}
		if l.uid == "" {
			l.uid = w.objects.newUID()
		}
	}
	l.object = f.Object
	w.objects.stamp(l)
	w.objects.live(l)
}

// remove is Delete, for callers inside the world too.
func (w *World) remove(ref model.Ref) {
	l := w.objects.lives[ref]
	if l == nil {
		return
	}
	switch p := l.pod(); {
	case p != nil && p.Deleting:
	case p != nil && p.Node != "" && !p.Phase.Finished():
		leaving := *p
		leaving.Deleting = true
		w.objects.change(l, &leaving)
		w.objects.advance(l)
	case p != nil:
		w.objects.vanish(l)
	default:
		w.objects.end(l)
		if ref.Kind == model.KindNode {
			w.lose(ref.Name)
		}
	}
}

// lose ends what runs on a node that has gone: nothing there runs on, and its pods are
// gone in the cycle after the one that shows it, unless the node is back by then.
func (w *World) lose(node string) {
	var on []*life
	for _, l := range w.objects.lives { // order-free: sorted below
		if p := l.pod(); p != nil && p.Node == node && !p.Phase.Finished() {
			on = append(on, l)
		}
	}
	slices.SortFunc(on, func(a, b *life) int {
		return cmp.Or(cmp.Compare(a.ref.Namespace, b.ref.Namespace), cmp.Compare(a.ref.Name, b.ref.Name))
	})
	for _, l := range on {
		l.ends = never
		w.objects.agenda.add(w.shows+w.period, lost, l.ref, l)
	}
	w.objects.homeless[node] = append(w.objects.homeless[node], on...)
}
