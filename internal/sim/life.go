package sim

import (
	"fmt"
	"time"

	"ashlar.sh/sched/model"
)

// life is an object from its appearance to its end. What follows it under its name is
// another life.
type life struct {
	item   Item
	ref    model.Ref
	uid    string
	object model.Object // as it is now; replaced, never changed in place
	born   time.Duration
	ends   time.Duration // when a running pod's duration is over; never: not foreseen
}

// pod is the content of a pod's life, nil for other objects.
func (l *life) pod() *model.Pod {
	p, _ := l.object.(*model.Pod)
	return p
}

func finished(p *model.Pod) bool {
	return p.Phase == model.PodSucceeded || p.Phase == model.PodFailed
}

// happen lets everything take place that is due.
func (w *World) happen() {
	for {
		e, ok := w.upcoming()
		if !ok || e.at > w.now {
			return
		}
		w.agenda.drop()
		switch e.what {
		case vanish, lost:
			w.vanish(e.life)
		case finish:
			w.alone = 0
			w.finish(e.life, model.PodSucceeded)
		case start:
			w.start(e.life)
		case submit:
			w.alone = 0
			w.appear(e.life)
		}
	}
}

// upcoming is the earliest event that still stands. Those are forgotten whose object
// has gone or is in another state by now: a world does not wake up for them.
func (w *World) upcoming() (event, bool) {
	for {
		e, ok := w.agenda.first()
		if !ok || w.stands(e) {
			return e, ok
		}
		w.agenda.drop()
	}
}

func (w *World) stands(e event) bool {
	if e.what == submit {
		return true
	}
	l, p := e.life, e.life.pod()
	if w.lives[l.ref] != l || p == nil {
		return false
	}
	switch e.what {
	case vanish:
		return p.Deleting
	case lost:
		return p.Node != "" && !w.hasNode(p.Node)
	case finish:
		return l.ends == e.at && !p.Deleting && !finished(p)
	default:
		return p.Phase == model.PodPending && !p.Deleting
	}
}

func (w *World) hasNode(name string) bool {
	return w.lives[model.Ref{Kind: model.KindNode, Name: name}] != nil
}

// appear lets an item's object come.
func (w *World) appear(l *life) {
	before := w.lives[l.ref]
	switch {
	case l.object == nil:
		w.remove(l.ref)
		return
	case before != nil && before.pod() != nil && before.pod().Deleting:
		w.agenda.add(w.shows+w.period, submit, l.ref, l) // a name is free once its pod is gone
		return
	case before != nil && before.pod() != nil && before.uid == l.uid && !finished(before.pod()):
		w.respecify(before, l)
		return
	case before != nil:
		w.succeed(l, before)
	case l.uid == "":
		l.uid = w.newUID()
	}
	l.born = w.shows
	w.stamp(l)
	w.live(l)
}

// respecify gives a pod the content of an item that has its uid: the same pod, told
// anew. What nodes and the scheduler wrote stays.
func (w *World) respecify(l, told *life) {
	was, pod := l.pod(), *told.pod()
	pod.Node, pod.Nominated, pod.Phase = was.Node, was.Nominated, was.Phase
	l.item, l.object = told.item, &pod
	w.stamp(l)
	w.live(l)
}

// succeed makes an item that finds its name taken the successor of what is there.
func (w *World) succeed(l, before *life) {
	p, o := l.pod(), before.object
	switch {
	case before.born == w.shows && before.item.SubmitAt == l.item.SubmitAt:
		l.fault("metadata.name", fmt.Sprintf("given twice%s: the last holds", from(before.item.Where)))
	case p != nil && !finished(before.pod()):
		l.fault("metadata.name", fmt.Sprintf("a pod of this name was still there%s: it is gone", from(before.item.Where)))
	}
	if p == nil && l.uid == "" {
		l.uid = before.uid
		l.edit(func(m *model.Meta) {
			if m.Created == 0 {
				m.Created = o.Common().Created
			}
		})
	}
	if g, ok := l.object.(*model.PodGroup); ok && g.Phase == model.GroupPending {
		if old, ok := o.(*model.PodGroup); ok && old.Phase != model.GroupPending {
			changed := *g
			changed.Phase = old.Phase
			l.object = &changed
		}
	}
	if l.uid == "" {
		l.uid = w.newUID()
	}
}

func from(where string) string {
	if where == "" {
		return ""
	}
	return " (before at " + where + ")"
}

