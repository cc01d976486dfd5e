package gang_test

import (
	"testing"

	"ashlar.sh/sched/policy"
)

// Seed 002, §3.1.
func TestAJobStarvesWhileItsMinimumLacksPlacesAndPromises(t *testing.T) {
	for name, c := range map[string]struct {
		min  int32
		m    members
		want bool
		role bool // it asks for one ps and two workers
	}{
		"nobody has a place":   {2, members{pending: of(2, "")}, true, false},
		"one place is missing": {2, members{running: of(1, ""), pending: of(1, "")}, true, false},
		"the minimum runs":     {2, members{running: of(2, ""), pending: of(5, "")}, false, false},
		"a promise is enough":  {2, members{running: of(1, ""), promised: of(1, "")}, false, false},
		"members that succeeded count": {2, members{running: of(1, ""), succeeded: of(1, ""), pending: of(1, "")},
			false, false},
		"members that ask for nothing still lack": {2, members{running: of(1, ""), empty: of(1, "")}, true, false},
		"leaving and failed members do not count": {2, members{running: of(1, ""), leaving: of(1, ""), failed: of(1, "")},
			true, false},
		"nobody is needed":     {0, members{pending: of(3, "")}, false, false},
		"a role lacks a place": {3, members{running: of(3, "worker"), pending: of(1, "ps")}, true, true},
		"a role has a promise": {3, members{running: of(2, "worker"), promised: of(1, "ps")}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newCluster(t)
			roles := trainer
			if !c.role {
				roles = nil
			}
			if got := cl.p.Starving(cl.job("job", c.min, roles, c.m)); got != c.want {
				t.Errorf("Starving = %v, want %v", got, c.want)
			}
		})
	}
}

// Two jobs that both have their minimum must not take each other's surplus in turn.
func TestAGangDoesNotJudgeSurplusOfOthers(t *testing.T) {
	c := newCluster(t)
	if o := c.p.Preemptable(policy.Preemptor{Extra: true}, policy.Unit{}); o.Vote != policy.Abstain {
		t.Errorf("Preemptable, for more than a minimum: vote %d, want none", o.Vote)
	}
	if o := c.p.Reclaimable(policy.Preemptor{Extra: true}, policy.Unit{}); o.Vote != policy.Abstain {
		t.Errorf("Reclaimable, for more than a minimum: vote %d, want none", o.Vote)
	}
}

// Decision 12.
func TestAGangGivesItsSurplusAndHasNoOpinionOfWholes(t *testing.T) {
	c := newCluster(t)
	for whole, want := range map[bool]policy.Vote{false: policy.Permit, true: policy.Abstain} {
		u := policy.Unit{Whole: whole}
		if o := c.p.Preemptable(policy.Preemptor{}, u); o.Vote != want {
			t.Errorf("Preemptable, whole %v: vote %d, want %d", whole, o.Vote, want)
		}
		if o := c.p.Reclaimable(policy.Preemptor{}, u); o.Vote != want {
			t.Errorf("Reclaimable, whole %v: vote %d, want %d", whole, o.Vote, want)
		}
	}
}
