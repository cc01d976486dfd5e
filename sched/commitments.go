package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// Commitments returns what was decided and is not yet visible in the facts.
func (e *Engine) Commitments() Commitments {
	c := Commitments{Decided: e.decided, NextID: e.nextID, Statement: e.stmts + e.l.Statements()}
	e.l.Tasks(func(t ledger.TaskID) bool {
		task := e.l.Task(t)
		if held := task.Held; held.Kind != ledger.NoCommit {
			node := ""
			if held.Node != ledger.NoNode {
				node = e.l.Node(held.Node).Name
			}
			c.Tasks = append(c.Tasks, TaskCommitment{Pod: task.Key, UID: task.Pod.UID, Kind: held.Kind,
				Node: node, Item: held.Item, Statement: held.Statement, Until: held.Until, Chosen: held.Chosen})
		}
		return true
	})
	e.l.Jobs(func(j ledger.JobID) bool {
		job := e.l.Job(j)
		if id, held := e.l.PhaseHeld(j); held {
			c.Phases = append(c.Phases, PhaseCommitment{Job: job.Key, UID: life(job), Phase: job.Phase, Item: id})
		}
		if e.l.Yielded(j) {
			c.Yielded = append(c.Yielded, JobLife{job.Key, life(job)})
		}
		return true
	})
	c.Spent = append(c.Spent, e.l.Spent()...)
	c.Rounds = append(c.Rounds, e.l.Rounds()...)
	slices.SortFunc(c.Tasks, func(a, b TaskCommitment) int {
		if a.Pod.Less(b.Pod) {
			return -1
		}
		return 1
	})
	slices.SortFunc(c.Phases, func(a, b PhaseCommitment) int {
		if a.Job.Less(b.Job) {
			return -1
		}
		return 1
	})
	slices.SortFunc(c.Yielded, func(a, b JobLife) int {
		if a.Job.Less(b.Job) {
			return -1
		}
		return 1
	})
	return c
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
		held := ledger.Commitment{Kind: t.Kind, Node: node, Item: t.Item, Statement: t.Statement, Until: t.Until, Chosen: t.Chosen}
		if e.l.Restore(id, held) && (t.Kind == ledger.CommitReserve || t.Kind == ledger.CommitSpare) {
			e.reserved = append(e.reserved, id)
		}
	}
	for _, p := range c.Phases {
		if j, ok := e.alive(p.Job, p.UID); ok {
			e.l.SetPhase(j, p.Phase, p.Item)
		}
	}
	e.l.RestoreSpent(c.Spent)
	for _, r := range c.Rounds {
		e.l.SetRound(r.Name, r.At)
	}
	for _, y := range c.Yielded {
		if j, ok := e.alive(y.Job, y.UID); ok {
			e.l.Yield(j, true)
		}
	}
}
