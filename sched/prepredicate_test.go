package sched

import (
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// refuser refuses, before any node is asked, the tasks with a name that begins with "no-".
type refuser struct{ l *ledger.Ledger }

func (b refuser) PrePredicate(t ledger.TaskID) policy.Verdict {
	if strings.HasPrefix(b.l.Task(t).Key.Name, "no-") {
		return policy.Verdict{Code: trace.PrePredicateFailed, Text: "its name begins with no-"}
	}
	return policy.Verdict{}
}

func withRefuser(t *testing.T) *stage { return refusing(t, "allocate") }

func refusing(t *testing.T, actions ...string) *stage {
	t.Helper()
	e, err := New(policy.Profile{Actions: actions, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "refuser"}}, {{Plugin: "predicates"}, {Plugin: "nodeorder"}},
	}}, WithPlugin(policy.Definition{Name: "refuser", New: func(_ policy.Choice, l *ledger.Ledger) (any, error) {
		return refuser{l}, nil
	}}))
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, e: e}
	s.queue("default")
	s.node("a", 8)
	return s
}

func bound(p Plan) (names []string) {
	for _, i := range p.Items {
		if i.Kind == BindPod {
			names = append(names, i.Pod.Name)
		}
	}
	return names
}

// Decision 20: a task that PrePredicate refuses fails alone, while its gang's minimum is
// still possible.
func TestAGangGoesOnWithoutAMemberThatPrePredicateRefuses(t *testing.T) {
	s := withRefuser(t)
	s.tell(model.KindPodGroup, "ns", "g",
		&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"}, MinMember: 2})
	s.pod("no-1", member("g"), func(p *model.Pod) { p.Spec = &model.Spec{Requests: cpu(1, 1)} })
	s.pod("yes-1", member("g"))
	s.pod("yes-2", member("g"))
	plan, _, _ := s.e.Decide(0)
	if got := strings.Join(bound(plan), " "); got != "yes-1 yes-2" {
		t.Errorf("bound %q, want the two members that may be placed", got)
	}
}

func TestAGangWhoseMinimumNeedsARefusedMemberWaitsAndSaysWhy(t *testing.T) {
	s := withRefuser(t)
	s.tell(model.KindPodGroup, "ns", "g",
		&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"}, MinMember: 2})
	s.pod("no-1", member("g"), func(p *model.Pod) { p.Spec = &model.Spec{Requests: cpu(1, 1)} })
	s.pod("yes-1", member("g"))
	plan, _, _ := s.e.Decide(0)
	if got := bound(plan); got != nil {
		t.Errorf("bound %q of a gang that cannot start, want none", got)
	}
	r := s.e.Report().Jobs[0].Reason
	if r.Code != trace.GangIncomplete || r.Cause.Code != trace.PrePredicateFailed ||
		r.Cause.Text != "its name begins with no-" {
		t.Errorf("it waits for %+v, want GangIncomplete for PrePredicateFailed with the plugin's words", r)
	}
}

func TestALonePodThatPrePredicateRefusesSaysWhy(t *testing.T) {
	s := withRefuser(t)
	s.e.SetVerbosity(3)
	s.pod("no-1")
	_, events, _ := s.e.Decide(0)
	if r := s.e.Report().Jobs[0].Reason; r.Code != trace.PrePredicateFailed || r.Task != "ns/no-1" {
		t.Errorf("it waits for %+v, want PrePredicateFailed of ns/no-1", r)
	}
	for _, e := range events {
		if e.Kind == trace.PrePredicateEvent && e.Task == "ns/no-1" {
			return
		}
	}
	t.Errorf("no event says that PrePredicate refused ns/no-1; there are %d others", len(events))
}

// Seed 002 §4.1: no pod is evicted for a preemptor that PrePredicate refuses; for one that it
// lets pass, one is.
func TestNoPodIsEvictedForATaskThatPrePredicateRefuses(t *testing.T) {
	s := refusing(t, "allocate", "preempt")
	s.node("a", 2)
	s.pod("victim", running("a"))
	s.pod("no-1", priority(10))
	s.decides(0)
	s.pod("yes-1", priority(10))
	s.decides(1, "evict victim a", "nominate yes-1 a")
}
