package proportion_test

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/proportion"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// plugin is what this plugin answers.
type plugin interface {
	policy.Opener
	policy.QueueOrder
	policy.Overused
	policy.Allocatable
	policy.JobEnqueueable
	policy.Preemptive
	policy.Reclaimable
	policy.VictimQueueFilter
	policy.QueueReporter
}

// queue is a queue with what its jobs hold and ask for besides, in cores.
type queue struct {
	name                      string
	weight                    int32
	priority                  int32
	state                     model.QueueState
	capability, guarantee     int64 // 0: none
	running, pending          int64
	capabilities, runs, waits resource.List // instead, in several dimensions
}

type cluster struct {
	t failer
	l *ledger.Ledger
	p plugin
}

type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// newCluster is one node with so many cores, 0 for no node at all, and queues.
func newCluster(t failer, cores int64, queues ...queue) *cluster {
	t.Helper()
	c := empty(t)
	if cores > 0 {
		c.node(cpu(cores))
	}
	for _, q := range queues {
		c.queue(q)
	}
	c.open()
	return c
}

// empty is a cluster of which nothing is known yet.
func empty(t failer) *cluster {
	t.Helper()
	c := &cluster{t: t, l: ledger.New()}
	p, err := proportion.Definition().New(policy.Choice{}, c.l)
	if err != nil {
		t.Fatal(err)
	}
	c.p = p.(plugin)
	return c
}

func (c *cluster) tell(k model.Kind, namespace, name string, o model.Object) {
	c.l.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: 1, Object: o})
}

func (c *cluster) open() []trace.Event {
	c.l.ExtendDims()
	rec := &trace.Recorder{Verbosity: 4}
	c.p.Open(rec)
	return rec.Events
}

func cpu(cores int64) resource.List {
	if cores == 0 {
		return nil
	}
	return resource.List{{Name: resource.CPUName, Value: cores * 1000}}
}

func also(l resource.List, name string, x int64) resource.List {
	return resource.Normalize(append(l, resource.Amount{Name: name, Value: x}))
}

func (c *cluster) node(l resource.List) {
	c.tell(model.KindNode, "", "node", &model.Node{Meta: model.Meta{Name: "node"},
		Allocatable: also(l, resource.PodsName, 1000)})
}

func (c *cluster) queue(q queue) {
	if q.capabilities == nil {
		q.capabilities = cpu(q.capability)
	}
	if q.runs == nil {
		q.runs = cpu(q.running)
	}
	if q.waits == nil {
		q.waits = cpu(q.pending)
	}
	c.tell(model.KindQueue, "", q.name, &model.Queue{Meta: model.Meta{Name: q.name}, Weight: q.weight,
		Priority: q.priority,
		State:    q.state, Capability: q.capabilities, Guarantee: cpu(q.guarantee)})
	if q.runs != nil {
		c.pod(q.name+"-runs", q.name, q.runs, "node")
	}
	if q.waits != nil {
		c.pod(q.name+"-waits", q.name, q.waits, "")
	}
}

// pod is a lone pod in a queue, running on a node or pending without one.
func (c *cluster) pod(name, queue string, l resource.List, node string) ledger.TaskID {
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Adopt: model.Adopt{Queue: queue},
		Node: node, Spec: &model.Spec{Requests: also(append(resource.List(nil), l...), resource.PodsName, 1)}}
	if node != "" {
		p.Phase = model.PodRunning
	}
	c.tell(model.KindPod, "ns", name, p)
	t, _ := c.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
	return t
}

func (c *cluster) id(name string) ledger.QueueID {
	c.t.Helper()
	q, ok := c.l.Queues.Find(name)
	if !ok {
		c.t.Fatalf("queue %s is not known", name)
	}
	return q
}

func (c *cluster) figures(name string) policy.QueueFigures {
	c.t.Helper()
	f, ok := c.p.QueueFigures(c.id(name))
	if !ok {
		c.t.Fatalf("queue %s has no figures", name)
	}
	return f
}
