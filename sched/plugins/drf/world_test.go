package drf_test

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/drf"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// plugin is what this plugin answers.
type plugin interface {
	policy.JobOrder
	policy.EqualPreemptable
}

// hierarchical is what it answers with enableHierarchy.
type hierarchical interface {
	plugin
	policy.CoupledQueueOrder
	policy.Reclaimable
	policy.VictimQueueFilter
	policy.Problems
}

// held is a job that runs one pod.
type held struct {
	name, queue string
	amounts     resource.List
}

func amounts(cpu, memory, gpu int64) resource.List {
	return resource.List{{Name: "cpu", Value: cpu}, {Name: "memory", Value: memory}, {Name: "nvidia.com/gpu", Value: gpu},
		{Name: "pods", Value: 1}}
}

// node offers 10 cpu, 100 bytes of memory and 4 devices.
var node = fact(model.KindNode, &model.Node{Meta: model.Meta{Name: "node"}, Allocatable: resource.List{
	{Name: "cpu", Value: 10_000}, {Name: "memory", Value: 100}, {Name: "nvidia.com/gpu", Value: 4000}, {Name: "pods",
		Value: 2}}})

func fact(k model.Kind, o model.Object) model.Fact {
	f := model.Fact{Ref: model.Ref{Kind: k}, Version: 1, Object: o}
	switch o := o.(type) {
	case *model.Node:
		f.Ref.Name = o.Name
	case *model.Queue:
		f.Ref.Name = o.Name
	case *model.Pod:
		f.Ref.Namespace, f.Ref.Name = o.Namespace, o.Name
	}
	f.UID = f.Ref.Name
	return f
}

// pod runs on the node, for a job of one.
func (h held) pod() model.Fact {
	return fact(model.KindPod, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: h.name}, Ours: true,
		Adopt: model.Adopt{Queue: h.queue},
		Node:  "node", Phase: model.PodRunning, Spec: &model.Spec{Requests: h.amounts}})
}

func queue(name string, path ...model.Level) model.Fact {
	return fact(model.KindQueue, &model.Queue{Meta: model.Meta{Name: name}, Weight: 1, Path: path})
}

func world(t testing.TB, hierarchy bool, facts ...model.Fact) (*ledger.Ledger, plugin) {
	t.Helper()
	l := ledger.New()
	for _, f := range facts {
		l.Apply(f)
	}
	l.ExtendDims()
	p, err := drf.Definition().New(policy.Choice{Hierarchy: hierarchy}, l)
	if err != nil {
		t.Fatal(err)
	}
	return l, p.(plugin)
}

func job(t testing.TB, l *ledger.Ledger, name string) ledger.JobID {
	t.Helper()
	j, ok := l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name, Adopted: true})
	if !ok {
		t.Fatalf("there is no job %s", name)
	}
	return j
}

func task(l *ledger.Ledger, name string) ledger.TaskID {
	t, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
	return t
}

func queueID(l *ledger.Ledger, name string) ledger.QueueID {
	q, _ := l.Queues.Find(name)
	return q
}
