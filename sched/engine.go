package sched

import (
	"ashlar.sh/sched/backfill"
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Engine is the state machine. It is not safe for concurrent use.
type Engine struct {
	l             *ledger.Ledger
	profile       policy.Profile
	with          []Option
	policy        *policy.Set
	actions       []session.Action
	session       session.Session
	rec           trace.Recorder
	plan          Plan
	unused        int // cycles in a row that used little of the plan's memory
	nextID        uint64
	stmts         uint64 // statements before this engine's first
	touched       []ledger.JobID
	watch         policy.Stopwatch
	decided       bool  // a cycle has run, here or in the engine this one was restored from
	answersChange int64 // when plugins' answers change without a fact; 0: never
	backoffEnds   int64 // when the next backoff of a job ends; 0: none does
	lossEnds      int64 // when the first lost member's room is kept no longer; 0: none is kept
	resumes       int64 // when work that was put off in the last cycle goes on; 0: none was

	nominations nominations
	gates       queueGates
	lapses      lapses
	reports     reports
	saved       savedState
	evictor     *evict.Evictor
}

// SetVerbosity sets the verbosity up to which events of a cycle are kept (0: only the plan and the reasons; 3 to 5: the
// levels at which Volcano logs them).
func (e *Engine) SetVerbosity(verbosity int) { e.rec.Verbosity = verbosity }

// Apply takes in facts. Their order makes no difference, except that of facts about one object the one with
// the newest version holds.
func (e *Engine) Apply(facts ...model.Fact) {
	e.l.Expect(facts)
	for _, f := range facts {
		e.l.Apply(f)
		e.gates.note(f)
	}
}

// Decide runs one cycle at a time given in nanoseconds since the epoch. next is the earliest time at which the
// answer may change without a new fact, 0 when there is none. Call Decide again until two cycles in a row return an
// empty plan; only then wait until next. One is not enough: a bind may let a job start that has to be near the pod, and
// in the cycle after a job was refused, room is kept for it. For which jobs room is kept is checked once a second
// at most, less often in a large cluster, and no time is named for that. Plan and events are valid until the next call.
func (e *Engine) Decide(now int64) (plan Plan, events []trace.Event, next int64) {
	// 1. Take back what was held for one cycle only, and end what has expired. Before that, plugins get the
	// time: a plugin without it refuses revocable nodes, and nominations there would end.
	e.l.ExtendDims()
	e.l.Statements.TakeBackProvisional()
	e.l.Charges.Begin()
	e.emptyPlan()
	e.rec.Reset()
	e.l.EvictionHistory.Trim(now)
	e.session.Open(now)
	e.l.Tasks.Runs.Begin(now)
	if used, lingers := e.l.Usage.Begin(now), e.l.Tasks.Lingering.Begin(now); used || lingers {
		e.session.Pending.TimePassed()
	}
	if e.answersChange != 0 && e.answersChange <= now {
		e.session.Pending.TimePassed()
	}
	e.answersChange = e.policy.At(now)
	e.backoffEnds = e.l.Backoffs.End(now)
	e.lossEnds = e.l.Losses.Judge(now, nominationEnds) // backoffs come first: a job in one has no losses
	e.lapses.next = e.lapses.end(now)
	e.policy.Explain(false)
	e.nominations.expire(now)

	// 2. Plugins derive what does not change during the cycle.
	e.policy.Open(&e.rec, e.watch)
	backfill.Cover(&e.session)
	e.traceOverdrawn()

	if !e.decided {
		e.restoreNominations(now)
		e.decided = true
		e.lapses.endUnfounded()
		e.l.WaitingJobs.Vote()
	}

	e.evictor.Protect(e.nominations.inDoubt())

	// 3. Actions, in the configured order; each one's statements become commitments.
	for _, a := range e.actions {
		e.watch.Begin(policy.PartAction, a.Name())
		e.l.Charges.Judge()
		a.Execute(&e.session)
		e.commit(now)
		e.watch.End()
	}

	if later := e.policy.Later(); later != 0 && (e.answersChange == 0 || later < e.answersChange) {
		e.answersChange = later
	}

	e.l.Charges.Begin() // what was bound in this cycle counts in its queue, whatever its next facts are

	// 4. Take back evictions that no pod waits for any more, if the pod was not asked to leave yet.
	e.nominations.withdrawUnneeded()

	// 5. Queues open their gates for pods that they have room for. Phases follow from what is placed.
	e.gates.open()
	e.rephaseAll()
	e.l.Usage.End()
	e.policy.Explain(true)
	if e.resumes = e.policy.Resume(); e.resumes != 0 {
		e.session.Pending.Deferred()
	}
	return e.plan, e.rec.Events, nextOf(e, e.session.PlanAgainAt)
}

// commit makes plan items of the statements that succeeded.
func (e *Engine) commit(now int64) {
	grace, nominates := e.nominations.graces()
	binds := bindsOf(e.l)
	e.l.Commit(func(op ledger.Op) ledger.PlanItem {
		task := e.l.Task(op.Task)
		in := ledger.PlanItem{Statement: e.stmts + op.Statement, Until: nominationEnds(now, grace[op.Statement])}
		item := Item{Pod: task.Key, UID: task.Pod.UID, Node: e.l.Node(op.Node).Name, Statement: in.Statement}
		switch op.Kind {
		case ledger.OpAllocate:
			item.Kind, item.Chosen, item.After = BindPod, task.Chosen, binds.of(op)
		case ledger.OpNominate:
			item.Kind = NominatePod
			e.nominations.expiring = append(e.nominations.expiring, op.Task)
		case ledger.OpEndNomination:
			item.Kind, item.Node = NominatePod, ""
		case ledger.OpEvict:
			item.Kind, item.Action = EvictPod, op.Action
			item.Record = e.evictor.Record(op.Task)
			if nominates[op.Statement] {
				in.EvictedFor = e.nominations.evictedFor(op)
				e.nominations.leaving = append(e.nominations.leaving, op.Task)
			}
		}
		if op.Preemptor != ledger.NoTask {
			item.Preemptor = e.l.Task(op.Preemptor).Key
		}
		in.Item = e.add(item)
		if op.Kind == ledger.OpEvict {
			e.l.EvictionHistory.Record(op.Task, now, in.Item)
		}
		return in
	})
	e.evictor.Forget()
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

// nextOf returns the earliest of: the times that plugins wait for, the end of a nomination, of a backoff, of a
// loss or of room for a job without pods, the turn of members above minimums, the time at which postponed
// work goes on, at which a pod may be overdue that a planned start counts on, at which a terminating pod
// begins or ceases to linger, and at which usage may have changed an order; 0 for none.
func nextOf(e *Engine, planAgain int64) (next int64) {
	for _, at := range [...]int64{e.answersChange, e.nominations.nextExpiry(), e.backoffEnds, e.lossEnds, e.lapses.next,
		e.session.Surplus.Until, e.resumes, e.session.NextPlanAt, planAgain,
		session.CoversUntil(&e.session), e.session.Reorder(), e.l.Tasks.Lingering.Next()} {
		if at != 0 && (next == 0 || at < next) {
			next = at
		}
	}
	return next
}

// NextUndisturbed returns what Decide named last, for a caller that knows that nothing else will happen: without a time
// at which starts would only be planned again as in vain as in the last cycle. It holds until the next fact or receipt.
func (e *Engine) NextUndisturbed() int64 {
	if len(e.plan.Items) == 0 && backfill.AllInVain(&e.session) {
		return nextOf(e, 0)
	}
	return nextOf(e, e.session.PlanAgainAt)
}

// Receive takes in what became of plan items. Facts win over receipts: a receipt for a commitment that is not
// open any more is ignored.
func (e *Engine) Receive(receipts ...Receipt) {
	for _, r := range receipts {
		if r.Outcome == Done {
			e.carriedOut(r.Item)
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
			if commitment := e.l.Task(t).Commitment; commitment.Kind != ledger.NoCommit && commitment.Item == r.Item.ID {
				e.l.Drop(t)
				if commitment.Kind == ledger.CommitEvict {
					e.nominations.notEvicted(t, *commitment, r)
				}
			}
		}
	}
}

// carriedOut notes that an item was carried out. For an eviction: the pod cannot stay any more. For a phase: it is
// not waited for if its PodGroup shows it already, since no fact follows a write that changes nothing.
func (e *Engine) carriedOut(i Item) {
	if i.Kind == SetPhase {
		if j, ok := e.phaseOf(i); ok {
			e.l.Jobs.PhaseWritten(j)
		}
		return
	}
	if i.Kind != EvictPod || i.ID == 0 {
		return
	}
	if t, ok := e.l.Tasks.Find(i.Pod); ok && e.l.Task(t).Commitment.Item == i.ID {
		e.l.Accept(t)
	}
}

// phaseOf returns the job of a phase item; false when another phase was decided since, or the PodGroup shows
// this one.
func (e *Engine) phaseOf(i Item) (ledger.JobID, bool) {
	j, ok := e.l.Jobs.Find(ledger.JobKey{Namespace: i.Group.Namespace, Name: i.Group.Name})
	if !ok {
		return j, false
	}
	id, decided := e.l.Jobs.DecidedPhase(j)
	return j, decided && id == i.ID
}

// Now returns the time of the last cycle, in nanoseconds since the epoch; 0 before the first.
func (e *Engine) Now() int64 { return e.session.Now }

// Facts returns all facts that the engine holds, sorted.
func (e *Engine) Facts() []model.Fact { return e.l.Facts() }

// Reads says that facts of a kind have an effect on this engine: it reads them itself, or a PluginState does.
// Facts of other kinds need not be passed to it.
func (e *Engine) Reads(k model.Kind) bool { return e.l.PluginStates.Reads(k) }

// Audit counts every figure anew and returns the differences, nil when there are none.
func (e *Engine) Audit() []string { return e.l.Audit() }

// Ledger is the engine's state, for reading. It changes with the next call of Apply, Receive or Decide.
func (e *Engine) Ledger() *ledger.Ledger { return e.l }

// wire tells the parts what they are parts of.
func (e *Engine) wire() *Engine {
	e.nominations.e = e
	e.gates.e = e
	e.lapses.e = e
	e.reports.e = e
	e.saved.e = e
	return e
}
