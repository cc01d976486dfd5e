package sched

import (
	"maps"
	"slices"

	"ashlar.sh/sched/ledger"
)

// savedState is what a later engine needs to decide as this one would.
type savedState struct {
	e *Engine

	checkpoint *checkpoint // nil: not asked for
}

// checkpoint is the commitments as they stood when the engine was last asked to note them.
// It does not refer to the engine's state, so that it can be read when a panic has left that
// half changed.
type checkpoint struct {
	rest    Commitments // without those that the maps have
	tasks   map[ledger.Key]TaskCommitment
	phases  map[ledger.JobKey]PhaseCommitment
	waiting map[ledger.JobKey]WaitingJob
	used    ledger.UsageCopy
	ran     ledger.RunsCopy
}

// jobCheckpoint is what is noted of a job; nil: nothing is committed.
type jobCheckpoint struct {
	key     ledger.JobKey
	phase   *PhaseCommitment
	waiting *WaitingJob
}

// taskCheckpoint is what is noted of a pod; nil: nothing is committed.
type taskCheckpoint struct {
	key        ledger.Key
	commitment *TaskCommitment
}

// Checkpoint notes the commitments as they stand. Call it when the plan of a cycle is about
// to be handed over, and after facts and receipts were taken in: what LastCheckpoint returns
// is what a new engine restores after a panic, without the decisions of a cycle of which the plan
// was lost. It costs what has changed since the last call. What PluginStates found at a cost is
// not noted: they find it again. A panic in it leaves the checkpoint as it was.
func (e *Engine) Checkpoint() {
	if e.saved.checkpoint == nil {
		e.l.Changes.TakeRecommitted() // kept from now on
		used, ran := e.l.Usage.TakeChanges(), e.l.Tasks.Runs.TakeChanges()
		e.saved.checkpoint = checkpointOf(e.Commitments())
		e.saved.checkpoint.used.Follow(used)
		e.saved.checkpoint.ran.Follow(ran)
		return
	}
	pods, keys := e.l.Changes.Recommitted()
	tasks, jobs := make([]taskCheckpoint, 0, len(pods)), make([]jobCheckpoint, 0, len(keys))
	for _, k := range pods {
		tasks = append(tasks, e.saved.taskNow(k))
	}
	for _, k := range keys {
		jobs = append(jobs, e.saved.jobNow(k))
	}
	rest := Commitments{Decided: e.decided, NextID: e.nextID, Statement: e.stmts + e.l.Statements.Count(),
		PastEvictions: e.saved.checkpoint.rest.PastEvictions, Rounds: e.saved.checkpoint.rest.Rounds,
		Charges: e.l.Charges.All(), Losses: e.l.Losses.All()}
	rest.KeptRoomCheckedAt, rest.KeptRoomChecks = e.session.KeptRoomCheckedAt, e.session.KeptRoomChecks
	rest.PlansLookedAt = e.session.PlansLookedAt
	rest.PastEvictionsFrom = e.l.EvictionHistory.From()
	e.saved.exportArrivals(&rest)
	if !slices.Equal(rest.PastEvictions, e.l.EvictionHistory.All()) {
		rest.PastEvictions = append([]ledger.PastEviction(nil), e.l.EvictionHistory.All()...)
	}
	if !slices.Equal(rest.Rounds, e.l.Rounds.All()) {
		rest.Rounds = append([]ledger.Round(nil), e.l.Rounds.All()...)
	}
	used, ran := e.l.Usage.TakeChanges(), e.l.Tasks.Runs.TakeChanges()
	e.l.Changes.TakeRecommitted()
	e.saved.checkpoint.note(rest, tasks, jobs)
	e.saved.checkpoint.used.Follow(used)
	e.saved.checkpoint.ran.Follow(ran)
}

func (ss *savedState) taskNow(k ledger.Key) taskCheckpoint {
	now := taskCheckpoint{key: k}
	if t, ok := ss.e.l.Tasks.Find(k); ok {
		if commitment, committed := ss.taskCommitment(t); committed {
			now.commitment = &commitment
		}
	}
	return now
}

func (ss *savedState) jobNow(k ledger.JobKey) jobCheckpoint {
	now := jobCheckpoint{key: k}
	j, ok := ss.e.l.Jobs.Find(k)
	if !ok {
		return now
	}
	if phase, decided := ss.phaseCommitment(j); decided {
		now.phase = &phase
	}
	if w, waits := ss.waitingJob(j); waits {
		now.waiting = &w
	}
	return now
}

// LastCheckpoint returns the commitments as they were noted last; none before the first time.
func (e *Engine) LastCheckpoint() Commitments {
	if e.saved.checkpoint == nil {
		return Commitments{}
	}
	c := e.saved.checkpoint.rest
	c.PastEvictions, c.Rounds = slices.Clone(c.PastEvictions), slices.Clone(c.Rounds)
	c.Losses = slices.Clone(c.Losses)
	c.Charges.Jobs, c.Charges.Members = slices.Clone(c.Charges.Jobs), slices.Clone(c.Charges.Members)
	c.Charges.Minimums, c.Charges.Began = slices.Clone(c.Charges.Minimums), slices.Clone(c.Charges.Began)
	c.Usage = e.saved.checkpoint.used.State()
	c.Runs = e.saved.checkpoint.ran.Saved()
	c.Tasks = slices.SortedFunc(maps.Values(e.saved.checkpoint.tasks), byPod)
	c.Phases = slices.SortedFunc(maps.Values(e.saved.checkpoint.phases), byJob)
	c.WaitingJobs = slices.SortedFunc(maps.Values(e.saved.checkpoint.waiting), byWaitingJob)
	return c
}

func checkpointOf(c Commitments) *checkpoint {
	p := &checkpoint{rest: c, tasks: map[ledger.Key]TaskCommitment{}, phases: map[ledger.JobKey]PhaseCommitment{},
		waiting: map[ledger.JobKey]WaitingJob{}}
	p.rest.Tasks, p.rest.Phases, p.rest.WaitingJobs, p.rest.Memories = nil, nil, nil, nil
	p.rest.Usage, p.rest.Runs = nil, nil
	for _, t := range c.Tasks {
		p.tasks[t.Pod] = t
	}
	for _, f := range c.Phases {
		p.phases[f.Job] = f
	}
	for _, w := range c.WaitingJobs {
		p.waiting[w.Job] = w
	}
	return p
}

func (p *checkpoint) note(rest Commitments, tasks []taskCheckpoint, jobs []jobCheckpoint) {
	p.rest = rest
	for _, t := range tasks {
		if delete(p.tasks, t.key); t.commitment != nil {
			p.tasks[t.key] = *t.commitment
		}
	}
	for _, j := range jobs {
		if delete(p.phases, j.key); j.phase != nil {
			p.phases[j.key] = *j.phase
		}
		if delete(p.waiting, j.key); j.waiting != nil {
			p.waiting[j.key] = *j.waiting
		}
	}
}
