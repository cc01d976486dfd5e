package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Report is how a simulation ended: the document that `ashlar simulate -o json`
// prints. Fields may be added to it, none changed. Lists are sorted by namespace and
// name, evictions by time; none is nil.
type Report struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Summary    Summary    `json:"summary"`
	Queues     []Queue    `json:"queues"`
	Jobs       []Job      `json:"jobs"`
	Pods       []Pod      `json:"pods"`
	Evictions  []Eviction `json:"evictions"`
	Nodes      []Node     `json:"nodes"`
	Problems   []Problem  `json:"problems"`

	Bookings []Booking     `json:"bookings,omitempty"` // of nodes in advance, by name
	Devices  []DeviceGroup `json:"devices,omitempty"`  // of all nodes together, by driver and classes

	now int64
}

// Summary counts over the whole run; Pending are the pods that wait at its end, Lost is
// what evicted pods held times the seconds for which they had run.
type Summary struct {
	Cycles      int      `json:"cycles"`
	VirtualTime Duration `json:"virtualTime"`
	Bound       int      `json:"bound"`
	Pending     int      `json:"pending"`
	Evicted     int      `json:"evicted"`

	Lost Quantities `json:"lostSeconds,omitempty"`

	Passed *WaitsBehind `json:"passed,omitempty"` // of a simulation in which a job was
}

// WaitsBehind is how long jobs waited behind others of their queue that came later and have no higher priority: of each
// job the time from the first start of such a job, on a node that could hold its pods, to its own start, or to the end.
type WaitsBehind struct {
	Jobs    int      `json:"jobs"` // that were passed
	Longest Duration `json:"longest"`
	Job     string   `json:"job"` // that waited longest, as namespace/name
}

// Duration is written as Go writes it: 1m30s.
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String is the duration as Go writes it.
func (d Duration) String() string { return time.Duration(d).String() }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// Share is a share in millionths, written as a number with six decimals.
type Share int64

// MarshalJSON implements json.Marshaler.
func (s Share) MarshalJSON() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (s *Share) UnmarshalJSON(text []byte) error {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("a share: %w", err)
	}
	*s = Share(math.Round(f * 1e6))
	return nil
}

// String is the share with six decimals.
func (s Share) String() string {
	if s < 0 {
		return "-" + (-s).String()
	}
	return fmt.Sprintf("%d.%06d", int64(s)/1e6, int64(s)%1e6)
}

// Queue is a queue's figures at the end of the last cycle. Quantities of zero are left
// out, but in Capability and RealCapability zero is a limit and absence is none.
type Queue struct {
	Name           string     `json:"name"`
	Parent         string     `json:"parent"`
	State          string     `json:"state"`
	Weight         int64      `json:"weight"`
	Priority       int32      `json:"priority"`
	Share          Share      `json:"share"`
	Overused       bool       `json:"overused"`
	Deserved       Quantities `json:"deserved"`
	Allocated      Quantities `json:"allocated"`
	Request        Quantities `json:"request"`
	Inqueue        Quantities `json:"inqueue"`
	Elastic        Quantities `json:"elastic"`
	Guarantee      Quantities `json:"guarantee"`
	Capability     Quantities `json:"capability"`
	RealCapability Quantities `json:"realCapability"`
}

// Job is where a job stands; Reason is empty unless it waits.
type Job struct {
	Namespace string         `json:"namespace"`
	Name      string         `json:"name"`
	Queue     string         `json:"queue"`
	Phase     string         `json:"phase"`
	MinMember int32          `json:"minMember"`
	Priority  int32          `json:"priority"`
	Tasks     map[string]int `json:"tasks"` // pods by status, those without left out
	Reason    Reason         `json:"reason"`

	RunTime *RunTime `json:"runTime,omitempty"` // the longest of its pods; nil: nothing is known
	Start   *Start   `json:"start,omitempty"`   // when it starts; nil: it waits for none, or that was not estimated
	Created string   `json:"created,omitempty"` // RFC 3339; "" where it is not known

	Owner *Owner `json:"owner,omitempty"` // the controller of its pods; nil: it has a PodGroup, or is one pod's

	HyperNode string   `json:"hyperNode,omitempty"` // of a job with a network topology: the smallest that holds its pods
	SubJobs   []SubJob `json:"subJobs,omitempty"`

	shown string // the name, and what the job is made for where another is called so too
}

