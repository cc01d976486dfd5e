package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// reservations holds the reservations of this scheduler's evictions, until when they hold, and the victims that
// are leaving for them.
type reservations struct {
	e *Engine

	expiring []ledger.TaskID // tasks with a commitment that ends by itself; some twice, some have none any more
	leaving  []ledger.TaskID // tasks with an eviction under way; some may have none any more
}

// evictedFor returns for which kind of task an eviction is.
func (rs *reservations) evictedFor(op ledger.Op) ledger.EvictedFor {
	switch {
	case op.Preemptor == ledger.NoTask:
		return ledger.ForNoTask
	case rs.e.l.Job(rs.e.l.Task(op.Preemptor).Job).Queue == rs.e.l.Job(rs.e.l.Task(op.Task).Job).Queue:
		return ledger.ForItsQueue
	default:
		return ledger.ForOtherQueue
	}
}

// expect notes a commitment of an earlier engine that ends by itself, or may be taken back.
func (rs *reservations) expect(t ledger.TaskID) {
	switch rs.e.l.Task(t).Held.Kind {
	case ledger.CommitNominate, ledger.CommitEvictionDenied:
		rs.expiring = append(rs.expiring, t)
	case ledger.CommitEvict:
		rs.leaving = append(rs.leaving, t)
	}
}

// reservationLasts is how long freed room stays reserved after the longest grace period of the victims: 60
// seconds by decision 13.
const reservationLasts = int64(60_000_000_000)

// longestGrace bounds how long a reservation waits for a victim. A tenant may give its pods a grace period of
// 68 years; after an hour the preemptor is decided anew.
const longestGrace = int64(3_600_000_000_000)

// reservedUntil returns when a reservation ends that is made now for victims with such a grace period.
func reservedUntil(now, grace int64) int64 {
	return model.After(now, min(grace, longestGrace)+reservationLasts)
}

// expire ends the reservations that have expired, that have no node any more, or of which evictions were
// denied; and it lets pods of which the eviction was denied be evicted again, once the time for that has come.
func (rs *reservations) expire(now int64) {
	var over []ledger.TaskID
	rs.expiring = slices.DeleteFunc(rs.expiring, func(t ledger.TaskID) bool {
		switch held := rs.e.l.Task(t).Held; {
		case held.Kind == ledger.CommitEvictionDenied:
			if held.Until > now {
				return false
			}
			rs.e.l.Drop(t)
		case held.Kind == ledger.CommitNominate:
			if held.Until > now && rs.e.stillTakes(t, held.Node) {
				return false
			}
			over = append(over, t)
		}
		return true
	})
	slices.SortFunc(over, func(a, b ledger.TaskID) int { return rs.e.l.Task(a).Key.Compare(rs.e.l.Task(b).Key) })
	for _, t := range slices.Compact(over) {
		task := rs.e.l.Task(t)
		rs.e.add(Item{Kind: NominatePod, Statement: task.Held.Statement, Pod: task.Key, UID: task.Pod.UID})
		rs.e.l.Drop(t)
	}
}

// stillTakes says that a node is present, and that the static filters still admit a task on it: a reservation on
// a node that was cordoned since is of no use.
func (e *Engine) stillTakes(t ledger.TaskID, n ledger.NodeID) bool {
	admits := e.session.NodeIndex.Admitted(e.l.Task(t).Class)
	return e.l.Node(n).Present() && int(n) < len(admits) && admits[n]
}

// nextExpiry returns when the first reservation, or the first room that is kept, ends, with those of this cycle; 0
// without any.
func (rs *reservations) nextExpiry() (next int64) {
	for _, t := range rs.expiring {
		held := rs.e.l.Task(t).Held
		if (held.Kind == ledger.CommitNominate || held.Kind == ledger.CommitEvictionDenied) &&
			(next == 0 || held.Until < next) {
			next = held.Until
		}
	}
	for _, j := range rs.e.l.KeptRoom.Jobs() { // order-free: a minimum
		for _, t := range rs.e.l.KeptRoom.Of(j) {
			held := rs.e.l.Task(t).Held
			if next == 0 || held.Until < next {
				next = held.Until
			}
			if p := held.Planned; p != nil && p.At > rs.e.session.Now {
				next = min(next, p.At)
			}
		}
	}
	return next
}

// forgo ends the reservations of a statement with the next cycle, because one of its evictions was denied: not
// all the room that they wait for will be free. Their jobs are looked at anew; room of the other victims is
// free for any job. The pod that could not be evicted is not evicted again for as long as its reservation
// would have lasted.
func (rs *reservations) forgo(denied ledger.TaskID, was ledger.Commitment) {
	for _, t := range rs.expiring {
		if held := *rs.e.l.Task(t).Held; held.Kind == ledger.CommitNominate && held.Statement == was.Statement {
			held.Until = 1
			rs.e.l.SetCommitment(t, held)
		}
	}
	rs.e.l.SetCommitment(denied, ledger.Commitment{Kind: ledger.CommitEvictionDenied, Node: was.Node,
		Statement: was.Statement, Until: was.Until})
	rs.expiring = append(rs.expiring, denied)
}

// graces returns how long the victims of each statement have to leave, in nanoseconds, and the statements that
// give some task a reservation.
func (rs *reservations) graces() (out map[uint64]int64, reserve map[uint64]bool) {
	for _, op := range rs.e.l.Statements.Pending() {
		if op.Kind != ledger.OpEvict && op.Kind != ledger.OpNominate {
			continue
		}
		if out == nil {
			out, reserve = map[uint64]int64{}, map[uint64]bool{}
		}
		if op.Kind == ledger.OpNominate {
			reserve[op.Statement] = true
		} else {
			out[op.Statement] = max(out[op.Statement], rs.e.l.Task(op.Task).Pod.Grace)
		}
	}
	return out, reserve
}
