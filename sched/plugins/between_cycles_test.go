package plugins_test

import (
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

const second = int64(1_000_000_000)

// A report and a question ask plugins between two cycles, and before the first: of queues, jobs, nodes and pods that
// came after the last Open, or are gone since. No plugin may expect that Open has seen them.
func TestEveryPluginIsAskedBetweenCycles(t *testing.T) {
	for _, d := range plugins.All() {
		for _, hierarchy := range []bool{false, true} {
			of := policy.Choice{Plugin: d.Name, Hierarchy: hierarchy}
			for name, beside := range map[string][]string{"alone": nil, "beside": {"priority", "gang", "predicates"}} {
				t.Run(fmt.Sprintf("%s %s, hierarchy %t", d.Name, name, hierarchy), func(t *testing.T) {
					askBetweenCycles(t, of, beside)
				})
			}
		}
	}
	for name, of := range map[string]policy.Choice{
		"joborder": {Plugin: "joborder", Arguments: policy.Arguments{"joborder.strict": "true"}},
		"sla":      {Plugin: "sla", Arguments: policy.Arguments{"sla-waiting-time": "1s"}},
		"evictioncap": {Plugin: "evictioncap", Arguments: policy.Arguments{"max-per-minute": "1",
			"max-per-minute.queue": "1", "max-per-minute.job": "1"}},
		"minruntime": {Plugin: "minruntime", Arguments: policy.Arguments{"min-runtime": "1h"}},
		"tdm":        {Plugin: "tdm", Arguments: policy.Arguments{"tdm.revocable-zone.rz": "00:00-01:00"}},
		"capacity":   {Plugin: "capacity", Hierarchy: true, Arguments: policy.Arguments{"ancestorReclaimLevel": "1"}},
	} {
		t.Run(name+" with arguments", func(t *testing.T) { askBetweenCycles(t, of, []string{"priority", "gang"}) })
	}
}

// askBetweenCycles asks an engine with a plugin all that can be asked, after each change, in cycles and between them.
func askBetweenCycles(t *testing.T, of policy.Choice, beside []string) {
	t.Helper()
	tiers := [][]policy.Choice{{of}, {}}
	for _, name := range beside {
		if name != of.Plugin {
			tiers[1] = append(tiers[1], policy.Choice{Plugin: name})
		}
	}
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "backfill", "preempt", "reclaim",
		"gangpreempt", "gangreclaim", "shuffle"}, Tiers: tiers})
	if err != nil {
		t.Fatal(err)
	}
	s := site{e: e}
	s.ask()
	for i := range 3 {
		s.queue("parent", "")
		for _, queue := range []string{fmt.Sprint("a", i), fmt.Sprint("b", i)} {
			s.queue(queue, "parent")
			s.node()
			s.jobs(queue, []model.GroupPhase{model.GroupInqueue, model.GroupPending}[i%2])
			if r := s.ask(); !slices.ContainsFunc(r.Queues, func(q sched.QueueReport) bool {
				return q.Name == queue && q.Turn > 0
			}) {
				t.Fatalf("a job of queue %s waits for a turn, and none is reported", queue)
			}
		}
		e.Decide(int64(i+1) * 100 * second)
		s.ask()
	}
	for _, ref := range s.seen {
		s.tell(ref, nil)
		s.ask()
	}
	e.Decide(1000 * second)
	if r := s.ask(); len(r.Jobs)+len(r.Nodes) > 0 {
		t.Errorf("all objects are gone, and are reported: %+v %+v", r.Jobs, r.Nodes)
	}
	if wrong := e.Audit(); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// site tells an engine of a cluster that grows.
type site struct {
	e       *sched.Engine
	version uint64
	seen    []model.Ref
	nodes   int
}

func (s *site) tell(ref model.Ref, o model.Object) {
	s.version++
	if o != nil && !slices.Contains(s.seen, ref) {
		s.seen = append(s.seen, ref)
	}
	s.e.Apply(model.Fact{Ref: ref, UID: ref.Name, Version: s.version, Object: o})
}

// queue makes a queue, or changes what it deserves.
func (s *site) queue(name, parent string) {
	s.tell(model.Ref{Kind: model.KindQueue, Name: name}, &model.Queue{Meta: model.Meta{Name: name, UID: name},
		Parent: parent, Weight: 1, Reclaimable: true,
		Deserved: resource.List{{Name: resource.CPUName, Value: int64(1000 * (1 + s.nodes))}},
		Path:     []model.Level{{Name: name, Weight: 1000}}})
}

func (s *site) node() {
	s.nodes++
	name := fmt.Sprintf("n%d", s.nodes)
	has := resource.List{{Name: resource.CPUName, Value: 4000}, {Name: resource.PodsName, Value: 110}}
	s.tell(model.Ref{Kind: model.KindNode, Name: name}, &model.Node{Meta: model.Meta{Name: name, UID: name},
		Allocatable: has, Capacity: has, Labels: []model.Label{{Key: model.NodeGroupLabel, Value: name},
			{Key: "volcano.sh/revocable-zone", Value: "rz"}}})
}

// jobs makes two jobs of a queue: one runs on the last node and could lose one of its two pods, the other waits. Their
// pods are of a size that none had before.
func (s *site) jobs(queue string, waits model.GroupPhase) {
	cpu := resource.Amount{Name: resource.CPUName, Value: int64(1500 + s.nodes)}
	spec := &model.Spec{Requests: resource.List{cpu, {Name: resource.PodsName, Value: 1}}}
	for _, phase := range []model.GroupPhase{model.GroupRunning, waits} {
		name := fmt.Sprintf("%s-%d-%d", queue, s.nodes, phase)
		in := model.Meta{Namespace: "ml", Name: name, UID: name, Created: int64(s.version)}
		s.tell(model.Ref{Kind: model.KindPodGroup, Namespace: "ml", Name: name}, &model.PodGroup{Meta: in, Queue: queue,
			MinMember: 1, Phase: phase, HasMin: true, MinResources: resource.List{cpu}})
		for i := range 2 {
			p := &model.Pod{Meta: in, Group: name, Index: int64(i), Ours: true, Preemptable: true, Spec: spec,
				HasPriority: true, Priority: int32(s.nodes)}
			if p.Name = fmt.Sprintf("%s-%d", name, i); phase == model.GroupRunning {
				p.Node, p.Phase, p.Priority = fmt.Sprintf("n%d", s.nodes), model.PodRunning, 0
			}
			p.UID = p.Name
			s.tell(model.Ref{Kind: model.KindPod, Namespace: "ml", Name: p.Name}, p)
		}
	}
}

// ask asks all questions: none may panic. It returns the report.
func (s *site) ask() sched.Report {
	r, q := s.e.Report(), s.e.Questions()
	s.e.Problems()
	q.Held()
	for i := range r.Queues {
		s.e.QueueWhy(r.Queues[i].Name)
	}
	for i := range r.Jobs {
		for _, id := range q.JobsNamed(r.Jobs[i].Namespace, r.Jobs[i].Name) {
			q.Job(id)
			q.Ready(id)
		}
	}
	for i := range r.Pods {
		q.Pod(r.Pods[i].Namespace, r.Pods[i].Name)
		s.e.DeletionRefusals([]ledger.Key{{Namespace: r.Pods[i].Namespace, Name: r.Pods[i].Name}})
	}
	return r
}
