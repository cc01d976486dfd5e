package sched

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

// standing is a job of so many members by status; those that leave are on a node.
func standing(phase model.GroupPhase, least int32, by map[model.Status]int32) *ledger.Job {
	j := &ledger.Job{Group: &model.PodGroup{}, MinMember: least, Phase: phase}
	for s, n := range by {
		j.By[s] = n
		j.Tasks += n
	}
	j.Leaving = by[model.Releasing]
	return j
}

// Where a job stands by its members, from any phase where none is said.
func TestAPhaseFollowsFromMembers(t *testing.T) {
	const (
		pending   = model.GroupPending
		inqueue   = model.GroupInqueue
		running   = model.GroupRunning
		unknown   = model.GroupUnknown
		completed = model.GroupCompleted
	)
	every := []model.GroupPhase{pending, inqueue, running, unknown, completed}
	type by = map[model.Status]int32
	for name, c := range map[string]struct {
		from  []model.GroupPhase
		least int32
		by    by
		want  model.GroupPhase
	}{
		"its minimum runs":                    {every, 2, by{model.Running: 2}, running},
		"its minimum is bound":                {every, 2, by{model.Bound: 1, model.Running: 1}, running},
		"a surplus member waits":              {every, 2, by{model.Running: 2, model.Pending: 1}, running},
		"some run and one is missing":         {every, 3, by{model.Running: 2}, unknown},
		"some run and one waits":              {every, 3, by{model.Running: 2, model.Pending: 1}, unknown},
		"some run and one failed":             {every, 3, by{model.Running: 2, model.Failed: 1}, unknown},
		"some run and one succeeded":          {every, 3, by{model.Running: 2, model.Succeeded: 1}, running},
		"one is leaving, and is not lost yet": {every, 3, by{model.Running: 2, model.Releasing: 1}, running},
		"one is leaving and one is lost":      {every, 4, by{model.Running: 2, model.Releasing: 1}, unknown},
		"another for the one that is lost is being bound": {[]model.GroupPhase{running}, 3,
			by{model.Running: 2, model.Binding: 1}, running},
		"that was Unknown meanwhile": {[]model.GroupPhase{unknown}, 3,
			by{model.Running: 2, model.Binding: 1}, unknown},
		"that failed, and another is being bound": {
			every, 3, by{model.Running: 2, model.Failed: 1, model.Binding: 1}, running},
		"it is being bound": {[]model.GroupPhase{inqueue}, 3, by{model.Binding: 3}, inqueue},
		"it is being bound, and the first runs": {[]model.GroupPhase{inqueue}, 3,
			by{model.Binding: 2, model.Running: 1}, inqueue},
		"a binding failed before any ran": {[]model.GroupPhase{inqueue, pending}, 3,
			by{model.Bound: 2, model.Pending: 1}, inqueue},
		"one was lost before any ran": {[]model.GroupPhase{running, unknown}, 3,
			by{model.Bound: 2, model.Pending: 1}, unknown},
		"all have ended":                                    {every, 2, by{model.Succeeded: 1, model.Failed: 1}, completed},
		"what is left of it has ended":                      {every, 4, by{model.Succeeded: 1}, completed},
		"all that was started has ended, and another waits": {every, 1, by{model.Failed: 1, model.Pending: 1}, inqueue},
		"all are leaving":                                   {every, 2, by{model.Releasing: 2}, running},
		"the last is leaving": {[]model.GroupPhase{running}, 2,
			by{model.Releasing: 1}, running},
		"the last is leaving, others are made already": {[]model.GroupPhase{unknown}, 2,
			by{model.Releasing: 1, model.Pending: 2}, unknown},
		"all are lost": {[]model.GroupPhase{pending, running, unknown}, 2, by{}, pending},
		"all are lost, and others are made already": {[]model.GroupPhase{pending, running, unknown, completed}, 2,
			by{model.Pending: 2}, pending},
		"it is let in and has no pods":    {[]model.GroupPhase{inqueue}, 2, by{}, inqueue},
		"it is let in and waits for room": {[]model.GroupPhase{inqueue}, 2, by{model.Pending: 2}, inqueue},
		"it needs none, has none, and was let in": {[]model.GroupPhase{inqueue, running, unknown, completed},
			0, by{}, completed},
		"it needs none, has none, and was not let in": {[]model.GroupPhase{pending}, 0, by{}, pending},
		"it needs none, and the first comes": {[]model.GroupPhase{completed, running}, 0,
			by{model.Pending: 1}, pending},
		"it was over, and those that have ended are deleted": {[]model.GroupPhase{completed}, 2, by{}, completed},
	} {
		for _, from := range c.from {
			if got := nextPhase(standing(from, c.least, c.by)); got != c.want {
				t.Errorf("%s: from %v it is %v, want %v", name, from, got, c.want)
			}
		}
	}
}

// An engine made anew looks at every job once: that gives no other phase.
func TestAPhaseStandsUntilAMemberMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by := map[model.Status]int32{}
		for s := range model.NumStatus {
			by[s] = int32(rapid.IntRange(0, 2).Draw(t, "members"))
		}
		j := standing(model.GroupPhase(rapid.IntRange(0, 4).Draw(t, "phase")),
			int32(rapid.IntRange(0, 4).Draw(t, "least")), by)
		was := j.Phase
		j.Phase = nextPhase(j)
		if again := nextPhase(j); again != j.Phase {
			t.Fatalf("%v of %d with %v is %v, and then %v", was, j.MinMember, j.By, j.Phase, again)
		}
	})
}
