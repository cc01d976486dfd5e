package ledger

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// forest is a ledger with a dozen queues that are hung below each other, rings and
// missing parents included, and with jobs in them.
type forest struct {
	t       *rapid.T
	l       *Ledger
	version uint64
}

func (f *forest) n(most int) int { return rapid.IntRange(0, most).Draw(f.t, "n") }

func (f *forest) tell(kind model.Kind, namespace, name string, o model.Object) {
	f.version++
	f.l.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: name, Version: f.version,
		Object: o})
}

func (f *forest) name() string { return fmt.Sprintf("q%d", f.n(9)) }

// change is a queue that comes, goes, is hung elsewhere, closes or is spoiled, mostly, or
// a job that does.
func (f *forest) change() {
	switch name := f.name(); f.n(9) {
	case 0, 1:
		f.tell(model.KindQueue, "", name, nil)
	case 2:
		f.tell(model.KindPodGroup, "ns", "g"+name, nil)
	case 3, 4:
		group := &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g" + name}, Queue: f.name(), MinMember: 1,
			Phase: model.GroupInqueue}
		if f.n(1) == 1 {
			group.HasMin, group.MinResources = true, resource.List{{Name: resource.CPUName, Value: int64(f.n(9))}}
		}
		f.tell(model.KindPodGroup, "ns", group.Name, group)
		f.tell(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
			Group: group.Name,
			Spec: &model.Spec{Requests: resource.List{{Name: []string{resource.CPUName, "gpu"}[f.n(1)],
				Value: int64(1 + f.n(4))}}}})
	default:
		q := &model.Queue{Meta: model.Meta{Name: name}, Parent: []string{"", model.RootQueue, f.name(), f.name()}[f.n(3)]}
		if f.n(4) == 4 {
			q.State = model.QueueClosed
		}
		if f.n(9) == 9 {
			q.Faults = []model.Fault{{Field: "spec", Message: "spoiled", Fatal: true}}
		}
		if f.n(3) == 3 {
			q.Groups = &model.NodeGroups{Required: []string{f.name()}}
		}
		f.tell(model.KindQueue, "", name, q)
	}
}

func plant(t *rapid.T) *forest {
	f := &forest{t: t, l: New()}
	if f.n(1) == 1 {
		f.l.Queues.HeedNodeGroups(f.n(1) == 1)
	}
	return f
}

// The slow twin is Audit: it finds every place by walking up the names of parents, and
// every figure job by job.
func TestAMovedQueueTakesItsFiguresAlong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := plant(t)
		for range 1 + f.n(60) {
			f.change()
			sound(t, f.l)
		}
		facts := rapid.Permutation(f.l.Facts()).Draw(t, "facts")
		l2 := New()
		if l2.Queues.inherits = f.l.Queues.inherits; f.l.Queues.heeds {
			l2.Queues.HeedNodeGroups(f.l.Queues.inherits)
		}
		for _, fact := range facts {
			l2.Apply(fact)
		}
		if was, is := byName(f.l), byName(l2); was != is {
			t.Fatalf("a new ledger that is told the same in another order differs: %s", differs(was, is))
		}
	})
}

// shown is all that a queue's row says but its figures; of what is named and not there,
// nothing.
func shown(l *Ledger, q QueueID) string {
	row := l.Queue(q)
	if row.Place == Missing {
		return ""
	}
	return fmt.Sprint(row.Name, row.Place, row.Broken, row.Depth, row.Leaf(), row.State(), l.Queues.Parent(q), row.groups)
}

func TestTheTreeFeedNamesEveryQueueWithAChangedPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := plant(t)
		var was []string
		mark := f.l.Changes.QueueTree.Now()
		for range 1 + f.n(30) {
			for range f.n(3) {
				f.change()
			}
			at := mark
			queues, known := f.l.Changes.QueueTree.Follow(&mark)
			if !known {
				t.Fatalf("it is not known what changed since %d", at)
			}
			named := map[QueueID]bool{}
			for _, q := range queues {
				named[q] = true
			}
			for q := range f.l.Queues.rows {
				is := shown(f.l, QueueID(q))
				if q < len(was) && was[q] != is && !named[QueueID(q)] {
					t.Fatalf("not a word of row %d\nwas %s\nis  %s", q, was[q], is)
				}
			}
			was = was[:0]
			for q := range f.l.Queues.rows {
				was = append(was, shown(f.l, QueueID(q)))
			}
		}
	})
}

// The figures and places of a thousand queues follow one that is hung elsewhere without
// new memory: all that is needed was there before.
func TestMovingAQueueAllocatesNoMemory(t *testing.T) {
	l := New()
	for i := range 1000 {
		q := &model.Queue{Meta: model.Meta{Name: fmt.Sprintf("q%d", i)}}
		if i > 3 {
			q.Parent = fmt.Sprintf("q%d", i/4)
		}
		l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: q.Name}, UID: q.Name, Version: 1, Object: q})
	}
	moved := &model.Queue{Meta: model.Meta{Name: "q9"}, Parent: "q2"}
	back := &model.Queue{Meta: model.Meta{Name: "q9"}, Parent: "q3"}
	version := uint64(1)
	tell := func(o model.Object) {
		version++
		l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: "q9"}, UID: "q9", Version: version, Object: o})
	}
	for name, turn := range map[string]func(){
		"hung elsewhere": func() { tell(moved); tell(back) },
		"gone and back":  func() { tell(nil); tell(back) },
	} {
		for range keepQueues { // until the logs are as long as they may be
			turn()
		}
		if n := testing.AllocsPerRun(100, turn); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	sound(t, l)
}
