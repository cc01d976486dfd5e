package sched

import (
	"flag"
	"fmt"
	"strconv"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// sharedNode is one node, cut as finely as tasks are, and queues that all begin with
// nothing: what they hold after a cycle is what sharing gave them. Amounts are in milli
// cpu and in whole devices; few, so that they do not divide.
type sharedNode struct {
	cpu, gpus int
	queues    []shareQueue
}

// shareQueue is a queue, with so many equal tasks that wait in it, spread over jobs of one
// task at least. Limits are in tasks.
type shareQueue struct {
	name               string
	weight, priority   int
	cpu, gpus          int // of one task
	tasks, jobs        int
	limited, keeps     bool
	capability, assure int
}

// someSharedNode draws one. Tasks of one unit are of 1 milli cpu and no device.
func someSharedNode(t *rapid.T, unit bool) sharedNode {
	n := func(what string, low, most int) int { return rapid.IntRange(low, most).Draw(t, what) }
	m := sharedNode{cpu: n("cpu", 0, 40), gpus: n("devices", 0, 9)}
	for i := range n("queues", 1, 5) {
		s := shareQueue{name: string(rune('a' + i)), weight: n("weight", 1, 5), priority: n("priority", 0, 1),
			cpu: 1, tasks: n("tasks", 0, 12), jobs: n("jobs", 1, 3)}
		if !unit {
			s.cpu, s.gpus = n("task's cpu", 1, 4), n("task's devices", 0, 2)
		}
		m.queues = append(m.queues, s)
	}
	return m
}

func units(cpu, gpus, pods int) resource.List {
	return resource.Normalize(resource.List{{Name: resource.CPUName, Value: int64(cpu)},
		{Name: gpuName, Value: int64(gpus) * 1000}, {Name: resource.PodsName, Value: int64(pods)}})
}

func (m sharedNode) facts() []model.Fact {
	var out []model.Fact
	tell := func(k model.Kind, namespace, name string, o model.Object) {
		out = append(out, model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name,
			Version: 1, Object: o})
	}
	tell(model.KindNode, "", "node", &model.Node{Meta: model.Meta{Name: "node", UID: "node"},
		Allocatable: units(m.cpu, m.gpus, 1000)})
	for _, s := range m.queues {
		q := &model.Queue{Meta: model.Meta{Name: s.name, UID: s.name}, Weight: int32(s.weight), Priority: int32(s.priority)}
		if s.limited {
			q.Capability = resource.List{{Name: resource.CPUName, Value: int64(s.capability * s.cpu)}}
		}
		if s.keeps {
			q.Guarantee = resource.List{{Name: resource.CPUName, Value: int64(s.assure * s.cpu)}}
		}
		tell(model.KindQueue, "", s.name, q)
		for i := range s.tasks {
			group, pod := fmt.Sprintf("%s-%d", s.name, i%s.jobs), fmt.Sprintf("%s-task-%d", s.name, i)
			if i < s.jobs {
				tell(model.KindPodGroup, "ns", group, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: group, UID: group},
					Queue: s.name, MinMember: 1})
			}
			tell(model.KindPod, "ns", pod, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: pod, UID: pod}, Ours: true,
				Group: group, Index: int64(i), Spec: &model.Spec{Requests: units(s.cpu, s.gpus, 1)}})
		}
	}
	return out
}

// sharing is a configuration with one plugin that shares among queues.
func sharing(p policy.Choice) policy.Profile {
	return policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, p, {Plugin: "nodeorder"}}}}
}

var byWeight = policy.Choice{Plugin: "proportion"}

// opened is an engine after one cycle.
func (m sharedNode) opened(t rapid.TB, p policy.Choice) *Engine {
	e := engine(t, sharing(p))
	e.Apply(m.facts()...)
	e.Decide(0)
	return e
}

// holds is how many tasks of each queue were placed.
func (m sharedNode) holds(t rapid.TB) map[string]int {
	e := m.opened(t, byWeight)
	out := map[string]int{}
	for _, s := range m.queues {
		out[s.name] = placed(e, s)
	}
	return out
}

func placed(e *Engine, s shareQueue) int {
	q, _ := e.l.Queues.Find(s.name)
	d, _ := e.l.Dims.Lookup(resource.CPUName)
	return int(e.l.Queue(q).Allocated.Get(d)) / s.cpu
}

// mayHold is a queue's realCapability, in tasks, as the plugin reports it.
func mayHold(t rapid.TB, e *Engine, s shareQueue) int {
	q, _ := e.l.Queues.Find(s.name)
	f, known := e.policy.QueueFigures(q)
	if !known {
		t.Fatalf("queue %s has no figures", s.name)
	}
	d, _ := e.l.Dims.Lookup(resource.CPUName)
	x, bounded := f.RealCapability.Bound(d)
	if !bounded {
		t.Fatalf("queue %s may hold anything", s.name)
	}
	return int(x) / s.cpu
}

// thousands checks a law in thousands of cases, or in as many as the command line says,
// when those are more: they are small, unlike histories.
func thousands(t *testing.T, law func(t *rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks").Value
	was := checks.String()
	if n, err := strconv.Atoi(was); err == nil && n < 2000 {
		if err := checks.Set("2000"); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := checks.Set(was); err != nil {
				t.Error(err)
			}
		}()
	}
	rapid.Check(t, law)
}
