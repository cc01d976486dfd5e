package allocate

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// invalid names the first waiting member, by name, that was set aside at the door.
func invalid(s *session.Session, j ledger.JobID) trace.Reason {
	r := trace.Reason{Code: trace.InvalidObject}
	s.L.Jobs.Tasks(j, model.Pending, func(t ledger.TaskID) bool {
		task := s.L.Task(t)
		if f, bad := task.Pod.SetAside(); bad && (r.Task == "" || task.Key.String() < r.Task) {
			r.Task, r.Text = task.Key.String(), f.Field+": "+f.Message
		}
		return true
	})
	return r
}

// suffices says that the members on a list of pending tasks are enough for the minimum of the job and
// of its roles. Otherwise gates, or members that are set aside, keep it from starting whatever room
// there is.
func suffices(s *session.Session, w *search.PendingTasks) bool {
	job := s.L.Job(w.Job)
	lacking := job.MinMember - job.ReadyOrPipelined()
	if lacking <= 0 && len(job.Roles) == 1 {
		return true
	}
	var few [4]int32 // most jobs have one role
	roles := few[:]
	if len(job.Roles) > len(few) {
		roles = make([]int32, len(job.Roles))
	}
	for _, t := range w.Tasks {
		if task := s.L.Task(t); task.Status == model.Pending {
			lacking--
			roles[task.Role]++
		}
	}
	for i := range job.Roles {
		if r := &job.Roles[i]; r.ReadyOrPipelined()+roles[i] < r.Min {
			return false
		}
	}
	return lacking <= 0
}
