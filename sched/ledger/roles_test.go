package ledger

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
)

// The roles of a job are those that its members have, or that it asks for: pods of which the
// task-spec is changed again and again leave nothing behind.
func TestRolesWithoutMembersAreDropped(t *testing.T) {
	l := New()
	version := uint64(0)
	tell := func(kind model.Kind, name string, o model.Object) {
		version++
		l.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: "ns", Name: name}, UID: name, Version: version, Object: o})
	}
	group := func(mins ...model.RoleMin) {
		tell(model.KindPodGroup, "g", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"},
			Queue: "default", MinMember: 2, MinTaskMember: mins})
	}
	pod := func(name, role string) {
		tell(model.KindPod, name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
			Group: "g", Role: role, Index: -1, Spec: &model.Spec{}})
	}
	group(model.RoleMin{Role: "ps", Min: 1})
	for i := range 1000 {
		pod("a", fmt.Sprint("role-", i))
		pod("b", fmt.Sprint("role-", i%7))
		pod("c", "ps")
	}
	id, ok := l.Jobs.Find(JobKey{Namespace: "ns", Name: "g"})
	if !ok {
		t.Fatal("there is no such job")
	}
	if n := len(l.Job(id).Roles); n > 4 {
		t.Errorf("%d roles are kept of a job with members of three", n)
	}
	for i := range 100 {
		group(model.RoleMin{Role: fmt.Sprint("asked-", i), Min: 2})
	}
	if n := len(l.Job(id).Roles); n > 5 {
		t.Errorf("%d roles are kept after the PodGroup asked for others", n)
	}
	group()
	tell(model.KindPod, "a", nil)
	tell(model.KindPod, "b", nil)
	pod("c", "last")
	roles := l.Job(id).Roles
	if n := l.Job(id).NumRoles(); n != 1 {
		t.Errorf("%d roles count, want the one of the pod that is left, whichever index that has", n)
	}
	if len(roles) > 3 || roles[l.Task(taskOf(t, l, "c")).Role].Name != "last" {
		t.Errorf("there are %d roles, want that of the pod that is left among few", len(roles))
	}
	for _, finding := range l.Audit() {
		t.Errorf("audit: %s", finding)
	}
}

func taskOf(t *testing.T, l *Ledger, name string) TaskID {
	t.Helper()
	id, ok := l.Tasks.Find(Key{"ns", name})
	if !ok {
		t.Fatalf("there is no pod %s", name)
	}
	return id
}
