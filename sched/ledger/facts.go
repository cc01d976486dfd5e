package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
)

// factStore keeps the newest fact about every Ref, tombstones included. The facts of pods and PodGroups that
// exist are kept by their rows instead, which saves a large cluster a second table of that length.
type factStore struct {
	byRef map[model.Ref]storedFact
	gone  int
	last  lookup
}

// storedFact is a fact without the name by which it is kept.
type storedFact struct {
	uid     string
	version uint64
	object  model.Object
}

func (s storedFact) fact(r model.Ref) model.Fact {
	return model.Fact{Ref: r, UID: s.uid, Version: s.version, Object: s.object}
}

func newFactStore() factStore { return factStore{byRef: map[model.Ref]storedFact{}} }

// mostTombstones limits how many deleted objects are remembered. A fact older than a forgotten tombstone would
// be believed; watches deliver in order, so none comes.
const mostTombstones = 1 << 16

// put keeps a fact in place of the one known before.
func (s *factStore) put(f model.Fact) {
	s.drop(f.Ref)
	s.byRef[f.Ref] = storedFact{f.UID, f.Version, f.Object}
	if f.Object == nil {
		if s.gone++; s.gone > mostTombstones {
			s.forget()
		}
	}
}

// drop forgets the fact about a Ref.
func (s *factStore) drop(r model.Ref) {
	if len(s.byRef) == 0 {
		return
	}
	if old, known := s.byRef[r]; known {
		if delete(s.byRef, r); old.object == nil {
			s.gone--
		}
	}
}

// forget drops the older half of the tombstones.
func (s *factStore) forget() {
	var dead []model.Fact
	for r, f := range s.byRef { // order-free: sorted below
		if f.object == nil {
			dead = append(dead, f.fact(r))
		}
	}
	slices.SortFunc(dead, func(a, b model.Fact) int {
		if c := cmp.Compare(a.Version, b.Version); c != 0 {
			return c // most are told apart by that, without a text
		}
		return cmp.Compare(a.Ref.String(), b.Ref.String())
	})
	for _, f := range dead[:len(dead)/2] {
		delete(s.byRef, f.Ref)
		s.gone--
	}
}

// known returns the newest fact about a Ref, which may be a tombstone; false when there is none.
func (l *Ledger) known(r model.Ref) (storedFact, bool) {
	switch r.Kind {
	case model.KindPod:
		if t, ok := l.Tasks.Find(Key{r.Namespace, r.Name}); ok {
			return l.Tasks.rows[t].stored(), true
		}
	case model.KindPodGroup:
		if j, ok := l.Jobs.Find(JobKey{Namespace: r.Namespace, Name: r.Name}); ok && l.Jobs.rows[j].Group != nil {
			return l.Jobs.rows[j].stored(), true
		}
	}
	s, ok := l.facts.byRef[r]
	return s, ok
}

// stored returns the fact that a row keeps; its UID is that of its object.
func (t *Task) stored() storedFact { return storedFact{t.Pod.UID, t.version, t.Pod} }

func (j *Job) stored() storedFact { return storedFact{j.Group.UID, j.decided.version, j.Group} }

// Expect says which facts are to come. A ledger without pods makes room for their rows at once: to grow rows step by
// step costs as much again.
func (l *Ledger) Expect(facts []model.Fact) {
	if len(l.Tasks.rows) > 0 || len(l.Jobs.rows) > 0 || len(facts) < 1000 {
		return
	}
	pods, jobs, in := 0, 0, map[string]int{}
	for i := range facts {
		switch o := facts[i].Object.(type) {
		case *model.Pod:
			in[facts[i].Ref.Namespace]++
			if pods++; o.Ours && o.Group == "" && o.OwnerID == "" {
				jobs++ // of its own
			}
		case *model.PodGroup:
			jobs++
		}
	}
	l.Tasks.rows, l.Jobs.rows = make([]Task, 0, withSpare(pods)), make([]Job, 0, withSpare(jobs))
	for namespace, pods := range in { // order-free: each by itself
		l.Tasks.byKey[namespace] = make(map[string]TaskID, pods)
	}
}

// withSpare is the capacity for so many rows and some more. Without it the first new pod would have all rows moved:
// 25 ms of 100 000 pods, in the first plan on a new copy.
func withSpare(rows int) int { return rows + rows/16 + 16 }

// Apply takes in one fact. A fact older than the known one is ignored. The order of facts about different
// objects makes no difference.
func (l *Ledger) Apply(f model.Fact) {
	was, known := l.facts.last.said, l.facts.last.known
	if !l.facts.last.about(f.Ref, l.Changes.stateEpoch) {
		was, known = l.known(f.Ref)
	}
	if known && f.Version < was.version {
		return
	}
	l.Changes.stateEpoch++
	pod, _ := f.Object.(*model.Pod)
	group, _ := f.Object.(*model.PodGroup)
	switch {
	case f.Ref.Kind == model.KindPod && pod != nil:
		l.facts.drop(f.Ref)
		row := &l.Tasks.rows[l.Tasks.apply(Key{f.Ref.Namespace, f.Ref.Name}, pod)]
		row.version = f.Version
		l.Tasks.Runs.see(row)
		l.Nodes.watch(row.Node)
	case f.Ref.Kind == model.KindPodGroup && group != nil:
		l.facts.drop(f.Ref)
		l.Jobs.rows[l.Jobs.apply(Key{f.Ref.Namespace, f.Ref.Name}, group)].decided.version = f.Version
	default:
		l.facts.put(f)
		l.applyOther(f)
	}
}

