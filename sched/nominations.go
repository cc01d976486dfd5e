package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// nominations holds the nominations of this scheduler's evictions, until when they hold, and the victims that
// are leaving for them.
type nominations struct {
	e *Engine

	expiring []ledger.TaskID // tasks with a commitment that ends by itself; some twice, some have none any more
	leaving  []ledger.TaskID // tasks with an eviction under way; some may have none any more
}

// evictedFor returns for which kind of task an eviction is.
func (ns *nominations) evictedFor(op ledger.Op) ledger.EvictedFor {
	switch {
	case op.Preemptor == ledger.NoTask:
		return ledger.ForNoTask
	case ns.e.l.Job(ns.e.l.Task(op.Preemptor).Job).Queue == ns.e.l.Job(ns.e.l.Task(op.Task).Job).Queue:
		return ledger.ForItsQueue
	default:
		return ledger.ForOtherQueue
	}
}

// expect notes a commitment of an earlier engine that ends by itself, or may be taken back.
func (ns *nominations) expect(t ledger.TaskID) {
	switch ns.e.l.Task(t).Commitment.Kind {
	case ledger.CommitNominate, ledger.CommitEvictionDenied:
		ns.expiring = append(ns.expiring, t)
	case ledger.CommitEvict:
		ns.leaving = append(ns.leaving, t)
	}
}

// nominationLasts is how long freed room is kept after the longest grace period of the victims: 60
// seconds by decision 13.
const nominationLasts = int64(60_000_000_000)

// longestGrace bounds how long a nomination waits for a victim. A tenant may give its pods a grace period of
// 68 years; after an hour the preemptor is decided anew.
const longestGrace = int64(3_600_000_000_000)

// nominationEnds returns when a nomination ends that is made now for victims with such a grace period.
func nominationEnds(now, grace int64) int64 {
	return model.After(now, min(grace, longestGrace)+nominationLasts)
}

// expire ends the nominations that have expired, that have no node any more, or of which evictions were
// denied; and it lets pods of which the eviction was denied be evicted again, once the time for that has come.
func (ns *nominations) expire(now int64) {
	var over []ledger.TaskID
	ns.expiring = slices.DeleteFunc(ns.expiring, func(t ledger.TaskID) bool {
		switch commitment := ns.e.l.Task(t).Commitment; {
		case commitment.Kind == ledger.CommitEvictionDenied:
			if commitment.Until > now {
				return false
			}
			ns.e.l.Drop(t)
		case commitment.Kind == ledger.CommitNominate:
			if commitment.Until > now && ns.e.stillTakes(t, commitment.Node) && !ns.heldUp(t, commitment.Node) {
				return false
			}
			over = append(over, t)
		}
		return true
	})
	slices.SortFunc(over, func(a, b ledger.TaskID) int { return ns.e.l.Task(a).Key.Compare(ns.e.l.Task(b).Key) })
	for _, t := range slices.Compact(over) {
		task := ns.e.l.Task(t)
		ns.e.add(Item{Kind: NominatePod, Statement: task.Commitment.Statement, Pod: task.Key, UID: task.Pod.UID})
		ns.e.l.Drop(t)
	}
}

// heldUp says that a node has less room than nominations hold there, of what a nominated task asks for, since a victim
// lingers that another victim of the statement outlives: what waits for it is decided anew, or others would be evicted
// for room that is there. Room that is kept for other tasks does not count, since others hold it meanwhile.
func (ns *nominations) heldUp(t ledger.TaskID, n ledger.NodeID) bool {
	l := ns.e.l
	for _, need := range l.Class(l.Task(t).Class).Need {
		if l.Nodes.FutureIdle(need.Dim, n) >= 0 {
			continue
		}
		short, lingers := -l.Nodes.Idle(need.Dim)[n]-l.Nodes.Releasing(need.Dim)[n], int64(0)
		l.Nodes.Tasks(n, func(o ledger.TaskID) bool {
			switch row := l.Task(o); {
			case row.Status == model.Pipelined:
				short += l.Request(o).Get(need.Dim)
			case row.Lingers():
				lingers += l.Request(o).Get(need.Dim)
			}
			return true
		})
		if short > 0 && lingers >= short {
			return true
		}
	}
	return false
}

