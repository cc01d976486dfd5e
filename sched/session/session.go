// Package session is one cycle, as actions see it: the ledger, the index of nodes by class, the
// profile's plugins, the trace, and what is remembered of jobs that wait.
//
// A Session holds no figures of its own. What it remembers of a job (WaitRecord) is why the job waits,
// and the epochs that this answer rests on: while those are unchanged, the answer holds and the job
// need not be tried again. That is a cache: what is decided, and the reason that is shown, are as if
// every job had been tried.
package session

import (
	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Session is the state of one cycle.
type Session struct {
	L       *ledger.Ledger
	Nodes   *class.Index
	Policy  *policy.Set
	Profile *policy.Profile
	Trace   *trace.Recorder
	Now     int64 // nanoseconds since the epoch
	// Admit puts a job into phase Inqueue, by a plan item where the API stores phases.
	Admit func(ledger.JobID)
	// Asked is when it was last checked for which jobs room is to be kept (search.KeepRoom).
	Asked int64
	// Surplus is when members above their gangs' minimums are placed.
	Surplus Surplus

	waitRecords []*WaitRecord        // by JobID; nil for most: a job that never waited has none
	spareHeap   *queueHeap           // of a rotation that is over, for the next one
	idleActions map[string]Situation // by action: the Situation in which no job was left to make room for
	cycle       uint64
	opened      uint64 // the StateEpoch when the cycle began
	times       uint64 // how often a time came at which plugins' answers change
	deferred    uint64 // cycles in which work was put off
	Parking     Parking
}

// Open begins a cycle: what was noted in earlier cycles no longer counts, except refusals.
func (s *Session) Open(now int64) {
	s.Now = now
	s.cycle++
	s.opened = s.L.Changes.StateEpoch()
	s.arrive()
}

// TimePassed says that a time has come at which plugins' answers change: no earlier refusal counts any
// more.
func (s *Session) TimePassed() { s.times++ }

// Deferred says that work was put off in this cycle: an action that found nothing might have found
// something.
func (s *Session) Deferred() { s.deferred++ }

// WaitRecord is what is remembered of a job between cycles.
type WaitRecord struct {
	key     ledger.JobKey // the job that it belongs to: JobIDs are reused
	Reason  trace.Reason  // why it waits; the zero Reason when it does not
	cycle   uint64        // the cycle in which it was noted
	refused bool          // it had its turn, or would have had: see ReasonToShow
	parked  bool
	full    bool // the refusal rests on every node's figures
	epochs  epochs
	class   ledger.ClassID // see Lacks
	lacks   int64
	shown   trace.Reason // of a refusal: the reason that was found at shownAt
	shownAt epochs
}

// epochs are the versions that a refusal rests on.
type epochs struct {
	job, room, usage, specs uint64
	nodes                   ledger.Cursor
	times                   uint64
}

// nothing is the WaitRecord of most jobs. It is never written.
var nothing = &WaitRecord{}

// WaitRecord returns what is remembered of a job, an empty record when nothing is. It is for reading
// only.
func (s *Session) WaitRecord(j ledger.JobID) *WaitRecord {
	if m := s.noted(j); m != nil {
		return m
	}
	return nothing
}

// noted is the record of a job that still counts, nil when there is none. The record of a job that
// waits no longer is dropped.
func (s *Session) noted(j ledger.JobID) *WaitRecord {
	if int(j) >= len(s.waitRecords) || s.waitRecords[j] == nil {
		return nil
	}
	m, job := s.waitRecords[j], s.L.Job(j)
	if m.key == job.Key && (m.cycle == s.cycle || m.parked) {
		return m
	}
	if job.By[model.Pending] == 0 {
		s.waitRecords[j] = nil
	}
	return nil
}

// note replaces the record of a job.
func (s *Session) note(j ledger.JobID, m WaitRecord) *WaitRecord {
	for int(j) >= len(s.waitRecords) {
		s.waitRecords = append(s.waitRecords, nil)
	}
	if s.waitRecords[j] == nil {
		s.waitRecords[j] = &WaitRecord{}
	}
	m.key, m.cycle = s.L.Job(j).Key, s.cycle
	*s.waitRecords[j] = m
	return s.waitRecords[j]
}

// Waits notes why a job waits. The job is tried again in the next cycle. With the zero Reason, nothing
// is kept.
func (s *Session) Waits(j ledger.JobID, r trace.Reason) {
	switch {
	case r.Is():
		s.note(j, WaitRecord{Reason: r})
	case int(j) < len(s.waitRecords):
		s.waitRecords[j] = nil
	}
}

// Refuse notes that a job would have had its turn but for r. The job is tried again in the next cycle,
// and r is shown as long as all that it rests on is unchanged.
func (s *Session) Refuse(j ledger.JobID, r trace.Reason) {
	s.note(j, WaitRecord{Reason: r, refused: true, shown: r, shownAt: s.epochsOf(j)})
}

// Park notes why a job was refused, and that it is of no use to try it again before something changes
// that the refusal rests on. full: the refusal rests on every node's figures and not only on room that
// was freed (gangs of several classes, whose placement is not monotone). whole: r is the whole reason
// with its amounts; otherwise r is an outline, and the amounts are found when they are to be shown.
func (s *Session) Park(j ledger.JobID, r trace.Reason, full, whole bool) {
	s.Refuse(j, r)
	m := s.noted(j)
	m.parked, m.full, m.epochs = true, full, m.shownAt
	if !whole {
		m.shownAt = epochs{}
	}
}

// NotePartial notes that only some of a job was placed, and why not the rest, in outline.
func (s *Session) NotePartial(j ledger.JobID, r trace.Reason) {
	s.Refuse(j, r)
	s.noted(j).shownAt = epochs{}
}

// ReasonToShow is the reason to show for a job: the one that was noted, or, for a refusal after which
// something changed (other jobs were served, or the job was not tried again), the one that ask finds
// now. So a job that was tried in this cycle and one that was parked show the same.
func (s *Session) ReasonToShow(j ledger.JobID, ask func(ledger.JobID) trace.Reason) trace.Reason {
	m := s.WaitRecord(j)
	if !m.refused {
		return m.Reason
	}
	if m.shownAt != s.epochsOf(j) {
		r := ask(j)
		m.shown, m.shownAt = r, s.epochsOf(j)
	}
	return m.shown
}

func (s *Session) epochsOf(j ledger.JobID) epochs {
	now := s.world()
	now.job = s.L.Job(j).Changed
	return now
}

// world is the versions that a refusal may rest on, without the job's own.
func (s *Session) world() epochs {
	nodes, figures := s.L.Changes.Settled()
	return epochs{0, s.L.Changes.RoomEpoch(), figures, s.L.Changes.SpecEpoch(), nodes, s.times}
}

// Situation is a version of the ledger, of what plugins derived when the cycle began, of the times that
// passed, and of the work that was put off.
type Situation struct{ world, opened, times, deferred uint64 }

// Situation is the current one.
func (s *Session) Situation() Situation {
	return Situation{s.L.Changes.StateEpoch(), s.opened, s.times, s.deferred}
}

// RememberIdle notes that as things stand an action has no job to make room for, or finds no victims
// for any.
func (s *Session) RememberIdle(action string) {
	if s.idleActions == nil {
		s.idleActions = map[string]Situation{}
	}
	s.idleActions[action] = s.Situation()
}

// IsIdle says that nothing has changed since RememberIdle: the action need not run at all.
func (s *Session) IsIdle(action string) bool {
	at, ok := s.idleActions[action]
	return ok && at == s.Situation() && !s.Trace.On(trace.NoPreemptors)
}

// Clear forgets why a job waited.
func (s *Session) Clear(j ledger.JobID) {
	s.Waits(j, trace.Reason{})
}

// Wire tells the parts of a session what they are parts of. It is called once the exported fields are set.
func (s *Session) Wire() *Session {
	s.Parking.s = s
	return s
}