// applyOther takes in a fact that no row keeps: a deleted pod or PodGroup, or an object of another kind.
func (l *Ledger) applyOther(f model.Fact) {
	switch f.Ref.Kind {
	case model.KindPod:
		l.Tasks.apply(Key{f.Ref.Namespace, f.Ref.Name}, nil)
	case model.KindPodGroup:
		l.Jobs.apply(Key{f.Ref.Namespace, f.Ref.Name}, nil)
	case model.KindNode:
		l.Nodes.apply(f.Ref.Name, objectOf[*model.Node](f))
	case model.KindQueue:
		l.Queues.apply(f.Ref.Name, objectOf[*model.Queue](f))
	case model.KindPriorityClass:
		l.Priorities.apply(f.Ref.Name, objectOf[*model.PriorityClass](f))
	case model.KindQuota:
		l.Namespaces.applyQuota(f.Ref, objectOf[*model.Quota](f))
	case model.KindBudget:
		l.Namespaces.applyBudget(f.Ref, objectOf[*model.Budget](f))
	case model.KindHyperNode:
		l.HyperNodes.apply(f.Ref.Name, objectOf[*model.HyperNode](f))
	case model.KindNamespace:
		l.Namespaces.applyNamespace(f.Ref.Name, objectOf[*model.Namespace](f))
	case model.KindNUMA:
		l.NUMA.apply(f.Ref.Name, objectOf[*model.NUMA](f))
	case model.KindService:
		l.PluginStates.pass(f)
	case model.KindBooking:
		l.Bookings.apply(f.Ref.Name, objectOf[*model.Booking](f))
	case model.KindBackoff:
		l.Backoffs.apply(f.Ref, objectOf[*model.Backoff](f))
	default:
		l.PluginStates.updateFact(f)
	}
}

// objectOf is a fact's object, nil where it is gone or of another type.
func objectOf[T model.Object](f model.Fact) T {
	o, _ := f.Object.(T)
	return o
}

// each visits the newest fact about every Ref, tombstones included, in no order.
func (l *Ledger) each(visit func(r model.Ref, f storedFact)) {
	for r, f := range l.facts.byRef { // order-free: callers sort
		visit(r, f)
	}
	for i := range l.Tasks.rows {
		if t := &l.Tasks.rows[i]; !t.free {
			visit(model.Ref{Kind: model.KindPod, Namespace: t.Key.Namespace, Name: t.Key.Name}, t.stored())
		}
	}
	for i := range l.Jobs.rows {
		if j := &l.Jobs.rows[i]; !j.marks.free && j.Group != nil {
			visit(model.Ref{Kind: model.KindPodGroup, Namespace: j.Key.Namespace, Name: j.Key.Name}, j.stored())
		}
	}
}

// Faulty visits the objects that exist and have faults, in no order.
func (l *Ledger) Faulty(visit func(r model.Ref, faults []model.Fault)) {
	l.each(func(r model.Ref, f storedFact) {
		if f.object != nil && len(f.object.Common().Faults) > 0 {
			visit(r, f.object.Common().Faults)
		}
	})
}

// UIDOf returns the UID of the object that has a name now, and false when none has it.
func (l *Ledger) UIDOf(r model.Ref) (uid string, ok bool) {
	f, known := l.known(r)
	if !known || f.object == nil {
		return "", false
	}
	return f.uid, true
}

// Facts returns all facts, tombstones included, sorted by kind, namespace and name. Applied to a new ledger,
// they give this one again.
func (l *Ledger) Facts() []model.Fact {
	out := make([]model.Fact, 0, len(l.facts.byRef)+len(l.Tasks.rows)+len(l.Jobs.rows))
	l.each(func(r model.Ref, f storedFact) { out = append(out, f.fact(r)) })
	slices.SortFunc(out, func(x, y model.Fact) int {
		a, b := x.Ref, y.Ref
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// lookup is what was known of an object when that was asked for right before a fact about it.
type lookup struct {
	ref   model.Ref
	said  storedFact
	known bool
	epoch uint64
}

// about says that the answer is about an object, and that nothing was taken in since.
func (a *lookup) about(r model.Ref, epoch uint64) bool { return a.epoch == epoch && a.ref == r }

// Replaced is Fact for what a fact is about to replace: Apply, if it is next, does not look for it again. Unlike Fact
// it is only for the goroutine that applies facts.
func (l *Ledger) Replaced(r model.Ref) (model.Fact, bool) {
	f, ok := l.known(r)
	l.facts.last = lookup{r, f, ok, l.Changes.stateEpoch}
	return f.fact(r), ok && f.object != nil
}

// Fact returns the newest fact about an object, and false when none is known or the object is gone.
func (l *Ledger) Fact(r model.Ref) (model.Fact, bool) {
	f, ok := l.known(r)
	return f.fact(r), ok && f.object != nil
}
