package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Place says what is wrong with a queue's place in the tree (decision 8).
type Place uint8

// The places a queue can be in.
const (
	Sound    Place = iota
	Missing        // named, never seen
	SetAside       // refused at the door
	Cyclic         // its parents form a ring
	Orphaned       // an ancestor is missing or set aside
)

// Queue is the row of a queue, with its figures: those of its own jobs and of all its
// descendants'.
type Queue struct {
	Name   string
	Fact   *model.Queue // nil: named by jobs or children, never seen
	Place  Place
	Broken string // with Orphaned: the ancestor that is not there
	Depth  int32  // root is 0
	Kids   int32  // present queues whose parent it is
	Jobs   int32  // jobs directly in it

	Capability resource.Limits
	Deserved   resource.Vec // as written in its spec
	Guarantee  resource.Vec // as written, at most its capability

	Allocated resource.Sums
	Request   resource.Sums
	Inqueue   resource.Sums
	Elastic   resource.Sums
	Moved     uint64 // Ledger.Figures when Allocated or Request moved last

	up     QueueID           // its parent, where its place is sound; figures move along it
	shut   model.QueueState  // of the nearest queue above that is not open; see State
	groups *model.NodeGroups // what its jobs may use, where somebody heeds it
	free   bool
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

// Parent is the queue above, NoQueue for root and for queues out of place.
func (l *Ledger) Parent(q QueueID) QueueID { return l.queues[q].up }

// Queues yields every queue that is or is named, in the order of rows.
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
	l.queues[q] = Queue{Name: name, Place: Missing, up: NoQueue, Kids: l.kids(name)}
	if name == model.RootQueue {
		l.queues[q].Place = Sound
	}
	l.queues[q].widen(l.Dims.Len())
	l.queueByName[name] = q
	return q
}

// kids counts the queues that name a parent.
func (l *Ledger) kids(parent string) int32 {
	n := int32(0)
	for i := range l.queues {
		row := &l.queues[i]
		if row.Fact != nil && row.Name != model.RootQueue && parentName(row.Fact) == parent {
			n++
		}
	}
	return n
}

