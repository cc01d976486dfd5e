package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// asked is a plugin without an opinion on sub-groups, which counts how often it is asked.
type asked struct{ times *int }

func (a asked) CompareSubJobs(ledger.JobID, int32, int32) int {
	*a.times++
	return 0
}

// What a gang of many sub-groups costs others: placing them one by one, those that are left are not
// ordered from the start each time; and a pod that comes has them ordered once.
func TestManySubGroupsAreOrderedOnce(t *testing.T) {
	const groups = 600
	times := 0
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{
		{{Plugin: "asked"}, {Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}}}},
		WithPlugin(policy.Definition{Name: "asked",
			New: func(policy.Choice, *ledger.Ledger) (any, error) { return asked{&times}, nil }}))}
	s.queue("default")
	for i := range 10 {
		s.node(fmt.Sprintf("n%d", i), 200)
	}
	part := func(i int, cores int64) {
		s.pod(fmt.Sprintf("p%d", i), func(p *model.Pod) {
			p.Group, p.Labels, p.Spec = "g", []model.Label{{Key: "part", Value: fmt.Sprint(i)}},
				&model.Spec{Requests: cpu(cores, 1)}
		})
	}
	s.tell(model.KindPodGroup, "ns", "g",
		&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"}, MinMember: 1,
			SubGroups: []model.SubGroups{{Name: "s", Keys: []string{"part"}, Size: 1}}})
	for i := range groups {
		part(i, 1)
	}
	if plan, _, _ := s.e.Decide(second); len(plan.Items) < groups {
		t.Fatalf("%d plan items for %d sub-groups", len(plan.Items), groups)
	}
	if most := groups * groups; times > most { // half of which is to look whether the order still holds
		t.Errorf("placing %d sub-groups compared them %d times, want at most %d", groups, times, most)
	}
	for i := range groups { // these find no room
		part(groups+i, 201)
	}
	s.e.Decide(2 * second)
	times = 0
	part(2*groups, 201)
	s.e.Decide(3 * second)
	if most := 20 * groups; times == 0 || times > most {
		t.Errorf("one pod more had %d sub-groups compared %d times, want at most %d", groups, times, most)
	}
}
