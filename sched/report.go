package sched

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/actions/allocate"
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// reports says how things stand: for people, and for what is written to the cluster.
type reports struct {
	e       *Engine
	never   pending.Answers[ledger.JobID, *trace.Reason] // see neverStarts
	largest pending.Answers[resource.Dim, int64]         // see largestNode
}

// Report is the engine's state by name, as shown to users. Amounts are in the engine's units (cpu in milli,
// memory in bytes, pods in pods, others in milli); lists are sorted by namespace and name.
type Report struct {
	Queues   []QueueReport
	Jobs     []JobReport
	Pods     []PodReport
	Nodes    []NodeReport
	Problems []Problem
	Bookings []BookingReport // of nodes in advance
	Devices  []*DevicePool   // of resource claims
	Now      int64           // the time of the last cycle, nanoseconds since the epoch
}

// BookingReport is how a booking of nodes in advance stands.
type BookingReport = policy.BookingReport

// DevicePool is devices of one driver, and which claims have them.
type DevicePool = policy.DevicePool

// QueueReport is a queue's figures at the end of the last cycle.
type QueueReport struct {
	Name, Parent string
	State        model.QueueState // in effect: a closed queue closes those below it
	ClosedBy     string           // the queue above that closes this one; "" otherwise
	Turn         int              // its place in the order of service, from 1; 0: no job of it waits for a turn
	Waiting      int              // jobs that wait for a turn
	Weight       int64
	Priority     int32
	ShareMicro   int64 // millionths
	Overused     bool

	Deserved, Allocated, Request, Inqueue, Elastic, Guarantee resource.List
	Capability, RealCapability                                resource.List // zeros are limits of zero

	Start trace.Start // of its own job that starts first, where one is known to: see estimate.Starts.IntoQueues
}

// JobReport is a job's state and why it waits.
type JobReport struct {
	Namespace, Name string
	Shown           string // Name, and the job's owner where another job has the same name
	Adopted         bool
	Owner           JobOwner // of an adopted job
	Queue           string
	Phase           model.GroupPhase
	MinMember       int32
	Priority        int32
	Created         int64 // nanoseconds since the epoch; 0: not known
	Tasks           [model.NumStatus]int32
	Reason          trace.Reason
	RunTime         model.RunTime // of the members that have not finished: see jobRunTime
	Start           trace.Start   // when it starts, where that was estimated: see estimate.Starts.Into

	// For a job, or a sub-group, with a network topology: the smallest HyperNode that holds its pods, "" where
	// there is none.
	HyperNode string
	SubJobs   []SubJobReport // by name
}

// Key is the job's name among all.
func (j *JobReport) Key() ledger.JobKey {
	k := ledger.JobKey{Namespace: j.Namespace, Name: j.Name, Adopted: j.Adopted}
	if j.Owner != (JobOwner{}) {
		k.Owner = j.Owner.Kind + "/" + j.Owner.UID
	}
	return k
}

// HasMinimum says that as many members as start together have a node, or have run to their end.
func (j *JobReport) HasMinimum() bool {
	n := j.Tasks[model.Allocated] + j.Tasks[model.Binding] + j.Tasks[model.Bound] + j.Tasks[model.Running] +
		j.Tasks[model.Succeeded]
	return n > 0 && n >= j.MinMember
}

// JobOwner is the controller of an adopted job's pods: its kind and group, and its UID. Both are empty for a
// pod without a controller.
type JobOwner struct{ Kind, UID string }

// PodReport is a pod's state.
type PodReport struct {
	Namespace, Name, Job string
	JobShown             string // Job, as JobReport.Shown
	JobOwner             JobOwner
	Status               model.Status
	Node                 string // where it holds room, is terminating or is pipelined
	Nominated            string
	Scheduler            string // of pods that are not ours
	Started              int64  // when its kubelet saw it, in nanoseconds since the epoch; 0 before
	RunTime              model.RunTime
}

// NodeReport is a node's amounts.
type NodeReport struct {
	Name                                                            string
	Allocatable, Used, Idle, Releasing, Pipelined, FutureIdle, Room resource.List
	// kept for waiting jobs: no part of Pipelined and FutureIdle
	RoomKept resource.List
	// the HyperNodes that it is in, the smallest first
	HyperNodes []string
	Cordoned   bool
	Taints     []model.Taint
	Devices    []*DevicePool // that it alone reaches: see DevicesOf
}