// Owner is the controller of a job's pods: its kind and group, as "StatefulSet.apps", and its
// UID. Jobs of one name are told apart by it.
type Owner struct {
	Kind string `json:"kind"`
	UID  string `json:"uid,omitempty"`
}

func owner(o sched.JobOwner) *Owner {
	if o == (sched.JobOwner{}) {
		return nil
	}
	return &Owner{o.Kind, o.UID}
}

// called is what people call a job.
func (j *Job) called() string { return cmp.Or(j.shown, j.Name) }

// called is what people call a pod's job.
func (p *Pod) called() string { return cmp.Or(p.shown, p.Job) }

// Reason is a trace.Reason's code and sentence. Cause is the code of the innermost reason, where it is another: what
// stops a member of a gang. Never is the code of the proof that the job
// cannot start as it, its queue and the nodes are, where there is one; the message begins
// with it. Evicting is why no action evicts others for the job, where one could; the message
// ends with it.
type Reason struct {
	Code     string    `json:"code"`
	Cause    string    `json:"cause,omitempty"`
	Never    string    `json:"never,omitempty"`
	Message  string    `json:"message"`
	Evicting *Evicting `json:"evicting,omitempty"`
}

// Evicting is why an action evicts no pod.
type Evicting struct {
	Action  string    `json:"action"`
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Next    *Evicting `json:"next,omitempty"` // of the next action
}

// Pod is where a pod stands. Pods of other schedulers have no job.
type Pod struct {
	Namespace     string `json:"namespace"`
	Name          string `json:"name"`
	Job           string `json:"job"`
	Status        string `json:"status"`
	Node          string `json:"node"`
	NominatedNode string `json:"nominatedNode"`

	RunTime *RunTime `json:"runTime,omitempty"` // nil: nothing is known

	JobOwner *Owner `json:"jobOwner,omitempty"` // of its job

	shown string // the job's
}

// Node is a node's amounts, pods among them.
type Node struct {
	Name        string     `json:"name"`
	Allocatable Quantities `json:"allocatable"`
	Used        Quantities `json:"used"`
	Idle        Quantities `json:"idle"`
	Releasing   Quantities `json:"releasing"`
	Pipelined   Quantities `json:"pipelined"`
	FutureIdle  Quantities `json:"futureIdle"`
	Claimed     Quantities `json:"claimed,omitempty"` // what is kept of it for jobs that wait

	HyperNodes []string `json:"hyperNodes,omitempty"` // that it is in, the smallest first; read by network-topology-aware

	Cordoned bool     `json:"cordoned,omitempty"`
	Taints   []string `json:"taints,omitempty"` // KEY=VALUE:EFFECT

	Devices []DeviceGroup `json:"devices,omitempty"` // of resource claims, that it alone reaches
}

// Problem is what is wrong with an object, and what became of it.
type Problem struct {
	Object  string `json:"object"`
	Message string `json:"message"`
}

