package ledger

import (
	"sort"

	"ashlar.sh/sched/model"
)

// factStore keeps the newest fact about every Ref, tombstones included.
type factStore struct {
	byRef map[model.Ref]said
	gone  int
}

// said is a fact without the name that it is kept by.
type said struct {
	uid     string
	version uint64
	object  model.Object
}

func (s said) fact(r model.Ref) model.Fact {
	return model.Fact{Ref: r, UID: s.uid, Version: s.version, Object: s.object}
}

func newFactStore() factStore { return factStore{byRef: map[model.Ref]said{}} }

// mostTombstones bounds the memory of what is gone. A fact older than a forgotten
// tombstone would be believed; watches deliver in order, so none comes.
const mostTombstones = 1 << 16

// put keeps a fact unless a newer one is known, and says whether it was kept.
func (s *factStore) put(f model.Fact) bool {
	old, known := s.byRef[f.Ref]
	if known && f.Version < old.version {
		return false
	}
	if known && old.object == nil {
		s.gone--
	}
	s.byRef[f.Ref] = said{f.UID, f.Version, f.Object}
	if f.Object == nil {
		if s.gone++; s.gone > mostTombstones {
			s.forget()
		}
	}
	return true
}

// forget drops the older half of the tombstones.
func (s *factStore) forget() {
	var dead []model.Fact
	for r, f := range s.byRef { // order-free: sorted below
		if f.object == nil {
			dead = append(dead, f.fact(r))
		}
	}
	sort.Slice(dead, func(i, j int) bool {
		if dead[i].Version != dead[j].Version {
			return dead[i].Version < dead[j].Version
		}
		return dead[i].Ref.String() < dead[j].Ref.String()
	})
	for _, f := range dead[:len(dead)/2] {
		delete(s.byRef, f.Ref)
		s.gone--
	}
}

// Apply takes one fact in. Older facts than what is known are ignored; the order of
// facts about different objects makes no difference.
func (l *Ledger) Apply(f model.Fact) {
	if !l.facts.put(f) {
		return
	}
	l.world++
	switch f.Ref.Kind {
	case model.KindNode:
		o, _ := f.Object.(*model.Node)
		l.applyNode(f.Ref.Name, o)
	case model.KindPod:
		o, _ := f.Object.(*model.Pod)
		l.applyPod(Key{f.Ref.Namespace, f.Ref.Name}, o)
	case model.KindPodGroup:
		o, _ := f.Object.(*model.PodGroup)
		l.applyGroup(Key{f.Ref.Namespace, f.Ref.Name}, o)
	case model.KindQueue:
		o, _ := f.Object.(*model.Queue)
		l.applyQueue(f.Ref.Name, o)
	case model.KindPriorityClass:
		o, _ := f.Object.(*model.PriorityClass)
		l.applyPriorityClass(f.Ref.Name, o)
	case model.KindQuota:
		o, _ := f.Object.(*model.Quota)
		l.applyQuota(f.Ref, o)
	case model.KindBudget:
		o, _ := f.Object.(*model.Budget)
		l.applyBudget(f.Ref, o)
	case model.KindHyperNode:
		o, _ := f.Object.(*model.HyperNode)
		l.applyHyperNode(f.Ref.Name, o)
	default:
		l.tellBooksFact(f)
	}
}

// Facts returns all that is known, tombstones included, sorted by kind, namespace and
// name: applied to a new ledger they give this one again.
func (l *Ledger) Facts() []model.Fact {
	out := make([]model.Fact, 0, len(l.facts.byRef))
	for r, f := range l.facts.byRef { // order-free: sorted below
		out = append(out, f.fact(r))
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i].Ref, out[j].Ref
		switch {
		case a.Kind != b.Kind:
			return a.Kind < b.Kind
		case a.Namespace != b.Namespace:
			return a.Namespace < b.Namespace
		default:
			return a.Name < b.Name
		}
	})
	return out
}

// Fact returns the newest fact about an object, and false when none is known or it
// is gone.
func (l *Ledger) Fact(r model.Ref) (model.Fact, bool) {
	f, ok := l.facts.byRef[r]
	return f.fact(r), ok && f.object != nil
}

// applyPriorityClass changes what a name is worth; every job and pod that goes by
// names is looked at again. Priority classes change rarely.
func (l *Ledger) applyPriorityClass(name string, c *model.PriorityClass) {
	delete(l.priorities, name)
	if c != nil {
		if _, bad := c.SetAside(); !bad {
			l.priorities[name] = c
		}
	}
	l.globalPriority = nil
	for _, c := range l.priorities { // order-free: the highest value wins, then the first name
		g := l.globalPriority
		if c.GlobalDefault && (g == nil || c.Value > g.Value || c.Value == g.Value && c.Name < g.Name) {
			l.globalPriority = c
		}
	}
	for i := range l.tasks {
		if t := &l.tasks[i]; !t.free {
			t.Priority = l.podPriority(t.Pod)
		}
	}
	for i := range l.jobs {
		if !l.jobs[i].free {
			l.define(JobID(i))
			l.mark(JobID(i))
		}
	}
	l.grown++
}
