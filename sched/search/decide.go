package search

import (
	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Three methods decide whether a job is placed, each inside the one before. Which nodes its tasks get is decided by
// the statement that the last of them makes (attempt.go).
//
//	decideInKeptRoom       which of the room that is kept for waiting gangs (kept_room.go) the job may take
//	decideOutsideLostRoom  which room it leaves to members that gangs have lost (lost.go)
//	decideAlone            with the rest: refused by amounts, in free room instead of its nominations (nominated.go), by
//	                       a statement, or in another domain that its members can share (colocate.go)

// decideInKeptRoom tries until one try places the job:
//
//  1. in free room, and in the room that is kept for the job itself (for all jobs, if it has nominations);
//  2. also in the room of planned starts that it may take (passes);
//  3. where its own planned start has its places (asPlanned);
//  4. in its own room, and in the room that is kept for jobs of lower order (after).
//
// What is left of another job's kept room stays kept until KeepRoom finds whether it is still of use to that job.
func (t *attempt) decideInKeptRoom(mode Mode) (out Outcome) {
	s, j := t.s, t.w.Job
	if !s.L.KeptRoom.Any() {
		return t.decideOutsideLostRoom(mode)
	}
	try := func(t *attempt, jobs []ledger.JobID) Outcome {
		out := Refused
		s.L.KeptRoom.Without(jobs, func() bool {
			out = t.decideOutsideLostRoom(mode)
			return mode.holds(out != Refused)
		})
		return out
	}
	from, own := t.w.next, []ledger.JobID{j}
	if t.w.HasNominated() {
		own = ledger.ByName(s.L, s.L.KeptRoom.Jobs())
	}
	out = try(t, own)
	if may := passes(s, j); out == Refused && len(may) > 0 {
		own = append(own, may...)
		t.w.next = from
		again := newAttempt(s, t.w, t.detail)
		if out = try(again, own); out != Refused {
			*t = *again
		}
	}
	if out == Refused && s.L.KeptRoom.Planned(j) {
		out = t.asPlanned(own, mode)
	}
	if others := MayTake(s, j); out == Refused && len(others) > 0 {
		at := t.w.next
		t.w.next = from
		again := newAttempt(s, t.w, t.detail)
		if out = try(again, append(own, others...)); out == Refused {
			t.w.next = at
			return out
		}
		*t = *again
	}
	if mode.holds(out == Committed) {
		s.L.KeptRoom.Drop(j)
	}
	return out
}

// decideOutsideLostRoom makes the statement beside the room of lost members. What it did stays if the statement holds
// and the mode is Place.
func (t *attempt) decideOutsideLostRoom(mode Mode) (out Outcome) {
	var lost []*ledger.Lost
	if len(t.s.L.Losses.InForce()) > 0 && !t.w.idle && !t.w.HasNominated() && !repairs(t.s, t.w.Job) {
		lost = losses(t.s, t.w.Job)
	}
	if len(lost) == 0 {
		return t.decideAlone(mode)
	}
	from := t.w.next
	beside(t.s, lost, func() bool {
		out = t.decideAlone(mode)
		return mode.holds(out != Refused)
	})
	if out != Refused {
		return out
	}
	at := t.w.next
	t.w.next = from
	quiet := session.Quiet(t.s)
	alone := newAttempt(quiet, t.w, t.detail)
	would := alone.decideAlone(DryRun)
	t.w.next = at
	if would == Refused {
		s := t.s
		*t = *alone
		t.s = s
		return Refused
	}
	t.why = yields(t.s, t.w.Job, lost, t.why)
	return Refused
}

// decideAlone is decideOutsideLostRoom without regard to the lost members of other gangs.
func (t *attempt) decideAlone(mode Mode) (out Outcome) {
	if t.hopeless() {
		return Refused
	}
	if t.inFreeRoom(mode) {
		return Committed
	}
	from := t.w.next
	t.s.L.Try(func(tx *ledger.Tx) bool {
		out = t.statement(tx)
		return mode.holds(out != Refused)
	})
	if out == Refused {
		out = t.together.elsewhere(from, mode)
	}
	return out
}

// hopeless refuses a gang of one class by amounts alone, before anything is tried: by what nodes have once terminating
// tasks are gone, where it may be pipelined onto them. It returns false when amounts do not rule the gang out.
func (t *attempt) hopeless() bool {
	future := t.s.L.Nodes.ReleasingNodes() > 0
	if t.apart || t.w.mixed || t.w.Empty() || future && t.s.Policy.HoldsInPart() {
		return false
	}
	first := t.w.Tasks[t.w.next]
	if nominated(t.s, first) {
		return false
	}
	need := int64(t.job.MinMember - t.job.ReadyOrPipelined())
	if need < 2 || need > int64(len(t.w.Tasks)-t.w.next) {
		return false
	}
	of := t.s.L.Task(first).Class
	if fit := t.s.NodeIndex.Capacity(of, need, class.When(future)); fit < need {
		t.refuseAfter(fit, t.nodes)
		return true
	}
	return t.queueLacks(of, need)
}

// queueLacks refuses need tasks of a class if the queue has no room for all of them.
func (t *attempt) queueLacks(of ledger.ClassID, need int64) bool {
	fit := t.s.Policy.Allocatable(t.job.Queue, of, need)
	if fit >= need {
		return false
	}
	t.refuseAfter(fit, func(ledger.TaskID) trace.Reason { return t.s.Policy.WhyNotAllocatable(t.job.Queue, of) })
	return true
}
