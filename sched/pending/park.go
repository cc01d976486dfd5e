package pending

import (
	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Refusal is why a job was refused, and what it waits for.
type Refusal struct {
	Reason trace.Reason
	// Whole says that the reason has its amounts. Otherwise it is an outline, and the amounts are found when
	// they are to be shown.
	Whole bool
	// Everywhere says that the refusal rests on every node's figures and not only on room that was freed (gangs
	// of several classes: placing them is not monotone).
	Everywhere bool
	// Order says that the refusal rests on other jobs of the queue that come first.
	Order bool
	// Tasks of a class is the room without which the job cannot be served, whatever else changes; 0: what it
	// waits for is not a number of tasks.
	Tasks int64
	Class ledger.ClassID
}

// wake is what a refusal rests on. Refusals by nodes rest on room that is freed, those by the queue on what
// queues hold or ask for, too.
func (r *Refusal) wake() Wake {
	switch w := OnJob | OnRoom | OnSpecs | OnTime; {
	case r.Order:
		return OnJob | Anything
	case r.Everywhere:
		return w | OnUsage | OnNodes
	case r.Reason.Root().Code.OfNodes():
		return w
	default:
		return w | OnUsage
	}
}

// Park notes why a job was refused, and that it is of no use to try it again before something changes that the
// refusal rests on.
func (x *Index) Park(j ledger.JobID, r Refusal) {
	m := waitRecord{reason: r.Reason, refused: true, wake: r.wake(), at: x.nowFor(j), class: r.Class, tasks: r.Tasks,
		plans: x.plans}
	if r.Whole {
		m.shown, m.shownAt = r.Reason, m.at
	}
	x.note(j, m)
}

// Parked says that a job was refused and nothing has changed that its refusal rests on. A job that is known to
// lack room stays parked until there is enough.
func (x *Index) Parked(j ledger.JobID) bool { return x.isParked(j, x.hopeless) }

func (x *Index) isParked(j ledger.JobID, hopeless func(signature, Versions) bool) bool {
	m := x.waitRecordOf(j)
	if m == nil || m.wake == 0 {
		return false
	}
	now := x.nowFor(j)
	if now.same(&m.at, m.wake) {
		return true
	}
	return now.at(OnJob) == m.at.at(OnJob) && x.l.Job(j).By[model.Pipelined] == 0 && hopeless(x.signatureOf(j, m), now)
}

// signature is what the refusals of parked jobs have in common that are checked together.
type signature struct {
	wake     Wake // see waitRecord
	queue    ledger.QueueID
	class    ledger.ClassID
	tasks    int64 // see Refusal
	lending  ledger.Lending
	priority int32
	specs    uint64 // the version of queues when they were refused
	plans    uint64 // see Index.StartPlanned
}

// signatureOf is a parked job's signature. It has no number of tasks for an admitted job that keeps its queue's
// room, since it matters whether the nodes or the queue refuse that now; nor for a job for which room is kept.
func (x *Index) signatureOf(j ledger.JobID, m *waitRecord) signature {
	job := x.l.Job(j)
	k := signature{wake: m.wake, queue: job.Queue, priority: job.Priority, specs: m.at.at(OnSpecs),
		lending: x.l.WaitingJobs.Lending(j), plans: m.plans}
	if m.tasks != 0 && job.RoomKept == 0 && (!job.HasMin || k.lending != ledger.LendsNone) {
		k.class, k.tasks = m.class, m.tasks
	}
	return k
}

// group adds a parked job to the group of its signature.
func (x *Index) group(j ledger.JobID, now Versions) {
	key := x.signatureOf(j, x.waitRecordOf(j))
	switch g, fresh := x.parked.Add(j, key); {
	case fresh:
		g.checked = now
	case !g.checked.same(&now, key.wake):
		g.checked = Versions{} // they were not all found parked at the same time
	}
}

// wakeGroups wakes the jobs of every group of which not all are certain to be parked still.
func (x *Index) wakeGroups(now Versions) {
	for i := len(x.parked.All) - 1; i >= 0; i-- {
		g := x.parked.All[i]
		if g.checked.same(&now, g.Key.wake) || x.hopeless(g.Key, now) {
			continue
		}
		for len(g.Jobs) > 0 {
			j := g.Jobs[len(g.Jobs)-1]
			x.parked.Remove(j)
			x.wake(j)
		}
	}
}

// hopeless says that a job which has not changed would be refused again: its queue is served no more, or room
// is still lacking even with what terminating pods will free. Within an action, what a queue holds only grows
// and room only shrinks. So a job that does not fit before an action fits at no time during it.
func (x *Index) hopeless(k signature, now Versions) bool {
	if now.at(OnSpecs) != k.specs || k.plans != x.plans || k.queue == ledger.NoQueue {
		return false
	}
	if _, over := x.set.Overused(k.queue); over {
		return true
	}
	if k.tasks == 0 || x.l.Nodes.ReleasingNodes() > 0 && x.set.HoldsInPart() || x.mayTake(k) {
		return false
	}
	may := x.set.Allocatable(k.queue, k.class, k.tasks)
	fit := k.tasks
	if may >= k.tasks || k.lending == ledger.LendsNone {
		fit = x.nodeIndex.Capacity(k.class, k.tasks, class.When(x.l.Nodes.ReleasingNodes() > 0))
	}
	return min(may, fit) < k.tasks && !x.wouldLendOtherwise(k, may, fit)
}

// wouldLendOtherwise says that a job would lend the room of its queue otherwise if it was refused again: nodes refused
// it, and since then they have come to admit its tasks, or have ceased to; or its queue refused it, and nodes come
// first now. Nodes, with room to fit so many of its tasks, come before a queue that may have so many more: for gangs
// always, for others if the queue may have any.
func (x *Index) wouldLendOtherwise(k signature, may, fit int64) bool {
	if k.lending == ledger.LendsNone {
		return k.wake&OnUsage != 0 && fit < k.tasks && (may > 0 || k.tasks > 1)
	}
	could := x.nodeIndex.Whole(k.class, k.tasks) >= k.tasks
	return k.lending == ledger.Lends && !could || k.lending == ledger.LendsAll && could
}

// mayTake says that a job which lacks room might get room that is kept for another job.
func (x *Index) mayTake(k signature) bool {
	if !x.l.KeptRoom.Any() {
		return false
	}
	for _, j := range x.l.KeptRoom.Jobs() {
		job := x.l.Job(j)
		if job.Queue == k.queue && k.priority > job.Priority || job.Queue != k.queue &&
			x.GoesBefore(k.queue, job.Queue) {
			return true
		}
	}
	return false
}
