package sched

import (
	"strings"
	"testing"

	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// A scheduler that takes over at the tenth second does not know what was evicted before: a cap counts as
// spent until the seventieth, and the reason says why. An engine made anew, whether by commitments or by what
// was noted before a panic, knows the same; one in another process begins its minute anew.
func TestACapHoldsOverRestarts(t *testing.T) {
	const second = int64(1e9)
	for name, anew := range map[string]func(s *stage){
		"the same engine":               func(*stage) {},
		"an engine made by commitments": func(s *stage) { s.restart() },
		"an engine made after a panic": func(s *stage) {
			facts, noted := s.e.Facts(), s.e.LastCheckpoint()
			s.e = engine(t, s.e.profile)
			s.e.Apply(facts...)
			s.e.Restore(noted)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"allocate", "preempt"}, Tiers: [][]policy.Choice{
				{{Plugin: "priority"}, {Plugin: "gang"},
					{Plugin: "evictioncap", Arguments: policy.Arguments{"max-per-minute": "1"}}},
				{{Plugin: "predicates"}},
			}})}
			s.queue("default")
			s.node("a", 2)
			s.pod("small", running("a"))
			s.pod("large", priority(9))
			s.e.EvictionsKnownFrom(10 * second)
			s.e.Checkpoint()
			plan, _, next := s.e.Decide(20 * second)
			s.e.Checkpoint()
			if n := evictions(plan); n != 0 || next != 70*second {
				t.Errorf("at 20 s it evicts %d pods and decides again at %d, want none, and at 70 s", n, next)
			}
			if r := s.whyNoVictims("large"); len(r.Nodes) != 1 || r.Nodes[0].Code != trace.VictimCapped ||
				!strings.Contains(r.Nodes[0].Text, "before this scheduler's start") {
				t.Errorf("the pods that are no victims are %+v, want one by a cap of which it is not known what is left", r.Nodes)
			}
			anew(s)
			if held := s.e.Commitments(); held.PastEvictionsFrom != 10*second {
				t.Errorf("evictions are known from %d, want 10 s", held.PastEvictionsFrom)
			}
			if plan, _, _ = s.e.Decide(70*second - 1); evictions(plan) != 0 {
				t.Error("it evicts before what counts is known")
			}
			if plan, _, _ = s.e.Decide(70 * second); evictions(plan) != 1 {
				t.Errorf("when all is known it evicts %d pods, want 1", evictions(plan))
			}
			if held := s.e.Commitments(); held.PastEvictionsFrom != 0 || len(held.PastEvictions) != 1 {
				t.Errorf("then it remembers %+v, want the eviction and that all are known", held)
			}
		})
	}
}

// An engine that is told nothing knows that nothing was evicted: its first cycle may evict.
func TestAnEngineThatIsToldNothingMayEvictAtOnce(t *testing.T) {
	s := newStage(t, "allocate", "preempt")
	s.queue("default")
	s.node("a", 2)
	s.pod("small", running("a"))
	s.pod("large", priority(9))
	if plan, _, _ := s.e.Decide(1); evictions(plan) != 1 {
		t.Errorf("it evicts %d pods, want 1", evictions(plan))
	}
	if held := s.e.Commitments(); held.PastEvictionsFrom != 0 {
		t.Errorf("evictions are known from %d, want that all are", held.PastEvictionsFrom)
	}
}

func evictions(p Plan) (n int) {
	for _, i := range p.Items {
		if i.Kind == EvictPod {
			n++
		}
	}
	return n
}
