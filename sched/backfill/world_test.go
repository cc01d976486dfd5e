package backfill

import (
	"fmt"

	"pgregory.net/rapid"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// timed is a small cluster in which pods end at times that are known, or not.
type timed struct {
	t       *rapid.T
	l       *ledger.Ledger
	s       *session.Session
	version uint64
	nodes   int
	pods    []*model.Pod // on nodes
	jobs    []ledger.JobID
}

func (w *timed) n(most int) int { return rapid.IntRange(0, most).Draw(w.t, "n") }

func (w *timed) tell(kind model.Kind, namespace, name string, o model.Object) {
	w.version++
	w.l.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: name, Version: w.version,
		Object: o})
}

func newTimed(t *rapid.T) *timed {
	w := &timed{t: t, l: ledger.New(), nodes: 1 + rapid.IntRange(0, 4).Draw(t, "nodes")}
	p := policy.Profile{Actions: []string{"allocate", "backfill"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}},
		{{Plugin: "predicates"}, {Plugin: "nodeorder"}, {Plugin: "capacity"}, {Plugin: "network-topology-aware"}}}}
	if w.n(2) == 0 {
		p.Tiers[0] = append(p.Tiers[0], policy.Choice{Plugin: "joborder",
			Arguments: policy.Arguments{"joborder.strict": "true"}})
	}
	set, err := policy.Build(p, plugins.All(), w.l)
	if err != nil {
		t.Fatal(err)
	}
	members := map[string][]model.Member{}
	for i := range w.nodes {
		name, rack := fmt.Sprintf("n%d", i), fmt.Sprintf("r%d", w.n(1))
		w.tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name, UID: name}, Allocatable: resource.List{
			{Name: resource.CPUName, Value: int64(2 + w.n(4))}, {Name: "gpu", Value: int64(w.n(4))},
			{Name: resource.PodsName, Value: 9}}})
		members[rack] = append(members[rack], model.Member{Node: true, Name: name})
	}
	for _, rack := range []string{"r0", "r1"} {
		w.tell(model.KindHyperNode, "", rack, &model.HyperNode{Meta: model.Meta{Name: rack}, Tier: 1, Members: members[rack]})
	}
	for _, q := range []string{"a", "b"} {
		queue := &model.Queue{Meta: model.Meta{Name: q}, Weight: 1}
		if w.n(2) == 0 {
			queue.Capability = resource.List{{Name: resource.CPUName, Value: int64(2 + w.n(8))}}
		}
		w.tell(model.KindQueue, "", q, queue)
	}
	for i := range 1 + w.n(8) {
		w.runs(i)
	}
	for i := range 1 + w.n(3) {
		w.waits(i)
	}
	w.l.ExtendDims()
	nodes := class.New(w.l, set)
	w.s = &session.Session{L: w.l, NodeIndex: nodes, Policy: set, Profile: &p, Trace: &trace.Recorder{},
		Now: 100 * aSecond, Pending: pending.New(w.l, nodes, set), Admit: func(ledger.JobID) {},
		Backfill: session.Backfill{On: true, AllQueues: true,
			Depth: -1, Resolution: int64(1+w.n(5)) * aSecond, Trust: model.TimeEnforced}}
	w.s.Open(w.s.Now)
	set.At(w.s.Now)
	set.Open(&trace.Recorder{}, policy.NoStopwatch{})
	return w
}

// spec draws what a pod asks for.
func (w *timed) spec() *model.Spec {
	s := &model.Spec{Requests: resource.List{{Name: resource.CPUName, Value: int64(1 + w.n(2))},
		{Name: "gpu", Value: int64(w.n(1))}, {Name: resource.PodsName, Value: 1}}}
	if w.n(5) == 0 {
		s.Ports = []model.HostPort{{IP: "0.0.0.0", Protocol: "TCP", Port: 80}}
	}
	return s
}

// runs draws a pod on a node: alone, in a gang of which others wait or not, or not of this scheduler.
func (w *timed) runs(i int) {
	name := fmt.Sprintf("runs-%d", i)
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: w.n(5) > 0, Phase: model.PodRunning,
		Node: fmt.Sprintf("n%d", w.n(w.nodes-1)), Spec: w.spec(), Index: -1,
		Started: int64(1+w.n(110)) * aSecond, Adopt: model.Adopt{Queue: []string{"a", "b"}[w.n(1)]}}
	if w.n(5) == 0 {
		p.Started = 0
	}
	if w.n(2) == 0 {
		p.Group = fmt.Sprintf("job-%d", w.n(3))
	}
	if times := (model.Times{Limit: int64(w.n(120)) * aSecond}); w.n(8) > 0 {
		if w.n(2) == 0 {
			times.Lasts = int64(1+w.n(100)) * aSecond
		}
		if p.Deleting = w.n(6) == 0; p.Deleting {
			times.GoneBy = int64(80+w.n(60)) * aSecond
		}
		p.SetRare(times)
	}
	w.tell(model.KindPod, "ns", name, p)
	w.pods = append(w.pods, p)
}

// waits draws a job that waits, of one class of pods or of several.
func (w *timed) waits(i int) {
	name, size := fmt.Sprintf("job-%d", i), 1+w.n(4)
	g := &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Queue: []string{"a", "b"}[w.n(1)],
		MinMember: int32(1 + w.n(size-1)), Phase: model.GroupInqueue}
	if w.n(3) == 0 {
		g.Topology = &model.Topology{Hard: true, Highest: 1}
	}
	w.tell(model.KindPodGroup, "ns", name, g)
	spec := w.spec()
	for k := range size {
		if w.n(4) == 0 {
			spec = w.spec()
		}
		pod := fmt.Sprintf("%s-%d", name, k)
		w.tell(model.KindPod, "ns", pod, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: pod, UID: pod}, Ours: true,
			Group: name, Index: int64(k), Spec: spec})
	}
	j, _ := w.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
	w.jobs = append(w.jobs, j)
}

// change has a pod end, or get another limit, or a job go to another queue, or a pod with a planned start be deleted.
func (w *timed) change() {
	if planned := plannedTasks(w.s); len(planned) > 0 && w.n(3) == 0 {
		w.tell(model.KindPod, "ns", planned[w.n(len(planned)-1)].name, nil)
		w.l.ExtendDims()
		return
	}
	if g := w.l.Job(w.jobs[w.n(len(w.jobs)-1)]).Group; w.n(3) == 0 {
		to := *g
		to.Queue = map[string]string{"a": "b", "b": "a"}[g.Queue]
		w.tell(model.KindPodGroup, "ns", g.Name, &to)
		w.l.ExtendDims()
		return
	}
	p := *w.pods[w.n(len(w.pods)-1)]
	if w.n(1) == 0 {
		p.Phase = model.PodSucceeded
	}
	p.SetRare(model.Times{Limit: int64(w.n(120)) * aSecond})
	w.tell(model.KindPod, "ns", p.Name, &p)
	w.l.ExtendDims()
}
