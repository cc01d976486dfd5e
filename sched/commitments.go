package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Commitments are what was decided and is not visible in the facts yet. Together with the facts they are the
// whole state: an engine restored from both decides the same. In JSON the names are those that recordings have had from
// the beginning.
type Commitments struct {
	Decided     bool // a cycle has run, which looked at the nominations from before
	NextID      uint64
	Statement   uint64
	Tasks       []TaskCommitment  // sorted by pod
	Phases      []PhaseCommitment // sorted by job
	WaitingJobs []WaitingJob      `json:"Lenders"` // sorted by job: jobs that wait otherwise than any
	// When it was last found which jobs room is to be kept for: see backfill.KeepRoom
	KeptRoomCheckedAt int64                 `json:"Asked"`
	KeptRoomChecks    uint64                `json:",omitempty"` // how often: it says which jobs have their turn
	PlansLookedAt     int64                 `json:",omitempty"` // when starts were last looked for that cost much to plan
	PastEvictions     []ledger.PastEviction `json:"Spent"`      // of the last minute, the oldest first
	// Evictions before this time are not known; 0: all of the last minute are.
	PastEvictionsFrom int64              `json:"SpentFrom,omitempty"`
	Arrived           bool               // something that is to be placed came since the last cycle
	LastArrival       int64              `json:"Came"` // the time of the last cycle that found such an arrival
	Arrivals          []Arrival          // sorted by job: jobs to which pods came lately
	Rounds            []ledger.Round     // by name: the last round of plugins that work in rounds
	Memories          []ledger.Memory    `json:",omitempty"` // what PluginStates found at a cost
	Charges           ledger.Charges     // the queues in which running jobs count, where facts say otherwise
	Losses            []ledger.Loss      // lost members of gangs that still have their room: see ledger.Losses
	Usage             *ledger.UsageState `json:",omitempty"` // what queues and tenants used lately; nil: not remembered
	Runs              []ledger.RunRecord `json:",omitempty"` // what the last runs of templates took
}

// JobRef is a job by its name and the UID of its PodGroup, which another job of that name has not; UID is empty for an
// adopted job.
type JobRef struct {
	Job ledger.JobKey
	UID string
}

// WaitingJob is a job that waits: what happens with the room that its queue keeps for it, since when it counts as
// waiting, if that is not since its pods came (0: it is), since when it has lacked pods although it is admitted
// (0: it lacks none), and whether room is kept for none that are to come.
type WaitingJob struct {
	JobRef
	How     ledger.Lending
	From    int64
	Podless int64 `json:",omitempty"`
	Lapsed  bool  `json:",omitempty"`
}

// Arrival says that pods which are to be placed came to a job: at the time of the cycle that found it, or
// since the last cycle (Unseen).
type Arrival struct {
	JobRef
	At             int64
	Seen, HeldBack bool // HeldBack: its surplus waits for the end of the period
	Unseen         bool
}

// TaskCommitment is what was decided for a task, of any CommitKind: a bind, an eviction, a nomination …
type TaskCommitment struct {
	Pod   ledger.Key
	UID   string
	Kind  ledger.CommitKind
	Node  string
	Item  uint64
	Until int64

	Statement  uint64
	Chosen     ledger.Chosen     // of a bind, and of kept room
	EvictedFor ledger.EvictedFor `json:"For"`  // of an eviction
	Accepted   bool              `json:"Told"` // of an eviction: the request was accepted; recordings have the old name
	// of kept room: when the pod is to start there, and what was planned first
	Start, First int64 `json:",omitempty"`
}

// PhaseCommitment is a decided phase that the PodGroup does not show yet. For an adopted job nothing shows it:
// it is lost at a restart, and the job is admitted again.
type PhaseCommitment struct {
	Job   ledger.JobKey
	UID   string
	Phase model.GroupPhase
	Item  uint64
	At    uint64 // the version of the PodGroup's fact that it was decided on
}

