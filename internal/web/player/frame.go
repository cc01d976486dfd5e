package player

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
)

// frame is what was shown at one moment. It never changes.
type frame struct {
	number    uint64        // of the frame, from 1
	cycle     uint64        // that ran last
	now       time.Duration // virtual
	at        time.Time
	jobs      rows[explain.Job]
	queues    rows[explain.QueueStand]
	nodes     rows[explain.Node]
	pods      rows[explain.Pod]
	evictions []explain.Eviction
	bookings  []explain.Booking
	devices   []*sched.DevicePool
	problems  []explain.Problem
	summary   explain.Summary
	why       map[string]explain.Why // the arithmetic of queues; nil where there are too many
	point     Point
}

// rows are objects of one kind by key, sorted as in the report. A key keeps its object from frame to frame as long as
// the content is equal.
type rows[T any] struct {
	keys []string
	list []*T
	at   map[string]int
}

// updateRows makes rows of a list, with the objects of earlier rows where they are equal. changed is how many are not.
func updateRows[T any](before rows[T], list []T, key func(*T) string) (out rows[T], changed int) {
	out = rows[T]{keys: make([]string, 0, len(list)), list: make([]*T, 0, len(list)), at: make(map[string]int, len(list))}
	for i := range list {
		k, x := key(&list[i]), &list[i]
		if at, had := before.at[k]; had && reflect.DeepEqual(before.list[at], x) {
			x = before.list[at]
			k = before.keys[at]
		} else {
			c := list[i] // so that one row that is kept does not keep the whole list
			x = &c
			changed++
		}
		out.at[k] = len(out.list)
		out.keys, out.list = append(out.keys, k), append(out.list, x)
	}
	return out, changed
}

func jobKey(j *explain.Job) string {
	k := j.Namespace + "/" + j.Name
	if j.Owner != nil {
		k += "/" + j.Owner.Kind + "/" + j.Owner.UID
	}
	return k
}

func queueKey(q *explain.QueueStand) string { return q.Name }
func nodeKey(n *explain.Node) string        { return n.Name }
func podKey(p *explain.Pod) string          { return p.Namespace + "/" + p.Name }

// mostArithmetic is up to how many queues a frame keeps the arithmetic of each.
const mostArithmetic = 64

// frame describes the world as it is, with what was estimated of starts; nil: nothing was. weight is how many rows it
// does not share with the frame before. The caller has locked the world.
func (p *Player) frame(before *frame, starts *estimate.Starts) (f *frame, weight int) {
	e, s, begin := p.w.Engine(), p.o.Summary(), time.Unix(0, p.o.Begin).UTC()
	state := e.Report()
	if starts != nil {
		starts.Into(state.Jobs, e.Now())
		starts.IntoQueues(state.Queues, queueOf(state.Jobs), e.Now())
	}
	r := explain.New(state, s, p.o.Evictions())
	for _, problem := range p.o.Problems() {
		r.AddProblem(problem.Object, problem.Message)
	}
	q := explain.NewQueues(sched.Report{Queues: state.Queues}, s)
	now := time.Duration(s.VirtualTime)
	f = &frame{number: before.number + 1, cycle: uint64(s.Cycles), now: now, at: begin.Add(now), evictions: r.Evictions,
		bookings: r.Bookings, devices: state.Devices, problems: r.Problems, summary: s}
	var n [4]int
	f.jobs, n[0] = updateRows(before.jobs, r.Jobs, jobKey)
	f.queues, n[1] = updateRows(before.queues, q.Queues, queueKey)
	f.nodes, n[2] = updateRows(before.nodes, r.Nodes, nodeKey)
	f.pods, n[3] = updateRows(before.pods, r.Pods, podKey)
	if len(state.Queues) <= mostArithmetic {
		f.why = map[string]explain.Why{}
		for i := range state.Queues {
			if w, known := e.QueueWhy(state.Queues[i].Name); known {
				f.why[w.Queue] = whyOf(w)
			}
		}
	}
	f.point = pointOf(f, &state)
	return f, 1 + n[0] + n[1] + n[2] + n[3]
}

