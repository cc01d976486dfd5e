package sched

import (
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// neverStarts proves that a waiting job cannot get its minimum as the job, the queues and the nodes are now, even
// if all other pods ended: one pod asks for more than any node has; no node has the labels that it requires; the
// minimum asks for more than a capability allows; or the empty nodes have no room for the minimum. It returns the
// proof, nil where there is none: then the job may start some day, or may not. r is why the job waits now.
//
// Every proof is by amounts or labels that only a change of the objects changes. It is asked for each waiting job
// whenever reasons are shown, so it is remembered until something changes.
func (rp *reports) neverStarts(id ledger.JobID, r trace.Reason) *trace.Reason {
	proof, known := rp.never.Recall(rp.e.session.Pending, id)
	if !known {
		proof = rp.proof(id, r)
		rp.never.Remember(rp.e.session.Pending, id, proof)
	}
	return proof
}

func (rp *reports) proof(id ledger.JobID, r trace.Reason) *trace.Reason {
	job := rp.e.l.Job(id)
	switch r.Root().Code {
	case trace.ResourceOfClass: // devices are not among the amounts of nodes
		return nil
	case trace.NoNodes:
		return nil // nothing is known of the nodes that will come
	}
	// Of a member that leaves, another may come that fits where it was.
	here := job.By[model.Allocated] + job.By[model.Binding] + job.By[model.Bound] + job.By[model.Running] +
		job.By[model.Releasing] + job.By[model.Succeeded]
	m := rp.minimum(id, int(max(job.MinMember, 1)-here))
	if m.need <= 0 || len(m.tasks) < m.need {
		return nil // it has its minimum, or lacks pods
	}
	if !anyNode(rp.e.l) {
		return rp.queueTooSmall(&m, r) // as above: a job may wait for another reason than that there are no nodes
	}
	for _, proof := range []func(*minimum, trace.Reason) *trace.Reason{
		rp.podTooLarge, rp.noNodeMatches, rp.queueTooSmall, rp.gangTooLarge,
		func(m *minimum, _ trace.Reason) *trace.Reason { return tooFewThings(rp, m) },
	} {
		if p := proof(&m, r); p != nil {
			return p
		}
	}
	return nil
}

func anyNode(l *ledger.Ledger) (found bool) {
	l.Nodes.Present(func(ledger.NodeID) bool {
		found = true
		return false
	})
	return found
}

// minimum is how many of a job's pods that have no node must get one.
type minimum struct {
	job   ledger.JobID
	queue ledger.QueueID // of which the capability counts; NoQueue: none for certain
	need  int
	tasks []ledger.TaskID
	alike bool // all are of one class
}

func (rp *reports) minimum(id ledger.JobID, need int) minimum {
	m := minimum{job: id, queue: rp.e.l.Job(id).Queue, need: need, alike: true}
	if _, other := rp.e.l.Charges.Moving(id); other {
		m.queue = ledger.NoQueue // when what runs of it has ended it counts where it asks to
	}
	for _, s := range []model.Status{model.Pending, model.Pipelined} {
		rp.e.l.Jobs.Tasks(id, s, func(t ledger.TaskID) bool {
			m.tasks = append(m.tasks, t)
			m.alike = m.alike && rp.e.l.Task(t).Class == rp.e.l.Task(m.tasks[0]).Class
			return true
		})
	}
	return m
}

// least is what the smallest choice of the minimum asks for of a resource.
func (rp *reports) least(m *minimum, d resource.Dim) int64 {
	if m.alike {
		return resource.MulDiv(rp.classOf(m.tasks[0]).Request.Get(d), int64(m.need), 1)
	}
	return session.LeastOf(rp.e.l, m.tasks, m.need, d)
}

func (rp *reports) classOf(t ledger.TaskID) *ledger.Class { return rp.e.l.Class(rp.e.l.Task(t).Class) }

// podTooLarge: fewer pods than the minimum ask for no more of each resource than some node has.
func (rp *reports) podTooLarge(m *minimum, _ trace.Reason) *trace.Reason {
	large := func(n ledger.Need) bool { return n.Amount > rp.largestNode(n.Dim) }
	fit, first := 0, ledger.NoTask
	for _, t := range m.tasks {
		switch {
		case !slices.ContainsFunc(rp.classOf(t).Need, large):
			fit++
		case first == ledger.NoTask || rp.e.l.Task(t).Key.Compare(rp.e.l.Task(first).Key) < 0:
			first = t
		}
		if fit >= m.need {
			return nil
		}
	}
	out := &trace.Reason{Code: trace.PodTooLarge, Task: rp.e.l.Task(first).Key.String()}
	var dims []resource.Dim
	for _, n := range rp.classOf(first).Need {
		if large(n) {
			dims = append(dims, n.Dim)
		}
	}
	out.Shorts = rp.shorts(dims, rp.classOf(first).Request.Get, rp.largestNode)
	return out
}

// noNodeMatches: the job needs a pod for which every node has the wrong labels or taints.
func (rp *reports) noNodeMatches(m *minimum, r trace.Reason) *trace.Reason {
	root := r.Root()
	if !root.Code.OfNodes() || len(root.Nodes) == 0 || !m.alike && m.need < len(m.tasks) {
		return nil
	}
	nodes := 0
	for _, c := range root.Nodes {
		if !ofLabels(c) {
			return nil
		}
		nodes += c.Count
	}
	if nodes < root.Need {
		return nil
	}
	return &trace.Reason{Code: trace.NoNodeMatches, Task: root.Task, Need: nodes}
}

// ofLabels says that a node refuses for its labels or taints, and for a taint that does not go by itself.
func ofLabels(c trace.NodeCount) bool {
	switch c.Code {
	case trace.NodeSelector, trace.NodeAffinity, trace.NodeGroup:
		return true
	case trace.NodeTaint:
		return !strings.HasPrefix(c.Text, "node.kubernetes.io/") &&
			!strings.HasPrefix(c.Text, "node.cloudprovider.kubernetes.io/")
	}
	return false
}

// queueTooSmall: the minimum asks for more than the capability of its queue, or of one above it up to the one that
// refuses it now, or would if nodes did not refuse it before.
func (rp *reports) queueTooSmall(m *minimum, r trace.Reason) *trace.Reason {
	least := func(d resource.Dim) int64 { return rp.least(m, d) }
	why := *r.Root()
	if !session.ByQueue(why.Code) && aboveCapability(rp.e.l, m.queue, least) {
		why = rp.e.session.QueueLacks(m.job)
	}
	q, over := session.BeyondCapability(rp.e.l, m.queue, &why, least)
	if len(over) == 0 {
		return nil
	}
	queue := rp.e.l.Queue(q)
	bound := func(d resource.Dim) int64 { b, _ := queue.Capability.Bound(d); return b }
	return &trace.Reason{Code: trace.QueueTooSmall, Queue: queue.Name, Need: m.need, Shorts: rp.shorts(over, least, bound)}
}

// aboveCapability says that amounts are above the capability of a queue, or of one above it.
func aboveCapability(l *ledger.Ledger, q ledger.QueueID, least func(resource.Dim) int64) bool {
	for ; q != ledger.NoQueue; q = l.Queues.Parent(q) {
		if len(session.AboveCapability(l.Queue(q), least)) > 0 {
			return true
		}
	}
	return false
}

// gangTooLarge: the nodes, were they empty, have no room for the minimum.
func (rp *reports) gangTooLarge(m *minimum, _ trace.Reason) *trace.Reason {
	total := rp.e.l.Nodes.Total
	var over []resource.Dim
	tight := false // for pods that are alike it is worth counting places: some resource is asked for by the quarter
	for d := range resource.Dim(rp.e.l.Dims.Len()) {
		least := rp.least(m, d)
		if tight = tight || least > total(d)/4; least > total(d) {
			over = append(over, d)
		}
	}
	out := &trace.Reason{Code: trace.GangTooLarge, Need: m.need}
	switch {
	case m.alike && tight:
		if out.Have = rp.places(rp.classOf(m.tasks[0]), m.need); out.Have >= m.need {
			return nil
		}
	case len(over) == 0:
		return nil
	}
	out.Shorts = rp.shorts(over, func(d resource.Dim) int64 { return rp.least(m, d) }, total)
	return out
}

// tooFewThings: filters count things, such as devices, of which the nodes have too few for the minimum, were they
// empty.
func tooFewThings(rp *reports, m *minimum) *trace.Reason {
	fit, tasks, first := 0, map[ledger.ClassID]int64{}, []ledger.TaskID{}
	for _, t := range m.tasks {
		class := rp.e.l.Task(t).Class
		if tasks[class] == 0 {
			first = append(first, t)
		}
		tasks[class]++
	}
	amounts := 0
	for _, t := range first {
		class := rp.e.l.Task(t).Class
		amounts += int(rp.e.session.NodeIndex.Whole(class, tasks[class]))
		fit += int(rp.e.session.Whole(t, tasks[class]))
	}
	if fit >= m.need || amounts < m.need { // what else refuses, such as a cordon, may pass
		return nil
	}
	return &trace.Reason{Code: trace.GangTooLarge, Need: m.need, Have: fit}
}

// places is for how many pods of a class the nodes, were they empty, have room; it counts no further than enough.
func (rp *reports) places(c *ledger.Class, enough int) (sum int) {
	rp.e.l.Nodes.Present(func(n ledger.NodeID) bool {
		on := int64(enough)
		for _, need := range c.Need {
			on = min(on, rp.e.l.Nodes.Allocatable(need.Dim)[n]/need.Amount)
		}
		sum += int(on)
		return sum < enough
	})
	return min(sum, enough)
}

// largestNode is the most that any node has of a resource.
func (rp *reports) largestNode(d resource.Dim) (most int64) {
	if most, known := rp.largest.Recall(rp.e.session.Pending, d); known {
		return most
	}
	of := rp.e.l.Nodes.Allocatable(d)
	rp.e.l.Nodes.Present(func(n ledger.NodeID) bool {
		most = max(most, of[n])
		return true
	})
	rp.largest.Remember(rp.e.session.Pending, d, most)
	return most
}

// shorts lists what is asked for and what there is of some resources.
func (rp *reports) shorts(dims []resource.Dim, need, have func(resource.Dim) int64) []trace.Short {
	return trace.ShortsOf(rp.e.l.Dims, func(d resource.Dim) bool { return slices.Contains(dims, d) },
		func(d resource.Dim) trace.Short { return trace.Short{Need: need(d), Have: have(d)} })
}
