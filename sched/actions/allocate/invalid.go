package allocate

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// invalid names the first member, by name, that was set aside at the door.
func invalid(s *session.Session, j ledger.JobID) trace.Reason {
	r := trace.Reason{Code: trace.InvalidObject}
	for status := range model.NumStatus {
		s.L.JobTasks(j, status, func(t ledger.TaskID) bool {
			task := s.L.Task(t)
			if f, bad := task.Pod.SetAside(); bad && (r.Task == "" || task.Key.String() < r.Task) {
				r.Task, r.Text = task.Key.String(), f.Field+": "+f.Message
			}
			return true
		})
	}
	return r
}
