package capacity

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// cluster is a ledger with the plugin. Amounts are written "cpu=4 gpu=1", memory and
// everything else in the same whole units.
type cluster struct {
	*ledger.Ledger
	*plugin
	version uint64
}

type failer interface {
	Helper()
	Fatal(...any)
}

// flat and nested are clusters of one node, without and with enableHierarchy.
func flat(t failer, offers string) *cluster {
	t.Helper()
	return open(t, policy.Choice{}, offers)
}

func nested(t failer, offers string) *cluster {
	t.Helper()
	return open(t, policy.Choice{Hierarchy: true}, offers)
}

func open(t failer, choice policy.Choice, offers string) *cluster {
	t.Helper()
	l := ledger.New()
	p, err := Definition().New(choice, l)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{Ledger: l, plugin: p.(*plugin)}
	c.node("n1", offers)
	return c
}

func (c *cluster) tell(kind model.Kind, namespace, name string, o model.Object) {
	c.version++
	c.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, Version: c.version, Object: o})
}

func (c *cluster) node(name, offers string) {
	c.tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name}, Allocatable: list(offers)})
}

// queue writes a Queue: "team-a root deserved:cpu=4,gpu=1 capability:… guarantee:…
// priority:5 closed".
func (c *cluster) queue(text string) {
	words := strings.Fields(text)
	q := &model.Queue{Meta: model.Meta{Name: words[0]}, Parent: words[1], Weight: 1}
	for _, w := range words[2:] {
		field, value, _ := strings.Cut(w, ":")
		amounts := func() resource.List { return list(strings.ReplaceAll(value, ",", " ")) }
		switch field {
		case "deserved":
			q.Deserved = amounts()
		case "capability":
			q.Capability = amounts()
		case "guarantee":
			q.Guarantee = amounts()
		case "priority":
			q.Priority = int32(whole(value))
		case "born":
			q.Created = whole(value)
		case "closed":
			q.State = model.QueueClosed
		default:
			panic("a queue has no " + field)
		}
	}
	c.tell(model.KindQueue, "", q.Name, q)
}

func (c *cluster) queues(texts ...string) {
	for _, text := range texts {
		c.queue(text)
	}
	c.ready()
}

// ready is what happens before a cycle's actions.
func (c *cluster) ready() {
	c.ExtendDims()
	c.Open(&trace.Recorder{})
}

// pod is one member of a job of its own; held: running on n1, else pending.
func (c *cluster) pod(queue, name, asks string, held bool) ledger.TaskID {
	return c.member(queue, name, name, asks, held)
}

func (c *cluster) member(queue, job, name, asks string, held bool) ledger.TaskID {
	c.tell(model.KindPodGroup, "x", job, &model.PodGroup{Meta: model.Meta{Namespace: "x", Name: job}, Queue: queue,
		MinMember: 1})
	p := &model.Pod{Meta: model.Meta{Namespace: "x", Name: name, UID: name}, Ours: true, Group: job, Preemptable: true,
		Spec: &model.Spec{Requests: append(list(asks), resource.Amount{Name: resource.PodsName, Value: 1})}}
	if held {
		p.Node, p.Phase = "n1", model.PodRunning
	}
	c.tell(model.KindPod, "x", name, p)
	c.ready()
	t, _ := c.Tasks.Find(ledger.Key{Namespace: "x", Name: name})
	return t
}

// hold makes a queue hold something.
func (c *cluster) hold(queue, asks string) ledger.TaskID {
	return c.pod(queue, fmt.Sprintf("%s-%d", queue, c.version), asks, true)
}

// id is a queue's row.
func (c *cluster) id(name string) ledger.QueueID {
	q, ok := c.Queues.Find(name)
	if !ok {
		panic("there is no queue " + name)
	}
	return q
}

// fits is how many tasks a queue may take.
func (c *cluster) fits(queue, asks string) (int64, trace.Reason) {
	t := c.pod(queue, "asks", asks, false)
	class := c.Task(t).Class
	n := c.plugin.Allocatable(c.id(queue), class, 1000)
	why := c.WhyNot(c.id(queue), class)
	c.tell(model.KindPod, "x", "asks", nil)
	c.tell(model.KindPodGroup, "x", "asks", nil)
	return n, why
}

func list(text string) resource.List {
	var out resource.List
	for _, w := range strings.Fields(text) {
		name, value, _ := strings.Cut(w, "=")
		if name == "gpu" {
			name = "nvidia.com/gpu"
		}
		out = append(out, resource.Amount{Name: name, Value: 1000 * whole(value)})
	}
	return resource.Normalize(out)
}

func whole(text string) int64 {
	x, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return x
}

// vec is amounts by column.
func (c *cluster) vec(text string) resource.Vec { return c.Dims.Vec(list(text)) }

// figures are what a queue deserves and may hold of a dimension, whole units.
func (c *cluster) figures(queue, dim string) (deserved, real int64) {
	f, _ := c.QueueFigures(c.id(queue))
	d, _ := c.Dims.Lookup(list(dim + "=0")[0].Name)
	x, _ := f.RealCapability.Bound(d)
	return f.Deserved.Get(d) / 1000, x / 1000
}

// brief is a reason in a few words.
func brief(r trace.Reason) string {
	text := strings.TrimSpace(string(r.Code) + " " + r.Queue)
	for _, s := range r.Shorts {
		text += fmt.Sprintf(" %s %d/%d", s.Dim, s.Need/1000, s.Have/1000)
	}
	return text
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
