package summary

import (
	"cmp"
	"slices"
	"time"

	"ashlar.sh/internal/traces"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Fragmentation is how much idle GPU is of no use: of each node's idle GPUs, counted once
// for each kind of pod in the trace and weighted by how common the kind is, those that the
// kind does not ask for or cannot have, since it does not fit on the node. As a share of
// all GPUs. It is the measure of Weng et al., "Beware of Fragmentation: Scheduling
// GPU-Sharing Workloads with Fragmentation Gradient Descent" (USENIX ATC 2023), as the
// authors' program reports it, with the GPUs of a node pooled.
type Fragmentation struct {
	Resource string  `json:"resource"`
	Mean     Share   `json:"mean"` // over time
	Peak     Share   `json:"peak"`
	PeakAt   Seconds `json:"peakAt"`
}

// kind is pods that ask for the same.
type kind struct {
	spec  *model.Spec
	count int64
}

// sweep is the cluster as time passes.
type sweep struct {
	w      *Watch
	names  []string // of resources
	room   [][]int64
	idle   [][]int64 // by node, in the order of names
	cap    []int64
	held   []level
	asked  []level
	gpu    int // among names; -1: nobody has one
	kinds  []kind
	wasted []int64 // by node, times the number of pods
	frag   level
}

// change is that a pod comes or goes; with a node: its place, else its request.
type change struct {
	at   time.Duration
	pod  int32
	node int32
	sign int64
}

// newSweep is the empty cluster at a time.
func newSweep(w *Watch, begin time.Duration) *sweep {
	s := &sweep{w: w, gpu: -1}
	for _, n := range w.nodes {
		for _, a := range n.Allocatable {
			if a.Name != resource.PodsName && !slices.Contains(s.names, a.Name) {
				s.names = append(s.names, a.Name)
			}
		}
	}
	slices.Sort(s.names)
	s.gpu = slices.Index(s.names, traces.GPU)
	s.cap, s.held, s.asked = make([]int64, len(s.names)), make([]level, len(s.names)), make([]level, len(s.names))
	for _, n := range w.nodes {
		amounts := s.amounts(n.Allocatable)
		for d, x := range amounts {
			s.cap[d] += x
		}
		s.room = append(s.room, amounts)
		s.idle = append(s.idle, slices.Clone(amounts))
	}
	for d := range s.names {
		s.held[d].since, s.asked[d].since = begin, begin
	}
	s.frag.since = begin
	s.sort()
	s.wasted = make([]int64, len(w.nodes))
	for n := range s.wasted {
		s.waste(int32(n))
	}
	s.frag.top()
	return s
}

// sort counts the pods of each kind.
func (s *sweep) sort() {
	at := map[*model.Spec]int{}
	for i := range s.w.pods {
		spec := s.w.pods[i].spec
		if s.w.pods[i].job < 0 || spec == nil {
			continue
		}
		if _, ok := at[spec]; !ok {
			at[spec] = len(s.kinds)
			s.kinds = append(s.kinds, kind{spec: spec})
		}
		s.kinds[at[spec]].count++
	}
}

func (s *sweep) amounts(l resource.List) []int64 {
	out := make([]int64, len(s.names))
	for d, name := range s.names {
		out[d], _ = l.Get(name)
	}
	return out
}

// changes are all that happens up to an end, in order: who leaves goes before who comes.
func (s *sweep) changes(end time.Duration) []change {
	var out []change
	for _, p := range s.w.places {
		out = append(out, change{p.from, p.pod, p.node, 1}, change{p.to, p.pod, p.node, -1})
	}
	for i := range s.w.pods {
		p := &s.w.pods[i]
		out = append(out, change{p.submit, int32(i), -1, 1})
		if p.place >= 0 {
			out = append(out, change{s.w.places[p.place].to, int32(i), -1, -1})
		}
	}
	out = slices.DeleteFunc(out, func(c change) bool { return c.at > end })
	slices.SortFunc(out, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.sign, b.sign), cmp.Compare(a.pod, b.pod), cmp.Compare(a.node, b.node))
	})
	return out
}

// run lets time pass up to an end.
func (s *sweep) run(end time.Duration) {
	changes := s.changes(end)
	for i, c := range changes {
		s.at(c.at)
		s.apply(c)
		if i+1 == len(changes) || changes[i+1].at > c.at {
			s.top()
		}
	}
	s.at(end)
}

func (s *sweep) apply(c change) {
	spec := s.w.pods[c.pod].spec
	if spec == nil {
		return
	}
	for d, name := range s.names {
		x, _ := spec.Requests.Get(name)
		if c.node < 0 {
			s.asked[d].now += c.sign * x
			continue
		}
		s.held[d].now += c.sign * x
		s.idle[c.node][d] -= c.sign * x
	}
	if c.node >= 0 {
		s.waste(c.node)
	}
}

func (s *sweep) at(t time.Duration) {
	for d := range s.names {
		s.held[d].at(t)
		s.asked[d].at(t)
	}
	s.frag.at(t)
}

func (s *sweep) top() {
	for d := range s.names {
		s.held[d].top()
		s.asked[d].top()
	}
	s.frag.top()
}

// waste counts a node's idle GPUs anew for all kinds that have no use for them.
func (s *sweep) waste(n int32) {
	if s.gpu < 0 {
		return
	}
	pods := int64(0)
	for _, k := range s.kinds {
		if x, _ := k.spec.Requests.Get(traces.GPU); x == 0 || !s.fits(k.spec, n) {
			pods += k.count
		}
	}
	now := max(0, s.idle[n][s.gpu]) * pods
	s.frag.now += now - s.wasted[n]
	s.wasted[n] = now
}

func (s *sweep) fits(spec *model.Spec, n int32) bool {
	for d, name := range s.names {
		if x, _ := spec.Requests.Get(name); x > s.idle[n][d] {
			return false
		}
	}
	if len(spec.Affinity) == 0 {
		return true
	}
	gpuModel, _ := model.LabelValue(s.w.nodes[n].Labels, traces.ModelLabel)
	return slices.Contains(spec.Affinity[0].All[0].Values, gpuModel)
}
