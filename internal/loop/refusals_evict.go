package loop

import (
	"slices"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// trial has the evictions of one statement, and the binding that is tried before they are carried out.
type trial struct {
	job       ledger.JobID
	refused   *refused
	bind      sched.Item
	evictions []sched.Item
}

// evictOnTrial takes from a plan the evictions for jobs of which a binding was refused before, and has them carried out
// only if the API server would bind the pod now. Else each try to place the job would cost pods, though it cannot
// start. evictOnTrial returns the other items; none is lost if it panics.
func (rb *refusedBindings) evictOnTrial(items []sched.Item) []sched.Item {
	if len(rb.memory.by) == 0 {
		return items
	}
	rest, trials := items, []*trial(nil)
	rb.l.withoutPanic("looking for which jobs evictions are that were refused before", func() {
		others, found := rb.trials(items)
		rest, trials = others, found
	})
	for _, t := range trials {
		rb.l.executor.EvictOnTrial(t.bind, t.evictions)
	}
	return rest
}

// trials separates the evictions for jobs that were refused before from the other items.
func (rb *refusedBindings) trials(items []sched.Item) (rest []sched.Item, trials []*trial) {
	of := map[uint64]*trial{} // by statement
	for _, i := range items {
		t, known := of[i.Statement]
		if i.Kind == sched.EvictPod && !known {
			if t = rb.trialFor(i, items); t != nil {
				trials = append(trials, t)
			}
			of[i.Statement] = t
		}
		if i.Kind != sched.EvictPod || t == nil {
			rest = append(rest, i)
			continue
		}
		t.evictions = append(t.evictions, i)
	}
	return rest, trials
}

// trialFor returns the trial for the statement of an eviction; nil where no binding of the job was refused before.
func (rb *refusedBindings) trialFor(eviction sched.Item, items []sched.Item) *trial {
	led := rb.l.engine.Ledger()
	id, ok := led.Tasks.Find(eviction.Preemptor)
	if !ok || led.Task(id).Job == ledger.NoJob {
		return nil
	}
	t := &trial{job: led.Task(id).Job}
	job := led.Job(t.job)
	if t.refused = rb.memory.of(job); t.refused == nil {
		return nil
	}
	pod, ok := rb.suspect(job, t, eviction, items)
	if !ok {
		return nil
	}
	task := led.Task(pod)
	t.bind = sched.Item{Kind: sched.BindPod, Statement: eviction.Statement, Pod: task.Key, UID: task.Pod.UID,
		Node: eviction.Node}
	if task.Node != ledger.NoNode {
		t.bind.Node = led.Node(task.Node).Name
	}
	return t
}

// suspect returns the pod of which the binding is to be tried: one that was refused and gets room by the statement. Of
// a job below its minimum, which cannot start without the pod that was refused last, it is that pod wherever it goes,
// and where it is gone the one that the eviction is for: it may have been made in its place. A job that goes on without
// its refused pod may have pods evicted for others.
func (rb *refusedBindings) suspect(job *ledger.Job, t *trial, eviction sched.Item, items []sched.Item) (ledger.TaskID,
	bool) {
	led := rb.l.engine.Ledger()
	names := map[string]bool{t.refused.pod.Name: true}
	if p := rb.memory.jobs[job.Key]; p != nil {
		names = p.names
	}
	if !rb.complete(job) && rb.waitsIn(job, t.refused.pod) {
		return led.Tasks.Find(t.refused.pod)
	}
	n := slices.IndexFunc(items, func(i sched.Item) bool {
		id, ok := led.Tasks.Find(i.Pod)
		return i.Kind == sched.NominatePod && i.Node != "" && i.Statement == eviction.Statement && ok &&
			led.Task(id).Job == t.job && names[i.Pod.Name]
	})
	switch {
	case n >= 0:
		return led.Tasks.Find(items[n].Pod)
	case rb.complete(job):
		return ledger.NoTask, false
	default:
		return led.Tasks.Find(eviction.Preemptor)
	}
}
