package whatif

import (
	"slices"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Step is what one plan means for a job.
type Step struct {
	Starts bool     // it binds pods of the job; or lets it in, where it has no pods yet
	Evicts []string // the pods that it evicts for the job, namespace/name
	// GoesOn says that the plan changes something, so that the next cycle may start the job: also where it is something
	// of other jobs alone, which may leave more room than they take, or let a job pass that waited for them.
	GoesOn bool
}

// Look says what a plan, which the engine has just decided, means for a job.
func Look(e *sched.Engine, k ledger.JobKey, plan sched.Plan) (out Step) {
	l := e.Ledger()
	of := func(pod ledger.Key) bool {
		t, there := l.Tasks.Find(pod)
		return there && l.Task(t).Job != ledger.NoJob && l.Job(l.Task(t).Job).Key == k
	}
	out.GoesOn = goesOn(plan)
	for _, i := range plan.Items {
		switch i.Kind {
		case sched.BindPod:
			out.Starts = out.Starts || of(i.Pod)
		case sched.EvictPod:
			if of(i.Preemptor) {
				out.Evicts = append(out.Evicts, i.Pod.String())
			}
		case sched.SetPhase:
			if k == (ledger.JobKey{Namespace: i.Group.Namespace, Name: i.Group.Name}) {
				id, _ := l.Jobs.Find(k)
				out.Starts = out.Starts || i.Phase == model.GroupInqueue && l.Job(id).Tasks == 0
			}
		}
	}
	return out
}

// goesOn says that a plan changes something. A name of a node that room was freed on for a pod changes nothing.
func goesOn(plan sched.Plan) bool {
	return slices.ContainsFunc(plan.Items, func(i sched.Item) bool { return i.Kind != sched.NominatePod })
}
