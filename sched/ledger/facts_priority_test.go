package ledger

import (
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/model"
)

// While the class of a PodGroup is missing, its job has the priority that admission gave its first pod by that class,
// and the global default where that pod tells nothing of it; in whatever order that comes to be known.
func TestAJobKeepsItsPriorityWhileItsClassIsMissing(t *testing.T) {
	of := func(kind model.Kind, name string, o model.Object) model.Fact {
		f := model.Fact{Ref: model.Ref{Kind: kind, Name: name}, UID: name, Version: 1, Object: o}
		if kind != model.KindPriorityClass {
			f.Ref.Namespace = "ns"
		}
		return f
	}
	later := func(version uint64, f model.Fact) model.Fact {
		f.Version = version
		return f
	}
	pod := func(name, class string, priority int32, created int64) model.Fact {
		return of(model.KindPod, name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name, Created: created},
			Ours: true, Group: "job", HasPriority: true, Priority: priority, PriorityClass: class, Spec: &model.Spec{}})
	}
	group := of(model.KindPodGroup, "job", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "job", UID: "job"},
		MinMember: 1, PriorityClass: "prod"})
	usual := of(model.KindPriorityClass, "usual", &model.PriorityClass{Meta: model.Meta{Name: "usual", UID: "usual"},
		Value: 7, GlobalDefault: true})
	prod := of(model.KindPriorityClass, "prod", &model.PriorityClass{Meta: model.Meta{Name: "prod", UID: "prod"},
		Value: 1000})
	gone := func(f model.Fact) model.Fact { return later(2, of(f.Ref.Kind, f.Ref.Name, nil)) }
	first, second := pod("b", "prod", 1000, 1), pod("a", "prod", 900, 2)
	for name, c := range map[string]struct {
		facts []model.Fact
		want  int32
	}{
		"its class is there":            {[]model.Fact{group, usual, prod, first}, 1000},
		"its class is gone":             {[]model.Fact{group, usual, gone(prod), first, second}, 1000},
		"its first pod is gone":         {[]model.Fact{group, usual, gone(first), second}, 900},
		"its only pod is gone":          {[]model.Fact{group, usual, gone(first)}, 7},
		"its pod has another class":     {[]model.Fact{group, usual, pod("b", "mid", 50, 1), second}, 7},
		"its first pod is told of late": {[]model.Fact{group, usual, second, first}, 1000},
		"its class is there again":      {[]model.Fact{group, usual, first, later(3, prod)}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				l := New()
				for _, f := range c.facts { // what is gone in the end was there
					if f.Object == nil {
						for _, was := range []model.Fact{prod, first} {
							if was.Ref == f.Ref {
								l.Apply(was)
							}
						}
					}
				}
				for _, f := range rapid.Permutation(c.facts).Draw(t, "facts") {
					l.Apply(f)
				}
				sound(t, l)
				if j, ok := l.Jobs.Find(JobKey{Namespace: "ns", Name: "job"}); !ok || l.Job(j).Priority != c.want {
					t.Fatalf("the job has priority %d, want %d", l.Job(j).Priority, c.want)
				}
			})
		})
	}
}