// queueOf returns what tells the queue of each job.
func queueOf(jobs []sched.JobReport) func(ledger.JobKey) string {
	queues := make(map[ledger.JobKey]string, len(jobs))
	for i := range jobs {
		queues[jobs[i].Key()] = jobs[i].Queue
	}
	return func(k ledger.JobKey) string { return queues[k] }
}

// whyOf is the arithmetic of one queue as a document.
func whyOf(w sched.QueueWhy) explain.Why {
	var d explain.Queues
	d.AddWhy(w)
	return d.Why[0]
}

// Point is a moment of a run in figures, for curves over time. Amounts are in the engine's units: cpu in milli, memory
// in bytes, pods in pods, others in milli.
type Point struct {
	Number  uint64           `json:"number"`
	Cycle   uint64           `json:"cycle"`
	Seconds float64          `json:"seconds"` // virtual
	Waiting map[string]int   `json:"waiting"` // jobs that wait, by the code of what stops them
	Jobs    int              `json:"jobs"`
	Running int              `json:"running"` // jobs that have pods on nodes
	Pods    int              `json:"pods"`    // that wait
	Evicted int              `json:"evicted"` // so far
	Bound   int              `json:"bound"`   // pods, so far
	Oldest  float64          `json:"oldest"`  // seconds for which the oldest job that waits is there
	Room    map[string]int64 `json:"room"`    // allocatable, by resource
	Used    map[string]int64 `json:"used"`
}

func pointOf(f *frame, state *sched.Report) Point {
	p := Point{Number: f.number, Cycle: f.cycle, Seconds: f.now.Seconds(), Waiting: map[string]int{},
		Jobs: len(state.Jobs),
		Pods: f.summary.Pending, Evicted: f.summary.Evicted, Bound: f.summary.Bound,
		Room: map[string]int64{}, Used: map[string]int64{}}
	for i, j := range f.jobs.list {
		if j.Reason.Code != "" {
			p.Waiting[cmp.Or(j.Reason.Cause, j.Reason.Code)]++
			if since := f.at.Sub(time.Unix(0, state.Jobs[i].Created)).Seconds(); since > p.Oldest {
				p.Oldest = since
			}
		}
		if j.Tasks["Running"]+j.Tasks["Bound"]+j.Tasks["Binding"] > 0 {
			p.Running++
		}
	}
	for _, n := range state.Nodes {
		for _, a := range n.Allocatable {
			p.Room[a.Name] += a.Value
		}
		for _, a := range n.Used {
			p.Used[a.Name] += a.Value
		}
	}
	return p
}

// ring is the frames of a run, the oldest first, bounded by their number and by the rows that they hold.
type ring struct {
	frames  []*frame
	weights []int
	weight  int
	most    int           // frames
	heavy   int           // rows
	grain   time.Duration // frames are no nearer to each other than this, but the last two
}

// add appends a frame. With too many, every second frame of the past is left out: the first and the last stay.
func (r *ring) add(f *frame, weight int) {
	r.frames, r.weights, r.weight = append(r.frames, f), append(r.weights, weight), r.weight+weight
	for len(r.frames) > 2 && (len(r.frames) > r.most || r.weight > r.heavy) {
		r.thin()
	}
}

// thin leaves out every second frame but the last, and makes the grain coarser. What a frame holds alone afterwards is
// estimated.
func (r *ring) thin() {
	var kept []*frame
	var weights []int
	last := len(r.frames) - 1
	r.grain *= 2
	r.weight = 0
	for i, f := range r.frames {
		if i%2 == 1 && i != last {
			continue
		}
		w := r.weights[i]
		if i > 0 {
			w = max(w, r.weights[i-1])
		}
		kept, weights, r.weight = append(kept, f), append(weights, w), r.weight+w
	}
	r.frames, r.weights = kept, weights
}

// find returns the last frame at or before a virtual time; the first where there is none.
func (r *ring) find(at time.Duration) int {
	i, exact := slices.BinarySearchFunc(r.frames, at, func(f *frame, at time.Duration) int {
		return int(min(1, max(-1, f.now-at)))
	})
	if !exact {
		i--
	}
	return max(0, i)
}

// points are the moments of all frames after a number.
func (r *ring) points(after uint64) []Point {
	out := []Point{}
	for _, f := range r.frames {
		if f.number > after {
			out = append(out, f.point)
		}
	}
	return out
}
