package whatif

import (
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Submit has jobs applied on a copy, and runs cycles, as long as they decide something; then one more, in which members
// above minimums are placed that were held back. It calls see after each with what was decided; see must not keep what
// belongs to the engine, and returns false to end. The copy is left as it was.
func Submit(c *sched.Copy, now int64, a Applied, see func(e *sched.Engine, cycle int, plan sched.Plan) bool) {
	defer c.Revert()
	e := c.Engine()
	c.Apply(a.Facts...)
	for cycle := 1; cycle <= mostCycles+1; cycle++ {
		plan := c.Decide(now)
		if !see(e, cycle, plan) || (!goesOn(plan) || cycle == mostCycles) && !c.PlaceHeldBack() {
			return
		}
		c.CarryOut(plan)
	}
}

// JobsOf are the jobs to which PodGroups and pods among facts belong.
func JobsOf(facts []model.Fact) map[ledger.JobKey]bool {
	out := map[ledger.JobKey]bool{}
	for _, f := range facts {
		switch o := f.Object.(type) {
		case *model.PodGroup:
			out[ledger.JobKey{Namespace: f.Ref.Namespace, Name: f.Ref.Name}] = true
		case *model.Pod:
			if o.Ours {
				out[ledger.KeyOf(o)] = true
			}
		}
	}
	return out
}
