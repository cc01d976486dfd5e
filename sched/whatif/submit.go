package whatif

import (
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Submit has jobs come on a copy, given as the facts of their objects, and runs cycles, as long as they decide
// something. It calls see after each with what was decided; see must not keep what belongs to the engine, and
// returns false to end. A job that is there already, and what else has a name of theirs, stays as it is. The copy is
// left as it was.
func Submit(c *sched.Copy, now int64, jobs []model.Fact, see func(e *sched.Engine, cycle int, plan sched.Plan) bool) {
	defer c.Revert()
	e := c.Engine()
	c.Apply(Coming(e.Ledger(), jobs)...)
	for cycle := 1; ; cycle++ {
		plan := c.Decide(now)
		if !see(e, cycle, plan) || cycle == mostCycles {
			return
		}
		if !goesOn(plan) {
			return
		}
		c.CarryOut(plan)
	}
}

// Coming are the facts of jobs, and of what comes with them, that are not there yet.
func Coming(l *ledger.Ledger, jobs []model.Fact) (out []model.Fact) {
	for _, f := range jobs {
		if _, there := l.Fact(f.Ref); there {
			continue
		}
		if p, pod := f.Object.(*model.Pod); pod {
			if j, there := l.Jobs.Find(ledger.KeyOf(p)); there && (l.Job(j).Exists() || l.Job(j).Tasks > 0) {
				continue
			}
		}
		out = append(out, f)
	}
	return out
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
