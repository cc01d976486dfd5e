package story

import (
	"fmt"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/whatif"
)

// would lists what would make a job run, each of which the engine has tried on a copy.
var wouldVerb = verb{syntax: "would-run NAMESPACE/JOB", ask: would}

func would(s *stage, w *words) ([]string, error) {
	k, err := w.key()
	if err != nil {
		return nil, err
	}
	if _, err := s.report(); err != nil {
		return nil, err
	}
	c, err := s.world.Engine().Copy()
	if err != nil {
		return nil, err
	}
	jobs := c.Engine().Questions().JobsNamed(k.Namespace, k.Name)
	if len(jobs) == 0 {
		return nil, fmt.Errorf("there is no job %s", k)
	}
	found, waits := whatif.New(c, s.world.Engine().Now()).Job(c.Engine().Ledger().Job(jobs[0]).Key, whatif.Limits{})
	switch {
	case !waits:
		return []string{"it does not wait"}, w.end()
	case found.Soon > 0:
		return []string{"nothing: it starts in the next cycles"}, w.end()
	case len(found.Ways) == 0:
		return []string{"nothing was found"}, w.end()
	}
	var out []string
	for _, way := range found.Ways {
		out = append(out, explain.WayText(way))
	}
	return out, w.end()
}
