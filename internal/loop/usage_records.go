package loop

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// firstRecord is what was estimated first for a job that waits.
type firstRecord struct {
	ledger.JobKey
	estimate.First
}

// mostFirsts is for how many jobs first estimates are kept: for those that have waited for longest.
const mostFirsts = 1 << 12

// The longest names that the API server takes.
const (
	longestName  = 253
	longestLabel = 63
)

func (r *firstRecord) sound() bool {
	return r.Namespace != "" && len(r.Namespace) <= longestLabel && r.Name != "" && len(r.Name) <= longestName &&
		len(r.Owner) <= 2*longestName && len(r.GroupUID) <= longestName && r.Made > 0 && r.By >= r.Made &&
		r.Earliest >= 0 && r.By != model.Never
}

func soundRuns(r *ledger.RunRecord) bool {
	ok := r.Namespace != "" && len(r.Namespace) <= longestLabel && len(r.User) <= longestLabel && r.Template != 0 &&
		len(r.Runs) >= 1 && len(r.Runs) <= 2
	for _, run := range r.Runs {
		ok = ok && run.Took > 0 && run.Ended > run.Took // it began after the epoch
	}
	return ok
}

// all is what is to be kept.
func (k *usageSaver) all() (out savedUsage) {
	l := k.l.engine.Ledger()
	if state := l.Usage.Saved(); state != nil {
		out.UsageState = *state
	}
	out.Runs, out.Firsts = l.Tasks.Runs.Saved(), k.l.background.estimates.saved()
	return out
}

// saved are the first estimates, of no more than mostFirsts jobs.
func (x *estimates) saved() (out []firstRecord) {
	l := x.l.engine.Ledger()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.firsts.Each(func(k ledger.JobKey, first estimate.First) {
		if j, there := l.Jobs.Find(k); there && l.Job(j).Exists() && l.Job(j).GroupUID() == first.GroupUID {
			out = append(out, firstRecord{k, first})
		}
	})
	slices.SortFunc(out, func(a, b firstRecord) int { return cmp.Or(cmp.Compare(a.Made, b.Made), a.Compare(b.JobKey)) })
	out = out[:min(len(out), mostFirsts)]
	slices.SortFunc(out, func(a, b firstRecord) int { return a.Compare(b.JobKey) })
	return out
}

// restore takes over what was estimated first, for jobs that are still the same.
func (x *estimates) restore(records []firstRecord) {
	l := x.l.engine.Ledger()
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range records {
		if j, there := l.Jobs.Find(r.JobKey); there && l.Job(j).Exists() && l.Job(j).GroupUID() == r.GroupUID {
			x.firsts.Recall(r.JobKey, r.First)
		}
	}
}
