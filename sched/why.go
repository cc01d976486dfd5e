package sched

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// JobWhy is one job, and what its way to a place passes. Nothing is decided anew: it is what the last cycle left.
type JobWhy struct {
	Job      JobReport
	Pods     []PodReport   // by name
	Asks     resource.List // what its pods without a place ask for together, their places among it
	Admitted bool
	Enqueue  bool         // an action decides whether it is admitted
	Gate     trace.Reason // why its queue takes no jobs; no reason when it does
	Queue    QueueReport  // without a Name where its queue does not exist
	Standing Standing
	Evicting []string  // the configured actions that evict pods for others, in their order
	Starves  bool      // these may evict pods for it
	Problems []Problem // what is wrong with its PodGroup and its pods, in that order
}

// Questions are answered from what the last cycle left. No answer changes anything.
type Questions struct{ e *Engine }

// Questions returns what can be asked about single objects.
func (e *Engine) Questions() Questions { return Questions{e} }

// Ready says that a job may start, or has: by the plugins that decide that it has its minimum.
func (q Questions) Ready(id ledger.JobID) bool { return q.e.policy.Ready(id) }

// Jobs describes all jobs, as in a Report.
func (q Questions) Jobs() []JobReport {
	q.e.l.ExtendDims()
	return q.e.reports.jobReports()
}

// Pods describes all pods, as in a Report.
func (q Questions) Pods() []PodReport {
	q.e.l.ExtendDims()
	return q.e.reports.podReports()
}

// PodsOf describes the pods of the jobs that have a name in a namespace, as in a Report.
func (q Questions) PodsOf(namespace, job string) (out []PodReport) {
	e := q.e
	e.l.ExtendDims()
	e.l.Jobs.Each(func(id ledger.JobID) bool {
		if k := &e.l.Job(id).Key; k.Namespace == namespace && k.Name == job {
			out = append(out, podsOf(&e.reports, id)...)
		}
		return true
	})
	sortPods(out)
	return out
}

// PodsOn describes the pods that a Report has on a node.
func (q Questions) PodsOn(node string) (out []PodReport) {
	e := q.e
	e.l.ExtendDims()
	n, known := e.l.Nodes.Find(node)
	e.l.Tasks.Each(func(id ledger.TaskID) bool {
		if t := e.l.Task(id); known && t.Node == n || t.Node == ledger.NoNode && t.Pod.Node == node {
			out = append(out, e.reports.podReport(id))
		}
		return true
	})
	sortPods(out)
	return out
}

// Nodes describes all nodes, as in a Report, without their devices.
func (q Questions) Nodes() []NodeReport {
	q.e.l.ExtendDims()
	return q.e.reports.nodeReports()
}

// Job describes one job. It costs what its pods and the jobs that wait cost.
func (q Questions) Job(id ledger.JobID) JobWhy {
	e := q.e
	e.l.ExtendDims()
	job := e.l.Job(id)
	w := JobWhy{Job: e.reports.jobReport(id), Admitted: job.Admitted(), Enqueue: e.profile.HasAction("enqueue"),
		Standing: q.Standing(id), Starves: e.policy.Eviction.Starving(id)}
	_, asks := e.reports.asks(id)
	w.Asks = e.reports.list(asks)
	w.Pods = podsOf(&e.reports, id)
	sortPods(w.Pods)
	if job.Group != nil {
		w.Problems = faults(model.KindPodGroup, job.Group)
	}
	for i := range w.Pods {
		if t, ok := e.l.Tasks.Find(ledger.Key{Namespace: w.Pods[i].Namespace, Name: w.Pods[i].Name}); ok {
			w.Problems = append(w.Problems, faults(model.KindPod, e.l.Task(t).Pod)...)
		}
	}
	if job.Queue != ledger.NoQueue {
		w.Gate = e.session.QueueClosed(job.Queue)
		if e.l.Queue(job.Queue).Fact != nil {
			w.Queue = e.reports.queueReport(job.Queue)
		}
	}
	for _, a := range e.actions {
		if _, evicts := a.(evict.Action); evicts {
			w.Evicting = append(w.Evicting, a.Name())
		}
	}
	return w
}

// PodWhy is one pod.
type PodWhy struct {
	Pod      PodReport
	Asks     resource.List
	Priority int32
	Gated    bool  // scheduling gates hold it back
	GoneBy   int64 // until when it may take to leave, if no job waits for its room (Task.Lingers); 0 for others
	Tried    string
	// Own is why no node takes it by itself; no reason where one would, or where it has a node. Tried is then the node
	// that it had in the last try for its gang, "" without one.
	Own      trace.Reason
	Problems []Problem // what is wrong with it
}

