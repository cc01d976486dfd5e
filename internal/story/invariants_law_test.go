package story_test

import (
	"strings"
	"testing"

	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/story"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// The checks themselves: each finds what it is there for.
func TestInvariantsFindWhatIsWrong(t *testing.T) {
	cpu := func(v int64) resource.List { return resource.List{{Name: resource.CPUName, Value: v}} }
	pod := func(name, group string) *model.Pod {
		return &model.Pod{Meta: model.Meta{Namespace: "x", Name: name}, Group: group, Role: "w",
			Spec: &model.Spec{Requests: cpu(1000)}}
	}
	told := story.Stated{
		{Kind: model.KindPod, Namespace: "x", Name: "a-0"}:    pod("a-0", "a"),
		{Kind: model.KindPod, Namespace: "x", Name: "lost-0"}: pod("lost-0", "lost"),
		{Kind: model.KindPodGroup, Namespace: "x", Name: "a"}: &model.PodGroup{MinMember: 2,
			MinTaskMember: []model.RoleMin{{Role: "ps", Min: 1}}},
	}
	running := []sched.PodReport{{Namespace: "x", Name: "a-0", Status: model.Running, Node: "n"}}
	bound := func(name string) sim.Cycle {
		return sim.Cycle{Plan: sched.Plan{Items: []sched.Item{{Kind: sched.BindPod,
			Pod: ledger.Key{Namespace: "x", Name: name}}}}}
	}
	node := func(allocatable, used, idle, releasing, pipelined, future int64) sched.Report {
		return sched.Report{Pods: running, Nodes: []sched.NodeReport{{Name: "n", Allocatable: cpu(allocatable),
			Used: cpu(used),
			Idle: cpu(idle), Releasing: cpu(releasing), Pipelined: cpu(pipelined), FutureIdle: cpu(future)}}}
	}
	evicted := func(status model.Status, least int32) []string {
		r := sched.Report{Pods: []sched.PodReport{{Namespace: "x", Name: "a-0", Status: model.Running},
			{Namespace: "x", Name: "a-1", Status: model.Releasing},
			{Namespace: "x", Name: "b", Status: status}}}
		told := story.Stated{
			{Kind: model.KindPod, Namespace: "x", Name: "a-0"}:    pod("a-0", "a"),
			{Kind: model.KindPod, Namespace: "x", Name: "a-1"}:    pod("a-1", "a"),
			{Kind: model.KindPodGroup, Namespace: "x", Name: "a"}: &model.PodGroup{MinMember: least}}
		c := bound("a-1")
		c.Plan.Items[0].Kind, c.Plan.Items[0].Preemptor = sched.EvictPod, ledger.Key{Namespace: "x", Name: "b"}
		return evictionsServe(r, c, told)
	}
	for name, c := range map[string]struct {
		found []string
		want  string
	}{
		"a node that adds up":           {nodesAddUp(node(2000, 1000, 1000, 0, 0, 1000), told), ""},
		"idle and used are not all":     {nodesAddUp(node(3000, 1000, 1000, 0, 0, 1000), told), "is not allocatable"},
		"a future that does not add up": {nodesAddUp(node(2000, 1000, 1000, 0, 0, 500), told), "is not idle"},
		"used is not what the pods ask": {nodesAddUp(node(2000, 500, 1500, 0, 0, 1500), told), "its pods add up to"},
		"a node that holds too much":    {nodesAddUp(node(500, 1000, -500, 0, 0, -500), told), "over allocatable"},
		"a gang that has half begun": {gangsAreWhole(sched.Report{Pods: running}, bound("a-0"), told),
			"half-started: 1 of 2"},
		"a role that is missing":  {gangsAreWhole(sched.Report{Pods: running}, bound("a-0"), told), "0 of 1 ps"},
		"an eviction that serves": {evicted(model.Pipelined, 1), ""},
		"an eviction for nothing": {evicted(model.Pending, 1), "was evicted for x/b, which is Pending"},
		"a gang that is broken":   {evicted(model.Pipelined, 2), "gang x/a was left with 1 of 2"},
		"a pod of no gang":        {gangsAreWhole(sched.Report{}, bound("lost-0"), told), "has no PodGroup"},
	} {
		if got := strings.Join(c.found, "\n"); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
}
