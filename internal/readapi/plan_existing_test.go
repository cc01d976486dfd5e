package readapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// ofWorker is a pod of a Volcano Job as the scheduler knows it.
func ofWorker(job string, i int, node string, phase model.Phase) *model.Pod {
	return &model.Pod{Meta: model.Meta{Namespace: "red", Name: fmt.Sprintf("%s-worker-%d", job, i),
		UID: fmt.Sprint(job, i), Created: 1}, Group: job + "-0f8fad5b-d9cb-469f-a165-70867728950e",
		Owner: job, OwnerID: "Job.batch.volcano.sh/u",
		Role: "worker", Index: int64(i), Node: node, Phase: phase, Ours: true, Scheduler: "volcano", Preemptable: true,
		Spec: &model.Spec{Requests: resource.List{{Name: resource.CPUName, Value: 1000},
			{Name: resource.PodsName, Value: 1}}}}
}

// A job that the scheduler knows is planned as its file would make it: what runs goes on, the PodGroup has what the
// file says, and nothing of it is left afterwards. What cannot be changed leaves the job as it is.
func TestAPlanOfAJobThatTheSchedulerKnows(t *testing.T) {
	for name, c := range map[string]struct {
		phases           []model.Phase // of pods that have a node
		members          int           // by the file
		queue, cpu, want string
		bound            int
	}{
		"a lower minimum": {[]model.Phase{model.PodRunning}, 2, "red", "1",
			`"minMember 2, now 4","minimum of task worker 2, now 4"],"refused":[]`, 1},
		"another queue": {[]model.Phase{model.PodRunning, model.PodRunning}, 3, "blue", "1",
			`"refused":["queue blue, now red"]`, 0},
		"another request": {[]model.Phase{model.PodRunning, model.PodRunning}, 3, "red", "2",
			`"refused":["cpu of its pods 2, now 1"]`, 0},
		"it has ended": {[]model.Phase{model.PodSucceeded, model.PodSucceeded}, 2, "red", "1", `"over":true`, 0},
		"its pods are not made yet": {nil, 2, "red", "1",
			`"exists":{"kind":"Volcano Job","pods":0,"running":0,"ended":0,"comes":2`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := busyWorld(t) // 3 of n1's 8 cores are free
			group := &model.PodGroup{Queue: "red", MinMember: 4, MinTaskMember: []model.RoleMin{{Role: "worker", Min: 4}},
				Meta: model.Meta{Namespace: "red", Name: "train-0f8fad5b-d9cb-469f-a165-70867728950e"}}
			w.decide(func() {
				w.put(model.KindPodGroup, "red", group.Name, group)
				for i, phase := range c.phases {
					p := ofWorker("train", i, "n1", phase)
					w.put(model.KindPod, "red", p.Name, p)
				}
			})
			s := served(w, people())
			file := strings.ReplaceAll(gangOf("red", c.queue, c.members, c.cpu, ""), "name: new", "name: train")
			for range 2 {
				code, got := submit[explain.Plan](t, s, "admin", file)
				bound := 0
				for _, j := range got.Jobs {
					for _, on := range j.StartsOn {
						bound += on.Pods
					}
				}
				if code != http.StatusOK || len(got.Jobs) != 1 || got.Jobs[0].Name != group.Name ||
					!strings.Contains(plain(got), c.want) || bound != c.bound {
					t.Errorf("%d, %d pods are bound, want %d with %s: %s", code, bound, c.bound, c.want, plain(got))
				}
			}
			for _, j := range w.engine.Report().Jobs {
				if j.Name == group.Name && j.MinMember != 4 || j.Name == "train" {
					t.Errorf("the engine has %+v", j)
				}
			}
		})
	}
}
