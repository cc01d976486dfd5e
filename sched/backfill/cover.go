package backfill

import (
	"cmp"
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
)

// plannedTask is a task with a planned start.
type plannedTask struct {
	task  ledger.TaskID
	start int64
	job   ledger.JobID
	queue ledger.QueueID
	node  ledger.NodeID
	class ledger.ClassID
	name  string
}

// compare puts those that start first before the others, then goes by name.
func (k *plannedTask) compare(s *session.Session, as *plannedTask) int {
	if k.start == as.start && k.job == as.job {
		return strings.Compare(k.name, as.name)
	}
	return cmp.Or(cmp.Compare(k.start, as.start), s.L.Task(k.task).Key.Compare(s.L.Task(as.task).Key))
}

// plannedTasks are the tasks with a planned start, in no order.
func plannedTasks(s *session.Session) (out []plannedTask) {
	for _, j := range s.L.KeptRoom.Jobs() {
		start, _ := s.L.KeptRoom.Start(j)
		if start == 0 {
			continue
		}
		for _, t := range s.L.KeptRoom.Of(j) {
			row := s.L.Task(t)
			out = append(out, plannedTask{t, start, j, s.L.Job(j).Queue, row.Commitment.Node, row.Class, row.Key.Name})
		}
	}
	return out
}

// Cover finds what of the room that is kept for planned starts is given back by then, by pods that end before. That
// part does not count: others may have the rest of the node, or of the queue, for as long as they like.
func Cover(s *session.Session) { cover(s, ledger.NoJob) }

// cover is Cover, where the start of a job has just been planned, NoJob for none.
func cover(s *session.Session, fresh ledger.JobID) {
	if fresh == ledger.NoJob && s.Covers() {
		return
	}
	var tasks []plannedTask
	if s.Backfill.On && s.L.KeptRoom.Any() {
		tasks = plannedTasks(s)
	}
	if len(tasks) == 0 {
		s.Covered(nil)
		return
	}
	c := newCoverer(s, tasks)
	defer s.Covered(c.starts)
	ordered := c.matters(tasks)
	if ordered {
		slices.SortFunc(tasks, func(a, b plannedTask) int { return a.compare(s, &b) })
	}
	for _, k := range tasks {
		request, covered := s.L.Class(k.class).Request, ledger.Covered(0)
		if n := k.node; holds(c.onNode(n, k.start), c.taken[n], request) {
			if covered = ledger.NodeCovered; ordered {
				c.taken[n] = c.taken[n].Add(request)
			}
		}
		if q := c.queues[k.queue]; holds(c.until(q, k.start), q.taken, request) {
			covered, q.taken = covered|ledger.QueueCovered, q.taken.Add(request)
		}
		s.L.KeptRoom.Cover(k.task, covered, k.job != fresh)
	}
}

// coverer counts what is given back.
type coverer struct {
	s      *session.Session
	ends   *session.Ends
	taken  map[ledger.NodeID]resource.Vec // by node: what planned starts have of what is given back
	queues map[ledger.QueueID]*freedInQueue
	starts []int64 // of all jobs, in order
	sum    resource.Vec
}

func newCoverer(s *session.Session, tasks []plannedTask) *coverer {
	c := &coverer{s: s, ends: s.Ends(), taken: map[ledger.NodeID]resource.Vec{},
		queues: map[ledger.QueueID]*freedInQueue{}}
	for _, k := range tasks {
		if !slices.Contains(c.starts, k.start) {
			c.starts = append(c.starts, k.start)
		}
		q := c.queues[k.queue]
		if q == nil {
			q = &freedInQueue{queue: k.queue}
			c.queues[k.queue] = q
		}
		q.kept = q.kept.Add(s.L.Class(k.class).Request)
	}
	slices.Sort(c.starts)
	return c
}

// matters says that it matters which tasks are first to get what is given back: some have a node in common, or a queue
// that does not get back as much as is kept in it.
func (c *coverer) matters(tasks []plannedTask) bool {
	on := make([]bool, c.s.L.Nodes.Len())
	for _, k := range tasks {
		if on[k.node] {
			return true
		}
		on[k.node] = true
	}
	for _, q := range c.queues { // order-free: whether there is one
		if !holds(c.until(q, c.starts[0]), nil, q.kept) {
			return true
		}
	}
	return false
}

// onNode is what tasks on a node give back by a time, valid until it is asked again. What terminating tasks hold is
// free already: see FutureIdle.
func (c *coverer) onNode(n ledger.NodeID, by int64) resource.Vec {
	c.sum = c.sum[:0]
	for e := range c.ends.EndBy(n, by) {
		if c.s.L.Task(e.Task).Status != model.Releasing {
			c.sum = c.sum.Add(c.s.L.Class(e.Class).Request)
		}
	}
	return c.sum
}

// freedInQueue is what the tasks of a queue give back by each planned start.
type freedInQueue struct {
	queue ledger.QueueID
	kept  resource.Vec   // for all tasks with a planned start
	by    []resource.Vec // by the index of the start before which it is given back; nil: it is not known yet
	taken resource.Vec
}

// until is what the tasks of a queue give back by a planned start. They are not counted any more where all that is kept
// is given back by the first one.
func (c *coverer) until(f *freedInQueue, start int64) resource.Vec {
	if f.by == nil {
		f.by = make([]resource.Vec, len(c.starts))
		eachEnd(c.s, c.ends, f.queue, c.starts[len(c.starts)-1], func(e *session.End, at int64) bool {
			i, _ := slices.BinarySearch(c.starts, at)
			f.by[i] = f.by[i].Add(c.s.L.Class(e.Class).Request)
			return i > 0 || !holds(f.by[0], nil, f.kept)
		})
		for i := 1; i < len(f.by); i++ {
			f.by[i] = f.by[i].Add(f.by[i-1])
		}
	}
	i, _ := slices.BinarySearch(c.starts, start)
	return f.by[i]
}

// eachEnd calls f for the tasks of a queue that hold room and that are known to end by a time, in no order that may
// decide anything, until it returns false.
func eachEnd(s *session.Session, ends *session.Ends, q ledger.QueueID, by int64,
	f func(e *session.End, at int64) bool) {
	for n := range ledger.NodeID(s.L.Nodes.Len()) {
		for e := range ends.EndBy(n, min(by, model.Never-1)) {
			if e.Job != ledger.NoJob && s.L.Job(e.Job).Queue == q && !f(e, ends.Expected(e)) {
				return
			}
		}
	}
}

// holds says that an amount, less what is taken of it, is at least another in each dimension.
func holds(have, taken, need resource.Vec) bool {
	for d, x := range need {
		if x > have.Get(resource.Dim(d))-taken.Get(resource.Dim(d)) {
			return false
		}
	}
	return true
}
