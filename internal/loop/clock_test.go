package loop

import (
	"testing"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

// A clock that is set, by hours and either way, as between a scheduler and the one that takes over:
// what was bound is not bound again, what comes is placed, and the engine asks for no cycle in a
// past or a future that never comes.
func TestAClockThatJumps(t *testing.T) {
	const noon = int64(1_700_000_000_000_000_000)
	for name, jump := range map[string]time.Duration{
		"a day ahead": 24 * time.Hour, "a day back": -24 * time.Hour, "an hour ahead": time.Hour, "an hour back": -time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"}, Tiers: [][]policy.Choice{
				{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "sla"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}}}})
			if err != nil {
				t.Fatal(err)
			}
			e.Apply(world("a", "b-adopted").Facts...)
			if bound := bindings(e, noon); len(bound) != 2 {
				t.Fatalf("bound are %v, want both jobs' pods", bound)
			}
			then := noon + int64(jump)
			if again := bindings(e, then); len(again) != 0 {
				t.Errorf("after the jump %v are bound again", again)
			}
			if held := e.Commitments().Tasks; len(held) != 2 {
				t.Errorf("%d bindings are promised after the jump, want the two that were not answered", len(held))
			}
			e.Apply(world("late").Facts[3:]...)
			if bound := bindings(e, then); len(bound) != 1 || bound[0] != "late" {
				t.Errorf("bound after the jump are %v, want the pod that came", bound)
			}
			if bound := bindings(e, noon); len(bound) != 0 {
				t.Errorf("when the clock is set right %v are bound again", bound)
			}
		})
	}
}

// bindings are the pods that a cycle binds.
func bindings(e *sched.Engine, now int64) (pods []string) {
	plan, _, next := e.Decide(now)
	if next != 0 && next < now {
		pods = append(pods, "a cycle in the past")
	}
	for _, i := range plan.Items {
		if i.Kind == sched.BindPod {
			pods = append(pods, i.Pod.Name)
		}
	}
	return pods
}
