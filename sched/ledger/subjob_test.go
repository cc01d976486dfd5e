package ledger

import (
	"testing"

	"ashlar.sh/sched/model"
)

// A job of which no member is in a sub-group any more is like one that never had such a member: what is decided may
// not depend on the members that it had.
func TestAJobWithoutMembersInSubGroupsHasNone(t *testing.T) {
	l, version := New(), uint64(0)
	tell := func(kind model.Kind, name string, o model.Object) {
		version++
		l.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: "ns", Name: name}, UID: name, Version: version, Object: o})
	}
	pod := func(name string, labels ...model.Label) {
		tell(model.KindPod, name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Labels: labels,
			Ours: true, Group: "g", Index: -1, Spec: &model.Spec{}})
	}
	tell(model.KindPodGroup, "g", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"},
		Queue: "default", MinMember: 1, SubGroups: []model.SubGroups{{Name: "replica", Keys: []string{"replica"}, Size: 1}}})
	pod("a", model.Label{Key: "replica", Value: "0"})
	pod("b")
	id, _ := l.Jobs.Find(JobKey{Namespace: "ns", Name: "g"})
	if !l.Job(id).HasSubGroups() {
		t.Error("a is in a sub-group, and the job has none")
	}
	pod("a")
	if l.Job(id).HasSubGroups() {
		t.Error("no member is in a sub-group, and the job has one")
	}
}
