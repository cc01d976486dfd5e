package ledger

import (
	"testing"

	"ashlar.sh/sched/model"
)

// A pod that came and went between two cycles did not come, whether its PodGroup was told of
// before or after it.
func TestAPodThatCameAndWentDidNotCome(t *testing.T) {
	group := model.Fact{Ref: model.Ref{Kind: model.KindPodGroup, Namespace: "ns", Name: "g"}, UID: "g", Version: 1,
		Object: &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"}, Queue: "q", MinMember: 1,
			Phase: model.GroupPending}}
	pod := func(name string, version uint64, there bool) model.Fact {
		f := model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: version}
		if there {
			f.Object = &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Group: "g",
				Spec: &model.Spec{}}
		}
		return f
	}
	bound := pod("b", 5, true)
	bound.Object.(*model.Pod).Node = "n"
	came, went, other := pod("p", 2, true), pod("p", 3, false), pod("o", 4, true)
	for name, c := range map[string]struct {
		facts []model.Fact
		want  int
	}{
		"the group first":      {[]model.Fact{group, came, went}, 0},
		"the group last":       {[]model.Fact{came, went, group}, 0},
		"between":              {[]model.Fact{came, group, went}, 0},
		"beside one that runs": {[]model.Fact{group, came, bound, went}, 0},
		"one that runs comes":  {[]model.Fact{group, came, went, bound}, 0},
		"another stays":        {[]model.Fact{group, came, other, went}, 1},
		"another comes then":   {[]model.Fact{came, went, group, other}, 1},
		"another came earlier": {[]model.Fact{other, group, came, went}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			l, jobs := New(), 0
			for _, f := range c.facts {
				l.Apply(f)
			}
			l.ExtendDims()
			if l.Changes.TakeArrivals(func(JobID) { jobs++ }); jobs != c.want {
				t.Errorf("pods came to %d jobs, want %d", jobs, c.want)
			}
		})
	}
}
