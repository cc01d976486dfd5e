// Package shuffle is the action that evicts pods which would run better elsewhere, or whose time on a
// node is over: those that the plugins of VictimTasks pick (rescheduling, tdm).
//
// No pod is evicted against a guard (conformance, budgets, cooldowns, minimum run times, caps), and no
// part of a gang is left with less than its minimum: a member is evicted alone where its gang has
// members to spare, a whole gang where all of it is picked.
package shuffle

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Name is the action's name in a configuration.
const Name = "shuffle"

// Action implements session.Action.
type Action struct{}

// Name implements session.Action.
func (Action) Name() string { return Name }

// pick is a task that a plugin picked, and why.
type pick struct {
	task ledger.TaskID
	why  string
}

// Execute evicts the tasks that plugins pick and nothing protects.
func (Action) Execute(s *session.Session) {
	s.Enter(Name)
	defer s.Leave(Name)
	var picks []pick
	perJob := map[ledger.JobID]int32{}
	s.Policy.Eviction.Deschedule(func(t ledger.TaskID, why string) bool {
		if s.Victims.Evictable(t) {
			picks = append(picks, pick{t, why})
			perJob[s.L.Task(t).Job]++
		}
		return true
	})
	for i, p := range picks {
		if !s.Victims.Evictable(p.task) {
			continue // it was evicted with its gang
		}
		unit := []pick{p}
		if j := s.L.Task(p.task).Job; !s.Victims.Spare(p.task) {
			if perJob[j] < s.Victims.Holding(j) {
				continue
			}
			unit = gang(s, picks[i:], j)
		}
		evict(s, unit)
	}
}

// gang lists the picked members of a job that are not evicted yet.
func gang(s *session.Session, picks []pick, j ledger.JobID) (out []pick) {
	for _, p := range picks {
		if s.L.Task(p.task).Job == j && s.Victims.Evictable(p.task) {
			out = append(out, p)
		}
	}
	return out
}

// evict evicts a unit, unless a guard protects it.
func evict(s *session.Session, unit []pick) {
	if r := s.Victims.Guarded(tasks(unit), len(unit) > 1); r.Is() {
		s.Trace.Add(trace.Event{Kind: trace.FailedPreempt, Action: Name, Task: s.L.Task(unit[0].task).Key.String(), Reason: r})
		return
	}
	s.L.Try(func(tx *ledger.Tx) bool {
		for _, p := range unit {
			tx.Evict(p.task, Name, ledger.NoTask)
		}
		return true
	})
	for _, p := range unit {
		s.Evictions[p.task] = s.Victims.Moved(Name, p.task, p.why, s.Now)
	}
}

func tasks(unit []pick) (out []ledger.TaskID) {
	for _, p := range unit {
		out = append(out, p.task)
	}
	return out
}
