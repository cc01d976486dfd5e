package search

import (
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// The bounds of a search node by node: how many members a gang may lack, how many placements are
// taken back, and how often a node is looked at.
const (
	mostMembers = 64
	mostSteps   = 256
	mostLooks   = 1 << 14
)

// exhaustive searches places for a small gang below its minimum node by node, after the search by
// domains, the best first, found none: what one member takes may be the only room for another. The
// parts with the lowest limit are placed first, and every way of placing them is tried until one holds
// or the steps are used up.
type exhaustive struct {
	*attempt
	parts []part  // those of the lowest limit first; equal tasks are next to each other
	after []int64 // by part: the number of tasks of it and of the parts after it
	put   []ledger.TaskID
	steps int // placements that were taken back
	looks int // how often a node was looked at
}

// over says that the search has used up its steps.
func (x *exhaustive) over() bool { return x.steps > mostSteps || x.looks > mostLooks }

// exhaust runs that search inside the given statement. A reason that was noted before stays.
func (ds *domainSearch) exhaust(tx *ledger.Tx, parts []part) Outcome {
	x := &exhaustive{attempt: ds.a}
	if !x.worthwhile(parts) {
		return Refused
	}
	noted := ds.a.result
	x.order(parts)
	for _, d := range x.jobHomes() {
		if ds.a.inside = d; x.from(tx, 0) {
			ds.a.result, ds.a.passed = result{placed: int32(len(x.put))}, nil
			x.trace()
			return Committed
		}
	}
	if ds.a.result = noted; x.over() && ds.a.short.Is() && ds.a.short.Cause == nil {
		ds.a.short.Cause = &trace.Reason{Code: trace.SearchExhausted, Text: "a place", Have: x.steps}
	}
	return Refused
}

// worthwhile says that the search could find what the one by domains did not: the gang lacks its
// minimum, has a limit, and does not consist of one part with all members equal.
func (x *exhaustive) worthwhile(parts []part) bool {
	if x.future || x.free || x.w.nominated > 0 || x.job.Met((*ledger.Count).Placed) || !HardTopology(x.s, x.w.Job) {
		return false
	}
	if why := x.why.Root(); why.Is() && !why.Code.OfNodes() {
		return false
	}
	tasks, alike := 0, true
	for _, p := range parts {
		tasks += len(p.tasks)
		alike = alike && (p.sub < 0 || x.limit(p) == x.limit(parts[0]))
		alike = alike && !slices.ContainsFunc(p.tasks,
			func(o ledger.TaskID) bool { return !x.alike(o, parts[0].tasks[0]) })
	}
	return tasks <= mostMembers && !alike
}

func (x *exhaustive) alike(a, b ledger.TaskID) bool {
	p, q := x.s.L.Task(a), x.s.L.Task(b)
	return p.Class == q.Class && p.Role == q.Role
}

// order puts the parts of the lowest limit first, and equal tasks of a part next to each other.
func (x *exhaustive) order(parts []part) {
	for _, p := range parts {
		var tasks []ledger.TaskID
		for _, task := range p.tasks {
			if !x.s.Policy.PrePredicate(task).Admits() {
				continue
			}
			at := len(tasks)
			for at > 0 && !x.alike(tasks[at-1], task) {
				at--
			}
			if at == 0 {
				at = len(tasks)
			}
			tasks = slices.Insert(tasks, at, task)
		}
		if p.tasks = tasks; len(tasks) > 0 {
			x.parts = append(x.parts, p)
		}
	}
	slices.SortStableFunc(x.parts, func(a, b part) int { return int(x.limit(a) - x.limit(b)) })
	x.after = make([]int64, len(x.parts)+1)
	for k := len(x.parts) - 1; k >= 0; k-- {
		x.after[k] = x.after[k+1] + int64(len(x.parts[k].tasks))
	}
}

// limit is the highest tier that a part allows.
func (x *exhaustive) limit(p part) int32 {
	return x.net.Limit(x.homes.asked(p))
}

// jobHomes are the largest domains that the job may be placed in.
func (x *exhaustive) jobHomes() []topology.ID {
	return x.net.Widest(topology.Root, x.net.Reach(x.w.Job, topology.AllSubs), x.net.Limit(x.job.Group.Topology))
}

// from places the parts from k on, each in one of the largest domains that it may be placed in, or not
// at all; false when the job does not reach its minimum that way.
func (x *exhaustive) from(tx *ledger.Tx, k int) bool {
	switch {
	case len(x.put) > 0 && x.enough():
		return true
	case k == len(x.parts) || int64(x.job.PlacedOrPipelined())+x.after[k] < int64(x.job.MinMember):
		return false
	}
	p := x.parts[k]
	for _, d := range x.net.Widest(x.inside, x.net.Reach(x.w.Job, p.sub), x.limit(p)) {
		if x.hasRoom(d, p) && x.member(tx, searchPosition{part: k, nodes: x.net.Domain(d).Nodes}) {
			return true
		}
		if x.over() {
			return false
		}
	}
	return x.from(tx, k+1)
}

// hasRoom says that a domain has room, by amounts, for the tasks of a part that have to be placed
// together.
func (x *exhaustive) hasRoom(d topology.ID, p part) bool {
	classes, _ := x.homes.classes(p)
	return x.homes.roomFor(d, classes, p.need) >= p.need
}

// searchPosition is the position of the search within a part.
type searchPosition struct {
	part  int
	nodes []ledger.NodeID // the nodes of the part's domain
	task  int             // index in the part: the task to place now
	node  int             // index in nodes: the first to try; those before it were tried for equal tasks
	got   int             // how many of the part's tasks have a place
}

// member places the tasks of a part from at.task on, and then the parts after it.
func (x *exhaustive) member(tx *ledger.Tx, at searchPosition) bool {
	p := x.parts[at.part]
	left := int64(len(p.tasks) - at.task)
	lacks := int64(0)
	if p.sub >= 0 {
		lacks = x.lacks(p)
	}
	switch {
	case at.got > 0 && lacks <= 0 && x.enough():
		return true
	case lacks > left || int64(x.job.PlacedOrPipelined())+left+x.after[at.part+1] < int64(x.job.MinMember):
		return false
	case left == 0:
		return at.got > 0 && x.from(tx, at.part+1)
	}
	for n := at.node; n < len(at.nodes) && !x.over(); n++ {
		if x.on(tx, at, n) {
			return true
		}
	}
	if x.over() {
		return false
	}
	task := p.tasks[at.task] // it has no place, and so no task equal to it has
	for at.node = 0; at.task < len(p.tasks) && x.alike(p.tasks[at.task], task); {
		at.task++
	}
	return x.member(tx, at)
}

// on places the current task on a node, and then the tasks after it.
func (x *exhaustive) on(tx *ledger.Tx, at searchPosition, n int) (ok bool) {
	tasks := x.parts[at.part].tasks
	task := tasks[at.task]
	of := x.s.L.Task(task).Class
	x.looks++
	if x.s.NodeIndex.Fits(of, class.Now)[at.nodes[n]] == 0 || x.s.Policy.Allocatable(x.job.Queue, of, 1) < 1 ||
		!x.s.NodeIndex.Takes(task, at.nodes[n], class.Now) {
		return false
	}
	tx.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(task, at.nodes[n])
		x.put = append(x.put, task)
		at.task, at.got, at.node = at.task+1, at.got+1, 0
		if at.task < len(tasks) && x.alike(tasks[at.task], task) {
			at.node = n
		}
		if ok = x.member(tx, at); !ok {
			x.put = x.put[:len(x.put)-1]
			x.steps++
		}
		return ok
	})
	return ok
}

// trace records the places that were found.
func (x *exhaustive) trace() {
	for _, task := range x.put {
		if x.s.Trace.On(trace.BindingTask) {
			tracePlacement(x.s, task, place{node: x.s.L.Task(task).Node, in: IdleHere})
		}
	}
}
