package ledger

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
)

// TestJobsOfOneNameAreToldApart: each is found by its key and no other, and shown with no more
// than it takes to tell it from the others that are there.
func TestJobsOfOneNameAreToldApart(t *testing.T) {
	pod := func(name, owner, id, group string) *model.Pod {
		return &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Owner: owner, OwnerID: id,
			Group: group, Spec: &model.Spec{}}
	}
	c := newCluster()
	version := uint64(0)
	tell := func(name string, o model.Object) {
		version++
		c.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: version,
			Object: o})
	}
	called := func(want ...string) {
		t.Helper()
		got := map[string]bool{}
		c.Jobs.Each(func(j JobID) bool {
			if found, ok := c.Jobs.Find(c.Job(j).Key); !ok || found != j {
				t.Errorf("job %+v is found as %d, want %d", c.Job(j).Key, found, j)
			}
			got[c.Jobs.Called(j)] = true
			return true
		})
		if len(got) != len(want) {
			t.Errorf("jobs are called %v, want %v", got, want)
		}
		for _, name := range want {
			if !got[name] {
				t.Errorf("jobs are called %v, want %s among them", got, name)
			}
		}
		for _, fault := range c.Audit() {
			t.Error(fault)
		}
	}
	tell("a", pod("a", "app", "Job.batch/j1", ""))
	tell("a2", pod("a2", "app", "Job.batch/j1", ""))
	called("ns/app")
	tell("b", pod("b", "app", "Job.batch.volcano.sh/v1", ""))
	called("ns/app (Job.batch)", "ns/app (Job.batch.volcano.sh)")
	tell("c", pod("c", "app", "Job.batch/j2", ""))
	called("ns/app (Job.batch j1)", "ns/app (Job.batch j2)", "ns/app (Job.batch.volcano.sh)")
	tell("app", pod("app", "", "", ""))
	tell("d", pod("d", "", "", "app"))
	called("ns/app", "ns/app (Pod)", "ns/app (Job.batch j1)", "ns/app (Job.batch j2)", "ns/app (Job.batch.volcano.sh)")
	for i, name := range []string{"a", "a2", "b", "d"} {
		version += uint64(i)
		c.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: version + 1})
	}
	called("ns/app (Pod)", "ns/app (Job.batch)")
	tell("app", nil)
	called("ns/app")
	if k := (JobKey{Owner: "Job.batch/j1"}); k.Kind() != "Job.batch" || k.UID() != "j1" ||
		fmt.Sprint(JobKey{}.Kind(), JobKey{}.UID()) != "" {
		t.Errorf("%+v is of kind %q with UID %q", k, k.Kind(), k.UID())
	}
}
