package loop

import (
	"slices"

	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// leftOut is the set of jobs that make the engine panic. Their PodGroups, and waiting pods without a
// PodGroup, are marked as set aside before the engine gets them: they keep what they hold, get nothing
// more, and their statuses say why.
type leftOut struct{ jobs map[ledger.JobKey]bool }

const blamed = "deciding about it made the scheduler panic, which is a bug in ashlar; it is set aside until the " +
	"scheduler is started again"

// mark marks a fact of a job that is set aside.
func (a *leftOut) mark(f model.Fact) model.Fact { return marked(f, a.jobs) }

func marked(f model.Fact, jobs map[ledger.JobKey]bool) model.Fact {
	if len(jobs) == 0 {
		return f
	}
	job, ok := jobOf(f)
	if !ok || !jobs[job] {
		return f
	}
	fault := model.Fault{Field: "metadata.name", Message: blamed, Fatal: true}
	switch o := f.Object.(type) {
	case *model.PodGroup:
		g := *o
		g.Faults = append(slices.Clone(g.Faults), fault)
		f.Object = &g
	case *model.Pod:
		if o.Node == "" {
			p := *o
			p.Faults = append(slices.Clone(p.Faults), fault)
			f.Object = &p
		}
	}
	return f
}

// jobOf is the job that a PodGroup or a pod of ours belongs to.
func jobOf(f model.Fact) (ledger.JobKey, bool) {
	switch o := f.Object.(type) {
	case *model.PodGroup:
		return ledger.JobKey{Namespace: o.Namespace, Name: o.Name}, true
	case *model.Pod:
		if o.Ours {
			return ledger.KeyOf(o), true
		}
	}
	return ledger.JobKey{}, false
}

// feed gives an engine all known facts, with those jobs marked as set aside.
func (a *leftOut) feed(e *sched.Engine, s recording.State) { feed(e, s, a.jobs) }

func feed(e *sched.Engine, s recording.State, jobs map[ledger.JobKey]bool) {
	for _, f := range s.Facts {
		e.Apply(marked(f, jobs))
	}
	e.Restore(s.Commitments)
}

// blame finds by bisection the one job without which a cycle does not panic, and sets it aside; false
// when a cycle does not panic as it is, or when no single job is the cause.
func (a *leftOut) blame(s recording.State, fresh func() *sched.Engine) (ledger.JobKey, bool) {
	panics := func(without []ledger.JobKey) bool {
		jobs := map[ledger.JobKey]bool{}
		for k := range a.jobs {
			jobs[k] = true
		}
		for _, k := range without {
			jobs[k] = true
		}
		return !survives(func() {
			e := fresh()
			feed(e, s, jobs)
			e.Decide(s.Now)
			e.Report() // what is told is made of the same reasons
		})
	}
	suspects := jobsOf(s.Facts, a.jobs)
	if len(suspects) == 0 || !panics(nil) || panics(suspects) {
		return ledger.JobKey{}, false
	}
	for len(suspects) > 1 {
		half := suspects[:len(suspects)/2]
		if panics(half) {
			half = suspects[len(suspects)/2:]
		}
		suspects = half
	}
	for range 2 { // a panic that does not come every time has no single job as its cause
		if panics(suspects) || !panics(nil) {
			return ledger.JobKey{}, false // or two jobs together are the cause
		}
	}
	if a.jobs == nil {
		a.jobs = map[ledger.JobKey]bool{}
	}
	a.jobs[suspects[0]] = true
	return suspects[0], true
}

// jobsOf are the jobs in those facts that are not set aside, sorted.
func jobsOf(facts []model.Fact, without map[ledger.JobKey]bool) (out []ledger.JobKey) {
	seen := map[ledger.JobKey]bool{}
	for _, f := range facts {
		if job, ok := jobOf(f); ok && !seen[job] && !without[job] {
			seen[job] = true
			out = append(out, job)
		}
	}
	slices.SortFunc(out, ledger.JobKey.Compare)
	return out
}