// stamp makes an object's own names agree with its fact's.
func (w *World) stamp(l *life) {
	if l.object == nil {
		return
	}
	m := l.object.Common()
	created := m.Created
	if created == 0 {
		created = int64(l.item.SubmitAt)
	}
	if m.Namespace == l.ref.Namespace && m.Name == l.ref.Name && m.UID == l.uid && m.Created == created {
		return
	}
	l.edit(func(m *model.Meta) {
		m.Namespace, m.Name, m.UID, m.Created = l.ref.Namespace, l.ref.Name, l.uid, created
	})
}

// live makes a life the one of its name, and sets in motion what its state asks for.
func (w *World) live(l *life) {
	isNew := w.lives[l.ref] == nil
	w.lives[l.ref] = l
	w.changed[l.ref] = l
	switch o := l.object.(type) {
	case *model.Pod:
		w.settle(l)
	case *model.Node:
		if isNew {
			w.rehouse(o.Name)
		}
	}
}

// settle sets in motion what a pod's state asks for: one that terminates is gone in
// the next cycle, one that has a node runs.
func (w *World) settle(l *life) {
	switch p := l.pod(); {
	case p.Deleting:
		w.agenda.add(w.shows+w.period, vanish, l.ref, l)
	case p.Node != "" && (p.Phase == model.PodPending || p.Phase == model.PodRunning):
		w.start(l)
	}
}

// start makes a pod Running, from this cycle on. On a node that is not there it waits
// for the node.
func (w *World) start(l *life) {
	p := l.pod()
	if !w.hasNode(p.Node) {
		w.homeless[p.Node] = append(w.homeless[p.Node], l)
		return
	}
	if p.Phase != model.PodRunning {
		running := *p
		running.Phase, running.Healthy = model.PodRunning, true
		if running.Started == 0 {
			running.Started = int64(w.now)
		}
		w.change(l, &running)
	}
	if l.item.HasDuration && l.ends == never {
		l.ends = w.after(max(0, l.item.Duration))
		w.agenda.add(l.ends, finish, l.ref, l)
	}
}

// rehouse starts the pods that wait for a node, now that it is there.
func (w *World) rehouse(node string) {
	waiting := w.homeless[node]
	delete(w.homeless, node)
	for _, l := range waiting {
		if p := l.pod(); w.lives[l.ref] == l && p.Node == node && !p.Deleting && !finished(p) {
			w.start(l)
		}
	}
}

// after is a time from the cycle that shows what changes now, never beyond never.
func (w *World) after(d time.Duration) time.Duration {
	if d > never-w.shows {
		return never
	}
	return w.shows + d
}

// finish ends a pod's run.
func (w *World) finish(l *life, phase model.Phase) {
	done := *l.pod()
	w.free(&done)
	done.Phase = phase
	l.ends = never
	w.change(l, &done)
}

// vanish ends a pod's life, and begins the next when somebody owns it.
func (w *World) vanish(l *life) {
	w.free(l.pod())
	w.end(l)
	if !l.item.Owned || finished(l.pod()) {
		return
	}
	pod := *l.item.Fact.Object.(*model.Pod)
	age := model.Between(int64(l.item.SubmitAt), int64(w.shows))
	if pod.Created == 0 {
		pod.Created = int64(l.item.SubmitAt)
	}
	pod.UID, pod.Created = w.newUID(), model.After(pod.Created, age)
	pod.Node, pod.Nominated, pod.Phase, pod.Deleting = "", "", model.PodPending, false
	pod.Started, pod.Healthy = 0, false
	times := pod.Rare()
	times.GoneBy = 0
	item := l.item
	if item.Resumes && item.HasDuration && l.ends != never {
		item.Duration = max(0, l.ends-w.now)
		times.Lasts = max(1, int64(item.Duration))
	}
	pod.SetRare(times)
	item.Fact.Object, item.Fact.UID, item.SubmitAt = &pod, pod.UID, w.shows
	next := &life{item: item, ref: l.ref, uid: pod.UID, object: &pod, born: w.shows, ends: never}
	w.stamp(next)
	w.live(next)
}

// end takes an object out of the world.
func (w *World) end(l *life) {
	delete(w.lives, l.ref)
	w.changed[l.ref] = l
}

// change gives a life another content, to be seen in the next cycle that runs.
func (w *World) change(l *life, o model.Object) {
	l.object = o
	w.changed[l.ref] = l
}

func (w *World) newUID() string {
	w.births++
	return fmt.Sprintf("sim-%d", w.births)
}
