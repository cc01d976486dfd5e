package sched

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

func gangOf(name string, least int32, change ...func(*model.PodGroup)) *model.PodGroup {
	g := &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, MinMember: least, Queue: "q",
		Phase: model.GroupInqueue}
	for _, f := range change {
		f(g)
	}
	return g
}

// whyStage has one full node, and queue q in which three gangs wait.
func whyStage(t *testing.T) *stage {
	s := newSharing(t)
	s.queue("q")
	s.queue("other")
	s.pod("holds", inQueue("other"), running("n1"))
	for _, g := range []string{"first", "second", "third"} {
		s.tell(model.KindPodGroup, "ns", g, gangOf(g, 2))
		s.pod(g+"-0", member(g))
		s.pod(g+"-1", member(g))
	}
	return s
}

func TestAJobKnowsWhoIsServedBeforeIt(t *testing.T) {
	s := whyStage(t)
	s.e.Decide(second)
	for name, ahead := range map[string]int{"first": 0, "second": 1, "third": 2} {
		ids := s.e.Questions().JobsNamed("ns", name)
		if len(ids) != 1 {
			t.Fatalf("%d jobs are named %s, want 1", len(ids), name)
		}
		w := s.e.Questions().Job(ids[0])
		got := w.Standing.Ahead
		if w.Standing.Turn != 1 || w.Standing.Queues != 1 || got.Jobs != ahead || got.Pods != 2*ahead {
			t.Errorf("%s stands at %+v, want %d jobs with 2 pods each ahead", name, w.Standing, ahead)
		}
		if ahead > 0 && (got.First != "ns/first" || got.FirstPods != 2 || !reflect.DeepEqual(got.FirstAsks, cpu(4, 2)) ||
			!reflect.DeepEqual(got.Asks, cpu(int64(4*ahead), int64(2*ahead)))) {
			t.Errorf("of %s the jobs ahead are %+v", name, got)
		}
	}
}

// A name means the job that has it, before the one that is shown by it and those that were made for a Job of that name.
func TestTheJobsThatANameMeans(t *testing.T) {
	s := whyStage(t)
	for _, g := range []string{"made-2f1e6b4c-0a3d-4b59-9c1e-6d2f8a7b5c3e", "made-3f1e6b4c-0a3d-4b59-9c1e-6d2f8a7b5c3e",
		"first-2f1e6b4c-0a3d-4b59-9c1e-6d2f8a7b5c3e", "made-2f1e6b4c"} {
		s.tell(model.KindPodGroup, "ns", g, gangOf(g, 1))
	}
	for i, owner := range []string{"Job.batch/1", "StatefulSet.apps/2"} {
		s.pod(fmt.Sprintf("owned-%d", i), func(p *model.Pod) { p.Owner, p.OwnerID = "owned", owner })
	}
	s.e.Decide(second)
	for name, want := range map[string][]string{
		"first":             {"first"},
		"made":              {"made-2f1e6b4c-0a3d-4b59-9c1e-6d2f8a7b5c3e", "made-3f1e6b4c-0a3d-4b59-9c1e-6d2f8a7b5c3e"},
		"made-2f1e6b4c":     {"made-2f1e6b4c"},
		"owned":             {"owned (Job.batch)", "owned (StatefulSet.apps)"},
		"owned (Job.batch)": {"owned (Job.batch)"},
		"firs":              nil,
		"":                  nil,
	} {
		var got []string
		for _, id := range s.e.Questions().JobsNamed("ns", name) {
			got = append(got, s.e.Ledger().Jobs.Name(id))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q means %v, want %v", name, got, want)
		}
		if other := s.e.Questions().JobsNamed("other", name); len(other) > 0 {
			t.Errorf("%q means %v in another namespace", name, other)
		}
	}
}

