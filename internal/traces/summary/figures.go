package summary

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/traces"
	"ashlar.sh/sched"
)

// Figures is what a run came to: the document that `ashlar simulate --trace-jobs` prints.
// Fields may be added to it, none changed. No list is nil.
type Figures struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`

	Cycles      int      `json:"cycles"`
	VirtualTime Seconds  `json:"virtualTime"` // of the last cycle
	Makespan    Seconds  `json:"makespan"`    // up to the last cycle where jobs have not finished
	Decisions   int      `json:"decisions"`   // binds, evictions and nominations
	PerSecond   int64    `json:"decisionsPerSecond,omitempty"`
	Wall        *Seconds `json:"wallTime,omitempty"` // of the run, without reading
	Evictions   int      `json:"evictions"`

	All       Group   `json:"all"`
	Queues    []Group `json:"queues"`    // by name
	Users     []Group `json:"users"`     // the most jobs first; text shows ten
	GangSizes []Group `json:"gangSizes"` // by members

	Resources     []Resource     `json:"resources"`               // by name
	Fragmentation *Fragmentation `json:"fragmentation,omitempty"` // where there are GPUs
	Series        *Series        `json:"series,omitempty"`        // without any when no time passed
	Loads         []Load         `json:"loads,omitempty"`         // of a run that fills the cluster

	Passed    *Passed    `json:"passed,omitempty"`    // not of a run that fills the cluster
	Estimates *Estimates `json:"estimates,omitempty"` // where they were asked for

	Waiting  []Waiting `json:"waiting"`  // the most first
	Problems []Problem `json:"problems"` // of objects
}

// Group is the jobs of a queue, a user or a size.
type Group struct {
	Name       string `json:"name"`
	Jobs       int    `json:"jobs"`
	Started    int    `json:"started"`    // their minimum was bound
	Finished   int    `json:"finished"`   // all members ran to their end
	Delay      Spread `json:"delay"`      // of those that started
	Completion Spread `json:"completion"` // of those that finished
}

// Resource is how much of a resource was in use over the makespan.
type Resource struct {
	Name       string `json:"name"`
	Capacity   string `json:"capacity"`
	Allocated  Use    `json:"allocated"`
	Requested  Use    `json:"requested"`
	Fragmented Use    `json:"fragmented"` // see Fragmentation
}

// Use is a share of the capacity over time.
type Use struct {
	Mean   Share   `json:"mean"`
	Peak   Share   `json:"peak"`
	PeakAt Seconds `json:"peakAt"` // when it was first reached
}

// Waiting is the jobs that wait for one kind of reason at the end.
type Waiting struct {
	Code    string `json:"code"`
	Jobs    int    `json:"jobs"`
	Example string `json:"example"` // the first of them by name
	Message string `json:"message"` // why that one waits
}

// Problem is something wrong with an object.
type Problem struct {
	Object  string `json:"object"`
	Message string `json:"message"`
}

// Share is a share in millionths.
type Share = explain.Share

// Seconds is a time that is written as a number of seconds.
type Seconds time.Duration

// MarshalJSON implements json.Marshaler.
func (s Seconds) MarshalJSON() ([]byte, error) { return []byte(s.String()), nil }

// String is the time in seconds, with as many decimals as it has.
func (s Seconds) String() string {
	whole, part := int64(s)/1e9, int64(s)%1e9
	if part == 0 {
		return strconv.FormatInt(whole, 10)
	}
	return strconv.FormatInt(whole, 10) + "." + strings.TrimRight(strconv.FormatInt(part+1e9, 10)[1:], "0")
}

// Figures sums the run up, with what the engine reports at its end. wall is how long the
// run took, 0 when it was not measured.
func (w *Watch) Figures(report sched.Report, wall time.Duration) *Figures {
	w.conclude()
	begin, end := w.span()
	f := &Figures{APIVersion: "ashlar.sh/v1alpha1", Kind: "TraceReport", Cycles: w.cycles, VirtualTime: Seconds(w.last),
		Makespan: Seconds(end - begin), Decisions: w.decisions, Evictions: w.evictions,
		Resources: []Resource{}, Waiting: w.waiting(report), Problems: []Problem{}}
	if wall > 0 {
		s := Seconds(wall)
		f.Wall = &s
		var t total
		t.add(int64(w.decisions), int64(time.Second))
		f.PerSecond = t.over(int64(wall))
	}
	for _, p := range report.Problems {
		f.Problems = append(f.Problems, Problem{Object: p.Object, Message: p.Message})
	}
	f.All = w.groups(func(*job) string { return "all" })[0]
	f.Queues = w.groups(func(j *job) string { return j.Queue })
	slices.SortFunc(f.Queues, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	f.Users = w.groups(func(j *job) string { return j.User })
	slices.SortFunc(f.Users, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Name, b.Name))
	})
	f.Users = slices.DeleteFunc(f.Users, func(g Group) bool { return g.Name == "" })
	f.GangSizes = w.sizes()
	if f.Estimates = w.estimates.figures(); !w.filling {
		f.Passed = w.passed()
	}
	w.overTime(f, begin, end)
	return f
}

// conclude notes which members have run to their end.
func (w *Watch) conclude() {
	for i := range w.jobs {
		w.jobs[i].unended, w.jobs[i].lastEnds = w.jobs[i].Members, 0
	}
	for i := range w.pods {
		if p := &w.pods[i]; p.job >= 0 && p.place >= 0 && w.places[p.place].to <= w.last {
			j := &w.jobs[p.job]
			j.unended--
			j.lastEnds = max(j.lastEnds, w.places[p.place].to)
		}
	}
}

// span is from the first submission to the last end, or to the last cycle where something
// has not ended.
func (w *Watch) span() (begin, end time.Duration) {
	begin = never
	for i := range w.jobs {
		j := &w.jobs[i]
		begin = min(begin, j.Submit)
		if j.unended > 0 {
			end = w.last
		}
		end = max(end, j.lastEnds)
	}
	return min(begin, end), end
}

// groups sorts jobs by a name.
func (w *Watch) groups(name func(*job) string) []Group {
	type members struct {
		Group
		delays, completions []time.Duration
	}
	at := map[string]int{}
	all := []members{}
	for i := range w.jobs {
		j := &w.jobs[i]
		n := name(j)
		if _, ok := at[n]; !ok {
			at[n] = len(all)
			all = append(all, members{Group: Group{Name: n}})
		}
		g := &all[at[n]]
		g.Jobs++
		if j.started != never {
			g.Started++
			g.delays = append(g.delays, j.started-j.Submit)
		}
		if j.unended == 0 {
			g.Finished++
			g.completions = append(g.completions, j.lastEnds-j.Submit)
		}
	}
	out := []Group{}
	for i := range all {
		all[i].Delay, all[i].Completion = spread(all[i].delays), spread(all[i].completions)
		out = append(out, all[i].Group)
	}
	return out
}

// sizes sorts jobs by their number of members, doubling from class to class.
func (w *Watch) sizes() []Group {
	class := func(n int) (low, high int) {
		for high = 1; high < n; high *= 2 {
			low = high
		}
		return low + 1, high
	}
	out := w.groups(func(j *job) string {
		low, high := class(j.Members)
		if low == high {
			return strconv.Itoa(low)
		}
		return strconv.Itoa(low) + "-" + strconv.Itoa(high)
	})
	slices.SortFunc(out, func(a, b Group) int { return cmp.Or(cmp.Compare(lowest(a.Name), lowest(b.Name))) })
	return out
}

func lowest(class string) int {
	text, _, _ := strings.Cut(class, "-")
	n, _ := strconv.Atoi(text)
	return n
}

// overTime adds what held over time.
func (w *Watch) overTime(f *Figures, begin, end time.Duration) {
	s := newSweep(w, begin, end)
	s.run(end)
	over := int64(end - begin)
	use := func(l *level, capacity int64) Use {
		var peak total
		peak.add(l.peak, 1)
		return Use{Mean: l.sum.share(capacity, over), Peak: peak.share(capacity, 1), PeakAt: Seconds(l.peakAt)}
	}
	for d, name := range s.names {
		f.Resources = append(f.Resources, Resource{Name: name, Capacity: explain.Quantity(name, s.cap[d]),
			Allocated: use(&s.held[d], s.cap[d]), Requested: use(&s.asked[d], s.cap[d]),
			Fragmented: use(&s.frag[d], s.wasteable(d))})
	}
	if s.gpu >= 0 && s.cap[s.gpu] > 0 {
		u := f.Resources[s.gpu].Fragmented
		f.Fragmentation = &Fragmentation{Resource: traces.GPU, Mean: u.Mean, Peak: u.Peak, PeakAt: u.PeakAt}
	}
	f.Series = s.series(begin)
	f.Loads = s.loads
}

// waiting sorts the trace's jobs that wait by why.
func (w *Watch) waiting(report sched.Report) []Waiting {
	out := []Waiting{}
	for i := range report.Jobs {
		j := &report.Jobs[i]
		if j.Namespace != traces.Namespace || !j.Reason.Is() {
			continue
		}
		code := string(j.Reason.Root().Code)
		at := slices.IndexFunc(out, func(w Waiting) bool { return w.Code == code })
		if at < 0 {
			at = len(out)
			out = append(out, Waiting{Code: code, Example: j.Name, Message: explain.Sentence(j.Reason)})
		}
		out[at].Jobs++
	}
	slices.SortStableFunc(out, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Code, b.Code))
	})
	return out
}
