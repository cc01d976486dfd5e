package story

import (
	"fmt"
	"reflect"
	"slices"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/session"
)

// twin holds an engine to the export law: made anew from its facts and commitments it
// is the same engine. It is an action that decides nothing, put in front of the others:
// at the start of every cycle a new engine decides too, and the plans are compared. At
// the end of a cycle, when decisions are under way that no fact shows yet, a new engine
// must know of all of them and decide none a second time.
type twin struct {
	profile policy.Profile
	of      *sched.Engine
	plan    []sched.Item
	last    uint64 // the item planned last before the twin was made: what ended with the cycle's beginning
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
	e, err := t.anew()
	if t.failed = err; err != nil {
		return
	}
	t.last = t.of.Commitments().NextID
	plan, _, _ := e.Decide(s.Now)
	t.plan = slices.Clone(plan.Items)
}

// anew is an engine made from the facts and commitments of the one it is the twin of.
func (t *twin) anew() (*sched.Engine, error) {
	e, err := sched.New(t.profile)
	if err != nil {
		return nil, err
	}
	e.Apply(t.of.Facts()...)
	e.Restore(t.of.Commitments())
	return e, nil
}

// compare says what is wrong after a cycle, nil when nothing is.
func (t *twin) compare(c sim.Cycle) []string {
	if t.failed != nil {
		return []string{"export law: " + t.failed.Error()}
	}
	wrong := t.comparePlans(c.Plan.Items)
	e, err := t.anew()
	if err != nil {
		return append(wrong, "export law: "+err.Error())
	}
	held := t.of.Commitments()
	if got := e.Commitments(); !reflect.DeepEqual(got, held) {
		wrong = append(wrong, fmt.Sprintf("export law: it holds %+v, restored %+v", held, got))
	}
	plan, _, _ := e.Decide(int64(c.At) + 1)
	for _, i := range plan.Items {
		twice := slices.ContainsFunc(held.Tasks, func(t sched.TaskCommitment) bool {
			return t.Pod == i.Pod && t.Kind == ledger.CommitBind
		})
		if i.Kind == sched.BindPod && twice {
			wrong = append(wrong, fmt.Sprintf("export law: restored it binds %s a second time, to %s", i.Pod, i.Node))
		}
	}
	return wrong
}

func (t *twin) comparePlans(plan []sched.Item) []string {
	for len(plan) > 0 && plan[0].ID <= t.last {
		plan = plan[1:]
	}
	for i := range max(len(t.plan), len(plan)) {
		switch {
		case i >= len(t.plan):
			return []string{fmt.Sprintf("export law: only the first decided %+v", plan[i])}
		case i >= len(plan):
			return []string{fmt.Sprintf("export law: only the twin decided %+v", t.plan[i])}
		case !reflect.DeepEqual(t.plan[i], plan[i]):
			return []string{fmt.Sprintf("export law: decided %+v, the twin %+v", plan[i], t.plan[i])}
		}
	}
	return nil
}
