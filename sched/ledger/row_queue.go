package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Queues holds the rows of queues and their tree.
type Queues struct {
	l *Ledger

	rows      []Queue
	free      []QueueID
	byName    map[string]QueueID
	heeds     bool // some plugin asks for the node groups of queues
	inherits  bool // … and with inherit: a queue without groups has those of its ancestors
	seniority seniority
	requeued  uint64 // see Requeued
	switched  uint64 // see Switched
}

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
	QueueAmounts
	Place    Place
	state    model.QueueState // see State
	shut     model.QueueState // state of the nearest queue above that is not open
	free     bool
	weight   int32
	priority int32
	Depth    int32   // root is 0
	Children int32   // present queues that name it as parent
	Jobs     int32   // jobs directly in it
	up       QueueID // its parent, if its place is sound; changes of figures go up along it
	Moved    uint64  // Changes.UsageEpoch when Allocated or Request changed last

	Name   string
	Fact   *model.Queue // nil: named by jobs or queues, not known
	Broken string       // with Orphaned: the ancestor that is missing or set aside

	Capability resource.Limits
	Deserved   resource.Vec // as written in its spec
	Guarantee  resource.Vec // as written, limited to its capability

	above           QueueID // the queue that its fact names as parent, whether its place is sound or not
	firstChild      QueueID // the first of the queues that name it as parent, in no order
	nextSibling     QueueID // the next of the queues with the same parent
	previousSibling QueueID
	groups          *model.NodeGroups // the node groups its jobs may use, if a plugin reads them
}

// Queue returns the row of a queue.
func (l *Ledger) Queue(q QueueID) *Queue { return &l.Queues.rows[q] }

// Len is an upper bound for QueueIDs.
func (qs *Queues) Len() int { return len(qs.rows) }

// Find returns the row of a queue, and false when nothing has named it.
func (qs *Queues) Find(name string) (QueueID, bool) {
	q, ok := qs.byName[name]
	return q, ok
}

// Parent is the queue above, NoQueue for root and for queues without a sound place.
func (qs *Queues) Parent(q QueueID) QueueID { return qs.rows[q].up }

// Above is the queue that a queue's fact names as its parent, whether its place is sound or not; NoQueue for
// root and without a fact.
func (qs *Queues) Above(q QueueID) QueueID { return qs.rows[q].above }

// Each yields every queue that exists or is named, in the order of rows.
func (qs *Queues) Each(yield func(QueueID) bool) {
	for i := range qs.rows {
		if !qs.rows[i].free && !yield(QueueID(i)) {
			return
		}
	}
}

func (qs *Queues) row(name string) QueueID {
	if q, ok := qs.byName[name]; ok {
		return q
	}
	q := newRow(&qs.rows, &qs.free)
	qs.rows[q].begin(name)
	qs.rows[q].widen(qs.l.Dims.Len())
	qs.byName[name] = q
	return q
}

// begin makes a row that of a queue which is named and not known yet. Its sums are zero; their memory is used
// again.
func (q *Queue) begin(name string) {
	*q = Queue{Name: name, Place: Missing, up: NoQueue, above: NoQueue, firstChild: NoQueue, nextSibling: NoQueue,
		previousSibling: NoQueue,
		QueueAmounts:    q.QueueAmounts,
		Capability:      q.Capability, Deserved: q.Deserved, Guarantee: q.Guarantee}
	if name == model.RootQueue {
		q.Place = Sound
	}
	for _, sums := range q.all() {
		clear(*sums)
	}
}

// widen gives a queue's sums an element for every dimension, so that the hot paths need not check the length.
// The sums are next to each other in memory.
func (q *Queue) widen(dims int) {
	if len(q.Allocated) >= dims {
		return
	}
	all := make(resource.Sums, 6*dims)
	for i, sums := range q.all() {
		wide := all[i*dims : (i+1)*dims : (i+1)*dims]
		copy(wide, *sums)
		*sums = wide
	}
}

// setQueue moves a job with all its figures to another queue.
func (qs *Queues) setQueue(j JobID, q QueueID) {
	job := &qs.l.Jobs.rows[j]
	if job.Queue == q {
		return
	}
	if old := job.Queue; old != NoQueue {
		qs.bulk(job, -1)
		qs.rows[old].Jobs--
		qs.drop(old)
	}
	job.Queue = q
	if q != NoQueue {
		qs.rows[q].Jobs++
		qs.bulk(job, 1)
	}
	qs.l.Changes.usageEpoch++
	qs.requeued++
	if job.Tasks > 0 {
		qs.switched++
	}
	qs.l.Usage.place(j)
	qs.l.accounts.touchMembers(j)
	qs.regroupJob(j)
}

