package sched

import (
	"math"
	"testing"

	"ashlar.sh/sched/model"
)

// A victim that may take 68 years to end keeps the one it leaves for waiting for an hour: then
// the promise is over, and the pod takes room elsewhere or has others leave.
func TestANominationWaitsForNoGraceWithoutEnd(t *testing.T) {
	s := newStage(t, "allocate", "preempt")
	s.queue("default")
	s.node("a", 2)
	long := func(p *model.Pod) { p.Grace = math.MaxInt32 * second }
	s.pod("slow", running("a"), long)
	s.pod("high", priority(9))
	s.decides(0, "evict slow a", "nominate high a")
	s.pod("slow", running("a"), long, terminating)
	if s.next > 3700 {
		t.Errorf("it is to be asked again after %d s, want an hour and a minute at the most", s.next)
	}
	s.decides(3600)
	s.decides(3661, "nominate high")
	for _, c := range s.e.Commitments().Tasks {
		t.Errorf("after more than an hour it is still committed to %+v", c)
	}
}