// Commitments returns what was decided and is not yet visible in the facts.
func (e *Engine) Commitments() Commitments {
	c := Commitments{Decided: e.decided, NextID: e.nextID, Statement: e.stmts + e.l.Statements.Count()}
	e.l.Tasks.Each(func(t ledger.TaskID) bool {
		if commitment, ok := e.saved.taskCommitment(t); ok {
			c.Tasks = append(c.Tasks, commitment)
		}
		return true
	})
	e.l.Jobs.Each(func(j ledger.JobID) bool {
		if phase, ok := e.saved.phaseCommitment(j); ok {
			c.Phases = append(c.Phases, phase)
		}
		if w, ok := e.saved.waitingJob(j); ok {
			c.WaitingJobs = append(c.WaitingJobs, w)
		}
		return true
	})
	c.PastEvictions = append(c.PastEvictions, e.l.EvictionHistory.All()...)
	c.PastEvictionsFrom = e.l.EvictionHistory.From()
	c.KeptRoomCheckedAt, c.KeptRoomChecks = e.session.KeptRoomCheckedAt, e.session.KeptRoomChecks
	c.PlansLookedAt = e.session.PlansLookedAt
	e.saved.exportArrivals(&c)
	c.Rounds = append(c.Rounds, e.l.Rounds.All()...)
	c.Memories = e.l.PluginStates.Memories()
	c.Charges = e.l.Charges.All()
	c.Losses = e.l.Losses.All()
	c.Usage = e.l.Usage.Saved()
	c.Runs = e.l.Tasks.Runs.Saved()
	c.sort()
	return c
}

func (c *Commitments) sort() {
	slices.SortFunc(c.Tasks, byPod)
	slices.SortFunc(c.Phases, byJob)
	slices.SortFunc(c.WaitingJobs, byWaitingJob)
}

func byPod(a, b TaskCommitment) int { return a.Pod.Compare(b.Pod) }

func byJob(a, b PhaseCommitment) int { return a.Job.Compare(b.Job) }

func byJobRef(a, b JobRef) int { return a.Job.Compare(b.Job) }

func byWaitingJob(a, b WaitingJob) int { return byJobRef(a.JobRef, b.JobRef) }

// taskCommitment is what was decided for a task; false when that is nothing.
func (ss *savedState) taskCommitment(t ledger.TaskID) (TaskCommitment, bool) {
	task := ss.e.l.Task(t)
	commitment := task.Commitment
	if commitment.Kind == ledger.NoCommit {
		return TaskCommitment{}, false
	}
	node := ""
	if commitment.Node != ledger.NoNode {
		node = ss.e.l.Node(commitment.Node).Name
	}
	out := TaskCommitment{Pod: task.Key, UID: task.Pod.UID, Kind: commitment.Kind,
		Node: node, Item: commitment.Item, Statement: commitment.Statement, Until: commitment.Until,
		Chosen: commitment.Chosen, EvictedFor: commitment.EvictedFor, Accepted: commitment.Accepted}
	if p := commitment.Planned; p != nil {
		out.Start, out.First = p.At, p.First
	}
	return out, true
}

// phaseCommitment is the phase that was decided for a job; false when its PodGroup shows it.
func (ss *savedState) phaseCommitment(j ledger.JobID) (PhaseCommitment, bool) {
	job := ss.e.l.Job(j)
	id, decided := ss.e.l.Jobs.DecidedPhase(j)
	if !decided {
		return PhaseCommitment{}, false
	}
	return PhaseCommitment{Job: job.Key, UID: job.GroupUID(), Phase: job.Phase, Item: id, At: ss.e.l.Jobs.PhaseAt(j)}, true
}

// waitingJob is a job that waits otherwise than any; false for one that does not.
func (ss *savedState) waitingJob(j ledger.JobID) (WaitingJob, bool) {
	job := ss.e.l.Job(j)
	w := WaitingJob{JobRef{job.Key, job.GroupUID()}, ss.e.l.WaitingJobs.Lending(j), ss.e.l.WaitingJobs.WaitsFrom(j),
		ss.e.l.WaitingJobs.PodlessFrom(j), ss.e.l.WaitingJobs.Lapsed(j)}
	return w, w.How != ledger.LendsNone || w.From != 0 || w.Podless != 0 || w.Lapsed
}

// alive is the row of a job that is still the one it was.
func (ss *savedState) alive(k ledger.JobKey, uid string) (ledger.JobID, bool) {
	j, ok := ss.e.l.Jobs.Find(k)
	return j, ok && ss.e.l.Job(j).Exists() && ss.e.l.Job(j).GroupUID() == uid
}

// EvictionsKnownFrom says that evictions before a time, in nanoseconds since the epoch, are not known: the
// engine's scheduler acts from then on, and another one may have acted before. Until all evictions of the
// last minute are known, limits on evictions count as spent (plugin evictioncap). Without it an engine
// knows that nothing was evicted before its first cycle, but for what it restored.
func (e *Engine) EvictionsKnownFrom(at int64) { e.l.EvictionHistory.KnownFrom(at) }

