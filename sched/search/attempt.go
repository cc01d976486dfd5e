package search

import (
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// Outcome is the result of an attempt.
type Outcome uint8

// The outcomes of an attempt.
const (
	Refused     Outcome = iota // nothing was placed; the index of pending jobs has the reason
	Provisional                // pipelined: its room is kept for this cycle and is in no plan (seed 003 §6.5)
	Committed                  // placed; the job has its minimum: ledger.Committed makes binds of it after the action
)

// attempt is the state of placing the next batch of a list of pending tasks.
type attempt struct {
	s       *session.Session
	w       *PendingTasks
	job     *ledger.Job
	refused []ledger.ClassID // classes that found no place in this attempt (decision 21)
	result
	explain  bool // refusals need amounts; without them, a refusal is one comparison
	apart    bool // domains matter to the job: see Apart
	*domains      // nil unless apart

	together colocation
	homes    domainSearch
}

// result is the result of a statement.
type result struct {
	why    trace.Reason // the first refusal
	waits  bool         // a reservation still waits for its victims
	placed int32
	tried  []trace.Placement
}

func newAttempt(s *session.Session, w *PendingTasks, explain bool) *attempt {
	t := (&attempt{s: s, w: w, job: s.L.Job(w.Job), explain: explain, apart: Apart(s, w.Job)}).wire()
	if t.apart {
		t.domains = &domains{net: s.Policy.HyperNodes(), free: s.Policy.Ready(w.Job) && !t.job.Met((*ledger.Count).Ready)}
	}
	return t
}

// Attempt places the next batch of a list of pending tasks: for a job below its minimum, tasks until it
// is ready; for a ready job, one task. All of it is one statement. The statement holds when the job is
// ready; it is kept for the cycle when the job would be ready once promised room is free; otherwise it
// is taken back.
func Attempt(s *session.Session, w *PendingTasks) Outcome {
	t := newAttempt(s, w, s.Trace.On(trace.PredicatesFailed))
	later := w.next > 0
	if s.Trace.On(trace.AllocatingOperations) {
		s.Trace.Add(trace.Event{Kind: trace.AllocatingOperations, Job: t.s.L.Jobs.Called(t.w.Job)})
	}
	outcome := t.decideInKeptRoom(true)
	t.report(outcome, later)
	return outcome
}

// Borrow places a job's minimum if the job can start at once, and returns whether it did.
func Borrow(s *session.Session, w *PendingTasks) bool {
	t := newAttempt(s, w, false)
	out := Refused
	if !s.L.Try(func(*ledger.Tx) bool {
		out = t.decideBesideLost(true)
		return out == Committed
	}) {
		return false
	}
	t.report(out, true)
	return true
}

// decideAlone is decideBesideLost without regard to the lost members of other gangs.
func (t *attempt) decideAlone(hold bool) (out Outcome) {
	if t.hopeless() {
		return Refused
	}
	if t.inFreeRoom(hold) {
		return Committed
	}
	from := t.w.next
	t.s.L.Try(func(tx *ledger.Tx) bool {
		out = t.statement(tx)
		return out != Refused && hold
	})
	if out == Refused {
		out = t.together.elsewhere(from, hold)
	}
	return out
}

// hopeless refuses a gang of one class by amounts alone, before anything is tried. It returns false
// when amounts do not rule the gang out.
func (t *attempt) hopeless() bool {
	if t.apart || t.w.mixed || t.w.Empty() || t.s.L.Nodes.ReleasingNodes() > 0 {
		return false
	}
	first := t.w.Tasks[t.w.next]
	if reserved(t.s, first) {
		return false
	}
	need := int64(t.job.MinMember - t.job.ReadyOrPromised())
	if need < 2 || need > int64(len(t.w.Tasks)-t.w.next) {
		return false
	}
	class := t.s.L.Task(first).Class
	if fit := t.s.Nodes.Capacity(class, need); fit < need {
		t.refuseAfter(fit, t.nodes)
		return true
	}
	return t.queueLacks(class, need)
}

// queueLacks refuses need tasks of a class if the queue has no room for all of them.
func (t *attempt) queueLacks(class ledger.ClassID, need int64) bool {
	fit := t.s.Policy.Allocatable(t.job.Queue, class, need)
	if fit >= need {
		return false
	}
	t.refuseAfter(fit, func(ledger.TaskID) trace.Reason { return t.s.Policy.WhyNotAllocatable(t.job.Queue, class) })
	return true
}

// refuseAfter notes why the task after the first fit tasks is refused. For that, the first fit tasks
// are placed in a try that is taken back.
func (t *attempt) refuseAfter(fit int64, why func(ledger.TaskID) trace.Reason) {
	next := t.w.Tasks[t.w.next+int(fit)]
	t.placed = int32(fit)
	if !t.explain {
		t.refuse(next, why(next))
		return
	}
	var r trace.Reason
	t.s.Policy.Explain(true)
	defer t.s.Policy.Explain(false)
	t.s.L.Try(func(tx *ledger.Tx) bool {
		for _, task := range t.w.Tasks[t.w.next : t.w.next+int(fit)] {
			if t.apart {
				tx.Suppose(task) // its domains decide on which node it would be placed
			} else if n, _ := t.s.Nodes.Best(task); n != ledger.NoNode {
				tx.Allocate(task, n)
			}
		}
		if r = why(next); !t.apart {
			t.remember()
		}
		return false
	})
	t.refuse(next, r)
}

// remember notes on which nodes the members were placed whose placement is about to be taken back (seed
// 003 §6.4), so that the reason can name where a pod could have been placed. Only a reason that is
// asked for needs it; the tasks keep nothing of it.
func (t *attempt) remember() {
	if !t.explain {
		return
	}
	for _, id := range t.w.Tasks {
		task := t.s.L.Task(id)
		if placed := task.Status == model.Allocated || task.Status == model.Pipelined; placed && len(t.tried) < trace.MostTried {
			t.tried = append(t.tried, trace.Placement{Task: task.Key.String(), Node: t.s.L.Node(task.Node).Name})
		}
	}
}

// nodes is why no node takes a task. Counts of nodes by reason are added only where explain wants them,
// since that needs every node.
func (t *attempt) nodes(task ledger.TaskID) trace.Reason {
	if t.apart && t.home != topology.None {
		return trace.Reason{Code: trace.NodesRefuse} // the final reason is about domains
	}
	if t.explain {
		return t.s.Nodes.Why(task)
	}
	for range t.s.L.Nodes.Present {
		return trace.Reason{Code: trace.NodesRefuse}
	}
	return trace.Reason{Code: trace.NoNodes}
}

func (t *attempt) statement(tx *ledger.Tx) Outcome {
	if t.apart {
		return t.homes.byDomain(tx)
	}
	possible := int32(len(t.w.Tasks) - t.w.next)
	for !t.w.Empty() {
		task := t.w.Tasks[t.w.next]
		t.w.next++
		possible--
		if t.one(tx, task) && t.ready(tx) {
			return Committed
		}
		if t.job.ReadyOrPromised()+possible < t.job.MinMember {
			break
		}
	}
	switch {
	case t.placed > 0 && t.ready(tx):
		return Committed
	case t.s.Policy.Pipelined(t.w.Job) && (t.job.By[model.Pipelined] > 0 || t.waits):
		tx.Provisional()
		return Provisional
	default:
		t.remember()
		return Refused
	}
}

// one places one task, if it can be placed.
func (t *attempt) one(tx *ledger.Tx, task ledger.TaskID) bool {
	if reserved(t.s, task) {
		if !redeem(t.s, tx, task) {
			t.waits = true
			t.stopped(task, trace.Reason{Code: trace.Reserved, Text: t.s.L.Node(t.s.L.Task(task).Node).Name})
			return false
		}
		t.placed++
		return true
	}
	class := t.s.L.Task(task).Class
	if slices.Contains(t.refused, class) {
		t.note(trace.AlreadyFailed, task, trace.Reason{})
		return false
	}
	// A reservation counts in the queue already.
	if !withdrawn(t.s, task) && t.s.Policy.Allocatable(t.job.Queue, class, 1) < 1 {
		t.refuse(task, t.s.Policy.WhyNotAllocatable(t.job.Queue, class))
		return false
	}
	if v := t.s.Policy.PrePredicate(task); !v.Admits() {
		t.refuse(task, beforeNodes(v))
		return false
	}
	t.s.Nodes.Begin()
	p := t.find(task)
	if p.node == ledger.NoNode {
		if v := t.s.Nodes.Refused(task); v.Code.OfClaims() || v.Code == trace.QueueDevices {
			t.refuse(task, beforeNodes(v))
		} else {
			t.refuse(task, t.nodes(task))
		}
		return false
	}
	put(t.s, tx, task, p)
	t.placed++
	return true
}

// ready says that the statement may be committed. Where the minimum counts best-effort members that
// still wait, they are placed now: a gang starts whole.
func (t *attempt) ready(tx *ledger.Tx) bool {
	switch {
	case t.apart:
		return t.enough()
	case !t.s.Policy.Ready(t.w.Job):
		return false
	case t.job.BestEffort == 0:
		return true
	}
	ok, _, why := wholeBestEffort(t.s, tx, t.w.Job)
	if !ok && !t.why.Is() {
		t.why = why
	}
	return ok
}

// beforeNodes is the reason for a verdict that is the same for all nodes.
func beforeNodes(v policy.Verdict) trace.Reason {
	switch {
	case v.Code == trace.QueueDevices:
		name, kept, _ := strings.Cut(v.Text, " ")
		return trace.Reason{Code: v.Code, Queue: name, Text: kept, Shorts: []trace.Short{{Dim: v.Domain.Key, Need: v.Domain.Least, Have: v.Domain.Most}}}
	case v.Code == trace.ResourceOfClass:
		return trace.Reason{Code: v.Code, Text: v.Text, Shorts: []trace.Short{{Dim: v.Domain.Key, Need: v.Domain.Least}}}
	case v.Code.OfClaims():
		return trace.Reason{Code: v.Code, Text: v.Text}
	}
	return trace.Reason{Code: trace.PrePredicateFailed, Text: v.Text}
}

// refuse notes that a class found no place. A fault of a task's resource claims concerns that task
// alone: other tasks of its class have claims of their own, made from the same template.
func (t *attempt) refuse(task ledger.TaskID, r trace.Reason) {
	if !r.Code.OfClaims() && r.Code != trace.QueueDevices {
		t.refused = append(t.refused, t.s.L.Task(task).Class)
	}
	t.stopped(task, r)
}

// stopped notes why a task was not placed. It does not refuse the task's class: that a task waits for
// the room reserved for it says nothing about other tasks of the class.
func (t *attempt) stopped(task ledger.TaskID, r trace.Reason) {
	r.Task = t.s.L.Task(task).Key.String()
	if r.Queue == "" && (r.Code == trace.QueueDeserved || r.Code == trace.QueueCapability) {
		r.Queue = t.s.L.Queue(t.job.Queue).Name
	}
	if !t.why.Is() {
		t.why = r
	}
	kind := trace.PredicatesFailed
	switch r.Code {
	case trace.QueueDeserved, trace.QueueCapability:
		kind = trace.NotAllocatable
	case trace.PrePredicateFailed, trace.ClaimNotFound, trace.ClaimUnusable, trace.ClaimCompiling, trace.ClaimBudgetSpent, trace.DeviceClassNotFound,
		trace.ResourceOfClass:
		kind = trace.PrePredicateEvent
	}
	t.note(kind, task, r)
}

func (t *attempt) note(kind trace.EventKind, task ledger.TaskID, r trace.Reason) {
	if !t.s.Trace.On(kind) {
		return
	}
	e := trace.Event{Kind: kind, Queue: t.s.L.Queue(t.job.Queue).Name, Job: t.s.L.Jobs.Called(t.w.Job),
		Task: t.s.L.Task(task).Key.String(), Reason: r}
	if kind == trace.NotAllocatable {
		e.Amounts = quotas(t.s, t.job.Queue, task)
	}
	t.s.Trace.Add(e)
	switch {
	case kind == trace.PredicatesFailed && t.s.Trace.On(trace.FitErrorsEvent):
		tellRefusal(t.s, task, r)
	case r.Code == trace.QueueCapability && t.s.Trace.On(trace.LevelNotAllocatable):
		tellLevels(t.s, t.job.Queue, task, r)
	}
}

// report records the job's reason and the end of the statement in the trace.
func (t *attempt) report(o Outcome, later bool) {
	s, j := t.s, t.w.Job
	tell := func(k trace.EventKind) {
		if s.Trace.On(k) {
			s.Trace.Add(trace.Event{Kind: k, Job: t.s.L.Jobs.Called(t.w.Job), Count: int(t.placed)})
		}
	}
	if o != Refused {
		s.L.Lenders.Lend(j, ledger.Keeps)
	}
	switch o {
	case Committed:
		tell(trace.JobReadyEvent)
		tell(trace.Committing)
		if t.why.Is() {
			s.Pending.RefuseRest(j, t.why)
		} else {
			s.Pending.Forget(j)
		}
	case Provisional:
		tell(trace.JobPipelinedEvent)
		s.Pending.Wait(j, t.pipelinedReason())
	case Refused:
		tell(trace.Discarding)
		t.lend()
		switch {
		case later: // not parked: this refuses what earlier attempts left, and the next cycle tries all that waits
			s.Pending.RefuseRest(j, t.reason())
		case t.why.Root().Code == trace.ClaimBudgetSpent:
			s.Pending.Refuse(j, t.reason()) // not parked: it is tried again even when nothing changes
		case t.why.Code == trace.LostMemberFirst: // the lost members, too, may find no room any more
			s.Pending.Park(j, pending.Refusal{Reason: t.reason(), Whole: t.explain, Everywhere: true})
		default:
			t.w.Park(s, t.reason(), t.explain)
		}
	}
}

// lend makes a job that nodes refuse lend the room that its queue keeps for it, unless room on nodes is
// kept for it, too. While there are no nodes at all, nothing is lent: then every job waits for nodes.
func (t *attempt) lend() {
	code := t.why.Root().Code
	switch {
	case t.job.RoomKept > 0 || !code.OfNodes() || code == trace.NoNodes || t.why.Code == trace.LostMemberFirst:
	case couldEver(t.s, t.w):
		t.s.L.Lenders.Lend(t.w.Job, ledger.Lends)
	default:
		t.s.L.Lenders.Lend(t.w.Job, ledger.LendsAll)
	}
}

func (t *attempt) reason() trace.Reason {
	need := t.job.MinMember - t.job.PlacedOrPromised()
	r := t.why
	if r.Is() && t.job.RoomKept > 0 {
		r = trace.Reason{Code: trace.RoomKept, Task: t.why.Task, Text: keptOn(t.s, t.w.Job), Cause: &t.why}
	}
	if need < 1 || t.job.MinMember == 1 {
		return r
	}
	cause := r // a copy that can be pointed to; most jobs need none
	return trace.Reason{Code: trace.GangIncomplete, Have: int(min(t.placed, need)), Need: int(need), Cause: &cause, Tried: t.tried}
}

func (t *attempt) pipelinedReason() trace.Reason {
	if t.waits {
		return t.why
	}
	return trace.Reason{Code: trace.PipelinedOnReleasing, Have: int(t.job.By[model.Pipelined]), Need: int(t.job.MinMember)}
}

// wire tells the parts what they are parts of.
func (a *attempt) wire() *attempt {
	a.together.a = a
	a.homes.a = a
	return a
}
