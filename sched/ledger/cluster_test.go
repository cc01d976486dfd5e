package ledger

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// cluster is a ledger built by hand, for examples one can work out on paper.
type cluster struct {
	*Ledger
	version uint64
}

func newCluster() *cluster { return &cluster{Ledger: New()} }

func (c *cluster) tell(kind model.Kind, namespace, name string, o model.Object) {
	c.version++
	c.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, Version: c.version, Object: o})
}

func cpu(milli int64) resource.List {
	return resource.List{{Name: resource.CPUName, Value: milli}}
}

func (c *cluster) node(name string, milli int64) NodeID {
	c.tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name},
		Allocatable: append(cpu(milli), resource.Amount{Name: resource.PodsName, Value: 110})})
	n, _ := c.Nodes.Find(name)
	return n
}

func (c *cluster) queueUnder(name, parent string) {
	c.tell(model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name}, Parent: parent})
}

func (c *cluster) group(name string, g model.PodGroup) JobID {
	g.Meta = model.Meta{Namespace: "ns", Name: name}
	c.tell(model.KindPodGroup, "ns", name, &g)
	j, _ := c.Jobs.Find(JobKey{Namespace: "ns", Name: name})
	return j
}

// pod is one of ours; change may make it another.
func (c *cluster) pod(name string, milli int64, change ...func(p *model.Pod)) TaskID {
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name}, Ours: true,
		Spec: &model.Spec{Requests: append(cpu(milli), resource.Amount{Name: resource.PodsName, Value: 1})}}
	for _, f := range change {
		f(p)
	}
	c.tell(model.KindPod, "ns", name, p)
	t, _ := c.Tasks.Find(Key{"ns", name})
	return t
}

func member(group string) func(*model.Pod) { return func(p *model.Pod) { p.Group = group } }

func as(role string) func(*model.Pod) { return func(p *model.Pod) { p.Role = role } }

func gated(p *model.Pod) { p.Gated = true }

func terminating(p *model.Pod) { p.Deleting = true }

func succeeded(p *model.Pod) { p.Phase = model.PodSucceeded }

func setAside(p *model.Pod) {
	p.Faults = []model.Fault{{Field: "spec", Message: "is absurd", Fatal: true}}
}

func on(node string) func(*model.Pod) {
	return func(p *model.Pod) { p.Phase, p.Node = model.PodRunning, node }
}

// jobOf is the job adopted for a lone pod.
func (c *cluster) jobOf(t *testing.T, pod string) JobID {
	t.Helper()
	j, ok := c.Jobs.Find(JobKey{Namespace: "ns", Name: pod, Adopted: true})
	if !ok {
		t.Fatalf("pod %s has no job", pod)
	}
	return j
}

// row is a queue's row, the tree being up to date.
func (c *cluster) row(t *testing.T, name string) *Queue {
	t.Helper()
	c.ExtendDims()
	q, ok := c.Queues.Find(name)
	if !ok {
		t.Fatalf("queue %s is not known", name)
	}
	return c.Queue(q)
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