// Requeued counts how often a job was moved to another queue.
func (qs *Queues) Requeued() uint64 { return qs.requeued }

// Switched counts how often a job that had tasks was moved to another queue.
func (qs *Queues) Switched() uint64 { return qs.switched }

// bulk adds all figures of a job to its queue and the queue's ancestors (sign 1), or takes them away (-1).
func (qs *Queues) bulk(job *Job, sign int64) {
	qs.l.Changes.usageEpoch++
	addQueue(&qs.l.Changes.QueueUsage, job.Queue)
	for q := job.Queue; q != NoQueue; q = qs.rows[q].up {
		row := &qs.rows[q]
		row.Moved = qs.l.Changes.usageEpoch
		for d := range job.Request {
			row.Request[d] = row.Request[d].PlusSum(job.Request[d], sign)
		}
		for d := range job.Allocated {
			row.Allocated[d] = row.Allocated[d].PlusSum(job.Allocated[d], sign)
		}
		for i, part := range [...]resource.Vec{job.elastic, job.inqueue, job.lent, job.keptRoom} {
			sums := [...]resource.Sums{row.Elastic, row.Inqueue, row.Lent, row.KeptRoom}[i]
			for d, x := range part {
				sums[d] = sums[d].Plus(sign * x)
			}
		}
	}
}

// drop frees the row of a queue that nothing names any more.
func (qs *Queues) drop(q QueueID) {
	row := &qs.rows[q]
	if row.free || row.Fact != nil || row.Jobs > 0 || row.Children > 0 || row.Name == model.RootQueue {
		return
	}
	delete(qs.byName, row.Name)
	qs.l.Usage.gone(row.Name)
	row.begin("")
	row.free = true
	qs.free = append(qs.free, q)
}

func (qs *Queues) apply(name string, fact *model.Queue) {
	q := qs.row(name)
	row := &qs.rows[q]
	moves := !stays(row.Fact, fact)
	row.Fact = fact
	row.grant(qs.l.Dims, fact)
	qs.l.Nodes.widen()
	addQueue(&qs.l.Changes.QueueSpecs, q)
	if moves {
		qs.place(q)
	}
	qs.drop(q)
	qs.l.Changes.roomEpoch++
}

// grant reads a fact's amounts. It overwrites the memory of the old ones: a reader that keeps a queue's amounts
// has to keep copies.
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

// ExtendDims gives all figures an element for dimensions that were interned since. Readers call it after Apply; it
// costs nothing when there are none.
func (l *Ledger) ExtendDims() { l.Nodes.widen() }

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

// InqueueAmount is what is kept for admitted jobs in dimension d: Inqueue, without the lent part if loan is true.
func (q *Queue) InqueueAmount(d resource.Dim, loan bool) int64 {
	if !loan {
		return q.Inqueue.Get(d)
	}
	return resource.Sum{}.Plus(q.Inqueue.Get(d)).Minus(q.Lent.Get(d)).Int64()
}

// Taken is what a queue's jobs are allocated in dimension d, and what is kept for them on nodes in addition: a later
// job has to leave that to them.
func (q *Queue) Taken(d resource.Dim) int64 {
	if c := q.KeptRoom.Get(d); c != 0 {
		return resource.Sum{}.Plus(q.Allocated.Get(d)).Plus(c).Int64()
	}
	return q.Allocated.Get(d)
}

// KeptRoomText returns trace.CountsKeptRoom where kept room counts in a refusal by amounts, otherwise "".
func (q *Queue) KeptRoomText(dims *resource.Dims, shorts []trace.Short) string {
	for _, s := range shorts {
		if d, ok := dims.Lookup(s.Dim); ok && q.KeptRoom.Get(d) > 0 {
			return trace.CountsKeptRoom
		}
	}
	return ""
}

// Leaf says that no queue names this one as parent. Root is never a leaf.
func (q *Queue) Leaf() bool { return q.Children == 0 && q.Name != model.RootQueue }
