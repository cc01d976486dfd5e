package story

import (
	"fmt"
	"reflect"
	"slices"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/session"
)

// twin holds an engine to the export law. It is an action that decides nothing: at the
// start of every cycle it makes a new engine from the facts and the commitments of the
// one it serves and lets that decide.
type twin struct {
	profile policy.Profile
	of      *sched.Engine
	plan    []sched.Item
	failed  error
}

// joins puts the twin in front of a profile's actions.
func (t *twin) joins(p policy.Profile) (policy.Profile, []sched.Option) {
	p.Actions = slices.Concat([]string{t.Name()}, p.Actions)
	return p, []sched.Option{sched.WithAction(t)}
}

// Name implements session.Action.
func (t *twin) Name() string { return "twin" }

// Execute implements session.Action.
func (t *twin) Execute(s *session.Session) {
	e, err := sched.New(t.profile)
	if t.failed = err; err != nil {
		return
	}
	e.Apply(t.of.Facts()...)
	e.Restore(t.of.Commitments())
	plan, _, _ := e.Decide(s.Now)
	t.plan = slices.Clone(plan.Items)
}

// compare says where a cycle's plan differs from the twin's.
func (t *twin) compare(c sim.Cycle) []string {
	if t.failed != nil {
		return []string{"export law: " + t.failed.Error()}
	}
	for i := range max(len(t.plan), len(c.Plan.Items)) {
		switch {
		case i >= len(t.plan):
			return []string{fmt.Sprintf("export law: only the first decided %+v", c.Plan.Items[i])}
		case i >= len(c.Plan.Items):
			return []string{fmt.Sprintf("export law: only the twin decided %+v", t.plan[i])}
		case !reflect.DeepEqual(t.plan[i], c.Plan.Items[i]):
			return []string{fmt.Sprintf("export law: decided %+v, the twin %+v", c.Plan.Items[i], t.plan[i])}
		}
	}
	return nil
}
