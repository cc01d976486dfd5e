package search

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/trace"
)

// report records the job's reason and the end of the statement in the trace.
func (t *attempt) report(o Outcome, later bool) {
	s, j := t.s, t.w.Job
	add := func(k trace.EventKind) {
		if s.Trace.On(k) {
			s.Trace.Add(trace.Event{Kind: k, Job: t.s.L.Jobs.Called(t.w.Job), Count: int(t.placed)})
		}
	}
	if o != Refused {
		s.L.WaitingJobs.Lend(j, ledger.LendsNone)
	}
	switch o {
	case Committed:
		add(trace.JobReadyEvent)
		add(trace.Committing)
		if t.why.Is() {
			s.Pending.RefuseRest(j, t.why)
		} else {
			s.Pending.Forget(j)
		}
	case Provisional:
		add(trace.JobPipelinedEvent)
		s.Pending.Wait(j, t.pipelinedReason())
	case Refused:
		add(trace.Discarding)
		t.lend()
		switch {
		case later: // not parked: this refuses what earlier attempts left, and the next cycle tries all that waits
			s.Pending.RefuseRest(j, t.reason())
		case t.why.Root().Code == trace.ClaimBudgetSpent:
			s.Pending.Refuse(j, t.reason()) // not parked: it is tried again even when nothing changes
		case t.why.Code == trace.LostMemberFirst: // the lost members, too, may find no room any more
			s.Pending.Park(j, pending.Refusal{Reason: t.reason(), Whole: bool(t.detail), Everywhere: true})
		default:
			t.w.Park(s, t.reason(), bool(t.detail))
		}
	}
}

// lend makes a job that nodes refuse lend the room that its queue keeps for it, unless room on nodes is
// kept for it, too. While there are no nodes at all, nothing is lent: then every job waits for nodes.
func (t *attempt) lend() {
	code := t.why.Root().Code
	switch {
	case t.job.RoomKept > 0 || !code.OfNodes() || code == trace.NoNodes || t.why.Code == trace.LostMemberFirst:
	case t.w.CouldEver(t.s):
		t.s.L.WaitingJobs.Lend(t.w.Job, ledger.Lends)
	default:
		t.s.L.WaitingJobs.Lend(t.w.Job, ledger.LendsAll)
	}
}

func (t *attempt) reason() trace.Reason {
	need := t.job.MinMember - t.job.PlacedOrPipelined()
	r := t.why
	if r.Is() && t.job.RoomKept > 0 {
		r = trace.Reason{Code: trace.RoomKept, Task: t.why.Task, Text: KeptOn(t.s, t.w.Job), Cause: &t.why}
		if start, _ := t.s.L.KeptRoom.Start(t.w.Job); start != 0 {
			if r.Code, r.Until = trace.StartPlanned, start; start <= t.s.Now {
				r.Until = 0 // pods that were to end by then are there still, and may stay
			}
		}
	}
	if need < 1 || t.job.MinMember == 1 {
		return r
	}
	cause := r // a copy that can be pointed to; most jobs need none
	return trace.Reason{Code: trace.GangIncomplete, Have: int(min(t.placed, need)), Need: int(need), Cause: &cause,
		Tried: t.tried}
}

func (t *attempt) pipelinedReason() trace.Reason {
	if t.waits {
		return t.why
	}
	return trace.Reason{Code: trace.PipelinedOnReleasing, Have: int(t.job.By[model.Pipelined]), Need: int(t.job.MinMember)}
}