// New makes the report of a run from the engine's state at its end.
func New(state sched.Report, s Summary, evictions []Eviction) *Report {
	r := &Report{APIVersion: "ashlar.sh/v1alpha1", Kind: "SimulationReport", Summary: s,
		Queues: []Queue{}, Jobs: []Job{}, Pods: []Pod{}, Evictions: append([]Eviction{}, evictions...),
		Nodes: []Node{}, Problems: []Problem{}}
	for i := range state.Queues {
		r.Queues = append(r.Queues, queue(&state.Queues[i]))
	}
	for i := range state.Jobs {
		r.Jobs = append(r.Jobs, job(&state.Jobs[i]))
	}
	for _, p := range state.Pods {
		r.Pods = append(r.Pods, Pod{Namespace: p.Namespace, Name: p.Name, Job: p.Job, JobOwner: owner(p.JobOwner),
			shown:  p.JobShown,
			Status: p.Status.String(), Node: p.Node, NominatedNode: p.Nominated, RunTime: runTime(p.RunTime)})
	}
	for i := range state.Nodes {
		r.Nodes = append(r.Nodes, node(&state.Nodes[i]))
	}
	for _, p := range state.Problems {
		r.Problems = append(r.Problems, Problem{Object: p.Object, Message: p.Message})
	}
	for i := range state.Bookings {
		r.Bookings = append(r.Bookings, NewBooking(&state.Bookings[i]))
	}
	if len(state.Devices) > 0 {
		r.Devices = DeviceSums(state.Devices)
	}
	r.now = state.Now
	return r
}

// AddProblem adds what was found wrong before the engine saw an object, in its place.
func (r *Report) AddProblem(object, message string) {
	p := Problem{Object: object, Message: message}
	at, _ := slices.BinarySearchFunc(r.Problems, p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Message, b.Message))
	})
	r.Problems = slices.Insert(r.Problems, at, p)
}

func node(n *sched.NodeReport) Node {
	return Node{Name: n.Name, Allocatable: amounts(n.Allocatable), Used: amounts(n.Used), Idle: amounts(n.Idle),
		Releasing: amounts(n.Releasing), Pipelined: amounts(n.Pipelined), FutureIdle: amounts(n.FutureIdle),
		Claimed: amounts(n.RoomKept), HyperNodes: n.HyperNodes, Cordoned: n.Cordoned, Taints: taints(n.Taints),
		Devices: DeviceGroups(n.Devices, false)}
}

// taints writes taints as kubectl does; nil for none.
func taints(list []model.Taint) (out []string) {
	for _, t := range list {
		text := t.Key
		if t.Value != "" {
			text += "=" + t.Value
		}
		out = append(out, text+":"+string(t.Effect))
	}
	return out
}

func queue(q *sched.QueueReport) Queue {
	return Queue{Name: q.Name, Parent: q.Parent, State: q.State.String(), Weight: q.Weight, Priority: q.Priority,
		Share: Share(q.ShareMicro), Overused: q.Overused,
		Deserved: amounts(q.Deserved), Allocated: amounts(q.Allocated), Request: amounts(q.Request),
		Inqueue: amounts(q.Inqueue), Elastic: amounts(q.Elastic), Guarantee: amounts(q.Guarantee),
		Capability: limits(q.Capability), RealCapability: limits(q.RealCapability)}
}

func job(j *sched.JobReport) Job {
	out := Job{Namespace: j.Namespace, Name: j.Name, Owner: owner(j.Owner), shown: j.Shown, Queue: j.Queue,
		Phase:     j.Phase.String(),
		MinMember: j.MinMember, Priority: j.Priority, Tasks: map[string]int{},
		Created: moment(j.Created), Reason: reason(j.Reason), RunTime: runTime(j.RunTime), Start: start(&j.Start),
		HyperNode: j.HyperNode, SubJobs: subJobs(j.SubJobs)}
	for status, n := range j.Tasks {
		if n != 0 {
			out.Tasks[model.Status(status).String()] = int(n)
		}
	}
	return out
}

// moment writes a time in nanoseconds since the epoch; "" for 0.
func moment(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(0, at).UTC().Format(time.RFC3339)
}

func reason(r trace.Reason) Reason {
	out := Reason{Code: string(r.Code), Message: Sentence(r)}
	if cause := r.Root().Code; cause != r.Code {
		out.Cause = string(cause)
	}
	if r.Never != nil {
		out.Never = string(r.Never.Code)
	}
	next := &out.Evicting
	for e := r.Evicting; e != nil && e.Is(); e = e.Evicting {
		*next = &Evicting{Action: e.Text, Code: string(e.Code), Message: unnamed(*e, r.Task)}
		next = &(*next).Next
	}
	return out
}
