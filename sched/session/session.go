// Package session is one cycle, as actions see it: the ledger, the index of nodes by
// class, the profile's plugins, the trace, and what is remembered of jobs that wait.
//
// A Session holds no figures of its own. What it remembers of a job (Memo) is why it
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
	Victims *victims.Hunt
	Policy  *policy.Set
	Profile *policy.Profile
	Trace   *trace.Recorder
	Now     int64 // nanoseconds since the epoch
	// Admit puts a job into phase Inqueue, by a plan item where the API keeps phases.
	Admit func(ledger.JobID)
	// Asked is when it was found out last for whom room is to be kept (search.CallIn).
	Asked int64
	// Surplus is when members above their gangs' minimums are placed.
	Surplus Surplus
	// Evictions are the records of those whom a statement of this action evicts.
	Evictions map[ledger.TaskID]*trace.Eviction

	memos  []*Memo // by row; nil for most: who runs and never waited has none
	beds   []bed   // by job
	awake  []ledger.JobID
	bins   []*bin
	binOf  map[binKey]*bin
	lists  [numLists][]ledger.JobID
	turns  *turns // of a rotation that is over, for the next one
	starve starvers
	given  map[given]stood
	quiet  map[string]Moment // by action: when it had nobody left to evict for
	cycle  uint64
	opened uint64 // the world when the cycle began
	turned uint64 // the times that a plugin had waited for and that came
	putOff uint64 // cycles in which work was put off
}

// Open begins a cycle: what was noted in earlier ones no longer counts, but for
// refusals.
func (s *Session) Open(now int64) {
	s.Now = now
	s.cycle++
	s.opened = s.L.World()
	s.arrive()
	if s.Victims != nil {
		s.Victims.Open()
	}
}

// Turn says that a time has come at which plugins answer otherwise: no refusal from
// before it stands.
func (s *Session) Turn() { s.turned++ }

// PutOff says that work was put off in this cycle: what an action gave up it might not have.
func (s *Session) PutOff() { s.putOff++ }

// Memo is what is remembered of a job between cycles.
type Memo struct {
	key     ledger.JobKey // whose it is: rows are reused
	Reason  trace.Reason  // why it waits; none when it does not
	cycle   uint64        // in which it was noted
	refused bool          // it had its turn, or would have had: see Shown
	parked  bool
	full    bool // the answer rests on every node's figures
	stand   stand
	class   ledger.ClassID // see Lacks
	lacks   int64
	shown   trace.Reason // of a refusal: the reason as it stood at shownAt
	shownAt stand
}

// stand is the versions that a refusal rests on.
type stand struct {
	job, grown, figures, shape, nodes, turned uint64
}

// nothing is what is remembered of most jobs. It is never written.
var nothing = &Memo{}

// Memo returns what is remembered of a job, empty when nothing is. It is for reading.
func (s *Session) Memo(j ledger.JobID) *Memo {
	if m := s.noted(j); m != nil {
		return m
	}
	return nothing
}

// noted is what was noted of a job and still counts, nil without. What a job that waits
// no longer was told is let go.
func (s *Session) noted(j ledger.JobID) *Memo {
	if int(j) >= len(s.memos) || s.memos[j] == nil {
		return nil
	}
	m, job := s.memos[j], s.L.Job(j)
	if m.key == job.Key && (m.cycle == s.cycle || m.parked) {
		return m
	}
	if job.By[model.Pending] == 0 {
		s.memos[j] = nil
	}
	return nil
}

// note takes the place of what was noted of a job.
func (s *Session) note(j ledger.JobID, m Memo) *Memo {
	for int(j) >= len(s.memos) {
		s.memos = append(s.memos, nil)
	}
	if s.memos[j] == nil {
		s.memos[j] = &Memo{}
	}
	m.key, m.cycle = s.L.Job(j).Key, s.cycle
	*s.memos[j] = m
	return s.memos[j]
}

