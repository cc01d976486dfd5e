package sched

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/actions/allocate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// Report is the engine's state by name, as shown to users. Amounts are in the engine's units (cpu in milli,
// memory in bytes, pods in pods, others in milli); lists are sorted by namespace and name.
type Report struct {
	Queues   []QueueReport
	Jobs     []JobReport
	Pods     []PodReport
	Nodes    []NodeReport
	Problems []Problem
}

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
	Tasks           [model.NumStatus]int32
	Reason          trace.Reason

	// For a job, or a sub-group, with a network topology: the smallest HyperNode that holds its pods, "" where
	// there is none.
	HyperNode string
	SubJobs   []SubJobReport // by name
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
	Node                 string // where it holds room, is terminating or is promised room
	Nominated            string
	Scheduler            string // of pods that are not ours
}

// NodeReport is a node's amounts.
type NodeReport struct {
	Name                                                            string
	Allocatable, Used, Idle, Releasing, Pipelined, FutureIdle, Room resource.List
	Claimed                                                         resource.List // kept for waiting jobs: no part of Pipelined and FutureIdle
}

// Problem says what is wrong with an object and what became of it.
type Problem struct {
	Object  string
	Message string
	Gist    string // Message without the number of objects it counts; "": Message has no such number
}

// Report describes the present state.
func (e *Engine) Report() Report {
	e.l.Settle()
	return Report{Queues: e.queueReports(), Jobs: e.jobReports(), Pods: e.podReports(),
		Nodes: e.nodeReports(), Problems: sortProblems(append(e.problems(), e.lost()...))}
}

// Queues describes the queues only, by name, as in a Report, without the cost of its pods and nodes.
func (e *Engine) Queues() []QueueReport {
	e.l.Settle()
	return e.queueReports()
}

