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

// A policy that selects pods and names no label of which the values divide them makes one sub-group of them.
func TestAPolicyWithASelectorAloneHasOneSubGroup(t *testing.T) {
	l, version := New(), uint64(0)
	tell := func(kind model.Kind, name string, o model.Object) {
		version++
		l.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: "ns", Name: name}, UID: name, Version: version, Object: o})
	}
	tell(model.KindPodGroup, "g", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"},
		Queue: "default", MinMember: 1, SubGroups: []model.SubGroups{{Name: "workers", Size: 2,
			Selector: []model.Requirement{{Key: "role", Op: model.In, Values: []string{"worker"}}}}}})
	for name, role := range map[string]string{"a": "worker", "b": "worker", "c": "driver"} {
		tell(model.KindPod, name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name},
			Labels: []model.Label{{Key: "role", Value: role}}, Ours: true, Group: "g", Index: -1, Spec: &model.Spec{}})
	}
	id, _ := l.Jobs.Find(JobKey{Namespace: "ns", Name: "g"})
	in := 0
	for sub := range l.Job(id).Subs {
		l.Jobs.SubTasks(id, int32(sub), func(TaskID) bool { in++; return true })
	}
	if len(l.Job(id).Subs) != 1 || in != 2 {
		t.Errorf("%d sub-groups with %d members, want one with two", len(l.Job(id).Subs), in)
	}
}
