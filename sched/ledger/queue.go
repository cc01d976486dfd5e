package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Place is the state of a queue's place in the tree (decision 8).
type Place uint8

// The states of a place.
const (
	Sound    Place = iota
	Missing        // named, not known
	SetAside       // it has a fatal fault
	Cyclic         // its parents form a ring
	Orphaned       // an ancestor is missing or set aside
)

// Queue is the row of a queue, with its figures: the sums of its own jobs and of those of all queues below it.
// Fields that every step of a rotation reads come first and next to each other: visits to hundreds of queues
// in turn miss the nearest cache.
type Queue struct {
	Place    Place
	state    model.QueueState // see State
	shut     model.QueueState // state of the nearest queue above that is not open
	free     bool
	weight   int32
	priority int32
	Depth    int32   // root is 0
	Kids     int32   // present queues that name it as parent
	Jobs     int32   // jobs directly in it
	up       QueueID // its parent, if its place is sound; changes of figures go up along it
	Moved    uint64  // Ledger.UsageEpoch when Allocated or Request changed last

	Allocated resource.Sums
	Request   resource.Sums
	Inqueue   resource.Sums
	Elastic   resource.Sums
	Lent      resource.Sums // the part of Inqueue that is lent to jobs that start at once with it
	Claimed   resource.Sums // what is claimed on nodes for its jobs' tasks, in addition to Allocated

	Name   string
	Fact   *model.Queue // nil: named by jobs or queues, not known
	Broken string       // with Orphaned: the ancestor that is missing or set aside

	Capability resource.Limits
	Deserved   resource.Vec // as written in its spec
	Guarantee  resource.Vec // as written, limited to its capability

	above  QueueID // the queue that its fact names as parent, whether its place is sound or not
	kid    QueueID // the first of the queues that name it as parent, in no order
	next   QueueID // the next of the queues with the same parent
	prev   QueueID
	groups *model.NodeGroups // the node groups its jobs may use, if a plugin reads them
}

// Queue returns the row of a queue.
func (l *Ledger) Queue(q QueueID) *Queue { return &l.queues[q] }

// NumQueues is an upper bound for QueueIDs.
func (l *Ledger) NumQueues() int { return len(l.queues) }

// FindQueue returns the row of a queue, and false when nothing has named it.
func (l *Ledger) FindQueue(name string) (QueueID, bool) {
	q, ok := l.queueByName[name]
	return q, ok
}

// Parent is the queue above, NoQueue for root and for queues without a sound place.
func (l *Ledger) Parent(q QueueID) QueueID { return l.queues[q].up }

// Above is the queue that a queue's fact names as its parent, whether its place is sound or not; NoQueue for
// root and without a fact.
func (l *Ledger) Above(q QueueID) QueueID { return l.queues[q].above }

// Queues yields every queue that exists or is named, in the order of rows.
func (l *Ledger) Queues(yield func(QueueID) bool) {
	for i := range l.queues {
		if !l.queues[i].free && !yield(QueueID(i)) {
			return
		}
	}
}

func (l *Ledger) queue(name string) QueueID {
	if q, ok := l.queueByName[name]; ok {
		return q
	}
	var q QueueID
	if n := len(l.queueFree); n > 0 {
		q = l.queueFree[n-1]
		l.queueFree = l.queueFree[:n-1]
	} else {
		q = QueueID(len(l.queues))
		l.queues = append(l.queues, Queue{})
	}
	l.queues[q].begin(name)
	l.queues[q].widen(l.Dims.Len())
	l.queueByName[name] = q
	return q
}

// begin makes a row that of a queue which is named and not known yet. Its sums are zero; their memory is used
// again.
func (q *Queue) begin(name string) {
	*q = Queue{Name: name, Place: Missing, up: NoQueue, above: NoQueue, kid: NoQueue, next: NoQueue, prev: NoQueue,
		Allocated: q.Allocated, Request: q.Request, Inqueue: q.Inqueue, Elastic: q.Elastic, Lent: q.Lent, Claimed: q.Claimed,
		Capability: q.Capability, Deserved: q.Deserved, Guarantee: q.Guarantee}
	if name == model.RootQueue {
		q.Place = Sound
	}
	clear(q.Allocated)
	clear(q.Request)
	clear(q.Inqueue)
	clear(q.Elastic)
	clear(q.Lent)
	clear(q.Claimed)
}

// widen gives a queue's sums an element for every dimension, so that the hot paths need not check the length.
// The sums are next to each other in memory.
func (q *Queue) widen(dims int) {
	if len(q.Allocated) >= dims {
		return
	}
	all := make(resource.Sums, 6*dims)
	for i, sums := range []*resource.Sums{&q.Allocated, &q.Request, &q.Elastic, &q.Inqueue, &q.Claimed, &q.Lent} {
		wide := all[i*dims : (i+1)*dims : (i+1)*dims]
		copy(wide, *sums)
		*sums = wide
	}
}

// setQueue moves a job with all its figures to another queue.
func (l *Ledger) setQueue(j JobID, q QueueID) {
	job := &l.jobs[j]
	if job.Queue == q {
		return
	}
	if old := job.Queue; old != NoQueue {
		l.bulk(job, -1)
		l.queues[old].Jobs--
		l.dropQueue(old)
	}
	job.Queue = q
	if q != NoQueue {
		l.queues[q].Jobs++
		l.bulk(job, 1)
	}
	l.usageEpoch++
	l.requeued++
	l.touchMembers(j)
	l.regroupJob(j)
}