// stillTakes says that a node is present, and that the static filters still admit a task on it: a nomination on
// a node that was cordoned since is of no use.
func (e *Engine) stillTakes(t ledger.TaskID, n ledger.NodeID) bool {
	admits := e.session.NodeIndex.Admitted(e.l.Task(t).Class)
	return e.l.Node(n).Present() && int(n) < len(admits) && admits[n]
}

// nextExpiry returns when the first nomination, or the first room that is kept, ends, with those of this cycle; 0
// without any.
func (ns *nominations) nextExpiry() (next int64) {
	for _, t := range ns.expiring {
		commitment := ns.e.l.Task(t).Commitment
		if (commitment.Kind == ledger.CommitNominate || commitment.Kind == ledger.CommitEvictionDenied) &&
			(next == 0 || commitment.Until < next) {
			next = commitment.Until
		}
	}
	for _, j := range ns.e.l.KeptRoom.Jobs() { // order-free: a minimum
		for _, t := range ns.e.l.KeptRoom.Of(j) {
			commitment := ns.e.l.Task(t).Commitment
			if next == 0 || commitment.Until < next {
				next = commitment.Until
			}
			if p := commitment.Planned; p != nil && p.At > ns.e.session.Now {
				next = min(next, p.At)
			}
		}
	}
	return next
}

// notEvicted takes in that the eviction of a task was not carried out: what waits for it gives its nominations up. If
// the deletion failed, the task is spared for a while; if it was never sent, it counts against no limit of evictions.
func (ns *nominations) notEvicted(t ledger.TaskID, commitment ledger.Commitment, r Receipt) {
	switch r.Outcome {
	case Failed:
		ns.forgo(commitment.Statement)
		ns.spare(t, commitment, r.Denials)
	case Forgone:
		ns.forgo(commitment.Statement)
		ns.e.l.EvictionHistory.TakeBack(r.Item.ID)
	}
}

// forgo ends the nominations of a statement with the next cycle, because one of its evictions was not carried out:
// not all the room that they wait for will be free. Their jobs are looked at anew; room of the other victims is
// free for any job.
func (ns *nominations) forgo(statement uint64) {
	for _, t := range ns.expiring {
		commitment := *ns.e.l.Task(t).Commitment
		if commitment.Kind == ledger.CommitNominate && commitment.Statement == statement {
			commitment.Until = 1
			ns.e.l.SetCommitment(t, commitment)
		}
	}
}

// longestSpared bounds for how long a pod is spared of which the deletion was denied: as the pauses between bindings
// that are refused. A minute, doubled for each denial after the first, comes to it with the sixth.
const longestSpared = int64(1_800_000_000_000)

// spare has a pod that could not be evicted not be evicted again for as long as its nomination would have lasted, and
// for longer each time that it is denied: each try writes to the pod, and has jobs wait for room that does not come.
func (ns *nominations) spare(denied ledger.TaskID, was ledger.Commitment, denials int32) {
	spared := min(nominationLasts<<min(max(denials-1, 0), 5), longestSpared)
	ns.e.l.SetCommitment(denied, ledger.Commitment{Kind: ledger.CommitEvictionDenied, Node: was.Node,
		Statement: was.Statement, Until: max(was.Until, model.After(ns.e.session.Now, spared))})
	ns.expiring = append(ns.expiring, denied)
}

// graces returns how long the victims of each statement have to leave, in nanoseconds, and the statements that
// give some task a nomination.
func (ns *nominations) graces() (out map[uint64]int64, nominates map[uint64]bool) {
	for _, op := range ns.e.l.Statements.Uncommitted() {
		if op.Kind != ledger.OpEvict && op.Kind != ledger.OpNominate {
			continue
		}
		if out == nil {
			out, nominates = map[uint64]int64{}, map[uint64]bool{}
		}
		if op.Kind == ledger.OpNominate {
			nominates[op.Statement] = true
		} else {
			out[op.Statement] = max(out[op.Statement], ns.e.l.Task(op.Task).Pod.Grace)
		}
	}
	return out, nominates
}
