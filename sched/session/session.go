// Package session is one cycle, as actions see it: the ledger, the index of nodes by
// class, the profile's plugins, the trace, and what is remembered of jobs that wait.
//
// A Session holds no figures of its own. What it remembers of a job (Memo) is why it
// waits and which versions of the world that answer rests on: while those stand still
// the answer does too, and the job need not be asked again.
package session

import (
	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Session is the world of one cycle.
type Session struct {
	L       *ledger.Ledger
	Nodes   *class.Index
	Policy  *policy.Set
	Profile *policy.Profile
	Trace   *trace.Recorder
	Now     int64 // nanoseconds since the epoch
	// Admit puts a job into phase Inqueue, by a plan item where the API keeps phases.
	Admit func(ledger.JobID)

	memos []Memo
}

// Memo is what is remembered of a job between cycles.
type Memo struct {
	key    ledger.JobKey // whose it is: rows are reused
	Reason trace.Reason  // why it waits; none when it does not
	parked bool
	full   bool // the answer rests on every node's figures
	stand  stand
}

// stand is the versions that a refusal rests on.
type stand struct {
	job, grown, figures, shape, nodes uint64
}

// Memo returns what is remembered of a job, empty when nothing is.
func (s *Session) Memo(j ledger.JobID) *Memo {
	for int(j) >= len(s.memos) {
		s.memos = append(s.memos, Memo{})
	}
	m := &s.memos[j]
	if key := s.L.Job(j).Key; m.key != key {
		*m = Memo{key: key}
	}
	return m
}

// Waits notes why a job waits. It is asked again next cycle.
func (s *Session) Waits(j ledger.JobID, r trace.Reason) {
	m := s.Memo(j)
	m.Reason, m.parked = r, false
}

// Park notes why a job waits, and that asking again is of no use before something
// changes that the answer rests on. full: the answer rests on every node's figures
// and not only on room having grown somewhere (gangs of several classes, whose
// placement is not monotone).
func (s *Session) Park(j ledger.JobID, r trace.Reason, full bool) {
	m := s.Memo(j)
	m.Reason, m.parked, m.full, m.stand = r, true, full, s.standing(j)
}

func (s *Session) standing(j ledger.JobID) stand {
	return stand{s.L.Job(j).Changed, s.L.Grown(), s.L.Figures(), s.L.Shape(), s.L.Now()}
}

// Parked says that a job was refused and nothing that matters has changed since.
// Refusals for want of nodes' room rest on Grown, those of the queue on Figures.
func (s *Session) Parked(j ledger.JobID) bool {
	m := s.Memo(j)
	if !m.parked {
		return false
	}
	now := s.standing(j)
	if m.full {
		return now == m.stand
	}
	now.nodes = m.stand.nodes
	switch m.Reason.Root().Code {
	case trace.NotEnoughResources, trace.NodesRefuse, trace.NoNodes, trace.NodeAffinity, trace.NodeSelector,
		trace.NodeTaint, trace.NodeUnschedulable, trace.NodePorts:
		now.figures = m.stand.figures
	}
	return now == m.stand
}

// Clear forgets why a job waited.
func (s *Session) Clear(j ledger.JobID) {
	m := s.Memo(j)
	m.Reason, m.parked = trace.Reason{}, false
}
