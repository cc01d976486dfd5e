// Package session is one cycle, as actions see it: the ledger, the index of nodes by
// class, the profile's plugins, the trace, and what is remembered of jobs that wait.
//
// A Session holds no figures of its own. What it remembers of a job (WaitRecord) is why it
// waits and which versions of the world that answer rests on: while those stand still
// the answer does too, and the job need not be asked again. That is a cache: what is
// decided, and the reason that is shown, are as if every job had been asked.
package session

import (
	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/victims"
)

// Session is the world of one cycle.
type Session struct {
	L       *ledger.Ledger
	Nodes   *class.Index
	Victims *victims.Search
	Policy  *policy.Set
	Profile *policy.Profile
	Trace   *trace.Recorder
	Now     int64 // nanoseconds since the epoch
	// Admit puts a job into phase Inqueue, by a plan item where the API keeps phases.
	Admit func(ledger.JobID)
	// Asked is when it was found out last for whom room is to be kept (search.KeepRoom).
	Asked int64
	// Surplus is when members above their gangs' minimums are placed.
	Surplus Surplus
	// Evictions are the records of those whom a statement of this action evicts.
	Evictions map[ledger.TaskID]*trace.Eviction

	waitRecords []*WaitRecord // by row; nil for most: who runs and never waited has none
	slots       []slot        // by job
	awake       []ledger.JobID
	parkGroups  []*parkGroup
	groupOf     map[parkKey]*parkGroup
	lists       [numLists][]ledger.JobID
	spareHeap   *queueHeap // of a rotation that is over, for the next one
	starving    starvingJobs
	noVictims   map[actionOnJob]stood
	idleActions map[string]Situation // by action: when it had nobody left to evict for
	cycle       uint64
	opened      uint64 // the world when the cycle began
	times       uint64 // the times that a plugin had waited for and that came
	deferred    uint64 // cycles in which work was put off
}

// Open begins a cycle: what was noted in earlier ones no longer counts, but for
// refusals.
func (s *Session) Open(now int64) {
	s.Now = now
	s.cycle++
	s.opened = s.L.StateEpoch()
	s.arrive()
	if s.Victims != nil {
		s.Victims.Open()
	}
}

// TimePassed says that a time has come at which plugins answer otherwise: no refusal from
// before it stands.
func (s *Session) TimePassed() { s.times++ }

// Deferred says that work was put off in this cycle: what an action gave up it might not have.
func (s *Session) Deferred() { s.deferred++ }

// WaitRecord is what is remembered of a job between cycles.
type WaitRecord struct {
	key     ledger.JobKey // whose it is: rows are reused
	Reason  trace.Reason  // why it waits; none when it does not
	cycle   uint64        // in which it was noted
	refused bool          // it had its turn, or would have had: see ReasonToShow
	parked  bool
	full    bool // the answer rests on every node's figures
	epochs  epochs
	class   ledger.ClassID // see Lacks
	lacks   int64
	shown   trace.Reason // of a refusal: the reason as it stood at shownAt
	shownAt epochs
}

// epochs is the versions that a refusal rests on.
type epochs struct {
	job, room, usage, specs, nodes, times uint64
}

// nothing is what is remembered of most jobs. It is never written.
var nothing = &WaitRecord{}

// WaitRecord returns what is remembered of a job, empty when nothing is. It is for reading.
func (s *Session) WaitRecord(j ledger.JobID) *WaitRecord {
	if m := s.noted(j); m != nil {
		return m
	}
	return nothing
}

// noted is what was noted of a job and still counts, nil without. What a job that waits
// no longer was told is let go.
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

// note takes the place of what was noted of a job.
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

// Waits notes why a job waits. It is asked again next cycle. Without a reason nothing is
// kept of it.
func (s *Session) Waits(j ledger.JobID, r trace.Reason) {
	switch {
	case r.Is():
		s.note(j, WaitRecord{Reason: r})
	case int(j) < len(s.waitRecords):
		s.waitRecords[j] = nil
	}
}

// Refuse notes that a job would have had its turn but for r. It is asked again next
// cycle, and r is shown while everything it rests on stands.
func (s *Session) Refuse(j ledger.JobID, r trace.Reason) {
	s.note(j, WaitRecord{Reason: r, refused: true, shown: r, shownAt: s.epochsOf(j)})
}

// Park notes why a job was refused, and that asking again is of no use before
// something changes that the answer rests on. full: the answer rests on every node's
// figures and not only on room having grown somewhere (gangs of several classes, whose
// placement is not monotone). whole: r is the whole reason with its amounts; otherwise
// it is in outline, and the amounts are found when somebody wants to see them.
func (s *Session) Park(j ledger.JobID, r trace.Reason, full, whole bool) {
	s.Refuse(j, r)
	m := s.noted(j)
	m.parked, m.full, m.epochs = true, full, m.shownAt
	if !whole {
		m.shownAt = epochs{}
	}
}

// NotePartial notes that a job was served in part, and why not whole, in outline.
func (s *Session) NotePartial(j ledger.JobID, r trace.Reason) {
	s.Refuse(j, r)
	s.noted(j).shownAt = epochs{}
}

// ReasonToShow is the reason to show for a job: the one that was noted, or, of a refusal
// whose world has moved on since (others were served after it, or it was not asked
// again), the one that ask finds now. A job that was asked this cycle and one that was
// parked then show the same.
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

// world is what every refusal may rest on, without the job's own version.
func (s *Session) world() epochs {
	nodes, figures := s.L.Settled()
	return epochs{0, s.L.RoomEpoch(), figures, s.L.SpecEpoch(), nodes, s.times}
}

// noVictims names an action that found nobody to evict for a job.
type actionOnJob struct {
	job    ledger.JobID
	action string
}

// stood is how the world was when it did not.
type stood struct {
	key ledger.JobKey
	Situation
}

// Situation is a state of the world, of what plugins derived when the cycle began, and of what
// was put off.
type Situation struct{ world, opened, times, deferred uint64 }

// Situation is how things are now.
func (s *Session) Situation() Situation {
	return Situation{s.L.StateEpoch(), s.opened, s.times, s.deferred}
}

// RememberNoVictims notes that an action finds nobody to evict for a job as things are.
func (s *Session) RememberNoVictims(j ledger.JobID, action string) {
	if s.noVictims == nil {
		s.noVictims = map[actionOnJob]stood{}
	}
	s.noVictims[actionOnJob{j, action}] = stood{s.L.Job(j).Key, s.Situation()}
}

// RememberIdle notes that an action has nobody to evict for, or nobody whom it could, as things
// are now.
func (s *Session) RememberIdle(action string) {
	if s.idleActions == nil {
		s.idleActions = map[string]Situation{}
	}
	s.idleActions[action] = s.Situation()
}

// IsIdle says that nothing has happened since an action was done: it need not look at all.
func (s *Session) IsIdle(action string) bool {
	at, ok := s.idleActions[action]
	return ok && at == s.Situation() && !s.Trace.On(trace.NoPreemptors)
}

// HasNoVictims says that nothing happened since: the action need not be tried again.
func (s *Session) HasNoVictims(j ledger.JobID, action string) bool {
	at, ok := s.noVictims[actionOnJob{j, action}]
	return ok && at == stood{s.L.Job(j).Key, s.Situation()}
}

// Clear forgets why a job waited.
func (s *Session) Clear(j ledger.JobID) {
	s.Waits(j, trace.Reason{})
}
