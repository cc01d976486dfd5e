package sched

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// The last transaction's context (seed 003 §6.4): a gang that was placed in part and
// taken back says where those members would have gone; nothing else of it remains.
func TestAGangThatWasTakenBackSaysWhereItsMembersWouldHaveGone(t *testing.T) {
	s := newStage(t, "allocate")
	s.queue("default")
	s.node("a", 2)
	s.node("b", 3)
	s.tell(model.KindPodGroup, "ns", "g",
		&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"}, MinMember: 3})
	for _, name := range []string{"g-0", "g-1", "g-2"} {
		s.pod(name, member("g"))
	}
	if plan, _, _ := s.e.Decide(0); len(bound(plan)) != 0 {
		t.Fatalf("bound %v of a gang that does not fit", bound(plan))
	}
	r := s.e.Report().Jobs[0].Reason
	if r.Code != trace.GangIncomplete || r.Have != 2 || len(r.Tried) != 2 {
		t.Fatalf("it waits for %+v, want GangIncomplete with the two members that had places", r)
	}
	seen := map[string]string{}
	for _, p := range r.Tried {
		seen[p.Node] = p.Task
	}
	if seen["a"] == "" || seen["b"] == "" || seen["a"] == seen["b"] {
		t.Errorf("tried %v, want one member on each node", r.Tried)
	}
	for _, p := range s.e.Report().Pods {
		if p.Status != model.Pending || p.Node != "" {
			t.Errorf("%s is %v on %q after its gang was taken back, want Pending on no node", p.Name, p.Status, p.Node)
		}
	}
}
