package sched

import (
	"slices"
	"strings"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// stage is an engine with objects that a test makes one by one.
type stage struct {
	t       *testing.T
	e       *Engine
	version uint64
	next    int64
}

func newStage(t *testing.T, actions ...string) *stage {
	return &stage{t: t, e: engine(t, policy.Profile{Actions: actions, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "nodeorder"}},
	}})}
}

func (s *stage) tell(kind model.Kind, namespace, name string, o model.Object) {
	s.version++
	s.e.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: name,
		Version: s.version, Object: o})
}

func cpu(cores int64, pods int64) resource.List {
	return resource.List{{Name: resource.CPUName, Value: cores * 1000}, {Name: resource.PodsName, Value: pods}}
}

func (s *stage) node(name string, cores int64, labels ...model.Label) {
	s.tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name, UID: name}, Labels: labels,
		Allocatable: cpu(cores, 110)})
}

func (s *stage) queue(name string) {
	s.tell(model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name, UID: name}, Weight: 1})
}

// pod is pending, of two cores and priority 0; change may make it another.
func (s *stage) pod(name string, change ...func(*model.Pod)) {
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Preemptable: true,
		HasPriority: true, Spec: &model.Spec{Requests: cpu(2, 1)}}
	for _, f := range change {
		f(p)
	}
	s.tell(model.KindPod, "ns", name, p)
}

func (s *stage) gone(pod string) { s.tell(model.KindPod, "ns", pod, nil) }

func running(node string) func(*model.Pod) {
	return func(p *model.Pod) { p.Node, p.Phase = node, model.PodRunning }
}

func priority(x int32) func(*model.Pod) { return func(p *model.Pod) { p.Priority = x } }

func member(group string) func(*model.Pod) { return func(p *model.Pod) { p.Group = group } }

func nominated(node string) func(*model.Pod) { return func(p *model.Pod) { p.Nominated = node } }

func terminating(p *model.Pod) { p.Deleting = true }

// restart replaces the engine by one that knows facts and commitments.
func (s *stage) restart() { s.e = again(s.t, s.e) }

// forget replaces the engine by one that knows the facts alone.
func (s *stage) forget() {
	facts := s.e.Facts()
	s.e = engine(s.t, s.e.profile)
	s.e.Apply(facts...)
}

// decides runs a cycle at a second and compares what the plan asks for pods.
func (s *stage) decides(at int64, want ...string) Plan {
	s.t.Helper()
	plan, _, next := s.e.Decide(at * second)
	s.next = next / second
	var got []string
	for _, i := range plan.Items {
		if i.Kind != SetPhase {
			got = append(got, strings.TrimSpace(i.Kind.String()+" "+i.Pod.Name+" "+i.Node))
		}
	}
	if !slices.Equal(got, want) {
		s.t.Fatalf("at %d s the plan is %q, want %q", at, got, want)
	}
	for _, f := range s.e.Audit() {
		s.t.Errorf("audit: %s", f)
	}
	return plan
}