// Waits notes why a job waits. It is asked again next cycle. Without a reason nothing is
// kept of it.
func (s *Session) Waits(j ledger.JobID, r trace.Reason) {
	switch {
	case r.Is():
		s.note(j, Memo{Reason: r})
	case int(j) < len(s.memos):
		s.memos[j] = nil
	}
}

// Refuse notes that a job would have had its turn but for r. It is asked again next
// cycle, and r is shown while everything it rests on stands.
func (s *Session) Refuse(j ledger.JobID, r trace.Reason) {
	s.note(j, Memo{Reason: r, refused: true, shown: r, shownAt: s.standing(j)})
}

// Park notes why a job was refused, and that asking again is of no use before
// something changes that the answer rests on. full: the answer rests on every node's
// figures and not only on room having grown somewhere (gangs of several classes, whose
// placement is not monotone). whole: r is the whole reason with its amounts; otherwise
// it is in outline, and the amounts are found when somebody wants to see them.
func (s *Session) Park(j ledger.JobID, r trace.Reason, full, whole bool) {
	s.Refuse(j, r)
	m := s.noted(j)
	m.parked, m.full, m.stand = true, full, m.shownAt
	if !whole {
		m.shownAt = stand{}
	}
}

// Outline notes that a job was served in part, and why not whole, in outline.
func (s *Session) Outline(j ledger.JobID, r trace.Reason) {
	s.Refuse(j, r)
	s.noted(j).shownAt = stand{}
}

// Shown is the reason to show for a job: the one that was noted, or, of a refusal
// whose world has moved on since (others were served after it, or it was not asked
// again), the one that ask finds now. A job that was asked this cycle and one that was
// parked then show the same.
func (s *Session) Shown(j ledger.JobID, ask func(ledger.JobID) trace.Reason) trace.Reason {
	m := s.Memo(j)
	if !m.refused {
		return m.Reason
	}
	if m.shownAt != s.standing(j) {
		r := ask(j)
		m.shown, m.shownAt = r, s.standing(j)
	}
	return m.shown
}

func (s *Session) standing(j ledger.JobID) stand {
	now := s.world()
	now.job = s.L.Job(j).Changed
	return now
}

// world is what every refusal may rest on, without the job's own version.
func (s *Session) world() stand {
	nodes, figures := s.L.Settled()
	return stand{0, s.L.Grown(), figures, s.L.Shape(), nodes, s.turned}
}

// given names an action that found nobody to evict for a job.
type given struct {
	job    ledger.JobID
	action string
}

// stood is how the world was when it did not.
type stood struct {
	key ledger.JobKey
	Moment
}

// Moment is a state of the world, of what plugins derived when the cycle began, and of what
// was put off.
type Moment struct{ world, opened, turned, putOff uint64 }

// Moment is how things are now.
func (s *Session) Moment() Moment { return Moment{s.L.World(), s.opened, s.turned, s.putOff} }

// GiveUp notes that an action finds nobody to evict for a job as things are.
func (s *Session) GiveUp(j ledger.JobID, action string) {
	if s.given == nil {
		s.given = map[given]stood{}
	}
	s.given[given{j, action}] = stood{s.L.Job(j).Key, s.Moment()}
}

// Rest notes that an action has nobody to evict for, or nobody whom it could, as things
// are now.
func (s *Session) Rest(action string) {
	if s.quiet == nil {
		s.quiet = map[string]Moment{}
	}
	s.quiet[action] = s.Moment()
}

// Rests says that nothing has happened since an action was done: it need not look at all.
func (s *Session) Rests(action string) bool {
	at, ok := s.quiet[action]
	return ok && at == s.Moment() && !s.Trace.On(trace.NoPreemptors)
}

// GivenUp says that nothing happened since: the action need not be tried again.
func (s *Session) GivenUp(j ledger.JobID, action string) bool {
	at, ok := s.given[given{j, action}]
	return ok && at == stood{s.L.Job(j).Key, s.Moment()}
}

// Clear forgets why a job waited.
func (s *Session) Clear(j ledger.JobID) {
	s.Waits(j, trace.Reason{})
}
