package traces

import (
	"io"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Namespace is where the PodGroups and pods of a trace live.
const Namespace = "trace"

// The names that a trace's GPUs go by.
const (
	// GPU is the resource. A fraction of one is an amount like any other: the GPUs of a
	// node are pooled, so that two halves of two GPUs make room for a whole one.
	GPU = "nvidia.com/gpu"
	// ModelLabel is the label that carries a node's gpu_model, as NVIDIA's feature
	// discovery names it.
	ModelLabel = "nvidia.com/gpu.product"
)

// File is a table to be read and the name by which faults call it.
type File struct {
	Name string
	io.Reader
}

// Job is one row of the table of jobs.
type Job struct {
	Name  string // of its PodGroup, and with -0, -1 … of its pods
	Queue string // default when the row names none
	User  string // "" when the row names none

	Submit      time.Duration
	Duration    time.Duration // of each member, from its start; only with HasDuration
	HasDuration bool          // without it a member runs for ever

	Members, MinMembers int
	Spec                *model.Spec // of each member; shared by all that ask for the same

	template uint64 // of what each member asks for: nothing else tells runs of one user apart
	copied   int    // which of those drawn again by Fill it is; 0: the row's own
}

// Trace is what two tables say.
type Trace struct {
	// Items are nodes, priority classes, and a PodGroup with its pods for each job. Queues
	// are not among them: see Queue.
	Items  []sim.Item
	Jobs   []Job    // in the order of rows
	Queues []string // that jobs name, in the order of first sight
}

// Read reads a trace. The error is of type Faults, for every row that is wrong; the trace
// is nil then.
func Read(nodes, jobs File) (*Trace, error) {
	r := &reader{trace: &Trace{}, specs: map[string]*model.Spec{}, queues: map[string]bool{},
		names: map[string]int{}, priorities: map[int32]bool{}, recorded: map[string]bool{}}
	r.read(nodes, nodeColumns, r.node)
	clear(r.names)
	r.read(jobs, jobColumns, r.job)
	if len(r.faults.First) > 0 {
		return nil, r.faults
	}
	for i, g := range r.gangs {
		r.gang(&r.trace.Jobs[i], g)
	}
	return r.trace, nil
}

// Queue is a queue of that name with the default spec: weight 1, no limit,
// reclaimable.
func Queue(name string) sim.Item {
	return sim.Item{Fact: model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: name},
		Object: &model.Queue{Weight: 1, Reclaimable: true}}}
}

// reader is a reading under way.
type reader struct {
	trace  *Trace
	faults Faults
	gangs  []gang // of trace.Jobs

	specs      map[string]*model.Spec // by the cells they are made of
	queues     map[string]bool
	priorities map[int32]bool
	names      map[string]int  // of the table that is read, with the line
	recorded   map[string]bool // whether the nodes have a resource

	last time.Duration // submission of the row before
	pods int           // of the rows so far
	ties int64         // rows in a row that were submitted at that time, but for the first
}

// list is amounts by name; those that are not recorded are left out.
func list(amounts ...amount) resource.List {
	var l resource.List
	for _, a := range amounts {
		if a.given {
			l = append(l, resource.Amount{Name: a.name, Value: a.value})
		}
	}
	return l
}
