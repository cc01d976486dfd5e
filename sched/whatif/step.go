package whatif

import (
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Step is what one plan means for a job.
type Step struct {
	Starts bool     // it binds pods of the job; or lets it in, where it has no pods yet
	GoesOn bool     // it makes room, opens gates, or lets the job in: the next cycle may start it
	Evicts []string // the pods that it evicts for the job, namespace/name
}

// Look says what a plan, which the engine has just decided, means for a job.
func Look(e *sched.Engine, k ledger.JobKey, plan sched.Plan) (out Step) {
	return look(e, func(of ledger.JobKey) bool { return of == k }, plan)
}

// look is Look for several jobs.
func look(e *sched.Engine, wanted func(ledger.JobKey) bool, plan sched.Plan) (out Step) {
	l := e.Ledger()
	of := func(pod ledger.Key) bool {
		t, there := l.Tasks.Find(pod)
		return there && l.Task(t).Job != ledger.NoJob && wanted(l.Job(l.Task(t).Job).Key)
	}
	for _, i := range plan.Items {
		switch i.Kind {
		case sched.BindPod:
			out.Starts = out.Starts || of(i.Pod)
		case sched.EvictPod:
			if of(i.For) {
				out.GoesOn = true
				out.Evicts = append(out.Evicts, i.Pod.String())
			}
		case sched.OpenGate:
			out.GoesOn = out.GoesOn || of(i.Pod)
		case sched.SetPhase:
			if k := (ledger.JobKey{Namespace: i.Group.Namespace, Name: i.Group.Name}); wanted(k) {
				id, _ := l.Jobs.Find(k)
				out.GoesOn = true
				out.Starts = out.Starts || i.Phase == model.GroupInqueue && l.Job(id).Tasks == 0
			}
		}
	}
	return out
}