// Pod describes one pod, and returns its job, NoJob for a pod of another scheduler; false when there is no pod of
// that name. It asks each node about a pod that waits.
func (q Questions) Pod(namespace, name string) (PodWhy, ledger.JobID, bool) {
	e := q.e
	e.l.ExtendDims()
	id, known := e.l.Tasks.Find(ledger.Key{Namespace: namespace, Name: name})
	if !known {
		return PodWhy{}, ledger.NoJob, false
	}
	t := e.l.Task(id)
	w := PodWhy{Pod: e.reports.podReport(id), Gated: t.Pod.Gated, Priority: t.Priority,
		Problems: faults(model.KindPod, t.Pod)}
	w.Asks = e.reports.list(e.reports.classOf(id).Request)
	w.GoneBy = goneBy(t)
	if !t.Placeable() {
		return w, t.Job, true
	}
	r := e.JobReason(t.Job)
	for _, p := range r.Tried {
		if p.Task == t.Key.String() {
			w.Tried = p.Node
			return w, t.Job, true
		}
	}
	own := e.session.NodeIndex.Why(id)
	refused := 0
	for _, c := range own.Nodes {
		refused += c.Count
	}
	if own.Code == trace.NoNodes || refused >= own.Need {
		w.Own = own
	}
	return w, t.Job, true
}

// faults are what translation found wrong with an object.
func faults(kind model.Kind, o model.Object) (out []Problem) {
	m := o.Common()
	for _, f := range m.Faults {
		out = append(out, Problem{Object: model.Ref{Kind: kind, Namespace: m.Namespace, Name: m.Name}.String(),
			Message: f.Field + ": " + f.Message})
	}
	return out
}

// NodeWhy is one node, and what is on it.
type NodeWhy struct {
	Node     NodeReport
	Shard    bool // it is in another scheduler's shard
	Domains  []string
	Pods     []HeldRoom // that hold room, are terminating or are pipelined, by namespace and name
	Kept     []HeldRoom // pods that wait and for which room is kept, likewise
	Problems []Problem  // what is wrong with it
}

// HeldRoom is a pod and what of a node it holds or waits for.
type HeldRoom struct {
	PodReport
	Queue  string
	Holds  resource.List
	GoneBy int64 // as PodWhy.GoneBy
}

// Node describes one node, without its devices; false when there is none of that name, or it is set aside.
func (q Questions) Node(name string) (NodeWhy, bool) {
	e := q.e
	e.l.ExtendDims()
	n, known := e.l.Nodes.Find(name)
	if !known || !e.l.Node(n).Present() {
		return NodeWhy{}, false
	}
	fact := e.l.Node(n).Fact
	w := NodeWhy{Node: e.reports.nodeReport(n, e.l.KeptRoom.On()[n]), Shard: fact.Elsewhere,
		Domains:  e.reports.domainsOf(n),
		Problems: faults(model.KindNode, fact)}
	e.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		w.Pods = append(w.Pods, e.reports.held(t))
		return true
	})
	for _, j := range e.l.KeptRoom.Jobs() {
		for _, t := range e.l.KeptRoom.Of(j) {
			if e.l.Task(t).Commitment.Node == n {
				w.Kept = append(w.Kept, e.reports.held(t))
			}
		}
	}
	for _, list := range [][]HeldRoom{w.Pods, w.Kept} {
		slices.SortFunc(list, func(a, b HeldRoom) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
		})
	}
	return w, true
}

// NodeWithDevices is Node with the devices that it alone reaches.
func (q Questions) NodeWithDevices(name string) (NodeWhy, bool) {
	w, known := q.Node(name)
	w.Node.Devices = DevicesByNode(DevicesOf(q.e)())[name]
	return w, known
}

// Held describes all nodes, by name.
func (q Questions) Held() (out []NodeWhy) {
	for _, n := range q.Nodes() {
		if w, known := q.Node(n.Name); known {
			out = append(out, w)
		}
	}
	return out
}

// goneBy is until when a terminating pod may take to leave, if no job waits for its room; 0 for others.
func goneBy(t *ledger.Task) int64 {
	if !t.Lingers() {
		return 0
	}
	return t.Pod.Rare().GoneBy
}

func (rp *reports) held(t ledger.TaskID) HeldRoom {
	out := HeldRoom{PodReport: rp.podReport(t), Holds: rp.list(rp.classOf(t).Request), GoneBy: goneBy(rp.e.l.Task(t))}
	if j := rp.e.l.Task(t).Job; j != ledger.NoJob {
		out.Queue = rp.e.l.Jobs.QueueName(j)
	}
	return out
}

// domainsOf names the HyperNodes that a node is in, the smallest first.
func (rp *reports) domainsOf(n ledger.NodeID) (out []string) {
	net := rp.e.policy.HyperNodes()
	if net == nil {
		return nil
	}
	for d := net.Leaf(n); d != topology.None; d = net.Domain(d).Up {
		if name := net.Domain(d).Name; name != "" {
			out = append(out, name)
		}
	}
	return out
}