// What is said of one job is what the report says of it, and changes no decision.
func TestAJobsAnswerIsThatOfTheReport(t *testing.T) {
	s := whyStage(t)
	s.e.Decide(second)
	before := s.e.Report()
	for _, j := range before.Jobs {
		ids := s.e.Questions().JobsNamed(j.Namespace, j.Name)
		if len(ids) != 1 {
			t.Fatalf("%d jobs are named %s", len(ids), j.Name)
		}
		w := s.e.Questions().Job(ids[0])
		if !reflect.DeepEqual(w.Job, j) {
			t.Errorf("of %s JobWhy says %+v, the report %+v", j.Name, w.Job, j)
		}
		for _, p := range w.Pods {
			one, _, known := s.e.Questions().Pod(p.Namespace, p.Name)
			if !known || one.Pod != p {
				t.Errorf("of pod %s PodWhy says %+v, JobWhy %+v", p.Name, one.Pod, p)
			}
		}
		for _, q := range before.Queues {
			if q.Name == w.Job.Queue && !reflect.DeepEqual(w.Queue.Allocated, q.Allocated) {
				t.Errorf("queue %s holds %v, the report says %v", q.Name, w.Queue.Allocated, q.Allocated)
			}
		}
	}
	for _, n := range before.Nodes {
		w, known := s.e.Questions().Node(n.Name)
		if !known || !reflect.DeepEqual(w.Node, n) {
			t.Errorf("of node %s NodeWhy says %+v, the report %+v", n.Name, w.Node, n)
		}
	}
	if after := s.e.Report(); !reflect.DeepEqual(before, after) {
		t.Errorf("the questions changed the report:\n%+v\n%+v", before, after)
	}
	if plan, _, _ := s.e.Decide(2 * second); len(plan.Items) > 0 {
		t.Errorf("after the questions the plan is %+v, want none", plan.Items)
	}
}

func TestAPodOfAGangThatWaits(t *testing.T) {
	s := whyStage(t)
	s.e.Decide(second)
	placed, other := 0, 0
	for _, pod := range []string{"first-0", "first-1"} {
		w, _, known := s.e.Questions().Pod("ns", pod)
		switch {
		case !known:
			t.Fatalf("pod %s is not known", pod)
		case w.Tried == "n1" && !w.Own.Is():
			placed++
		case w.Own.Is() || w.Tried == "":
			other++
		}
	}
	if placed+other != 2 || placed == 0 {
		t.Errorf("%d pods had room in the try, %d others wait, want at least one with room", placed, other)
	}
	if _, _, known := s.e.Questions().Pod("ns", "nobody"); known {
		t.Error("a pod that does not exist is known")
	}
}

func TestANodeSaysWhatItHolds(t *testing.T) {
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"allocate"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}}}})}
	s.tell(model.KindNode, "", "n1", &model.Node{Meta: model.Meta{Name: "n1", UID: "n1"}, Allocatable: cpu(8, 110),
		Unschedulable: true, Taints: []model.Taint{{Key: "a", Value: "b", Effect: model.NoSchedule}}})
	s.queue("q")
	s.pod("holds", inQueue("q"), running("n1"))
	s.e.Decide(second)
	w, known := s.e.Questions().Node("n1")
	if !known || !w.Node.Cordoned || len(w.Node.Taints) != 1 || len(w.Pods) != 1 {
		t.Fatalf("node n1 is %+v", w)
	}
	if p := w.Pods[0]; p.Name != "holds" || p.Queue != "q" || !reflect.DeepEqual(p.Holds, cpu(2, 1)) {
		t.Errorf("n1 holds %+v", p)
	}
	if _, known := s.e.Questions().Node("n2"); known {
		t.Error("a node that does not exist is known")
	}
}

func TestAClosedQueueIsTheGateOfItsJobs(t *testing.T) {
	s := whyStage(t)
	s.tell(model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q", UID: "q"}, Weight: 1,
		State: model.QueueClosed})
	s.e.Decide(second)
	w := s.e.Questions().Job(s.e.Questions().JobsNamed("ns", "first")[0])
	if w.Gate.Code != trace.QueueNotOpen || w.Job.Reason.Code != trace.QueueNotOpen || w.Standing.Turn != 0 {
		t.Errorf("in a closed queue the gate is %+v, the reason %+v, the standing %+v", w.Gate, w.Job.Reason, w.Standing)
	}
}
