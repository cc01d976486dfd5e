package session

import "ashlar.sh/sched/ledger"

// Lacks notes for a parked job that it cannot be served before its queue and the nodes have room for
// that many tasks of a class. Until then it is not tried again, whatever else changes.
func (s *Session) Lacks(j ledger.JobID, class ledger.ClassID, tasks int64) {
	if m := s.noted(j); m != nil {
		m.class, m.lacks = class, tasks
	}
}

// Parked says that a job was refused and nothing has changed that its refusal rests on. Refusals by
// nodes rest on RoomEpoch, those by the queue on UsageEpoch, too. A job that is known to lack room
// stays parked until there is enough.
func (pk *Parking) Parked(j ledger.JobID) bool {
	m := pk.s.WaitRecord(j)
	if !m.parked {
		return false
	}
	now := pk.s.epochsOf(j)
	if now.job == m.epochs.job && pk.s.L.Job(j).Waiting() == 0 && pk.hopeless(pk.lackOf(j, m), now) {
		return true
	}
	rest := m.basis()
	return rest.of(now) == rest.of(m.epochs)
}

// basis is what a refusal rests on besides the job itself.
type basis uint8

const (
	onRoom  basis = iota // room that was freed somewhere
	onQueue              // what queues hold or ask for, too
	onAll                // every node's figures
)

func (m *WaitRecord) basis() basis {
	switch {
	case m.full:
		return onAll
	case m.Reason.Root().Code.OfNodes():
		return onRoom
	default:
		return onQueue
	}
}

// of are the epochs that matter.
func (r basis) of(s epochs) epochs {
	if r != onAll {
		s.nodes = 0
	}
	if r == onRoom {
		s.usage = 0
	}
	return s
}

// lack is the room that a parked job waits for, when nothing else has changed.
type lack struct {
	queue    ledger.QueueID
	class    ledger.ClassID
	tasks    int64 // 0: what it waits for is not a number of tasks
	lending  ledger.Lending
	priority int32
	shape    uint64
}

// lackOf is what a parked job lacks. It is no number of tasks for an admitted job that keeps its
// queue's room, since it matters whether the nodes or the queue refuse that now; nor for a job for
// which room is kept.
func (pk *Parking) lackOf(j ledger.JobID, m *WaitRecord) lack {
	job := pk.s.L.Job(j)
	l := lack{queue: job.Queue, priority: job.Priority, shape: m.epochs.specs, lending: pk.s.L.Lenders.Of(j)}
	if m.lacks != 0 && job.Claims == 0 && (!job.HasMin || l.lending != ledger.Keeps) {
		l.class, l.tasks = m.class, m.lacks
	}
	return l
}

// hopeless says that a job which has not changed would be refused again: its queue is served no more,
// or room is still lacking even with what terminating pods will free. Within an action, what a queue
// holds only grows and room only shrinks. So a job that does not fit before an action fits at no time
// during it.
func (pk *Parking) hopeless(k lack, now epochs) bool {
	if now.specs != k.shape || k.queue == ledger.NoQueue {
		return false
	}
	if _, over := pk.s.Policy.Overused(k.queue); over {
		return true
	}
	if k.tasks == 0 || pk.s.L.Nodes.ReleasingNodes() > 0 && pk.s.Policy.HoldsInPart() || pk.mayTake(k) {
		return false
	}
	lacking := pk.s.Policy.Allocatable(k.queue, k.class, k.tasks) < k.tasks || pk.s.Nodes.Prospect(k.class, k.tasks) < k.tasks
	return lacking && !pk.s.wouldLendOtherwise(k)
}

// wouldLendOtherwise says that a job which nodes refused would lend the room of its queue otherwise if they
// refused it again: since then, they have come to admit its tasks, or have ceased to.
func (s *Session) wouldLendOtherwise(k lack) bool {
	could := s.Nodes.Whole(k.class, k.tasks) >= k.tasks
	return k.lending == ledger.Lends && !could || k.lending == ledger.LendsAll && could
}

// mayTake says that a job which lacks room might get room that is kept for another job.
func (pk *Parking) mayTake(k lack) bool {
	if !pk.s.L.Claims.Len() {
		return false
	}
	for _, j := range pk.s.L.Claims.Claimants() {
		job := pk.s.L.Job(j)
		if job.Queue == k.queue && k.priority > job.Priority || job.Queue != k.queue && pk.s.Policy.CompareQueues(k.queue, job.Queue) < 0 {
			return true
		}
	}
	return false
}
