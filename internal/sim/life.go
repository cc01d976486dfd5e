package sim

import (
	"fmt"
	"time"

	"ashlar.sh/internal/booking"
	"ashlar.sh/sched/model"
)

// objects is what lives in the world, and what is to happen to it.
type objects struct {
	w *World

	agenda   agenda
	lives    map[model.Ref]*life
	changed  map[model.Ref]*life // since the last cycle: the life that holds, or held last
	homeless map[string][]*life  // by the name of the node that is not there
	births   uint64
	recurs   map[model.Ref]bool // bookings of which the windows come again
}

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

// runs is how long a pod runs from its start: its duration, or the limit at which its kubelet ends it; false when it
// runs for ever.
func (l *life) runs() (d time.Duration, ends bool) {
	d, limit := max(0, l.item.Duration), time.Duration(l.pod().Rare().Limit)
	if l.cutShort() {
		return limit, true
	}
	return d, l.item.HasDuration
}

// cutShort says that a pod's limit is shorter than what it would run.
func (l *life) cutShort() bool {
	limit := time.Duration(l.pod().Rare().Limit)
	return limit > 0 && (!l.item.HasDuration || limit < l.item.Duration)
}

// outcome is the phase in which a pod's run ends.
func (l *life) outcome() model.Phase {
	if l.cutShort() {
		return model.PodFailed
	}
	return model.PodSucceeded
}

// happen lets everything take place that is due.
func (ob *objects) happen() {
	for {
		e, ok := ob.upcoming()
		if !ok || e.at > ob.w.now {
			return
		}
		ob.agenda.drop()
		switch e.what {
		case vanish, lost:
			ob.vanish(e.life)
		case finish:
			ob.w.alone = 0
			ob.finish(e.life, e.life.outcome())
		case start:
			ob.start(e.life)
		case submit:
			ob.w.alone = 0
			ob.appear(e.life)
		}
	}
}

// upcoming is the earliest event that still stands. Events of an object that
// is gone or in another state are dropped: the world does not wake up for them.
func (ob *objects) upcoming() (event, bool) {
	for {
		e, ok := ob.agenda.first()
		if !ok || ob.stands(e) {
			return e, ok
		}
		ob.agenda.drop()
	}
}

func (ob *objects) stands(e event) bool {
	if e.what == submit {
		return true
	}
	l, p := e.life, e.life.pod()
	if ob.lives[l.ref] != l || p == nil {
		return false
	}
	switch e.what {
	case vanish:
		return p.Deleting
	case lost:
		return p.Node != "" && !ob.hasNode(p.Node)
	case finish:
		return l.ends == e.at && !p.Deleting && !p.Phase.Finished()
	default:
		return p.Phase == model.PodPending && !p.Deleting
	}
}

func (ob *objects) hasNode(name string) bool {
	return ob.lives[model.Ref{Kind: model.KindNode, Name: name}] != nil
}

// appear lets an item's object come.
func (ob *objects) appear(l *life) {
	before := ob.lives[l.ref]
	switch {
	case l.object == nil:
		if before != nil && l.item.Final {
			before.item.Owned = false
		}
		ob.w.remove(l.ref)
		return
	case before != nil && before.pod() != nil && before.pod().Deleting:
		ob.agenda.add(ob.w.shows+ob.w.period, submit, l.ref, l) // a name is free once its pod is gone
		return
	case before != nil && before.pod() != nil && before.uid == l.uid && !before.pod().Phase.Finished():
		ob.respecify(before, l)
		return
	case before != nil:
		ob.succeed(l, before)
	case l.uid == "":
		l.uid = ob.newUID()
	}
	l.born = ob.w.shows
	ob.stamp(l)
	ob.live(l)
}

// respecify gives a pod the content of an item that has its uid: the same pod, told
// anew. What nodes and the scheduler wrote stays.
func (ob *objects) respecify(l, told *life) {
	was, pod := l.pod(), *told.pod()
	pod.Node, pod.Nominated, pod.Phase = was.Node, was.Nominated, was.Phase
	l.item, l.object = told.item, &pod
	ob.stamp(l)
	ob.live(l)
}

// succeed makes an item that finds its name taken the successor of what is there.
func (ob *objects) succeed(l, before *life) {
	p, o := l.pod(), before.object
	switch {
	case before.born == ob.w.shows && before.item.SubmitAt == l.item.SubmitAt:
		l.fault("metadata.name", fmt.Sprintf("given twice%s: the last holds", from(before.item.Where)))
	case p != nil && !before.pod().Phase.Finished():
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
		l.uid = ob.newUID()
	}
}

func from(where string) string {
	if where == "" {
		return ""
	}
	return " (before at " + where + ")"
}

// stamp makes an object's own names agree with its fact's.
func (ob *objects) stamp(l *life) {
	if l.object == nil {
		return
	}
	m := l.object.Common()
	created := m.Created
	if created == 0 {
		created = ob.w.clock(l.item.SubmitAt)
	}
	if m.Namespace == l.ref.Namespace && m.Name == l.ref.Name && m.UID == l.uid && m.Created == created {
		return
	}
	l.edit(func(m *model.Meta) {
		m.Namespace, m.Name, m.UID, m.Created = l.ref.Namespace, l.ref.Name, l.uid, created
	})
}

