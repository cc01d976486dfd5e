package sched

import (
	"slices"

	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Engine is the state machine. It is not safe for concurrent use.
type Engine struct {
	l       *ledger.Ledger
	profile policy.Profile
	policy  *policy.Set
	actions []session.Action
	session session.Session
	rec     trace.Recorder
	plan    Plan
	unused  int // cycles in a row that used little of the plan's memory
	nextID  uint64
	stmts   uint64 // statements before this engine's first
	touched []ledger.JobID
	watch   policy.Stopwatch
	decided bool  // a cycle has run, here or in the engine this one was restored from
	turns   int64 // when plugins' answers change without a fact; 0: never
	pauses  int64 // when the next pause of a job ends; 0: none does
	losses  int64 // when the first lost member's room is kept no longer; 0: none is kept
	resume  int64 // when work that was put off in the last cycle goes on; 0: none was

	reservations reservations
	gates        queueGates
	promises     promises
	reports      reports
	saved        savedState
	evictor      *evict.Evictor
}

// Record sets the verbosity up to which events of a cycle are kept (0: only the plan and the reasons; 3 to 5:
// the seeds' log levels).
func (e *Engine) Record(verbosity int) { e.rec.Verbosity = verbosity }

// Apply takes in facts. Their order makes no difference, except that of facts about one object the one with
// the newest version holds.
func (e *Engine) Apply(facts ...model.Fact) {
	for _, f := range facts {
		e.l.Apply(f)
		e.gates.note(f)
	}
}

// Decide runs one cycle at a time given in nanoseconds since the epoch. next is the earliest time at which the
// answer may change without a new fact, 0 when there is none. Plan and events are valid until the next call.
func (e *Engine) Decide(now int64) (plan Plan, events []trace.Event, next int64) {
	// 1. Take back what was held for one cycle only, and end what has expired. Before that, plugins get the
	// time: a plugin without it refuses revocable nodes, and reservations there would end.
	e.l.Settle()
	e.l.Statements.TakeBackProvisional()
	e.l.Charges.Begin()
	e.emptyPlan()
	e.rec.Reset()
	e.l.EvictionHistory.Trim(now)
	e.session.Open(now)
	if e.turns != 0 && e.turns <= now {
		e.session.Pending.TimePassed()
	}
	e.turns = e.policy.At(now)
	e.pauses = e.l.Backoffs.End(now)
	e.losses = e.l.Losses.Judge(now, reservedUntil) // pauses come first: a job that pauses has no losses
	e.promises.next = e.promises.lapse(now)
	e.policy.Explain(false)
	e.reservations.expire(now)

	// 2. Plugins derive what does not change during the cycle.
	e.policy.Open(&e.rec, e.watch)
	e.tellOverdrawn()

	if !e.decided {
		e.reserveNominated(now)
		e.decided = true
	}

	// 3. Actions, in the configured order; each one's statements become commitments.
	for _, a := range e.actions {
		e.watch.Begin(policy.PartAction, a.Name())
		a.Execute(&e.session)
		e.commit(now)
		e.watch.End()
	}

	if later := e.policy.Later(); later != 0 && (e.turns == 0 || later < e.turns) {
		e.turns = later
	}

	e.l.Charges.Begin() // what was bound in this cycle counts in its queue, whatever its next facts are

	// 4. Take back evictions that no pod waits for any more, if the pod was not asked to leave yet.
	e.reservations.withdrawUnneeded()

	// 5. Queues open their gates for pods that they have room for. Phases follow from what is placed.
	e.gates.open()
	e.rephaseAll()
	e.policy.Explain(true)
	if e.resume = e.policy.Resume(); e.resume != 0 {
		e.session.Pending.Deferred()
	}
	return e.plan, e.rec.Events, e.next()
}

// commit makes plan items of the statements that succeeded.
func (e *Engine) commit(now int64) {
	grace, reserve := e.reservations.graces()
	e.l.Committed(func(op ledger.Op) ledger.Booking {
		task := e.l.Task(op.Task)
		b := ledger.Booking{Statement: e.stmts + op.Statement, Until: reservedUntil(now, grace[op.Statement])}
		item := Item{Pod: task.Key, UID: task.Pod.UID, Node: e.l.Node(op.Node).Name, Statement: b.Statement}
		switch op.Kind {
		case ledger.OpAllocate:
			item.Kind, item.Chosen = BindPod, task.Chosen
		case ledger.OpReserve:
			item.Kind = NominatePod
			e.reservations.until = append(e.reservations.until, op.Task)
		case ledger.OpRelease:
			item.Kind, item.Node = NominatePod, ""
		case ledger.OpEvict:
			item.Kind, item.Action = EvictPod, op.Reason
			item.Why = e.evictor.Record(op.Task)
			e.l.EvictionHistory.Record(op.Task, now)
			if reserve[op.Statement] {
				b.For = e.reservations.beneficiary(op)
				e.reservations.leaving = append(e.reservations.leaving, op.Task)
			}
		}
		if op.For != ledger.NoTask {
			item.For = e.l.Task(op.For).Key
		}
		b.Item = e.add(item)
		return b
	})
	e.evictor.Forget()
}

// graces returns how long the victims of each statement have to leave, in nanoseconds, and the statements that
// give some task a reservation.
func (rs *reservations) graces() (out map[uint64]int64, reserve map[uint64]bool) {
	for _, op := range rs.e.l.Statements.Pending() {
		if op.Kind != ledger.OpEvict && op.Kind != ledger.OpReserve {
			continue
		}
		if out == nil {
			out, reserve = map[uint64]int64{}, map[uint64]bool{}
		}
		if op.Kind == ledger.OpReserve {
			reserve[op.Statement] = true
		} else {
			out[op.Statement] = max(out[op.Statement], rs.e.l.Task(op.Task).Pod.Grace)
		}
	}
	return out, reserve
}

// longUnused is after how many cycles that used little of it a plan's memory is given back: the first cycle of
// a full cluster has items for every job, and no later cycle does.
const longUnused = 100

// emptyPlan empties the plan.
func (e *Engine) emptyPlan() {
	items := e.plan.Items
	if cap(items) <= 1<<12 || len(items) >= cap(items)/8 {
		e.unused = 0
	} else if e.unused++; e.unused > longUnused {
		items, e.unused = nil, 0
	}
	e.plan.Items = items[:0]
}

func (e *Engine) add(i Item) uint64 {
	e.nextID++
	i.ID = e.nextID
	e.plan.Items = append(e.plan.Items, i)
	return i.ID
}

// reservationLasts is how long freed room stays reserved after the longest grace period of the victims: 60
// seconds by decision 13.
const reservationLasts = int64(60_000_000_000)

// longestGrace bounds how long a reservation waits for a victim. A tenant may give its pods a grace period of
// 68 years; after an hour the beneficiary is decided anew.
const longestGrace = int64(3_600_000_000_000)

// reservedUntil returns when a reservation ends that is made now for victims with such a grace period.
func reservedUntil(now, grace int64) int64 {
	return model.After(now, min(grace, longestGrace)+reservationLasts)
}

// expire ends the reservations that have expired, that have no node any more, or of which evictions were
// denied; and it lets pods of which the eviction was denied be evicted again, once the time for that has come.
func (rs *reservations) expire(now int64) {
	var over []ledger.TaskID
	rs.until = slices.DeleteFunc(rs.until, func(t ledger.TaskID) bool {
		switch held := rs.e.l.Task(t).Held; {
		case held.Kind == ledger.CommitSpare:
			if held.Until > now {
				return false
			}
			rs.e.l.Drop(t)
		case held.Kind == ledger.CommitReserve:
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
	admits := e.session.Nodes.Admitted(e.l.Task(t).Class)
	return e.l.Node(n).Present() && int(n) < len(admits) && admits[n]
}

// next returns the earliest of: the times that plugins wait for, the end of a reservation, of a pause, of a
// loss or of room for a job without pods, the turn of members above minimums, and the time at which postponed
// work goes on; 0 for none.
func (e *Engine) next() (next int64) {
	for _, at := range [...]int64{e.turns, e.reservations.nextExpiry(), e.pauses, e.losses, e.promises.next,
		e.session.Surplus.Until, e.resume} {
		if at != 0 && (next == 0 || at < next) {
			next = at
		}
	}
	return next
}

// nextExpiry returns when the first reservation or claim ends, with those of this cycle; 0 without any.
func (rs *reservations) nextExpiry() (next int64) {
	for _, t := range rs.until {
		held := rs.e.l.Task(t).Held
		if (held.Kind == ledger.CommitReserve || held.Kind == ledger.CommitSpare) && (next == 0 || held.Until < next) {
			next = held.Until
		}
	}
	for _, j := range rs.e.l.KeptRoom.Jobs() { // order-free: a minimum
		for _, t := range rs.e.l.KeptRoom.Of(j) {
			if until := rs.e.l.Task(t).Held.Until; next == 0 || until < next {
				next = until
			}
		}
	}
	return next
}

// Receive takes in what became of plan items. Facts win over receipts: a receipt for a commitment that is not
// held any more is ignored.
func (e *Engine) Receive(receipts ...Receipt) {
	for _, r := range receipts {
		if r.Outcome == Done {
			e.told(r.Item)
		}
		if r.Outcome == Done || r.Item.ID == 0 {
			continue // the commitment stays until a fact shows it; or the item is of no plan
		}
		if r.Item.Kind == SetPhase {
			if j, ok := e.phaseOf(r.Item); ok {
				e.l.Jobs.DropPhase(j)
			}
			continue
		}
		if t, ok := e.l.Tasks.Find(r.Item.Pod); ok {
			if held := e.l.Task(t).Held; held.Kind != ledger.NoCommit && held.Item == r.Item.ID {
				e.l.Drop(t)
				if held.Kind == ledger.CommitEvict && r.Outcome == Failed {
					e.reservations.forgo(t, *held)
				}
			}
		}
	}
}

// forgo ends the reservations of a statement with the next cycle, because one of its evictions was denied: not
// all the room that they wait for will be free. Their jobs are looked at anew; room of the other victims is
// free for any job. The pod that could not be evicted is not evicted again for as long as its reservation
// would have lasted.
func (rs *reservations) forgo(denied ledger.TaskID, was ledger.Commitment) {
	for _, t := range rs.until {
		if held := *rs.e.l.Task(t).Held; held.Kind == ledger.CommitReserve && held.Statement == was.Statement {
			held.Until = 1
			rs.e.l.Hold(t, held)
		}
	}
	rs.e.l.Hold(denied, ledger.Commitment{Kind: ledger.CommitSpare, Node: was.Node,
		Statement: was.Statement, Until: was.Until})
	rs.until = append(rs.until, denied)
}

// Facts returns all facts that the engine holds, sorted.
func (e *Engine) Facts() []model.Fact { return e.l.Facts() }

// Reads says that facts of a kind have an effect on this engine: it reads them itself, or a PluginState does.
// Facts of other kinds need not be passed to it.
func (e *Engine) Reads(k model.Kind) bool { return e.l.PluginStates.Reads(k) }

// Audit counts every figure anew and returns the differences, nil when there are none.
func (e *Engine) Audit() []string { return e.l.Audit() }

// Ledger is the engine's state, for reading: for benchmarks, the index's slow oracle and plugins' tests.
func (e *Engine) Ledger() *ledger.Ledger { return e.l }

// wire tells the parts what they are parts of.
func (e *Engine) wire() *Engine {
	e.reservations.e = e
	e.gates.e = e
	e.promises.e = e
	e.reports.e = e
	e.saved.e = e
	return e
}
