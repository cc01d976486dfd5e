package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/plugins/conformance"
	"ashlar.sh/sched/plugins/pdb"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Guarded says why pods of one job that somebody other than an action wants to delete have to
// stay; the zero Reason of one that may go. They are asked for one after the other, each
// together with those before it that may, so that a disruption budget is spent once. Besides
// the guards of the profile those of the cluster's own pods and of disruption budgets are
// asked, configured or not.
func (e *Engine) Guarded(pods []ledger.Key) []trace.Reason {
	e.l.Settle()
	guards := []policy.Guard{always(conformance.Definition(), e.l), always(pdb.Definition(), e.l)}
	out := make([]trace.Reason, len(pods))
	var unit policy.Unit
	for i, key := range pods {
		t, ok := e.l.FindTask(key)
		if !ok || e.l.Task(t).Job == ledger.NoJob {
			out[i] = trace.Reason{Code: trace.VictimBusy}
			continue
		}
		if !e.l.MayBeEvicted(t) {
			out[i] = trace.Reason{Code: trace.VictimKept}
			continue
		}
		unit.Job = e.l.Task(t).Job
		unit.Queue = e.l.Job(unit.Job).Queue
		unit.Tasks = append(unit.Tasks, t)
		for _, g := range guards {
			if o := g.GuardUnit(unit); o.Vote == policy.Reject && !out[i].Is() {
				out[i] = o.Reason
			}
		}
		if !out[i].Is() {
			out[i] = e.policy.Guarded(unit)
		}
		if out[i].Is() {
			unit.Tasks = unit.Tasks[:len(unit.Tasks)-1]
		}
	}
	return out
}

// always is a guard that no profile has to name. It counts from the ledger, once.
func always(d policy.Definition, l *ledger.Ledger) policy.Guard {
	p, err := d.New(policy.Choice{}, l)
	if err != nil {
		panic(err) // it takes no arguments
	}
	return p.(policy.Guard)
}
