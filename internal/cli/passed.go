package cli

import (
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/passed"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
)

// waitsBehind finds how long the jobs of a simulation waited behind others of their queue that came later. Of a trace
// the same is found from its table of jobs.
type waitsBehind struct {
	jobs  passed.Jobs
	found explain.WaitsBehind
}

// see takes in a cycle that has run. Where it binds no pod, no job is passed and none starts.
func (w *waitsBehind) see(c sim.Cycle, world *sim.World) {
	e := world.Engine()
	l, binds, last := e.Ledger(), false, ledger.NoJob
	for i := range c.Plan.Items {
		item := &c.Plan.Items[i]
		if item.Kind != sched.BindPod {
			continue
		}
		binds = true
		t, there := l.Tasks.Find(item.Pod)
		if !there {
			continue
		}
		if id := l.Task(t).Job; id != last && id != ledger.NoJob { // the pods of a job are bound together
			last = id
			if since := w.jobs.Since(l, id); since != 0 && !estimate.AwaitsStart(l.Job(id)) {
				w.waited(l.Job(id).Key, e.Now()-since)
				w.jobs.Forget(id)
			}
		}
	}
	if binds {
		w.jobs.Started(l, c.Plan.Items, e.Now())
		w.jobs.Note(l, e.Refusal)
	}
}

// waited notes how long a job waited behind others.
func (w *waitsBehind) waited(job ledger.JobKey, wait int64) {
	if wait <= 0 {
		return
	}
	w.found.Jobs++
	d, name := explain.Duration(wait), job.Namespace+"/"+job.Name
	if d > w.found.Longest || d == w.found.Longest && name < w.found.Job {
		w.found.Longest, w.found.Job = d, name
	}
}

// at is what was found at the end of a run, nil where no job was passed. Jobs that still wait have waited until then.
func (w *waitsBehind) at(end time.Duration, world *sim.World) *explain.WaitsBehind {
	e := world.Engine()
	w.jobs.Look(e.Ledger(), e.Refusal, func(id ledger.JobID, since int64) {
		if since != 0 {
			w.waited(e.Ledger().Job(id).Key, e.Now()+int64(end-world.Now())-since)
		}
	})
	if w.found.Jobs == 0 {
		return nil
	}
	return &w.found
}