// Problem says what is wrong with an object and what became of it.
type Problem struct {
	Object  string
	Message string
	Gist    string // Message without the number of objects it counts; "": Message has no such number
}

// Report describes the present state.
func (e *Engine) Report() Report {
	e.l.ExtendDims()
	out := Report{Queues: e.reports.queueReports(), Jobs: e.reports.jobReports(), Pods: e.reports.podReports(),
		Nodes: e.reports.nodeReports(), Problems: sortProblems(append(e.reports.problems(), e.reports.lost()...)),
		Bookings: e.policy.Bookings(), Devices: DevicesOf(e)(), Now: e.session.Now}
	of := DevicesByNode(out.Devices)
	for i := range out.Nodes {
		out.Nodes[i].Devices = of[out.Nodes[i].Name]
	}
	return out
}

// DevicesOf reads which devices there are and which claims have them, between two cycles. What it returns describes
// them, and may run beside the engine.
func DevicesOf(e *Engine) func() []*DevicePool { return e.policy.Devices() }

// DevicesByNode are the pools that one node alone reaches, by its name.
func DevicesByNode(all []*DevicePool) map[string][]*DevicePool {
	out := map[string][]*DevicePool{}
	for _, p := range all {
		if p.Node != "" {
			out[p.Node] = append(out[p.Node], p)
		}
	}
	return out
}

// BookingsOf describes the bookings of nodes in advance only, by name, as an engine's Report does.
func BookingsOf(e *Engine) []BookingReport {
	e.l.ExtendDims()
	return e.policy.Bookings()
}

// Queues describes the queues only, by name, as in a Report, without the cost of its pods and nodes.
func (e *Engine) Queues() []QueueReport {
	e.l.ExtendDims()
	return e.reports.queueReports()
}

