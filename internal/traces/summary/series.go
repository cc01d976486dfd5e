package summary

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// intervals is into how many a run is cut to be drawn.
const intervals = 240

// mostQueues is how many queues have a curve of their own.
const mostQueues = 11

// Series is how a run went over time: the time from the first submission to the end, cut
// into intervals of equal length. Each list has one value an interval, and no list is nil.
type Series struct {
	Begin     Seconds          `json:"begin"` // of the first interval
	Step      Seconds          `json:"step"`  // length of an interval
	Resources []ResourceSeries `json:"resources"`
	// Main is the resource that queues are compared by: GPUs where there are any.
	Main    string        `json:"main"`
	Queues  []QueueSeries `json:"queues"`  // the largest holders, then all others as one, without a name
	Waiting []int64       `json:"waiting"` // jobs that wait, at most in the interval
}

// ResourceSeries is what was held and asked for of a resource, as shares of the capacity.
type ResourceSeries struct {
	Name       string  `json:"name"`
	Allocated  []Share `json:"allocated"` // mean of the interval, and so below
	Peak       []Share `json:"peak"`      // of what was allocated
	Requested  []Share `json:"requested"`
	Fragmented []Share `json:"fragmented"`
}

// QueueSeries is what the pods of a queue held of the main resource.
type QueueSeries struct {
	Name      string  `json:"name"`
	Allocated []Share `json:"allocated"` // mean of the interval, as a share of the capacity
}

// rows writes the series one value a row, as FIGURE_at_SECONDS: scope "series" for what
// the whole cluster held of a resource and for the jobs that wait, "series_queue" for what
// a queue held of Main; SECONDS is when the interval begins.
func (s *Series) rows(put func(scope, name, figure, value string)) {
	if s == nil {
		return
	}
	at := func(i int) string { return "_at_" + (s.Begin + Seconds(i)*s.Step).String() }
	list := func(scope, name, figure string, values []Share) {
		for i, x := range values {
			put(scope, name, figure+at(i), x.String())
		}
	}
	put("series", "", "step_s", s.Step.String())
	for _, r := range s.Resources {
		list("series", r.Name, "allocated", r.Allocated)
		list("series", r.Name, "allocated_peak", r.Peak)
		list("series", r.Name, "requested", r.Requested)
		list("series", r.Name, "fragmented", r.Fragmented)
	}
	for i, n := range s.Waiting {
		put("series", "", "waiting"+at(i), strconv.FormatInt(n, 10))
	}
	for _, q := range s.Queues {
		list("series_queue", q.Name, "allocated", q.Allocated)
	}
}

// curve is an amount in intervals: its integral over each, and its peak.
type curve struct {
	begin, step, end time.Duration
	sums             []total
	peaks            []int64
}

// newCurve cuts the time from begin to end; without time there are no intervals.
func newCurve(begin, end time.Duration) curve {
	if end <= begin {
		return curve{}
	}
	n := min(intervals, int64(end-begin))
	step := (end - begin + time.Duration(n) - 1) / time.Duration(n)
	n = int64((end - begin + step - 1) / step)
	return curve{begin: begin, step: step, end: end, sums: make([]total, n), peaks: make([]int64, n)}
}

// hold notes that an amount was held for a time. What lasts no time leaves no trace.
func (c *curve) hold(amount int64, from, to time.Duration) {
	for from < to && c.step > 0 {
		i := int((from - c.begin) / c.step)
		if i < 0 || i >= len(c.sums) {
			return
		}
		edge := min(to, c.begin+time.Duration(i+1)*c.step)
		c.sums[i].add(amount, int64(edge-from))
		c.peaks[i] = max(c.peaks[i], amount)
		from = edge
	}
}

// means is the curve as shares of a whole; the last interval may be shorter than step.
func (c *curve) means(whole int64) []Share {
	out := make([]Share, len(c.sums))
	for i := range out {
		out[i] = c.sums[i].share(whole, int64(min(c.step, c.end-c.begin-time.Duration(i)*c.step)))
	}
	return out
}

// tops is the peaks as shares of a whole.
func (c *curve) tops(whole int64) []Share {
	out := make([]Share, len(c.peaks))
	for i, x := range c.peaks {
		var peak total
		peak.add(x, 1)
		out[i] = peak.share(whole, 1)
	}
	return out
}

// wasteable is the whole of which a resource's fragmentation is a share.
func (s *sweep) wasteable(d int) int64 { return s.cap[d] >> s.shift[d] * max(1, s.pods()) }

// series returns the levels interval by interval; nil when no time passed.
func (s *sweep) series(begin time.Duration) *Series {
	step := s.waiting.curve.step
	if step == 0 {
		return nil
	}
	out := &Series{Begin: Seconds(begin), Step: Seconds(step), Resources: []ResourceSeries{}, Queues: []QueueSeries{},
		Waiting: s.waiting.curve.peaks}
	for d, name := range s.names {
		out.Resources = append(out.Resources, ResourceSeries{Name: name,
			Allocated: s.held[d].curve.means(s.cap[d]), Peak: s.held[d].curve.tops(s.cap[d]),
			Requested: s.asked[d].curve.means(s.cap[d]), Fragmented: s.frag[d].curve.means(s.wasteable(d))})
	}
	if s.main >= 0 {
		out.Main = s.names[s.main]
		out.Queues = s.holders(s.cap[s.main])
	}
	return out
}

// holders are the curves of the queues that held the most, by how much, and of the others.
func (s *sweep) holders(whole int64) []QueueSeries {
	order := make([]int, len(s.queues))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := s.shares[a].sum, s.shares[b].sum
		return cmp.Or(cmp.Compare(y.hi, x.hi), cmp.Compare(y.lo, x.lo))
	})
	out := []QueueSeries{}
	for i, q := range order {
		means := s.shares[q].curve.means(whole)
		if i < mostQueues || len(order) == mostQueues+1 {
			out = append(out, QueueSeries{Name: s.queues[q], Allocated: means})
			continue
		}
		if i == mostQueues {
			out = append(out, QueueSeries{Allocated: make([]Share, len(means))})
		}
		for at, x := range means {
			out[mostQueues].Allocated[at] += x
		}
	}
	return out
}