// Requeued counts how often a job was moved to another queue.
func (l *Ledger) Requeued() uint64 { return l.requeued }

// bulk adds all figures of a job to its queue and the queue's ancestors (sign 1), or takes them away (-1).
func (l *Ledger) bulk(job *Job, sign int64) {
	l.usageEpoch++
	addQueue(&l.Changes.QueueUsage, job.Queue)
	for q := job.Queue; q != NoQueue; q = l.queues[q].up {
		row := &l.queues[q]
		row.Moved = l.usageEpoch
		for d := range job.Request {
			row.Request[d] = row.Request[d].PlusSum(job.Request[d], sign)
		}
		for d := range job.Allocated {
			row.Allocated[d] = row.Allocated[d].PlusSum(job.Allocated[d], sign)
		}
		for d := range job.elastic {
			row.Elastic[d] = row.Elastic[d].Plus(sign * job.elastic[d])
		}
		for d := range job.inqueue {
			row.Inqueue[d] = row.Inqueue[d].Plus(sign * job.inqueue[d])
		}
		for d := range job.lent {
			row.Lent[d] = row.Lent[d].Plus(sign * job.lent[d])
		}
		for d := range job.claimed {
			row.Claimed[d] = row.Claimed[d].Plus(sign * job.claimed[d])
		}
	}
}

// dropQueue frees the row of a queue that nothing names any more.
func (l *Ledger) dropQueue(q QueueID) {
	row := &l.queues[q]
	if row.free || row.Fact != nil || row.Jobs > 0 || row.Kids > 0 || row.Name == model.RootQueue {
		return
	}
	delete(l.queueByName, row.Name)
	row.begin("")
	row.free = true
	l.queueFree = append(l.queueFree, q)
}

func (l *Ledger) applyQueue(name string, fact *model.Queue) {
	q := l.queue(name)
	row := &l.queues[q]
	moves := !stays(row.Fact, fact)
	row.Fact = fact
	row.grant(l.Dims, fact)
	l.widen()
	addQueue(&l.Changes.QueueSpecs, q)
	if moves {
		l.place(q)
	}
	l.dropQueue(q)
	l.specEpoch++
	l.roomEpoch++
}

// grant reads a fact's amounts. It overwrites the memory of the old ones: whoever keeps a queue's amounts
// keeps copies.
func (q *Queue) grant(dims *resource.Dims, fact *model.Queue) {
	var said model.Queue
	if fact != nil {
		said = *fact
	}
	q.Capability = dims.LimitsOver(q.Capability, said.Capability)
	q.Deserved = dims.VecOver(q.Deserved, said.Deserved)
	q.Guarantee = q.Capability.Clip(dims.VecOver(q.Guarantee, said.Guarantee))
	q.weight, q.priority = said.Weight, said.Priority
}

// Settle gives all figures an element for dimensions that were interned since. Readers call it after Apply; it
// costs nothing when there are none.
func (l *Ledger) Settle() { l.widen() }

func parentName(f *model.Queue) string {
	if f.Parent == "" {
		return model.RootQueue
	}
	return f.Parent
}

// State says whether the queue takes jobs: it is its own state, or, if that is open, the state of the nearest
// queue above that is not open. In Volcano, too, closing a queue closes all queues below it. A queue without a
// fact (root) is open.
func (q *Queue) State() model.QueueState { return q.state }

// stands computes State from the fact.
func (q *Queue) stands() model.QueueState {
	if q.Fact == nil {
		return model.QueueOpen
	}
	if q.Fact.State != model.QueueOpen {
		return q.Fact.State
	}
	return q.shut
}

// Weight is the queue's weight, at least 1.
func (q *Queue) Weight() int64 { return int64(max(1, q.weight)) }

// Priority is the queue's priority, 0 without a fact.
func (q *Queue) Priority() int32 { return q.priority }

// Kept is what is kept for admitted jobs in dimension d: Inqueue, without the lent part if loan is true.
func (q *Queue) Kept(d resource.Dim, loan bool) int64 {
	if !loan {
		return q.Inqueue.Get(d)
	}
	return resource.Sum{}.Plus(q.Inqueue.Get(d)).Minus(q.Lent.Get(d)).Int64()
}

// Taken is what a queue's jobs are allocated in dimension d, and what is claimed for them in addition: a later
// job has to leave that to them.
func (q *Queue) Taken(d resource.Dim) int64 {
	if c := q.Claimed.Get(d); c != 0 {
		return resource.Sum{}.Plus(q.Allocated.Get(d)).Plus(c).Int64()
	}
	return q.Allocated.Get(d)
}

// KeptText returns trace.KeptForWaiting where claims count in a refusal by amounts, otherwise "".
func (q *Queue) KeptText(dims *resource.Dims, shorts []trace.Short) string {
	for _, s := range shorts {
		if d, ok := dims.Lookup(s.Dim); ok && q.Claimed.Get(d) > 0 {
			return trace.KeptForWaiting
		}
	}
	return ""
}

// Leaf says that no queue names this one as parent. Root is never a leaf.
func (q *Queue) Leaf() bool { return q.Kids == 0 && q.Name != model.RootQueue }
