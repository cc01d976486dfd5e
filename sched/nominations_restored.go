package sched

import (
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// restoreNominations takes nominations from before a restart (status.nominatedNodeName) over, in the first
// cycle of an engine that was not restored (decision 13). If all members that a job lacks for its minimum are
// nominated, and fit now, then room was freed for the job as a whole. Any other one stays a hint.
func (e *Engine) restoreNominations(now int64) {
	var jobs []ledger.JobID
	e.l.Jobs.Each(func(j ledger.JobID) bool {
		if e.l.Job(j).By[model.Pending] > 0 && e.l.Job(j).Admitted() && !e.session.Blocked(j).Is() {
			jobs = append(jobs, j)
		}
		return true
	})
	slices.SortFunc(jobs, e.policy.CompareJobs)
	for _, j := range jobs {
		if tasks := e.nominated(j); len(tasks) > 0 && e.suffice(j, tasks) && e.fit(tasks) {
			e.nominations.restore(tasks, now)
		}
	}
}

// nominated lists a job's pending members with a nomination, in task order.
func (e *Engine) nominated(j ledger.JobID) (out []ledger.TaskID) {
	backoff := e.session.Backoff(j)
	e.l.Jobs.Tasks(j, model.Pending, func(t ledger.TaskID) bool {
		if task := e.l.Task(t); task.Placeable() && task.Pod.Nominated != "" && !e.l.Backoffs.AppliesTo(backoff, t) {
			out = append(out, t)
		}
		return true
	})
	slices.SortFunc(out, e.policy.CompareTasks)
	return out
}

// suffice says that a job and each of its roles have their minimum once these members are placed.
func (e *Engine) suffice(j ledger.JobID, tasks []ledger.TaskID) bool {
	job := e.l.Job(j)
	roles, subs := make([]int32, len(job.Roles)), make([]int32, len(job.Subs))
	for _, t := range tasks {
		roles[e.l.Task(t).Role]++
		if sub := e.l.Task(t).Sub; sub >= 0 {
			subs[sub]++
		}
	}
	for i := range job.Subs {
		if s := &job.Subs[i]; subs[i] > 0 && s.PlacedOrPipelined()+subs[i] < job.SubSize(s) {
			return false
		}
	}
	for i := range job.Roles {
		if r := &job.Roles[i]; r.PlacedOrPipelined()+roles[i] < r.Min {
			return false
		}
	}
	return job.PlacedOrPipelined()+int32(len(tasks)) >= job.MinMember
}

// fit says that all of the tasks could wait on the nodes they are nominated to, and that their queue has room for them:
// what a status says may be long out of date, and a nominated task is bound without a further question.
func (e *Engine) fit(tasks []ledger.TaskID) (ok bool) {
	e.l.Try(func(tx *ledger.Tx) bool {
		for _, t := range tasks {
			task := e.l.Task(t)
			n, known := e.l.Nodes.Find(task.Pod.Nominated)
			if !known || e.policy.Allocatable(e.l.Job(task.Job).Queue, task.Class, 1) < 1 ||
				!e.session.NodeIndex.Takes(t, n, class.InFuture) {
				return false
			}
			tx.Nominate(t, n)
		}
		ok = true
		return false
	})
	return ok
}

// restore has the tasks wait for their nodes until a minute after the longest grace period of the tasks that leave
// those nodes.
func (ns *nominations) restore(tasks []ledger.TaskID, now int64) {
	grace := int64(0)
	for _, t := range tasks {
		n, _ := ns.e.l.Nodes.Find(ns.e.l.Task(t).Pod.Nominated)
		ns.e.l.Nodes.Tasks(n, func(o ledger.TaskID) bool {
			if row := ns.e.l.Task(o); row.Status == model.Releasing {
				grace = max(grace, row.Pod.Grace)
			}
			return true
		})
	}
	for _, t := range tasks {
		n, _ := ns.e.l.Nodes.Find(ns.e.l.Task(t).Pod.Nominated)
		ns.e.l.SetCommitment(t, ledger.Commitment{Kind: ledger.CommitNominate, Node: n, Until: nominationEnds(now, grace),
			Chosen: ns.e.l.ChosenPipelined(t, n)})
		ns.expiring = append(ns.expiring, t)
	}
}
