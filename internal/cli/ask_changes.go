package cli

import (
	"fmt"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/whatif"
)

// addStart adds to the answer when the job starts if nothing new comes.
func (p questions) addStart(a asked, s *situation, job ledger.JobID, answer *explain.Answer) error {
	end, now := p.Now().Add(a.search), s.engine.Now()
	starts, err := startsOf(s.engine, func() bool { return p.Now().After(end) })
	if err != nil {
		return badInput("error: copying the engine: " + err.Error())
	}
	if start, waits := starts.Jobs[s.engine.Ledger().Job(job).Key]; waits {
		answer.Start = explain.NewStart(&start, now)
	}
	return nil
}

// startsOf estimates when the jobs start that wait in an engine of which only the present is known. stop ends it.
func startsOf(e *sched.Engine, stop func() bool) (*estimate.Starts, error) {
	return estimate.Of(sched.CopiesOf(e), e.Now(), estimate.Options{Coarse: true, Graces: true, Stop: stop,
		Written: written, Freed: freed})
}

// addChanges adds to the answer about a job, or a pod of it, what would make the job run.
func (p questions) addChanges(a asked, s *situation, answer *explain.Answer) error {
	if a.search <= 0 || s.written != nil || s.engine == nil {
		return nil
	}
	job := ledger.NoJob
	switch a.kind {
	case "job":
		if id, _, err := s.find(a.name); err == nil {
			job = id
		}
	case "pod":
		if _, id, known := s.engine.Questions().Pod(s.namespace, a.name); known {
			job = id
		}
	}
	if job == ledger.NoJob || answer.Reason == nil {
		return nil
	}
	c, err := s.engine.Copy()
	if err != nil {
		return badInput("error: copying the engine: " + err.Error())
	}
	end := p.Now().Add(a.search)
	would, _ := whatif.New(c, s.engine.Now()).Job(s.engine.Ledger().Job(job).Key,
		whatif.Limits{Stop: func() bool { return p.Now().After(end) }})
	answer.Changes = explain.Changes(would)
	if err := p.addStart(a, s, job, answer); err != nil {
		return err
	}
	if would.Cut {
		answer.Notes = append(answer.Notes, fmt.Sprintf("what would make it run was looked for %v, and not to the end: "+
			"more may do (--would-run)", a.search))
	}
	return nil
}