func (rp *reports) queueReports() []QueueReport {
	var out []QueueReport
	turn, waiting := rp.served()
	rp.e.l.Queues.Each(func(id ledger.QueueID) bool {
		if q := rp.e.l.Queue(id); q.Fact != nil || q.Name == model.RootQueue {
			r := rp.queueReport(id)
			r.Turn, r.Waiting = turn[id], waiting[id]
			out = append(out, r)
		}
		return true
	})
	slices.SortFunc(out, func(a, b QueueReport) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// queueReport is a queue's figures, without its place in the order of service.
func (rp *reports) queueReport(id ledger.QueueID) QueueReport {
	q := rp.e.l.Queue(id)
	r := QueueReport{Name: q.Name, State: q.State(), ClosedBy: rp.closedBy(id), Weight: q.Weight(), Priority: q.Priority(),
		Allocated: rp.list(q.Allocated.Vec(nil)), Request: rp.list(q.Request.Vec(nil)), Inqueue: rp.list(q.Inqueue.Vec(nil)),
		Elastic: rp.list(q.Elastic.Vec(nil)), Guarantee: rp.list(q.Guarantee), Deserved: rp.list(q.Deserved),
		Capability: rp.limits(q.Capability)}
	if q.Fact != nil && q.Name != model.RootQueue {
		if r.Parent = q.Fact.Parent; r.Parent == "" {
			r.Parent = model.RootQueue
		}
	}
	if f, ok := rp.e.policy.QueueFigures(id); ok {
		r.Deserved, r.RealCapability = rp.list(f.Deserved), rp.limits(f.RealCapability)
		r.ShareMicro, r.Overused = f.ShareMicro, f.Overused
		if !f.Asked.IsEmpty() {
			r.Allocated, r.Request = rp.list(q.Allocated.Vec(nil).Add(f.Held)), rp.list(q.Request.Vec(nil).Add(f.Asked))
		}
	}
	return r
}

func (rp *reports) jobReports() []JobReport {
	ids := jobsByName(rp)
	out := make([]JobReport, 0, len(ids))
	for _, id := range ids {
		out = append(out, rp.jobReport(id))
	}
	return out
}

func jobsByName(rp *reports) (ids []ledger.JobID) {
	rp.e.l.Jobs.Each(func(j ledger.JobID) bool {
		ids = append(ids, j)
		return true
	})
	slices.SortFunc(ids, rp.byName)
	return ids
}

func (rp *reports) jobReport(id ledger.JobID) JobReport { return rp.jobRow(id, rp.e.JobReason(id)) }

// jobRow is a job that waits for a reason; none where it does not wait.
func (rp *reports) jobRow(id ledger.JobID, why trace.Reason) JobReport {
	j := rp.e.l.Job(id)
	return JobReport{Namespace: j.Key.Namespace, Name: j.Key.Name, Shown: rp.e.l.Jobs.Name(id),
		Adopted: j.Key.Adopted, Owner: JobOwner{j.Key.Kind(), j.Key.UID()},
		Queue: rp.e.l.Jobs.QueueName(id), Phase: j.Phase, MinMember: j.MinMember, Priority: j.Priority, Created: j.Created,
		Tasks: j.By, Reason: why, RunTime: rp.jobRunTime(id),
		HyperNode: rp.hyperNode(id, topology.AllSubs), SubJobs: rp.subJobs(id)}
}

func (rp *reports) byName(a, b ledger.JobID) int {
	return rp.e.l.Job(a).Key.Compare(rp.e.l.Job(b).Key)
}

// JobReason returns why a job waits; no reason when it does not wait.
func (e *Engine) JobReason(id ledger.JobID) trace.Reason {
	r, cured := refusal(e, id)
	if cured {
		r.Evicting = e.reports.namedEach(e.evictor.Why(id, e.actions))
	}
	return r
}

// Refusal is JobReason without why no eviction helps, which may cost a search for victims.
func (e *Engine) Refusal(id ledger.JobID) trace.Reason {
	r, _ := refusal(e, id)
	return r
}

// lastReason is the reason that JobReason told last, or else the one that is noted, without what would have to be
// found out, and whether it is all that JobReason would tell.
func lastReason(rp *reports, id ledger.JobID) (r trace.Reason, still bool) {
	if mayBeRefused(rp.e.l.Job(id)) {
		if r, still = rp.e.session.Pending.LastShown(id); r.Is() {
			cured := evict.Cured(r.Code)
			r = rp.named(r)
			r.Never = rp.neverStarts(id, r)
			return r, still && !cured
		}
	}
	return unrecorded(rp.e, id), true
}

// mayBeRefused says that pods of a job wait, or that it waits to be admitted.
func mayBeRefused(j *ledger.Job) bool {
	return j.By[model.Pending] > 0 || j.By[model.Pipelined] > 0 || j.By[model.Allocated] > 0 ||
		j.Exists() && j.AwaitsAdmission()
}

// refusal returns why a job waits, and whether an eviction could help it.
func refusal(e *Engine, id ledger.JobID) (r trace.Reason, cured bool) {
	rp := &e.reports
	if mayBeRefused(e.l.Job(id)) {
		if r := e.session.Pending.ReasonToShow(id, rp.ask); r.Is() {
			cured := evict.Cured(r.Code)
			r = rp.named(r)
			r.Never = rp.neverStarts(id, r)
			return r, cured
		}
	}
	return unrecorded(e, id), false
}

// unrecorded is why a job waits of which nothing is recorded; no reason when it does not wait.
func unrecorded(e *Engine, id ledger.JobID) trace.Reason {
	j := e.l.Job(id)
	switch {
	case j.Phase == model.GroupRunning || j.Phase == model.GroupCompleted:
		return trace.Reason{}
	case !j.Exists() && j.By[model.Pending] == 0:
		return trace.Reason{} // its last pods are terminating: nothing waits for the PodGroup
	case j.By[model.Binding] > 0 && j.By[model.Pending] == 0:
		return trace.Reason{Code: trace.BindInFlight, Have: int(j.By[model.Binding])}
	}
	if r := e.session.Blocked(id); r.Is() {
		return r
	}
	if j.Tasks == 0 {
		return trace.Reason{Code: trace.NoPods, Need: int(j.MinMember)}
	}
	if j.Ready() >= j.MinMember && j.By[model.Pending] == 0 {
		return trace.Reason{}
	}
	if r := e.policy.ValidateJob(id); r.Is() {
		return r
	}
	return trace.Reason{Code: trace.WaitsForTurn}
}

// ask returns why a job that was refused would be refused now.
func (rp *reports) ask(id ledger.JobID) trace.Reason { return allocate.Why(&rp.e.session, id) }

func (rp *reports) podReports() []PodReport {
	var out []PodReport
	rp.e.l.Tasks.Each(func(id ledger.TaskID) bool {
		out = append(out, rp.podReport(id))
		return true
	})
	sortPods(out)
	return out
}

func sortPods(list []PodReport) {
	slices.SortFunc(list, func(a, b PodReport) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

// podsOf are the pods of a job, in no order.
func podsOf(rp *reports, id ledger.JobID) (out []PodReport) {
	for s := range model.NumStatus {
		rp.e.l.Jobs.Tasks(id, s, func(t ledger.TaskID) bool {
			out = append(out, rp.podReport(t))
			return true
		})
	}
	return out
}

func (rp *reports) podReport(id ledger.TaskID) PodReport {
	t := rp.e.l.Task(id)
	r := PodReport{Namespace: t.Key.Namespace, Name: t.Key.Name, Status: t.Status,
		Nominated: t.Pod.Nominated, Node: t.Pod.Node, Started: t.Pod.Started,
		RunTime: t.Pod.RunTime(rp.e.l.Jobs.GroupOf(t), rp.e.l.Tasks.Runs.Of(t), rp.e.session.Now)}
	if t.Node != ledger.NoNode {
		r.Node = rp.e.l.Node(t.Node).Name
	}
	if t.Job != ledger.NoJob {
		key := &rp.e.l.Job(t.Job).Key
		r.Job, r.JobShown, r.JobOwner = key.Name, rp.e.l.Jobs.Name(t.Job), JobOwner{key.Kind(), key.UID()}
	}
	if !t.Pod.Ours {
		r.Scheduler = t.Pod.Scheduler
	}
	return r
}

func (rp *reports) nodeReports() []NodeReport {
	var out []NodeReport
	claimed := rp.e.l.KeptRoom.On()
	rp.e.l.Nodes.Present(func(n ledger.NodeID) bool {
		out = append(out, rp.nodeReport(n, claimed[n]))
		return true
	})
	slices.SortFunc(out, func(a, b NodeReport) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (rp *reports) nodeReport(n ledger.NodeID, claimed resource.Vec) NodeReport {
	column := func(of func(resource.Dim) []int64) resource.List {
		return rp.at(func(d resource.Dim) int64 { return of(d)[n] })
	}
	fact := rp.e.l.Node(n).Fact
	return NodeReport{Name: rp.e.l.Node(n).Name, Cordoned: fact.Unschedulable, Taints: fact.Taints,
		Allocatable: column(rp.e.l.Nodes.Allocatable), Idle: column(rp.e.l.Nodes.Idle),
		Releasing: column(rp.e.l.Nodes.Releasing),
		Room:      column(rp.e.l.Nodes.Room), RoomKept: rp.list(claimed),
		Pipelined:  rp.at(func(d resource.Dim) int64 { return rp.e.l.Nodes.Pipelined(d)[n] - claimed.Get(d) }),
		Used:       rp.at(func(d resource.Dim) int64 { return rp.e.l.Nodes.Used(d, n) }),
		FutureIdle: rp.at(func(d resource.Dim) int64 { return rp.e.l.Nodes.FutureIdle(d, n) + claimed.Get(d) }),
		HyperNodes: rp.domainsOf(n)}
}

func (rp *reports) at(f func(resource.Dim) int64) resource.List {
	var v resource.Vec
	for d := range rp.e.l.Dims.Len() {
		v = append(v, f(resource.Dim(d)))
	}
	return rp.list(v)
}

func (rp *reports) list(v resource.Vec) resource.List { return rp.e.l.Dims.List(v) }

// limits lists the bounded dimensions, limits of zero included.
func (rp *reports) limits(b resource.Limits) resource.List {
	var out resource.List
	for d := range b.Dims() {
		if x, ok := b.Bound(resource.Dim(d)); ok {
			out = append(out, resource.Amount{Name: rp.e.l.Dims.Name(resource.Dim(d)), Value: x})
		}
	}
	return resource.Normalize(out)
}
