package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/plugins/conformance"
	"ashlar.sh/sched/plugins/pdb"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// DeletionRefusals is for what deletes pods and is no action. It says of each pod of a job why it may not be deleted;
// the zero Reason of a pod that may. The pods are judged in order, each together with those before it that may go, so
// that a disruption budget is spent once. In addition to the profile's guards it asks those of
// critical pods and of disruption budgets, configured or not.
func (e *Engine) DeletionRefusals(pods []ledger.Key) []trace.Reason {
	e.l.ExtendDims()
	guards := []policy.Guard{always(conformance.Definition(), e.l), always(pdb.Definition(), e.l)}
	out := make([]trace.Reason, len(pods))
	var unit policy.Unit
	for i, key := range pods {
		t, ok := e.l.Tasks.Find(key)
		if !ok || e.l.Task(t).Job == ledger.NoJob {
			out[i] = trace.Reason{Code: trace.VictimBusy}
			continue
		}
		if !e.l.Tasks.MayBeEvicted(t) {
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
			out[i] = e.policy.Eviction.GuardRefusal(unit)
		}
		if out[i].Is() {
			unit.Tasks = unit.Tasks[:len(unit.Tasks)-1]
		}
	}
	return out
}

// always returns a guard that no profile has to name. It counts anew from the ledger.
func always(d policy.Definition, l *ledger.Ledger) policy.Guard {
	p, err := d.New(policy.Choice{}, l)
	if err != nil {
		panic(err) // it takes no arguments
	}
	return p.(policy.Guard)
}
