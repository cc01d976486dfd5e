package evict

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
)

// freeable is what could be freed on each node, summed up by queue and priority of job. It follows the
// ledger's feed of nodes: a node is summed up anew when it changed and its sums are needed.
type freeable struct {
	l           *ledger.Ledger
	sums        [][]freeableSum
	cursor      ledger.Cursor // of nodes
	dims        int           // the width of the sums; 0: nothing is summed up yet
	withSurplus int           // the number of sums with a surplus above 0
	names       []string
	others      uint64 // how often a NodeID was given to another node
	done        marks
}

// marks remembers which nodes were handled in one pass: the feed names a node as often as it changed.
type marks struct {
	at   []uint32
	pass uint32
}

// begin starts a pass over that many nodes.
func (m *marks) begin(nodes int) {
	for len(m.at) < nodes {
		m.at = append(m.at, 0)
	}
	m.pass++
	if m.pass == 0 {
		clear(m.at)
		m.pass = 1
	}
}

// first says that a node is seen for the first time in this pass.
func (m *marks) first(n ledger.NodeID) bool {
	if m.at[n] == m.pass {
		return false
	}
	m.at[n] = m.pass
	return true
}

// freeableSum sums up the possible victims of one queue and job priority on one node.
type freeableSum struct {
	queue    ledger.QueueID
	priority int32
	count    int32
	surplus  int32   // of these, those that may be above the minimum of their jobs
	newest   int64   // the latest start among them
	oldest   int64   // … and the earliest
	free     []int64 // by dimension: what they hold together
	most     []int64 // … and the largest of them
}

// follow brings the sums up to date.
func (c *freeable) follow() {
	for len(c.sums) < c.l.Nodes.Len() {
		c.sums, c.names = append(c.sums, nil), append(c.names, "")
	}
	if c.cursor == c.l.Changes.Nodes.Now() && c.dims == c.l.Dims.Len() {
		return
	}
	c.done.begin(len(c.sums))
	again := func(n ledger.NodeID) {
		if c.done.first(n) {
			c.sum(n)
		}
	}
	if c.dims != c.l.Dims.Len() || !c.l.Changes.Nodes.Each(c.cursor, again) {
		for n := range c.sums {
			c.sum(ledger.NodeID(n))
		}
		c.dims = c.l.Dims.Len()
	}
	c.cursor = c.l.Changes.Nodes.Now()
}

// sum computes the sums of one node anew. Memory is reused.
func (c *freeable) sum(n ledger.NodeID) {
	if name := c.l.Node(n).Name; name != "" && name != c.names[n] {
		if c.names[n] != "" {
			c.others++
		}
		c.names[n] = name
	}
	for i := range c.sums[n] {
		c.withSurplus -= min(1, int(c.sums[n][i].surplus))
	}
	list := c.sums[n][:0]
	c.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		if !evictable(c.l, t) {
			return true
		}
		task := c.l.Task(t)
		job := c.l.Job(task.Job)
		i := 0
		for i < len(list) && (list[i].queue != job.Queue || list[i].priority != job.Priority) {
			i++
		}
		if i == len(list) {
			list = c.extend(list, job.Queue, job.Priority)
		}
		at := &list[i]
		at.count++
		if surplus(job) > 0 || pipelined(c.l, t) { // a nomination may be above the minimum without any member being so
			at.surplus++
		}
		at.newest = max(at.newest, task.Pod.Began())
		at.oldest = min(at.oldest, task.Pod.Began())
		for _, need := range c.l.Class(task.Class).Need {
			at.free[need.Dim] += need.Amount
			at.most[need.Dim] = max(at.most[need.Dim], need.Amount)
		}
		return true
	})
	c.sums[n] = list
	for i := range list {
		c.withSurplus += min(1, int(list[i].surplus))
	}
	for i := 1; i < len(list); i++ { // few, and almost in order
		for k := i; k > 0 && list[k].priority < list[k-1].priority; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
}

func (c *freeable) extend(list []freeableSum, q ledger.QueueID, priority int32) []freeableSum {
	if len(list) < cap(list) {
		list = list[:len(list)+1]
	} else {
		list = append(list, freeableSum{})
	}
	at := &list[len(list)-1]
	dims := c.l.Dims.Len()
	*at = freeableSum{queue: q, priority: priority, newest: -1 << 63, oldest: 1<<63 - 1,
		free: zeros(at.free, dims), most: zeros(at.most, dims)}
	return list
}

func zeros(v []int64, n int) []int64 {
	if cap(v) < n {
		return make([]int64, n)
	}
	v = v[:n]
	clear(v)
	return v
}

// lacks is by how much a node falls short of need in one dimension once its terminating tasks are gone;
// zero or less where it has enough.
func lacks(l *ledger.Ledger, n ledger.NodeID, d resource.Dim, need int64) int64 {
	return need - l.Nodes.FutureIdle(d, n)
}
