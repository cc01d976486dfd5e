package search

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
)

// keptTask is a task with a planned start.
type keptTask struct {
	task  ledger.TaskID
	start int64
}

// plannedTasks are the tasks with a planned start, those that start first before the others, then by name.
func plannedTasks(s *session.Session) (out []keptTask) {
	for _, j := range s.L.KeptRoom.Jobs() {
		start, _ := s.L.KeptRoom.Start(j)
		if start == 0 {
			continue
		}
		for _, t := range s.L.KeptRoom.Of(j) {
			out = append(out, keptTask{t, start})
		}
	}
	slices.SortFunc(out, func(a, b keptTask) int {
		return cmp.Or(cmp.Compare(a.start, b.start), s.L.Task(a.task).Key.Compare(s.L.Task(b.task).Key))
	})
	return out
}

// Cover finds what of the room that is kept for planned starts is given back by then, by pods that end before. That
// part does not count: others may have the rest of the node, or of the queue, for as long as they like.
func Cover(s *session.Session) { cover(s, ledger.NoJob) }

// cover is Cover, where the start of a job has just been planned, NoJob for none.
func cover(s *session.Session, fresh ledger.JobID) {
	if !s.Backfill.On || !s.L.KeptRoom.Any() || fresh == ledger.NoJob && s.Covers() {
		return
	}
	tasks := plannedTasks(s)
	if len(tasks) == 0 {
		return
	}
	defer s.Covered()
	c := coverer{s: s, ends: s.Ends(), taken: map[ledger.NodeID]resource.Vec{}, queues: map[ledger.QueueID]*freedInQueue{}}
	for _, k := range tasks {
		if n := len(c.starts); n == 0 || c.starts[n-1] != k.start {
			c.starts = append(c.starts, k.start)
		}
	}
	for _, k := range tasks {
		task := s.L.Task(k.task)
		request := s.L.Class(task.Class).Request
		covered := ledger.Covered(0)
		if n := task.Held.Node; holds(c.onNode(n, k.start), c.taken[n], request) {
			covered, c.taken[n] = ledger.NodeCovered, c.taken[n].Add(request)
		}
		if q := c.inQueue(s.L.Job(task.Job).Queue); holds(q.until(k.start), q.taken, request) {
			covered, q.taken = covered|ledger.QueueCovered, q.taken.Add(request)
		}
		s.L.KeptRoom.Cover(k.task, covered, task.Job != fresh)
	}
}

// coverer counts what is given back.
type coverer struct {
	s      *session.Session
	ends   *session.Ends
	taken  map[ledger.NodeID]resource.Vec // by node: what planned starts have of what is given back
	queues map[ledger.QueueID]*freedInQueue
	starts []int64
}

// onNode is what tasks on a node give back by a time. What terminating tasks hold is free already: see FutureIdle.
func (c *coverer) onNode(n ledger.NodeID, by int64) (sum resource.Vec) {
	on := c.ends.On(n)
	for i := range on {
		if c.ends.Expected(&on[i]) <= by && c.s.L.Task(on[i].Task).Status != model.Releasing {
			sum = sum.Add(c.s.L.Class(on[i].Class).Request)
		}
	}
	return sum
}

// freedInQueue is what the tasks of a queue give back by each planned start.
type freedInQueue struct {
	starts []int64        // of all jobs, in order
	by     []resource.Vec // by the index of the start before which it is given back
	taken  resource.Vec
}

func (c *coverer) inQueue(q ledger.QueueID) *freedInQueue {
	if c.queues[q] == nil {
		f := &freedInQueue{starts: c.starts, by: make([]resource.Vec, len(c.starts))}
		eachEnd(c.s, c.ends, q, f.starts[len(f.starts)-1], func(e *session.End, at int64) {
			i, _ := slices.BinarySearch(f.starts, at)
			f.by[i] = f.by[i].Add(c.s.L.Class(e.Class).Request)
		})
		for i := 1; i < len(f.by); i++ {
			f.by[i] = f.by[i].Add(f.by[i-1])
		}
		c.queues[q] = f
	}
	return c.queues[q]
}

// until is what is given back by a planned start.
func (f *freedInQueue) until(start int64) resource.Vec {
	i, _ := slices.BinarySearch(f.starts, start)
	return f.by[i]
}

// eachEnd calls f for the tasks of a queue that hold room and that are known to end by a time, in no order that may
// decide anything.
func eachEnd(s *session.Session, ends *session.Ends, q ledger.QueueID, by int64, f func(e *session.End, at int64)) {
	for n := range s.L.Nodes.Len() {
		on := ends.On(ledger.NodeID(n))
		for i := range on {
			at := ends.Expected(&on[i])
			if j := on[i].Job; at <= by && at != model.Never && j != ledger.NoJob && s.L.Job(j).Queue == q {
				f(&on[i], at)
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