func (e *Engine) queueReports() []QueueReport {
	var out []QueueReport
	turn, waiting := e.served()
	e.l.Queues(func(id ledger.QueueID) bool {
		q := e.l.Queue(id)
		if q.Fact == nil && q.Name != model.RootQueue {
			return true
		}
		r := QueueReport{Name: q.Name, State: q.State(), ClosedBy: e.closedBy(id), Turn: turn[id],
			Waiting: waiting[id], Weight: q.Weight(), Priority: q.Priority(),
			Allocated: e.list(q.Allocated.Vec(nil)), Request: e.list(q.Request.Vec(nil)), Inqueue: e.list(q.Inqueue.Vec(nil)),
			Elastic: e.list(q.Elastic.Vec(nil)), Guarantee: e.list(q.Guarantee), Deserved: e.list(q.Deserved),
			Capability: e.limits(q.Capability)}
		if q.Fact != nil && q.Name != model.RootQueue {
			if r.Parent = q.Fact.Parent; r.Parent == "" {
				r.Parent = model.RootQueue
			}
		}
		if f, ok := e.policy.QueueFigures(id); ok {
			r.Deserved, r.RealCapability = e.list(f.Deserved), e.limits(f.RealCapability)
			r.ShareMicro, r.Overused = f.ShareMicro, f.Overused
			if !f.Asked.IsEmpty() {
				r.Allocated, r.Request = e.list(q.Allocated.Vec(nil).Add(f.Held)), e.list(q.Request.Vec(nil).Add(f.Asked))
			}
		}
		out = append(out, r)
		return true
	})
	slices.SortFunc(out, func(a, b QueueReport) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (e *Engine) jobReports() []JobReport {
	var ids []ledger.JobID
	e.l.Jobs(func(j ledger.JobID) bool {
		ids = append(ids, j)
		return true
	})
	slices.SortFunc(ids, e.byName)
	out := make([]JobReport, 0, len(ids))
	for _, id := range ids {
		j := e.l.Job(id)
		out = append(out, JobReport{Namespace: j.Key.Namespace, Name: j.Key.Name, Shown: e.l.JobName(id),
			Adopted: j.Key.Adopted, Owner: JobOwner{j.Key.Kind(), j.Key.UID()},
			Queue: e.l.QueueName(id), Phase: j.Phase, MinMember: j.MinMember, Priority: j.Priority,
			Tasks: j.By, Reason: e.JobReason(id), HyperNode: e.hyperNode(id, topology.AllSubs), SubJobs: e.subJobs(id)})
	}
	return out
}

func (e *Engine) byName(a, b ledger.JobID) int {
	return e.l.Job(a).Key.Compare(e.l.Job(b).Key)
}

// JobReason returns why a job waits; no reason when it does not wait.
func (e *Engine) JobReason(id ledger.JobID) trace.Reason {
	j := e.l.Job(id)
	if j.By[model.Pending] > 0 || j.By[model.Pipelined] > 0 || j.By[model.Allocated] > 0 ||
		j.Exists() && j.AwaitsAdmission() {
		if r := e.session.ReasonToShow(id, e.ask); r.Is() {
			if cured(r.Code) {
				r.Evicting = e.spared(id)
			}
			return r
		}
	}
	switch {
	case j.Phase == model.GroupRunning || j.Phase == model.GroupCompleted:
		return trace.Reason{}
	case !j.Exists() && j.By[model.Pending] == 0:
		return trace.Reason{} // its last pods are terminating: nothing waits for the PodGroup
	case j.By[model.Binding] > 0 && j.By[model.Pending] == 0:
		return trace.Reason{Code: trace.BindInFlight, Have: int(j.By[model.Binding])}
	}
	if r := e.session.Gate(id); r.Is() {
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
func (e *Engine) ask(id ledger.JobID) trace.Reason { return allocate.Why(&e.session, id) }

func (e *Engine) podReports() []PodReport {
	var out []PodReport
	e.l.Tasks(func(id ledger.TaskID) bool {
		t := e.l.Task(id)
		r := PodReport{Namespace: t.Key.Namespace, Name: t.Key.Name, Status: t.Status, Nominated: t.Pod.Nominated, Node: t.Pod.Node}
		if t.Node != ledger.NoNode {
			r.Node = e.l.Node(t.Node).Name
		}
		if t.Job != ledger.NoJob {
			key := &e.l.Job(t.Job).Key
			r.Job, r.JobShown, r.JobOwner = key.Name, e.l.JobName(t.Job), JobOwner{key.Kind(), key.UID()}
		}
		if !t.Pod.Ours {
			r.Scheduler = t.Pod.Scheduler
		}
		out = append(out, r)
		return true
	})
	slices.SortFunc(out, func(a, b PodReport) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func (e *Engine) nodeReports() []NodeReport {
	var out []NodeReport
	claimed := e.l.ClaimedOn()
	e.l.Present(func(n ledger.NodeID) bool {
		column := func(of func(resource.Dim) []int64) resource.List {
			return e.at(func(d resource.Dim) int64 { return of(d)[n] })
		}
		out = append(out, NodeReport{Name: e.l.Node(n).Name,
			Allocatable: column(e.l.Allocatable), Idle: column(e.l.Idle), Releasing: column(e.l.Releasing),
			Room: column(e.l.Room), Claimed: e.list(claimed[n]),
			Pipelined:  e.at(func(d resource.Dim) int64 { return e.l.Pipelined(d)[n] - claimed[n].Get(d) }),
			Used:       e.at(func(d resource.Dim) int64 { return e.l.Used(d, n) }),
			FutureIdle: e.at(func(d resource.Dim) int64 { return e.l.FutureIdle(d, n) + claimed[n].Get(d) })})
		return true
	})
	slices.SortFunc(out, func(a, b NodeReport) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (e *Engine) at(f func(resource.Dim) int64) resource.List {
	var v resource.Vec
	for d := range e.l.Dims.Len() {
		v = append(v, f(resource.Dim(d)))
	}
	return e.list(v)
}

func (e *Engine) list(v resource.Vec) resource.List { return e.l.Dims.List(v) }

// limits lists the bounded dimensions, limits of zero included.
func (e *Engine) limits(b resource.Limits) resource.List {
	var out resource.List
	for d := range b.Dims() {
		if x, ok := b.Bound(resource.Dim(d)); ok {
			out = append(out, resource.Amount{Name: e.l.Dims.Name(resource.Dim(d)), Value: x})
		}
	}
	return resource.Normalize(out)
}