// live makes a life the one of its name, and sets in motion what its state asks for.
func (ob *objects) live(l *life) {
	isNew := ob.lives[l.ref] == nil
	ob.lives[l.ref] = l
	ob.changed[l.ref] = l
	switch o := l.object.(type) {
	case *model.Pod:
		ob.advance(l)
	case *model.Node:
		if isNew {
			ob.rehouse(o.Name)
		}
	}
}

// advance sets in motion what a pod's state asks for: one that terminates is gone in
// the next cycle, one that has a node runs.
func (ob *objects) advance(l *life) {
	switch p := l.pod(); {
	case p.Deleting:
		ob.agenda.add(ob.w.shows+ob.w.period, vanish, l.ref, l)
	case p.Node != "" && (p.Phase == model.PodPending || p.Phase == model.PodRunning):
		ob.start(l)
	}
}

// start makes a pod Running, from this cycle on. On a node that is not there it waits
// for the node.
func (ob *objects) start(l *life) {
	p := l.pod()
	if !ob.hasNode(p.Node) {
		ob.homeless[p.Node] = append(ob.homeless[p.Node], l)
		return
	}
	if p.Phase != model.PodRunning {
		running := *p
		running.Phase, running.Healthy = model.PodRunning, true
		if running.Started == 0 {
			running.Started = ob.w.clock(ob.w.now)
		}
		ob.change(l, &running)
	}
	if d, ends := l.runs(); ends && l.ends == never {
		l.ends = ob.after(d)
		ob.agenda.add(l.ends, finish, l.ref, l)
	}
}

// rehouse starts the pods that wait for a node, now that it is there.
func (ob *objects) rehouse(node string) {
	waiting := ob.homeless[node]
	delete(ob.homeless, node)
	for _, l := range waiting {
		if p := l.pod(); ob.lives[l.ref] == l && p.Node == node && !p.Deleting && !p.Phase.Finished() {
			ob.start(l)
		}
	}
}

// after is a time from the cycle that shows what changes now, never beyond never.
func (ob *objects) after(d time.Duration) time.Duration {
	if d > never-ob.w.shows {
		return never
	}
	return ob.w.shows + d
}

// finish ends a pod's run.
func (ob *objects) finish(l *life, phase model.Phase) {
	done := *l.pod()
	ob.w.free(&done)
	done.Phase = phase
	times := done.Rare()
	times.Ended = ob.w.clock(ob.w.now)
	done.SetRare(times)
	l.ends = never
	ob.change(l, &done)
}

// vanish ends a pod's life, and begins the next when somebody owns it.
func (ob *objects) vanish(l *life) {
	ob.w.free(l.pod())
	ob.end(l)
	if !l.item.Owned || l.pod().Phase.Finished() {
		return
	}
	pod := l.item.Fact.Object.(*model.Pod)
	created := pod.Created
	if created == 0 {
		created = ob.w.clock(l.item.SubmitAt)
	}
	age := model.Between(int64(l.item.SubmitAt), int64(ob.w.shows))
	pod = pod.Anew(ob.newUID(), model.After(created, age))
	item := l.item
	if item.Resumes && item.HasDuration && l.ends != never {
		item.Duration = max(0, l.ends-ob.w.now)
		times := pod.Rare()
		times.Lasts = max(1, int64(item.Duration))
		pod.SetRare(times)
	}
	item.Fact.Object, item.Fact.UID, item.SubmitAt = pod, pod.UID, ob.w.shows
	next := &life{item: item, ref: l.ref, uid: pod.UID, object: pod, born: ob.w.shows, ends: never}
	ob.stamp(next)
	ob.live(next)
}

// end takes an object out of the world.
func (ob *objects) end(l *life) {
	delete(ob.lives, l.ref)
	ob.changed[l.ref] = l
}

// change gives a life another content, to be seen in the next cycle that runs.
func (ob *objects) change(l *life, o model.Object) {
	l.object = o
	ob.changed[l.ref] = l
}

func (ob *objects) newUID() string {
	ob.births++
	return fmt.Sprintf("sim-%d", ob.births)
}

// renew has bookings that recur show their next windows, once the first has ended.
func (ob *objects) renew() {
	for ref, l := range ob.changed { // order-free: into a set
		if b, is := l.object.(*model.Booking); is && b.Every != nil {
			ob.recurs[ref] = true
		}
	}
	for ref := range ob.recurs { // order-free: each by itself
		l := ob.lives[ref]
		if l == nil {
			delete(ob.recurs, ref)
			continue
		}
		if was, is := l.object.(*model.Booking); is {
			if b := booking.Renew(was, ob.w.clock(ob.w.now)); b != was {
				l.object, ob.changed[ref] = b, l
			}
		}
	}
}
