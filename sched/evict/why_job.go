package evict

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Why returns why no eviction helps a job: one reason for each of these actions that evicts for a job, in their
// order, each the Evicting of the one before; nil when the job is not one to evict for. It is computed when a
// reason is shown, once for all jobs with equal requests, and changes nothing.
func (e *Evictor) Why(j ledger.JobID, actions []session.Action) (first *trace.Reason) {
	if job := e.s.L.Job(j); !job.Admitted() || job.By[model.Pipelined] > 0 || !e.s.Policy.Eviction.Starving(j) {
		return nil
	}
	at := &first
	for _, a := range actions {
		evicting, is := a.(Action)
		if !is {
			continue
		}
		if r := e.whyNot(evicting.Options(), j); r.Is() {
			*at = &r
			at = &r.Evicting
		}
	}
	return first
}

// whyNot is why one action finds no victims for a job, unless it has answered for the same signature already.
func (e *Evictor) whyNot(o Options, j ledger.JobID) trace.Reason {
	tasks := preemptorTasks(e.s, j)
	if len(tasks) == 0 {
		return trace.Reason{}
	}
	g := e.search.SignatureOf(o, j, tasks)
	if search.HardTopology(e.s, j) {
		g.Own = j
	}
	r, known := e.why.Recall(e.s.Pending, g)
	if !known {
		r = e.whyNobody(o, j, tasks)
		if !e.search.result.forThisJobOnly {
			e.why.Remember(e.s.Pending, g, r)
		}
	}
	if r.Is() && g.Shared() { // the answer may be that of another job
		r.Task = e.s.L.Task(tasks[0]).Key.String()
	}
	return r
}

// whyNobody is why take finds no victims for a job, and changes nothing; it returns the zero Reason
// when take finds some. For a job with HardTopology it is about the domain that lacks least.
func (e *Evictor) whyNobody(o Options, j ledger.JobID, tasks []ledger.TaskID) (r trace.Reason) {
	switch {
	case !search.HardTopology(e.s, j):
		return e.search.Why(o, j, tasks)
	case o.Domains == 0:
		return trace.Reason{Code: trace.TopologyByGang, Text: o.Action}
	}
	search.EachHome(e.s, j, o.Domains, func(h *search.Home) bool {
		o.Home = h
		r = e.search.Why(o, j, tasks)
		return false
	})
	return r
}

// Cured says that an eviction could help a job that waits for this reason.
func Cured(c trace.Code) bool {
	switch c {
	case trace.GangIncomplete, trace.QueueOverused, trace.QueueDeserved, trace.QueueCapability:
		return true
	default:
		return c.OfNodes() && c != trace.NoNodes && c != trace.ResourceOfClass
	}
}
