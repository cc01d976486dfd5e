package ledger

import (
	"cmp"

	"ashlar.sh/sched/model"
)

// Deadline is when the controller of a job ends it, whether its pods run or wait, in nanoseconds since the epoch; 0
// where it does not, as far as is known.
func (js *Jobs) Deadline(j JobID) int64 {
	job := &js.rows[j]
	if job.Group != nil && job.Group.JobEnds != 0 {
		return job.Group.JobEnds
	}
	if job.definer == NoTask {
		return 0
	}
	p := js.l.Tasks.rows[job.definer].Pod
	t := p.Rare()
	if t.JobLimit <= 0 {
		return 0
	}
	return model.After(cmp.Or(t.JobSince, p.Created), t.JobLimit)
}

// lasts is how long members run that say nothing of it themselves, as their PodGroup says.
func lasts(g *model.PodGroup) int64 {
	if g == nil {
		return 0
	}
	guess, _ := g.Guess()
	return guess
}
