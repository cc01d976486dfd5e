package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// Commitments returns what was decided and is not yet visible in the facts.
func (e *Engine) Commitments() Commitments {
	c := Commitments{Decided: e.decided, NextID: e.nextID, Statement: e.stmts + e.l.Statements()}
	e.l.Tasks(func(t ledger.TaskID) bool {
		if held, ok := e.taskCommitment(t); ok {
			c.Tasks = append(c.Tasks, held)
		}
		return true
	})
	e.l.Jobs(func(j ledger.JobID) bool {
		if phase, ok := e.phaseCommitment(j); ok {
			c.Phases = append(c.Phases, phase)
		}
		if lender, ok := e.lender(j); ok {
			c.Lenders = append(c.Lenders, lender)
		}
		return true
	})
	c.Spent = append(c.Spent, e.l.EvictionHistory()...)
	c.Asked = e.session.Asked
	e.exportArrivals(&c)
	c.Rounds = append(c.Rounds, e.l.Rounds()...)
	c.Memories = e.l.Memories()
	c.Charges = e.l.Charges()
	c.Losses = e.l.Losses()
	c.sort()
	return c
}

func (c *Commitments) sort() {
	slices.SortFunc(c.Tasks, byPod)
	slices.SortFunc(c.Phases, byJob)
	slices.SortFunc(c.Lenders, byLender)
}

func byPod(a, b TaskCommitment) int { return a.Pod.Compare(b.Pod) }

func byJob(a, b PhaseCommitment) int { return before(a.Job, b.Job) }

func byLife(a, b JobLife) int { return before(a.Job, b.Job) }

func byLender(a, b Lender) int { return byLife(a.JobLife, b.JobLife) }

func before(a, b ledger.JobKey) int {
	switch {
	case a.Less(b):
		return -1
	case a == b:
		return 0
	}
	return 1
}

// taskCommitment is what was decided for a task; false when that is nothing.
func (e *Engine) taskCommitment(t ledger.TaskID) (TaskCommitment, bool) {
	task := e.l.Task(t)
	held := task.Held
	if held.Kind == ledger.NoCommit {
		return TaskCommitment{}, false
	}
	node := ""
	if held.Node != ledger.NoNode {
		node = e.l.Node(held.Node).Name
	}
	return TaskCommitment{Pod: task.Key, UID: task.Pod.UID, Kind: held.Kind,
		Node: node, Item: held.Item, Statement: held.Statement, Until: held.Until, Chosen: held.Chosen,
		For: held.For, Told: held.Told}, true
}

// phaseCommitment is the phase that was decided for a job; false when its PodGroup shows it.
func (e *Engine) phaseCommitment(j ledger.JobID) (PhaseCommitment, bool) {
	job := e.l.Job(j)
	id, held := e.l.PhaseHeld(j)
	if !held {
		return PhaseCommitment{}, false
	}
	return PhaseCommitment{Job: job.Key, UID: life(job), Phase: job.Phase, Item: id, At: e.l.PhaseAt(j)}, true
}

// lender is a job that waits otherwise than any; false for one that does not.
func (e *Engine) lender(j ledger.JobID) (Lender, bool) {
	job := e.l.Job(j)
	w := Lender{JobLife{job.Key, life(job)}, e.l.LendingOf(j), e.l.WaitsFrom(j), e.l.AwaitsFrom(j)}
	return w, w.How != ledger.Keeps || w.From != 0 || w.Podless != 0
}

// life is the UID of a job's PodGroup, empty for an adopted job.
func life(j *ledger.Job) string {
	if j.Group == nil {
		return ""
	}
	return j.Group.UID
}

// alive is the row of a job that is still the one it was.
func (e *Engine) alive(k ledger.JobKey, uid string) (ledger.JobID, bool) {
	j, ok := e.l.FindJob(k)
	return j, ok && e.l.Job(j).Exists() && life(e.l.Job(j)) == uid
}

// Restore takes commitments over after the facts were applied. One whose object is
// gone, is another by now, or already shows what was decided is dropped: facts beat
// commitments.
func (e *Engine) Restore(c Commitments) {
	e.l.Settle()
	e.decided = e.decided || c.Decided
	e.nextID = max(e.nextID, c.NextID)
	e.stmts = max(e.stmts, c.Statement)
	for _, t := range c.Tasks {
		id, ok := e.l.FindTask(t.Pod)
		if !ok || e.l.Task(id).Pod.UID != t.UID {
			continue
		}
		node := ledger.NoNode
		if t.Node != "" {
			node = e.l.NameNode(t.Node)
		}
		held := ledger.Commitment{Kind: t.Kind, Node: node, Item: t.Item, Statement: t.Statement, Until: t.Until, Chosen: t.Chosen,
			For: t.For, Told: t.Told}
		if e.l.Restore(id, held) {
			e.follow(id)
		}
	}
	e.l.RestoreCharges(c.Charges) // some of the jobs below have no other members
	for _, p := range c.Phases {
		if j, ok := e.alive(p.Job, p.UID); ok {
			e.l.RestorePhase(j, p.Phase, p.Item, p.At)
		}
	}
	e.l.RestoreEvictionHistory(c.Spent)
	for _, r := range c.Rounds {
		e.l.SetRound(r.Name, r.At)
	}
	e.restoreArrivals(c)
	e.l.RestoreLosses(c.Losses)
	e.session.Asked = c.Asked
	for _, w := range c.Lenders {
		if j, ok := e.alive(w.Job, w.UID); ok {
			e.l.Lend(j, w.How)
			e.l.Wait(j, w.From)
			if e.l.Await(j, w.Podless); w.Podless != 0 {
				e.keepPromise(j, w.Podless)
			}
		}
	}
	e.l.Recall(c.Memories)
}

// exportArrivals notes what came to be placed lately.
func (e *Engine) exportArrivals(c *Commitments) {
	c.Arrived, c.Came = e.l.Arrived(), e.session.Surplus.Came
	for _, jobs := range [...][]ledger.JobID{e.session.RecentArrivals(), e.l.Arrivals()} {
		for _, j := range jobs {
			job := e.l.Job(j)
			a := Arrival{JobLife: JobLife{job.Key, life(job)}, At: job.Came, Seen: job.Recent,
				HeldBack: job.Recent && job.HeldBack, Unseen: job.Arrived}
			if job.Exists() && (a.Seen || a.Unseen) {
				c.Arrivals = append(c.Arrivals, a)
			}
		}
	}
	slices.SortFunc(c.Arrivals, func(a, b Arrival) int { return byLife(a.JobLife, b.JobLife) })
	c.Arrivals = slices.Compact(c.Arrivals)
}

// restoreArrivals forgets that all facts just came.
func (e *Engine) restoreArrivals(c Commitments) {
	var unseen []ledger.JobID
	e.session.Surplus.Came = c.Came
	for _, a := range c.Arrivals {
		j, ok := e.alive(a.Job, a.UID)
		if ok && a.Unseen {
			unseen = append(unseen, j)
		}
		if ok && a.Seen {
			e.session.RestoreArrival(j, a.At, a.HeldBack)
		}
	}
	e.l.RestoreArrivals(c.Arrived, unseen)
}
