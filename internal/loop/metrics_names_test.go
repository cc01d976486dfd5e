package loop

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// TestJobsOfOneNameHaveFiguresOfTheirOwn: two jobs that are called alike share no label.
func TestJobsOfOneNameHaveFiguresOfTheirOwn(t *testing.T) {
	l := cluster(t, 1, 0)
	spec := &model.Spec{Requests: resource.List{{Name: "cpu", Value: 100_000}, {Name: "pods", Value: 1}}}
	for i, id := range []string{"Job.batch/j1", "StatefulSet.apps/s1", "StatefulSet.apps/s1"} {
		name := string(rune('a' + i))
		l.engine.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: 1,
			Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Owner: "app", OwnerID: id,
				Spec: spec}})
	}
	l.engine.Decide(1)
	l.metrics.ofJobs.figures(l)
	for name, want := range map[string]float64{"app (Job.batch)": 1, "app (StatefulSet.apps)": 2} {
		if got, there := sum(t, l, "volcano_unschedule_task_count", "job_id", name); !there || got != want {
			t.Errorf("%v pods of %s wait by the metric, want %v", got, name, want)
		}
	}
}