// Restore takes commitments over after the facts were applied. Facts beat commitments: a commitment is dropped if its
// object is gone, is another object of the same name by now, or already shows what was decided.
func (e *Engine) Restore(c Commitments) {
	e.l.ExtendDims()
	if e.decided = e.decided || c.Decided; e.decided {
		e.l.WaitingJobs.Vote()
	}
	e.nextID = max(e.nextID, c.NextID)
	e.stmts = max(e.stmts, c.Statement)
	for _, t := range c.Tasks {
		id, ok := e.l.Tasks.Find(t.Pod)
		if !ok || e.l.Task(id).Pod.UID != t.UID {
			continue
		}
		node := ledger.NoNode
		if t.Node != "" {
			node = e.l.Nodes.Named(t.Node)
		}
		commitment := ledger.Commitment{Kind: t.Kind, Node: node, Item: t.Item, Statement: t.Statement,
			Until: t.Until, Chosen: t.Chosen,
			EvictedFor: t.EvictedFor, Accepted: t.Accepted}
		if t.Start != 0 {
			commitment.Planned = &ledger.PlannedStart{At: t.Start, First: t.First}
		}
		if e.l.Restore(id, commitment) {
			e.nominations.expect(id)
		}
	}
	e.l.Charges.Restore(c.Charges, c.Decided) // some of the jobs below have no other members
	for _, p := range c.Phases {
		if j, ok := e.saved.alive(p.Job, p.UID); ok {
			e.l.Jobs.RestorePhase(j, p.Phase, p.Item, p.At)
		}
	}
	e.l.EvictionHistory.Restore(c.PastEvictions, c.PastEvictionsFrom)
	for _, r := range c.Rounds {
		e.l.Rounds.Set(r.Name, r.At)
	}
	e.saved.restoreArrivals(c)
	e.l.Losses.Restore(c.Losses)
	e.session.KeptRoomCheckedAt, e.session.KeptRoomChecks = c.KeptRoomCheckedAt, c.KeptRoomChecks
	e.session.PlansLookedAt = c.PlansLookedAt
	for _, w := range c.WaitingJobs {
		if j, found := e.l.Jobs.Find(w.Job); found && e.l.Job(j).GroupUID() == w.UID { // also where its PodGroup is gone
			if w.Lapsed {
				e.l.WaitingJobs.Lapse(j)
			} else {
				e.l.WaitingJobs.EndLapse(j)
			}
		}
		if j, ok := e.saved.alive(w.Job, w.UID); ok {
			e.l.WaitingJobs.Lend(j, w.How)
			e.l.WaitingJobs.SetWaitsFrom(j, w.From)
			if e.l.WaitingJobs.SetPodlessFrom(j, w.Podless); w.Podless != 0 {
				e.lapses.expect(j, w.Podless)
			}
		}
	}
	e.l.PluginStates.Recall(c.Memories)
	if c.Usage != nil {
		e.l.Usage.Restore(*c.Usage)
	}
	e.l.Tasks.Runs.Restore(c.Runs)
}

// exportArrivals notes what came to be placed lately.
func (ss *savedState) exportArrivals(c *Commitments) {
	c.Arrived, c.LastArrival = ss.e.l.Changes.Arrived(), ss.e.session.Surplus.LastArrival
	recent, unseen := ss.e.session.RecentArrivals(), ss.e.l.Changes.Arrivals()
	for _, jobs := range [...][]ledger.JobID{recent, unseen} {
		for _, j := range jobs {
			job := ss.e.l.Job(j)
			a := Arrival{JobRef: JobRef{job.Key, job.GroupUID()}, At: job.LastArrival, Seen: job.Recent,
				HeldBack: job.Recent && job.HeldBack, Unseen: job.Arrived}
			if job.Exists() && (a.Seen || a.Unseen) {
				if c.Arrivals == nil { // when all came at once they are many
					c.Arrivals = make([]Arrival, 0, len(recent)+len(unseen))
				}
				c.Arrivals = append(c.Arrivals, a)
			}
		}
	}
	slices.SortFunc(c.Arrivals, func(a, b Arrival) int { return byJobRef(a.JobRef, b.JobRef) })
	c.Arrivals = slices.Compact(c.Arrivals)
}

// restoreArrivals forgets that all facts just came.
func (ss *savedState) restoreArrivals(c Commitments) {
	var unseen []ledger.JobID
	ss.e.session.Surplus.LastArrival = c.LastArrival
	for _, a := range c.Arrivals {
		j, ok := ss.alive(a.Job, a.UID)
		if ok && a.Unseen {
			unseen = append(unseen, j)
		}
		if ok && a.Seen {
			ss.e.session.RestoreArrival(j, a.At, a.HeldBack)
		}
	}
	ss.e.l.Changes.RestoreArrivals(c.Arrived, unseen)
}
