package sched

import (
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// whyNoVictims is why no pod is evicted for a job, by the only action that evicts.
func (s *stage) whyNoVictims(job string) trace.Reason {
	s.t.Helper()
	for _, j := range s.e.Report().Jobs {
		if j.Name == job && j.Reason.Evicting != nil {
			return *j.Reason.Evicting
		}
	}
	s.t.Fatalf("nothing is said of why no pod leaves for %s", job)
	return trace.Reason{}
}

// A gang of three, of which one is to spare, stands on two nodes; one eviction is allowed. On each
// node one member may leave, and the gang as a whole may not: each member counts once, and as one that
// may leave if it may for one of the nodes, whichever is looked at first.
func TestAPodEvictableOnOneNodeCountsAsEvictable(t *testing.T) {
	nodes := []string{"a", "b"}
	for range 2 {
		slices.Reverse(nodes)
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"allocate", "preempt"}, Tiers: [][]policy.Choice{
				{{Plugin: "priority"}, {Plugin: "gang"},
					{Plugin: "evictioncap", Arguments: policy.Arguments{"max-per-minute": "1"}}},
				{{Plugin: "predicates"}},
			}})}
			s.queue("default")
			for _, n := range nodes {
				s.node(n, 4)
			}
			s.tell(model.KindPodGroup, "ns", "g", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"},
				MinMember: 2, Phase: model.GroupRunning})
			s.pod("g-0", member("g"), running("a"))
			s.pod("g-1", member("g"), running("a"))
			s.pod("g-2", member("g"), running("b"))
			s.pod("large", priority(9), func(p *model.Pod) { p.Spec = &model.Spec{Requests: cpu(9, 1)} })
			s.decides(1)
			r := s.whyNoVictims("large")
			if r.Code != trace.VictimsTooFew || r.Have != 2 || r.Need != 3 {
				t.Errorf("%s, %d of %d may leave, want VictimsTooFew, 2 of 3", r.Code, r.Have, r.Need)
			}
			if len(r.Nodes) != 1 || r.Nodes[0].Code != trace.VictimCapped || r.Nodes[0].Count != 1 {
				t.Errorf("the pods that are no victims are %+v, want one for VictimCapped", r.Nodes)
			}
		})
	}
}

// Where the members of a job differ, the reason is that for the member it names; it is the reason of a job that asks
// for what that member asks for.
func TestWhyNoVictimsIsSaidOfTheNamedTask(t *testing.T) {
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"allocate", "reclaim"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang", Off: []policy.Point{policy.PointJobStarving}}},
		{{Plugin: "predicates"}, {Plugin: "capacity"}},
	}})}
	s.queue("default")
	s.node("a", 1)
	s.tell(model.KindPodGroup, "ns", "g", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"},
		MinMember: 1, Phase: model.GroupInqueue})
	s.pod("g-0", member("g"))
	s.pod("g-1", member("g"), func(p *model.Pod) { p.Spec = &model.Spec{Requests: cpu(3, 1)} })
	s.pod("z")
	s.decides(1)
	for job, task := range map[string]string{"g": "ns/g-0", "z": "ns/z"} {
		r := s.whyNoVictims(job)
		want := []trace.Short{{Dim: resource.CPUName, Need: 2000, Have: 0}}
		if r.Task != task || r.Cause == nil || r.Cause.Code != trace.QueueDeserved || !slices.Equal(r.Cause.Shorts, want) {
			t.Errorf("%s: %s of %s because of %+v, want QueueDeserved of %s with %v", job, r.Code, r.Task, r.Cause, task, want)
		}
	}
}
