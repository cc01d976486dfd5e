package summary

import (
	"cmp"
	"math"
	"slices"
	"time"

	"ashlar.sh/internal/traces"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Fragmentation is how much idle GPU is of no use: of each node's idle GPUs, counted once for each kind of pod in the
// trace and weighted by how common the kind is, those that the kind does not ask for or cannot have, since it does not
// fit on the node. As a share of all GPUs. Of other resources Resource.Fragmented is the same. It is the measure of
// Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent" (USENIX
// ATC 2023), as the authors' program reports it, with the GPUs of a node pooled.
type Fragmentation struct {
	Resource string  `json:"resource"`
	Mean     Share   `json:"mean"` // over time
	Peak     Share   `json:"peak"`
	PeakAt   Seconds `json:"peakAt"`
}

// kind is pods that ask for the same.
type kind struct {
	spec  *model.Spec
	asks  []int64 // in the order of names
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
	gpu    int // among names; -1: no node has one
	kinds  []kind
	shift  []uint    // by which amounts are made small enough to be multiplied with pods
	wasted [][]int64 // by node, times the number of pods
	frag   []level

	queues  []string // of jobs, by name
	shares  []level  // what their pods hold of main
	waiting level    // jobs that have not started
	main    int      // among names: GPUs where there are any, else the first; -1 without names
	loads   []Load
}

// change is that a pod comes or goes; with a node: its place, else its request. With a
// job it is that the job begins or ends to wait.
type change struct {
	at   time.Duration
	pod  int32
	node int32
	job  int32 // -1: of a pod
	sign int64
}

// newSweep is the empty cluster at a time.
func newSweep(w *Watch, begin, end time.Duration) *sweep {
	s := &sweep{w: w}
	for _, n := range w.nodes {
		for _, a := range n.Allocatable {
			if a.Name != resource.PodsName && !slices.Contains(s.names, a.Name) {
				s.names = append(s.names, a.Name)
			}
		}
	}
	slices.Sort(s.names)
	s.gpu = slices.Index(s.names, traces.GPU)
	if s.main = s.gpu; s.main < 0 && len(s.names) > 0 {
		s.main = 0
	}
	s.cap, s.shift = make([]int64, len(s.names)), make([]uint, len(s.names))
	for _, n := range w.nodes {
		amounts := s.amounts(n.Allocatable)
		for d, x := range amounts {
			s.cap[d] += x
		}
		s.room = append(s.room, amounts)
		s.idle = append(s.idle, slices.Clone(amounts))
	}
	s.sort()
	levels := func(n int) []level {
		out := make([]level, n)
		for i := range out {
			out[i] = level{since: begin, curve: newCurve(begin, end)}
		}
		return out
	}
	s.held, s.asked, s.frag = levels(len(s.names)), levels(len(s.names)), levels(len(s.names))
	s.shares, s.waiting = levels(len(s.queues)), levels(1)[0]
	for n := range w.nodes {
		s.wasted = append(s.wasted, make([]int64, len(s.names)))
		s.waste(int32(n))
	}
	s.top()
	return s
}

// sort counts the pods of each kind and lists the queues of jobs.
func (s *sweep) sort() {
	for i := range s.w.jobs {
		s.queues = append(s.queues, s.w.jobs[i].Queue)
	}
	slices.Sort(s.queues)
	s.queues = slices.Compact(s.queues)
	at := map[*model.Spec]int{}
	for i := range s.w.pods {
		spec := s.w.pods[i].spec
		if s.w.pods[i].job < 0 || spec == nil {
			continue
		}
		if _, ok := at[spec]; !ok {
			at[spec] = len(s.kinds)
			s.kinds = append(s.kinds, kind{spec: spec, asks: s.amounts(spec.Requests)})
		}
		s.kinds[at[spec]].count++
	}
	for d := range s.names {
		for most := int64(math.MaxInt64/4) / max(1, s.pods()); s.cap[d]>>s.shift[d] > most; {
			s.shift[d]++
		}
	}
}

// pods is how many pods the kinds have together.
func (s *sweep) pods() int64 {
	sum := int64(0)
	for _, k := range s.kinds {
		sum += k.count
	}
	return sum
}

func (s *sweep) amounts(l resource.List) []int64 {
	out := make([]int64, len(s.names))
	for d, name := range s.names {
		out[d], _ = l.Get(name)
	}
	return out
}

// changes are all that happens up to an end, in order: pods that leave before pods that come.
func (s *sweep) changes(end time.Duration) []change {
	var out []change
	for _, p := range s.w.places {
		out = append(out, change{p.from, p.pod, p.node, -1, 1}, change{p.to, p.pod, p.node, -1, -1})
	}
	for i := range s.w.pods {
		p := &s.w.pods[i]
		out = append(out, change{p.submit, int32(i), -1, -1, 1})
		if p.place >= 0 {
			out = append(out, change{s.w.places[p.place].to, int32(i), -1, -1, -1})
		}
	}
	for i := range s.w.jobs {
		out = append(out, change{s.w.jobs[i].Submit, -1, -1, int32(i), 1}, change{s.w.jobs[i].started, -1, -1, int32(i), -1})
	}
	out = slices.DeleteFunc(out, func(c change) bool { return c.at > end })
	slices.SortFunc(out, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.sign, b.sign), cmp.Compare(a.pod, b.pod),
			cmp.Compare(a.node, b.node), cmp.Compare(a.job, b.job))
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
	if c.job >= 0 {
		s.waiting.now += c.sign
		return
	}
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
	if c.node < 0 {
		return
	}
	s.waste(c.node)
	if j := s.w.pods[c.pod].job; j >= 0 && s.main >= 0 {
		q, _ := slices.BinarySearch(s.queues, s.w.jobs[j].Queue)
		x, _ := spec.Requests.Get(s.names[s.main])
		s.shares[q].now += c.sign * x
	}
}

func (s *sweep) at(t time.Duration) { s.each(func(l *level) { l.at(t) }) }

func (s *sweep) top() {
	s.each((*level).top)
	s.load()
}

func (s *sweep) each(do func(*level)) {
	for _, list := range [][]level{s.held, s.asked, s.frag, s.shares} {
		for i := range list {
			do(&list[i])
		}
	}
	do(&s.waiting)
}

// waste counts a node's idle room anew for all kinds that have no use for it.
func (s *sweep) waste(n int32) {
	useless := make([]int64, len(s.names))
	for i := range s.kinds {
		k := &s.kinds[i]
		fits := s.fits(k, n)
		for d, x := range k.asks {
			if x == 0 || !fits {
				useless[d] += k.count
			}
		}
	}
	for d := range s.names {
		now := max(0, s.idle[n][d]) >> s.shift[d] * useless[d]
		s.frag[d].now += now - s.wasted[n][d]
		s.wasted[n][d] = now
	}
}

func (s *sweep) fits(k *kind, n int32) bool {
	for d, x := range k.asks {
		if x > s.idle[n][d] {
			return false
		}
	}
	if len(k.spec.Affinity) == 0 {
		return true
	}
	gpuModel, _ := model.LabelValue(s.w.nodes[n].Labels, traces.ModelLabel)
	return slices.Contains(k.spec.Affinity[0].All[0].Values, gpuModel)
}
