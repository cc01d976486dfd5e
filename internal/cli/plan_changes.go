package cli

import (
	"fmt"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/whatif"
)

// planTries is what changes are tried on: the cluster after the first cycle, with the jobs in it.
type planTries struct {
	copies func() (*sched.Copy, error)
	now    int64
	jobs   map[[2]string]ledger.JobKey // by namespace and name as it is shown
}

func triesOf(e *sched.Engine, state *sched.Report) planTries {
	out := planTries{copies: sched.CopiesOf(e), now: e.Now(), jobs: map[[2]string]ledger.JobKey{}}
	for i := range state.Jobs {
		j := &state.Jobs[i]
		out.jobs[[2]string{j.Namespace, j.Shown}] = j.Key()
	}
	return out
}

// mostTried is how many jobs of a plan changes are tried for.
const mostTried = 10

// tryChanges adds to jobs that do not start what would make them run.
func (p planner) tryChanges(a planning, t planTries, out *explain.Plan) error {
	var waiting []*explain.PlannedJob
	for i := range out.Jobs {
		if j := &out.Jobs[i]; j.StartsAfter == nil && j.Reason != nil && j.State != explain.Starts {
			waiting = append(waiting, j)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	c, err := t.copies()
	if err != nil {
		return badInput("error: copying the engine: " + err.Error())
	}
	end := p.Now().Add(a.search)
	search, tried := whatif.New(c, t.now), 0
	for _, j := range waiting[:min(len(waiting), mostTried)] {
		if p.Now().After(end) {
			break
		}
		would, _ := search.Job(t.jobs[[2]string{j.Namespace, j.Name}],
			whatif.Limits{Stop: func() bool { return p.Now().After(end) }})
		if j.Changes = explain.Changes(would); !would.Cut {
			tried++
		}
	}
	if tried < len(waiting) {
		out.Notes = append(out.Notes, fmt.Sprintf("what would make jobs run that do not start was looked for to the end "+
			"for %d of %d: for %d at most, for %s together (--would-run)", tried, len(waiting), mostTried, a.search))
	}
	return nil
}
