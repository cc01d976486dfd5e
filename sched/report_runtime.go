package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// jobRunTime is how long the members of a job run that have not finished: the longest of them. What is not known of one
// of them is not known of the job, and the source is the least certain one.
func (rp *reports) jobRunTime(id ledger.JobID) (out model.RunTime) {
	endless, unknown, first := false, false, true
	for status := range model.NumStatus {
		if status == model.Succeeded || status == model.Failed {
			continue
		}
		rp.e.l.Jobs.Tasks(id, status, func(t ledger.TaskID) bool { // order-free: maximums
			task := rp.e.l.Task(t)
			r := task.Pod.RunTime(rp.e.l.Jobs.GroupOf(task), rp.e.l.Tasks.Runs.Of(task), rp.e.session.Now)
			endless, unknown = endless || r.Limit == 0, unknown || r.Expected == 0
			out.Limit, out.Expected = max(out.Limit, r.Limit), max(out.Expected, r.Expected)
			if first || r.Source < out.Source {
				out.Source, first = r.Source, false
			}
			return true
		})
	}
	if endless {
		out.Limit = 0
	}
	if unknown {
		out.Expected = 0
	}
	return out
}
