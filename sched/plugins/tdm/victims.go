package tdm

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Preemptable permits preemptable pods outside the zones as victims for a pod that may not be evicted itself
// (volcano.sh/preemptable: "false"), so many of a job as its budget allows. So no victim evicts its preemptor in turn.
// Pods in a zone are no victims: they leave when its hours are over.
func (p *plugin) Preemptable(c policy.Preemptor, u policy.Unit) policy.Opinion {
	if p.preemptable(c.Job) || p.l.Tasks.MayBeEvicted(c.Task) || p.l.Class(p.l.Task(c.Task).Class).Spec.Revocable {
		return refuse(trace.Reason{Code: trace.VictimForKept})
	}
	for _, t := range u.Tasks {
		task := p.l.Task(t)
		if task.Node == ledger.NoNode {
			continue
		}
		if name, in := zoneOf(p.l.Node(task.Node).Fact); in {
			return refuse(trace.Reason{Code: trace.VictimOutOfZone, Task: task.Key.String(), Text: "it runs in zone " + name})
		}
	}
	if most := p.evictable(u.Job); len(u.Tasks) > most {
		return refuse(trace.Reason{Code: trace.VictimBudget, Text: "of its PodGroup", Have: most, Need: len(u.Tasks)})
	}
	return policy.Opinion{Vote: policy.Permit}
}

func refuse(r trace.Reason) policy.Opinion { return policy.Opinion{Vote: policy.Reject, Reason: r} }

// evictable is how many running members of a job may be evicted now: what its budget leaves, and one for a
// job without a budget.
func (p *plugin) evictable(j ledger.JobID) int {
	job := p.l.Job(j)
	running := job.By[model.Running]
	alive := job.Tasks - job.By[model.Succeeded] - job.By[model.Failed]
	switch g := job.Group; {
	case g != nil && g.MinAvailable != nil:
		return int(max(0, running-g.MinAvailable.Of(job.Tasks)))
	case g != nil && g.MaxUnavailable != nil:
		return int(max(0, g.MaxUnavailable.Of(job.Tasks)-(alive-running)))
	default:
		return 1
	}
}

// Deschedule picks, once a period, the preemptable pods on nodes of zones that are closed:
// of every job as many as may be spared, the last in the order of names first.
func (p *plugin) Deschedule(yield func(t ledger.TaskID, reason string) bool) {
	if p.l.Rounds.Get(Name)+p.period > p.now {
		return
	}
	found := p.overstaying()
	if len(found) == 0 {
		return
	}
	p.l.Rounds.Set(Name, p.now)
	job, left := ledger.NoJob, 0
	for _, t := range found {
		task := p.l.Task(t)
		if task.Job != job {
			job, left = task.Job, p.evictable(task.Job)
		}
		if left == 0 {
			continue
		}
		left--
		name, _ := zoneOf(p.l.Node(task.Node).Fact)
		if !yield(t, "zone "+name+" is to be given back") {
			return
		}
	}
}

// overstaying lists the pods that have to leave the closed zones, job by job.
func (p *plugin) overstaying() (out []ledger.TaskID) {
	p.l.Nodes.Present(func(n ledger.NodeID) bool {
		name, in := zoneOf(p.l.Node(n).Fact)
		if !in || p.open(name) {
			return true
		}
		p.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
			task := p.l.Task(t)
			if task.Status == model.Running && task.Job != ledger.NoJob && p.l.Tasks.MayBeEvicted(t) &&
				task.Commitment.Kind == ledger.NoCommit {
				out = append(out, t)
			}
			return true
		})
		return true
	})
	slices.SortFunc(out, func(a, b ledger.TaskID) int {
		x, y := p.l.Task(a), p.l.Task(b)
		if x.Job != y.Job {
			return p.l.Job(x.Job).Key.Compare(p.l.Job(y.Job).Key)
		}
		return cmp.Or(cmp.Compare(x.Order, y.Order), y.Key.Compare(x.Key))
	})
	return out
}
