package summary

import (
	"math"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/traces"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// never is later than any end.
const never = time.Duration(math.MaxInt64)

// Watch takes the cycles of one run in.
type Watch struct {
	period time.Duration
	nodes  []*model.Node
	nodeAt map[string]int32
	pods   []pod
	podAt  map[ledger.Key]int32
	jobs   []job
	places []place

	estimates                    *estimating // nil: none are made
	filling                      bool        // see Fill
	cycles, decisions, evictions int
	last                         time.Duration // of the last cycle
}

// pod is a pod of the input, whether of the trace or not.
type pod struct {
	spec        *model.Spec
	submit      time.Duration
	duration    time.Duration
	hasDuration bool
	resumes     bool  // evicted, it has the rest before it
	job         int32 // among the trace's; -1: of none
	place       int32 // where it is, or was last; -1: nowhere yet
}

// job is a job of the trace and how it fared.
type job struct {
	*traces.Job
	bound    int           // members that have a place
	started  time.Duration // the cycle that bound its minimum; never: not yet
	unended  int           // members that have not run to their end
	lastEnds time.Duration
}

// place is a pod's stay on a node, from the cycle that bound it to its end.
type place struct {
	pod, node int32
	from, to  time.Duration
}

// New watches a run of items, among which are those of a trace's jobs. The period is that
// of the world's cycles.
func New(items []sim.Item, jobs []traces.Job, period time.Duration) *Watch {
	w := &Watch{period: period, nodeAt: map[string]int32{}, podAt: make(map[ledger.Key]int32, len(items))}
	named := make(map[string]int32, len(jobs))
	for i := range jobs {
		named[jobs[i].Name] = int32(i)
		w.jobs = append(w.jobs, job{Job: &jobs[i], started: never, unended: jobs[i].Members})
	}
	for i := range items {
		name := items[i].Fact.Ref.Name
		switch o := items[i].Fact.Object.(type) {
		case *model.Node:
			if _, twice := w.nodeAt[name]; !twice {
				w.nodeAt[name] = int32(len(w.nodes))
				w.nodes = append(w.nodes, o)
			}
		case *model.Pod:
			p := pod{spec: o.Spec, submit: items[i].SubmitAt, duration: items[i].Duration, hasDuration: items[i].HasDuration,
				resumes: items[i].Resumes, job: -1, place: -1}
			if at, ok := named[o.Group]; ok && items[i].Fact.Ref.Namespace == traces.Namespace {
				p.job = at
			}
			w.podAt[ledger.Key{Namespace: items[i].Fact.Ref.Namespace, Name: name}] = int32(len(w.pods))
			w.pods = append(w.pods, p)
		}
	}
	w.placeInitial(items)
	return w
}

// placeInitial places the pods that the input has on nodes already.
func (w *Watch) placeInitial(items []sim.Item) {
	for i := range items {
		if o, ok := items[i].Fact.Object.(*model.Pod); ok && o.Node != "" {
			at := w.podAt[ledger.Key{Namespace: items[i].Fact.Ref.Namespace, Name: items[i].Fact.Ref.Name}]
			w.bind(at, o.Node, items[i].SubmitAt, items[i].SubmitAt)
		}
	}
}

// See takes a cycle in. Cycles come in their order.
func (w *Watch) See(c sim.Cycle) {
	w.cycles++
	w.last = c.At
	for i := range c.Plan.Items {
		item := &c.Plan.Items[i]
		if item.Kind == sched.SetPhase {
			continue
		}
		w.decisions++
		at, ok := w.podAt[item.Pod]
		switch {
		case !ok:
		case item.Kind == sched.BindPod:
			w.bind(at, item.Node, c.At, c.At+w.period)
		case item.Kind == sched.EvictPod:
			w.evictions++
			w.evict(at, c.At+w.period)
		}
	}
}

// bind notes that a pod has a node from a time on and runs there from start.
func (w *Watch) bind(at int32, node string, from, start time.Duration) {
	n, ok := w.nodeAt[node]
	if !ok {
		return
	}
	p := &w.pods[at]
	to := never
	if p.hasDuration && p.duration < never-start {
		to = start + p.duration
	}
	p.place = int32(len(w.places))
	w.places = append(w.places, place{at, n, from, to})
	if p.job < 0 {
		return
	}
	j := &w.jobs[p.job]
	if j.bound++; j.bound == j.MinMembers && j.started == never {
		j.started = from
		w.estimates.starts(j, from)
	}
}

// evict notes that a pod leaves its node; what replaces it has its name.
func (w *Watch) evict(at int32, gone time.Duration) {
	p := &w.pods[at]
	if p.place < 0 {
		return
	}
	ends := w.places[p.place].to
	if p.resumes && p.hasDuration {
		p.duration = max(0, min(p.duration, ends-gone))
	}
	w.places[p.place].to = min(ends, gone)
	p.place = -1
	if p.job >= 0 {
		w.jobs[p.job].bound--
	}
}
