package search

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Outcome is the result of an attempt.
type Outcome uint8

// The outcomes of an attempt.
const (
	Refused     Outcome = iota // nothing was placed; the index of pending jobs has the reason
	Provisional                // pipelined: its room is kept for this cycle and is in no plan (seed 003 §6.5)
	Committed                  // placed; the job has its minimum: ledger.Commit makes binds of it after the action
)

// Mode says what becomes of what is placed.
type Mode bool

// The modes.
const (
	Place  Mode = true  // it stays, once its statement succeeds
	DryRun Mode = false // it is taken back: the question was whether there is room
)

// holds says that what was placed stays placed.
func (m Mode) holds(placed bool) bool { return placed && m == Place }

// attempt is the state of placing the next batch of a list of pending tasks.
type attempt struct {
	s       *session.Session
	w       *PendingTasks
	job     *ledger.Job
	refused []alike // of which one task found no place in this attempt (decision 21)
	result
	detail   session.Detail // of refusals: without amounts a refusal is one comparison
	apart    bool           // domains matter to the job: see Apart
	*domains                // nil unless apart

	withheld withheld
	together colocation
	homes    domainSearch
}

// result is the result of a statement.
type result struct {
	why    trace.Reason // the first refusal
	waits  bool         // a nomination still waits for its victims
	placed int32
	tried  []trace.Placement
}

func newAttempt(s *session.Session, w *PendingTasks, detail session.Detail) *attempt {
	t := (&attempt{s: s, w: w, job: s.L.Job(w.Job), detail: detail, apart: Apart(s, w.Job)}).wire()
	if t.apart {
		t.domains = &domains{net: s.Policy.HyperNodes(), free: s.Policy.Ready(w.Job) && !t.job.Met((*ledger.Count).Ready)}
	}
	return t
}

// Attempt places the next batch of a list of pending tasks: for a job below its minimum, tasks until it is ready; for a
// ready job, one task. All of it is one statement. The statement holds when the job is ready; it is kept for the cycle
// when the job would be ready once the room of its pipelined members is free; otherwise it is taken back.
func Attempt(s *session.Session, w *PendingTasks) Outcome {
	t := newAttempt(s, w, session.Detail(s.Trace.On(trace.PredicatesFailed)))
	later := w.next > 0
	if s.Trace.On(trace.AllocatingOperations) {
		s.Trace.Add(trace.Event{Kind: trace.AllocatingOperations, Job: t.s.L.Jobs.Called(t.w.Job)})
	}
	outcome := t.decideInKeptRoom(Place)
	t.report(outcome, later)
	return outcome
}

// Borrow places a job's minimum if the job can start at once, and returns whether it did.
func Borrow(s *session.Session, w *PendingTasks) bool {
	t := newAttempt(s, w, session.CodeOnly)
	out := Refused
	if !s.L.Try(func(*ledger.Tx) bool {
		s.L.KeptRoom.Without(passes(s, w.Job), func() bool {
			out = t.decideOutsideLostRoom(Place)
			return out == Committed
		})
		return out == Committed
	}) {
		return false
	}
	t.report(out, true)
	return true
}

// PlaceBesideLost places the next batch of a list of pending tasks beside the room of lost members, whatever room is
// kept for other jobs. Why it is refused is not noted.
func PlaceBesideLost(s *session.Session, w *PendingTasks) Outcome {
	return newAttempt(s, w, session.CodeOnly).decideOutsideLostRoom(Place)
}

// Would says that Attempt would find a place for a job's first batch of pending tasks. It changes nothing.
func Would(s *session.Session, j ledger.JobID) bool {
	w := PendingTasksOf(s, j)
	quiet := session.Quiet(s)
	return !w.Empty() && newAttempt(quiet, w, session.CodeOnly).decideInKeptRoom(DryRun) != Refused
}

// Why says why the next batch of a list of pending tasks finds no place, and changes nothing; it
// returns the zero Reason when the batch finds one.
func Why(s *session.Session, w *PendingTasks) trace.Reason {
	quiet := session.Quiet(s)
	t := newAttempt(quiet, w, session.WithAmounts)
	if t.decideInKeptRoom(DryRun) != Refused {
		return trace.Reason{}
	}
	return t.reason()
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
		if t.placeTask(tx, task) && t.ready(tx) {
			return Committed
		}
		if t.job.ReadyOrPipelined()+possible < t.job.MinMember {
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

// placeTask places one task, if it can be placed.
func (t *attempt) placeTask(tx *ledger.Tx, task ledger.TaskID) bool {
	if nominated(t.s, task) {
		if !redeem(t.s, tx, task) {
			t.waits = true
			t.stopped(task, trace.Reason{Code: trace.Reserved, Text: t.s.L.Node(t.s.L.Task(task).Node).Name})
			return false
		}
		t.placed++
		return true
	}
	class := t.s.L.Task(task).Class
	if len(t.refused) > 0 && slices.Contains(t.refused, t.alike(task)) {
		t.note(trace.AlreadyFailed, task, trace.Reason{})
		return false
	}
	// A nomination counts in the queue already.
	gaveUp := withdrawn(t.s, task)
	if !gaveUp && !t.allocatable(tx, class) {
		t.refuse(task, t.s.Policy.WhyNotAllocatable(t.job.Queue, class))
		return false
	}
	if v := t.s.Policy.PrePredicate(task); !v.Admits() {
		t.refuse(task, beforeNodes(v))
		return false
	}
	p := t.find(task)
	if p.node == ledger.NoNode {
		if v := p.refused; v != nil && (v.Code.OfClaims() || v.Code == trace.QueueDevices) {
			t.refuse(task, beforeNodes(*v))
		} else {
			t.refuse(task, t.nodes(task))
		}
		return false
	}
	if put(t.s, tx, task, p); gaveUp {
		t.withheld.found(t.s.L.Request(task))
	}
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

// wire tells the parts what they are parts of.
func (t *attempt) wire() *attempt {
	t.together.a = t
	t.homes.a = t
	return t
}
