package readapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// start is the parameter of a plan that asks when jobs start that do not start at once, and says how long the client
// waits for it.
const start = "start"

// mostAhead is how many jobs of a plan are looked ahead for.
const mostAhead = 10

// lookout is how long a client waits for what takes longer than a cycle; 0: it does not ask for it.
type lookout struct{ start, wouldRun time.Duration }

func wantsAhead(r *http.Request) (out lookout, err error) {
	if out.start, err = patience(r, start); err == nil {
		out.wouldRun, err = patience(r, wouldRun)
	}
	return out, err
}

// foresight is what was found of jobs that do not start at once.
type foresight struct {
	Foreseen
	course      // of the run by which each of them starts
	left   int  // jobs that were not looked ahead for
	cut    bool // what would make jobs run was not looked for to the end
}

// lookAhead finds when jobs start that do not start within the next cycles, and what would make them run; nil where
// there are none.
func (p *planning) lookAhead(ctx context.Context, foresee Foresee, within lookout) (*foresight, error) {
	wanted := p.undecided()
	if len(wanted) == 0 {
		return nil, nil
	}
	out := &foresight{left: max(0, len(wanted)-mostAhead)}
	wanted = wanted[:len(wanted)-out.left]
	ctx, cancel := context.WithTimeout(ctx, min(within.start+within.wouldRun, longestWait))
	defer cancel()
	var runs [2]course // by limits, by guesses
	var err error
	out.Foreseen, err = foresee(ctx, Foresight{Jobs: wanted, Starts: within.start > 0, WouldRun: within.wouldRun,
		See: func(guess bool, e *sched.Engine, at int64, plan sched.Plan) {
			to := &runs[0]
			if guess {
				to = &runs[1]
			}
			to.note(e, plan, func(k ledger.JobKey) bool { return slices.Contains(wanted, k) },
				time.Duration(model.Between(p.At.UnixNano(), at)))
		}})
	if err != nil {
		return nil, err
	}
	for _, w := range out.WouldRun { // order-free: any
		out.cut = out.cut || w.Cut
	}
	for _, k := range wanted {
		run := &runs[0]
		if out.Starts != nil && out.Starts.Jobs[k].Latest == 0 {
			run = &runs[1]
		}
		out.take(k, run)
	}
	return out, nil
}

// take takes over what a run did for a job.
func (f *foresight) take(k ledger.JobKey, from *course) {
	shown := ""
	for _, b := range from.bound {
		if b.job == k {
			shown = b.job.Namespace + "/" + b.shown
			f.bound = append(f.bound, b)
		}
	}
	for _, e := range from.evicted {
		if e.why.PreemptorJob == shown {
			f.evicted = append(f.evicted, e)
		}
	}
}

// undecided are the jobs that neither start in the next cycles, nor run, nor can never run.
func (p *planning) undecided() (out []ledger.JobKey) {
	for i := range p.first.Jobs {
		j := &p.first.Jobs[i]
		if k := j.Key(); j.Reason.Is() && j.Reason.Never == nil && !j.HasMinimum() &&
			!slices.ContainsFunc(p.bound, func(b boundPod) bool { return b.job == k }) {
			out = append(out, k)
		}
	}
	return out
}

// starts writes into jobs when they start, without names that the user may not see.
func (f *foresight) starts(v *view, jobs []sched.JobReport) {
	if f == nil || f.Starts == nil {
		return
	}
	for i := range jobs {
		if is, known := f.Starts.Jobs[jobs[i].Key()]; known {
			v.hideInStart(&is, jobs[i].Queue)
			jobs[i].Start = is
		}
	}
}

// ways adds what would make jobs run, without names that the user may not see.
func (f *foresight) ways(v *view, jobs []sched.JobReport, out *explain.Plan) {
	for i := range jobs {
		j := &jobs[i]
		w, known := f.WouldRun[j.Key()]
		at := slices.IndexFunc(out.Jobs, func(p explain.PlannedJob) bool {
			return p.Namespace == j.Namespace && p.Name == cmp.Or(j.Shown, j.Name)
		})
		if known && at >= 0 {
			out.Jobs[at].Changes = explain.Changes(v.ways(w, j.Queue))
		}
	}
	if f.left > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("when jobs start that wait, and what would make them run, was looked for "+
			"for the first %d of them: not for the other %d", mostAhead, f.left))
	}
	if f.cut {
		out.Notes = append(out.Notes, "what would make jobs run was not looked for to the end: more may do")
	}
}
