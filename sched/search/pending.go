package search

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// PendingTasks are the tasks of a job that are to be placed in this cycle (seed 003 §4.4).
type PendingTasks struct {
	Job       ledger.JobID
	Tasks     []ledger.TaskID // members that ask for something, in the order to place them
	next      int
	nominated int  // how many of the first tasks have a nomination
	idle      bool // members that ask for nothing: they get only room that is free now
	mixed     bool // of several classes, best-effort members included, or its place depends on other pods
	one       [1]ledger.TaskID
	rank      []int32 // by sub-group: its rank in the last attempt, which makes ordering them again cheap
}

// Empty says that nothing is left to try.
func (w *PendingTasks) Empty() bool { return w.next >= len(w.Tasks) }

// HasNominated says that members have a nomination, which counts in their queue already.
func (w *PendingTasks) HasNominated() bool { return w.nominated > 0 }

// NextIsNominated says that the member to try next has a nomination.
func (w *PendingTasks) NextIsNominated(s *session.Session) bool {
	return !w.Empty() && nominated(s, w.Tasks[w.next])
}

// OnlyNominated keeps only the members that have a nomination.
func (w *PendingTasks) OnlyNominated() { w.Tasks = w.Tasks[:w.nominated] }

// Park notes why the job waits, and what for. Where the room that it lacks is a number of tasks of one class,
// without nominations, it notes that, too: the rest of its minimum, or one task.
func (w *PendingTasks) Park(s *session.Session, r trace.Reason, whole bool) {
	refusal := pending.Refusal{Reason: r, Whole: whole, Everywhere: w.mixed}
	if !w.mixed && len(w.Tasks) > 0 && !nominated(s, w.Tasks[0]) && !mayPass(s, w.Job) {
		refusal.Class, refusal.Tasks = s.L.Task(w.Tasks[0]).Class, int64(s.L.Job(w.Job).LeastToPlace())
	}
	s.Pending.Park(w.Job, refusal)
}

// PendingTasksOf makes a job's list of pending tasks: members with a nomination first, then those that
// the roles' minimums need (decision 32), then the rest, each in task order. Gated and best-effort
// members, those set aside and those in a backoff are left out.
func PendingTasksOf(s *session.Session, j ledger.JobID) *PendingTasks {
	count := &s.L.Job(j).Count
	w := &PendingTasks{Job: j}
	w.Tasks = w.one[:0]
	if most := count.By[model.Pending] + count.By[model.Pipelined]; most > 1 {
		w.Tasks = make([]ledger.TaskID, 0, most)
	}
	s.L.Jobs.Tasks(j, model.Pipelined, func(t ledger.TaskID) bool {
		if s.L.Task(t).Commitment.Kind == ledger.CommitNominate {
			w.Tasks = append(w.Tasks, t)
		}
		return true
	})
	nominated := len(w.Tasks)
	w.nominated = nominated
	backoff := s.Backoff(j)
	s.L.Jobs.Tasks(j, model.Pending, func(t ledger.TaskID) bool {
		if task := s.L.Task(t); task.Placeable() && !s.L.Class(task.Class).BestEffort && !s.L.Backoffs.AppliesTo(backoff, t) {
			w.Tasks = append(w.Tasks, t)
		}
		return true
	})
	slices.SortFunc(w.Tasks[:nominated], s.Policy.CompareTasks)
	slices.SortFunc(w.Tasks[nominated:], s.Policy.CompareTasks)
	w.minimumsFirst(s, nominated)
	w.mixed = s.L.Job(j).BestEffort > 0
	for _, t := range w.Tasks {
		w.mixed = w.mixed || s.L.Task(t).Class != s.L.Task(w.Tasks[0]).Class
	}
	w.mixed = w.mixed || len(w.Tasks) > 0 && s.NodeIndex.AsksDomains(s.L.Task(w.Tasks[0]).Class)
	return w
}

// minimumsFirst moves the members that a role's minimum still needs to the front.
func (w *PendingTasks) minimumsFirst(s *session.Session, from int) {
	job := s.L.Job(w.Job)
	if !slices.ContainsFunc(job.Roles, func(r ledger.Role) bool { return lacks(&r) > 0 }) {
		return
	}
	short := make([]int32, len(job.Roles))
	for i := range job.Roles {
		short[i] = lacks(&job.Roles[i])
	}
	var first, rest []ledger.TaskID
	for _, t := range w.Tasks[from:] {
		if r := s.L.Task(t).Role; short[r] > 0 {
			short[r]--
			first = append(first, t)
		} else {
			rest = append(rest, t)
		}
	}
	copy(w.Tasks[from:], append(first, rest...))
}

// ClassTasks are the tasks of one class on a list of pending tasks.
type ClassTasks struct {
	Class ledger.ClassID
	Tasks int64
}

// ByClass appends to out the number of tasks of each class on a list of pending tasks that have no place yet.
func (w *PendingTasks) ByClass(s *session.Session, out []ClassTasks) []ClassTasks {
	for _, t := range w.Tasks {
		if s.L.Task(t).Status.Holds() {
			continue // an earlier attempt placed it
		}
		class := s.L.Task(t).Class
		i := slices.IndexFunc(out, func(k ClassTasks) bool { return k.Class == class })
		if i < 0 {
			i, out = len(out), append(out, ClassTasks{Class: class})
		}
		out[i].Tasks++
	}
	return out
}

// CouldEver says that a job's minimum could be placed if the nodes were empty. Where not even its
// amounts fit, it does not matter what other jobs do.
func (w *PendingTasks) CouldEver(s *session.Session) bool {
	var few [4]ClassTasks // most jobs have one
	fit, need := int64(0), int64(s.L.Job(w.Job).LeastToPlace())
	for _, k := range w.ByClass(s, few[:0]) {
		fit += s.NodeIndex.Whole(k.Class, k.Tasks)
	}
	return fit >= need
}

// lacks is how many members a role's minimum still needs.
func lacks(r *ledger.Role) int32 { return r.Min - r.ReadyOrPipelined() }

// BestEffort lists a job's pending members that ask for nothing, in task order.
func BestEffort(s *session.Session, j ledger.JobID) []ledger.TaskID {
	var out []ledger.TaskID
	if s.L.Job(j).BestEffort == 0 {
		return nil
	}
	backoff := s.Backoff(j)
	s.L.Jobs.Tasks(j, model.Pending, func(t ledger.TaskID) bool {
		if task := s.L.Task(t); task.Placeable() && s.L.Class(task.Class).BestEffort && !s.L.Backoffs.AppliesTo(backoff, t) {
			out = append(out, t)
		}
		return true
	})
	slices.SortFunc(out, s.Policy.CompareTasks)
	return out
}