// widen gives a queue's sums an element for every dimension, so that the hot paths
// need not ask. Rows that are free are as wide: until the tree is settled, figures of
// a dropped queue's descendants still move along it.
func (q *Queue) widen(dims int) {
	for len(q.Allocated) < dims {
		q.Allocated = append(q.Allocated, resource.Sum{})
		q.Request = append(q.Request, resource.Sum{})
		q.Inqueue = append(q.Inqueue, resource.Sum{})
		q.Elastic = append(q.Elastic, resource.Sum{})
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
	l.figuresAt++
	l.touchMembers(j)
	l.regroupJob(j)
}

// bulk adds or takes away all that a job counts for along its queue's ancestors.
func (l *Ledger) bulk(job *Job, sign int64) {
	l.figuresAt++
	l.served.add(job.Queue)
	for q := job.Queue; q != NoQueue; q = l.queues[q].up {
		row := &l.queues[q]
		row.Moved = l.figuresAt
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
	}
}

func (l *Ledger) dropQueue(q QueueID) {
	row := &l.queues[q]
	if row.Fact != nil || row.Jobs > 0 || row.Name == model.RootQueue {
		return
	}
	delete(l.queueByName, row.Name)
	*row = Queue{free: true, up: NoQueue}
	row.widen(l.Dims.Len())
	l.queueFree = append(l.queueFree, q)
}

func (l *Ledger) applyQueue(name string, fact *model.Queue) {
	q := l.queue(name)
	row := &l.queues[q]
	if stays(row.Fact, fact) {
		l.granted.add(q)
	} else {
		l.queuesStale = true
		l.granted.forget()
	}
	row.Fact = fact
	row.Capability, row.Deserved, row.Guarantee = resource.Limits{}, nil, nil
	if fact != nil {
		row.Capability = l.Dims.Limits(fact.Capability)
		row.Deserved = l.Dims.Vec(fact.Deserved)
		row.Guarantee = row.Capability.Clip(l.Dims.Vec(fact.Guarantee))
		l.widen()
	}
	l.dropQueue(q)
	l.shapeAt++
	l.grown++
}

// Settle brings the tree of queues up to date after facts that change it, and the width
// of all figures after dimensions that somebody else interned. Whoever reads after
// Apply calls it first; it costs nothing when neither happened.
func (l *Ledger) Settle() {
	l.widen()
	if l.queuesStale {
		l.queuesStale = false
		l.rehang()
	}
}

// rehang rebuilds the tree and every queue's sums: queues change rarely, and a tree
// rebuilt cannot go stale.
func (l *Ledger) rehang() {
	l.figuresAt++
	l.served.forget()
	for i := range l.queues {
		row := &l.queues[i]
		row.Kids, row.up, row.Broken, row.Depth, row.Moved = 0, NoQueue, "", 0, l.figuresAt
		clear(row.Allocated)
		clear(row.Request)
		clear(row.Inqueue)
		clear(row.Elastic)
	}
	for i := range l.queues {
		if row := &l.queues[i]; !row.free {
			l.hang(QueueID(i))
		}
	}
	for i := range l.queues {
		row := &l.queues[i]
		if row.free || row.Fact == nil || row.Name == model.RootQueue {
			continue
		}
		if p, ok := l.queueByName[parentName(row.Fact)]; ok {
			l.queues[p].Kids++
		}
	}
	for i := range l.jobs {
		if !l.jobs[i].free {
			l.bulk(&l.jobs[i], 1)
		}
	}
	for i := range l.queues {
		l.queues[i].shut = l.shutAbove(QueueID(i))
	}
	l.regroup()
	l.figuresAt++
}

// shutAbove is the state of the nearest queue above that is not open. Root is left out:
// it is the cluster, and always there.
func (l *Ledger) shutAbove(q QueueID) model.QueueState {
	for at := l.queues[q].up; at != NoQueue && l.queues[at].up != NoQueue; at = l.queues[at].up {
		if s := l.queues[at].Fact.State; s != model.QueueOpen {
			return s
		}
	}
	return model.QueueOpen
}

func parentName(f *model.Queue) string {
	if f.Parent == "" {
		return model.RootQueue
	}
	return f.Parent
}

// hang finds a queue's place by walking up its parents.
func (l *Ledger) hang(q QueueID) {
	row := &l.queues[q]
	row.Place = l.placeOf(row)
	if row.Place != Sound || row.Name == model.RootQueue {
		return
	}
	row.up = l.queueByName[parentName(row.Fact)]
	for at := row; at.Name != model.RootQueue; row.Depth++ {
		at = &l.queues[l.queueByName[parentName(at.Fact)]]
	}
}

func (l *Ledger) placeOf(row *Queue) Place {
	if row.Fact == nil && row.Name != model.RootQueue {
		return Missing
	}
	for at, steps := row, 0; ; steps++ {
		if at.Name == model.RootQueue {
			return Sound // whatever a user wrote into it: root is always there
		}
		if at.Fact != nil {
			if _, bad := at.Fact.SetAside(); bad && at == row {
				return SetAside
			} else if bad {
				row.Broken = at.Name
				return Orphaned
			}
		}
		if steps > len(l.queues) {
			return Cyclic
		}
		p, ok := l.queueByName[parentName(at.Fact)]
		if !ok || l.queues[p].Fact == nil && l.queues[p].Name != model.RootQueue {
			row.Broken = parentName(at.Fact)
			return Orphaned
		}
		at = &l.queues[p]
	}
}

// State is whether the queue takes jobs: its own state, or while that is open the state
// of the nearest queue above that is not, as closing a queue closes all below it
// (semantics §3.2). A queue without a fact (root) is open.
func (q *Queue) State() model.QueueState {
	if q.Fact == nil {
		return model.QueueOpen
	}
	if q.Fact.State != model.QueueOpen {
		return q.Fact.State
	}
	return q.shut
}

// Weight is the queue's weight, at least 1.
func (q *Queue) Weight() int64 {
	if q.Fact == nil {
		return 1
	}
	return int64(max(1, q.Fact.Weight))
}

// Priority is the queue's priority, 0 without a fact.
func (q *Queue) Priority() int32 {
	if q.Fact == nil {
		return 0
	}
	return q.Fact.Priority
}

// Leaf says that no queue names it as parent. Root is never a leaf.
func (q *Queue) Leaf() bool { return q.Kids == 0 && q.Name != model.RootQueue }
