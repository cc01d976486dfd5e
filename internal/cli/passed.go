package cli

import (
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/passed"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// waitsBehind finds how long the jobs of a simulation waited behind others of their queue that came later. Of a trace
// the same is found from its table of jobs.
type waitsBehind struct {
	jobs  passed.Jobs
	since map[ledger.JobKey]int64 // of those that wait and are passed
	found explain.WaitsBehind
}

// see takes in a cycle that has run. Where it binds no pod, no job is passed and none starts.
func (w *waitsBehind) see(c sim.Cycle, world *sim.World) {
	binds := false
	for i := range c.Plan.Items {
		binds = binds || c.Plan.Items[i].Kind == sched.BindPod
	}
	if !binds {
		return
	}
	e := world.Engine()
	w.jobs.Started(e.Ledger(), c.Plan.Items, e.Now())
	w.look(e)
}

// look finds which jobs wait behind others now, and how long those did that no longer wait.
func (w *waitsBehind) look(e *sched.Engine) {
	l, waits := e.Ledger(), map[ledger.JobKey]int64{}
	w.jobs.Look(l, e.Refusal, func(id ledger.JobID, since int64) {
		if since != 0 {
			waits[l.Job(id).Key] = since
		}
	})
	for job, since := range w.since { // order-free: the longest, and a count
		_, waiting := waits[job]
		if _, there := l.Jobs.Find(job); there && !waiting {
			w.waited(job, e.Now()-since)
		}
	}
	w.since = waits
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
	w.look(e)
	for job, since := range w.since { // order-free: the longest, and a count
		w.waited(job, e.Now()+int64(end-world.Now())-since)
	}
	if w.found.Jobs == 0 {
		return nil
	}
	return &w.found
}
