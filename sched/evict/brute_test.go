package evict_test

import (
	"fmt"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// square is a cluster small enough to try out everything: up to three nodes with up to
// four pods each, and one job that waits.
type square struct {
	t         *rapid.T
	l         *ledger.Ledger
	set       *policy.Set
	nodeIndex *class.Index
	search    *evict.Search
	version   uint64
	rule      evict.Options
	job       ledger.JobID
	tasks     []ledger.TaskID
}

func (s *square) n(most int) int { return rapid.IntRange(0, most).Draw(s.t, "n") }

func (s *square) tell(kind model.Kind, namespace, name string, o model.Object) {
	s.version++
	s.l.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: name, Version: s.version,
		Object: o})
}

func list(cpu, memory int) resource.List {
	return resource.List{{Name: resource.CPUName, Value: int64(cpu)}, {Name: "memory", Value: int64(memory)},
		{Name: resource.PodsName, Value: 1}}
}

// newSquare draws a cluster and a rule; members is the size of the gang that waits.
func newSquare(t *rapid.T, members int) *square {
	s := &square{t: t, l: ledger.New()}
	p := policy.Profile{Actions: []string{"preempt", "reclaim"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}}, {{Plugin: "predicates"}}}}
	s.rule = evict.Options{Action: "preempt", Scope: evict.SameQueue, WholeGangs: s.nearlyAlways()}
	switch s.even() {
	case 1:
		p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "drf"})
	case 2:
		s.rule.Action, s.rule.Scope = "reclaim", evict.OtherQueues
		p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "proportion"})
	case 3:
		s.rule.Action, s.rule.Scope = "reclaim", evict.OtherQueues
		p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "capacity"})
	}
	set, err := policy.Build(p, plugins.All(), s.l)
	if err != nil {
		t.Fatal(err)
	}
	s.set = set
	s.build(members)
	s.l.ExtendDims()
	s.nodeIndex = class.New(s.l, set)
	s.search = evict.NewSearch(&session.Session{L: s.l, NodeIndex: s.nodeIndex, Policy: set, Now: 100,
		Pending: pending.New(s.l, s.nodeIndex, set)})
	s.search.Budget = 100_000
	set.At(1)
	set.Open(&trace.Recorder{}, policy.NoStopwatch{})
	return s
}

func (s *square) build(members int) {
	for i, value := range []int32{-5, 0, 7, 50} {
		name := fmt.Sprintf("c%d", i)
		s.tell(model.KindPriorityClass, "", name, &model.PriorityClass{Meta: model.Meta{Name: name}, Value: value})
	}
	for i := range 3 {
		name := fmt.Sprintf("q%d", i)
		s.tell(model.KindQueue, "", name, s.queue(name, i == 0))
	}
	held := make([]resource.List, 1+s.n(2))
	for i := range held {
		held[i] = list(0, 0)
		held[i][2].Value = 0
	}
	for i := range 2 + s.n(2) {
		s.running(fmt.Sprintf("v%d", i), held)
	}
	for i, vs := range held {
		name := fmt.Sprintf("n%d", i)
		s.tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name}, Allocatable: s.room(vs)})
	}
	rank := 1 + s.n(2)
	if s.mostly() {
		rank = 3
	}
	s.group("preemptor", "q0", members, rank)
	spec := &model.Spec{Requests: list(1+s.n(2), 1+s.n(2))}
	for k := range members {
		s.pod(fmt.Sprintf("preemptor-%d", k), "preemptor", spec, "")
		t, _ := s.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: fmt.Sprintf("preemptor-%d", k)})
		s.tasks = append(s.tasks, t)
	}
	s.job, _ = s.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "preemptor"})
}

// even draws 0 to 3, each as often: n prefers what is small, so that there is seldom enough
// to take.
func (s *square) even() int {
	n := 0
	for range 2 {
		n *= 2
		if rapid.Bool().Draw(s.t, "even") {
			n++
		}
	}
	return n
}

// mostly is true three times of four.
func (s *square) mostly() bool { return s.even() > 0 }

func (s *square) nearlyAlways() bool {
	first := s.mostly()
	return first || s.mostly()
}

// queue draws a queue. That of the preemptor mostly deserves more than the others: they give.
func (s *square) queue(name string, ofPreemptor bool) *model.Queue {
	if s.mostly() == ofPreemptor {
		return &model.Queue{Meta: model.Meta{Name: name}, Weight: 6, Reclaimable: true,
			Deserved: list(6+s.n(6), 6+s.n(6))[:2]}
	}
	return &model.Queue{Meta: model.Meta{Name: name}, Weight: 1, Reclaimable: true, Deserved: list(s.n(3), s.n(3))[:2]}
}

// mostRunning is how many pods run at most: of more not every set can be tried in every order.
const mostRunning = 10

// running draws a gang that runs, mostly where the rule looks for victims, and adds to what
// is held on each node.
func (s *square) running(name string, held []resource.List) {
	all, queue := mostRunning, s.n(2)
	if s.mostly() {
		if queue = 0; s.rule.Scope == evict.OtherQueues {
			queue = 1 + s.n(1)
		}
	}
	size := 1 + s.even()
	for _, vs := range held {
		all -= int(vs[2].Value)
	}
	if size = min(size, all); size < 1 {
		return
	}
	s.group(name, fmt.Sprintf("q%d", queue), 1+s.n(size-1), s.n(2))
	spec := &model.Spec{Requests: list(1+s.even(), 1+s.even())}
	for k := range size {
		at := s.n(len(held) - 1)
		s.pod(fmt.Sprintf("%s-%d", name, k), name, spec, fmt.Sprintf("n%d", at))
		for d := range held[at] {
			held[at][d].Value += spec.Requests[d].Value
		}
	}
}

// room is what a node offers, mostly little more than what is held there.
func (s *square) room(held resource.List) resource.List {
	if !s.mostly() {
		room := list(2+s.n(6), 2+s.n(6))
		room[2].Value = int64(2 + s.n(3))
		return room
	}
	for d := range held {
		held[d].Value = max(2, held[d].Value+int64(s.n(1)))
	}
	return held
}

func (s *square) group(name, queue string, least, rank int) {
	s.tell(model.KindPodGroup, "ns", name, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name}, Queue: queue,
		MinMember: int32(least), PriorityClass: fmt.Sprintf("c%d", rank), Phase: model.GroupInqueue})
}

func (s *square) pod(name, group string, spec *model.Spec, node string) {
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name}, Ours: true, Group: group,
		Preemptable: s.nearlyAlways(), Spec: spec, Node: node}
	if node != "" {
		p.Phase, p.Started = model.PodRunning, int64(1+s.n(3))
	}
	s.tell(model.KindPod, "ns", name, p)
}
