package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// Commitments returns what was decided and is not yet visible in the facts.
func (e *Engine) Commitments() Commitments {
	c := Commitments{NextID: e.nextID, Statement: e.stmts + e.l.Statements()}
	e.l.Tasks(func(t ledger.TaskID) bool {
		task := e.l.Task(t)
		if held := task.Held; held.Kind != ledger.NoCommit {
			c.Tasks = append(c.Tasks, TaskCommitment{Pod: task.Key, UID: task.Pod.UID, Kind: held.Kind,
				Node: e.l.Node(held.Node).Name, Item: held.Item, Until: held.Until, Chosen: held.Chosen})
		}
		return true
	})
	e.l.Jobs(func(j ledger.JobID) bool {
		job := e.l.Job(j)
		if id, held := e.l.PhaseHeld(j); held {
			p := PhaseCommitment{Job: job.Key, Phase: job.Phase, Item: id}
			if job.Group != nil {
				p.UID = job.Group.UID
			}
			c.Phases = append(c.Phases, p)
		}
		return true
	})
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
	return c
}

// Restore takes commitments over after the facts were applied. One whose object is
// gone, is another by now, or already shows what was decided is dropped: facts beat
// commitments.
func (e *Engine) Restore(c Commitments) {
	e.l.Settle()
	e.nextID = max(e.nextID, c.NextID)
	e.stmts = max(e.stmts, c.Statement)
	for _, t := range c.Tasks {
		id, ok := e.l.FindTask(t.Pod)
		if !ok || e.l.Task(id).Pod.UID != t.UID {
			continue
		}
		held := ledger.Commitment{Kind: t.Kind, Node: e.l.NameNode(t.Node), Item: t.Item, Until: t.Until, Chosen: t.Chosen}
		if e.l.Restore(id, held) && t.Kind == ledger.CommitReserve {
			e.groups = append(e.groups, id)
		}
	}
	for _, p := range c.Phases {
		j, ok := e.l.FindJob(p.Job)
		if !ok {
			continue
		}
		if g := e.l.Job(j).Group; g == nil && !p.Job.Adopted || g != nil && g.UID != p.UID {
			continue
		}
		e.l.SetPhase(j, p.Phase, p.Item)
	}
}
