package session

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Blocked is why a job cannot be served whatever room there is: something is wrong with the job, or with
// its queue's position in the tree (decisions 8 and 30). It is the zero Reason when nothing is.
func (s *Session) Blocked(j ledger.JobID) trace.Reason {
	job := s.L.Job(j)
	if !job.Exists() {
		return trace.Reason{Code: trace.PodGroupNotFound, Text: job.Key.Name}
	}
	if job.Group != nil {
		if f, bad := job.Group.SetAside(); bad {
			return trace.Reason{Code: trace.InvalidObject, Text: f.Field + ": " + f.Message}
		}
	}
	if r := s.QueueClosed(job.Queue); r.Is() {
		return r
	}
	if b := s.Backoff(j); b != nil && len(b.Pods) == 0 {
		return BackoffReason(b)
	}
	return trace.Reason{}
}

// Backoff is the backoff that a job, or some of its pods, are in now; nil when there is none.
func (s *Session) Backoff(j ledger.JobID) *model.Backoff { return s.L.Backoffs.Of(j, s.Now) }

// BackoffReason is why a job is in a backoff.
func BackoffReason(b *model.Backoff) trace.Reason {
	return trace.Reason{Code: trace.BindRefused, Task: b.Pod, Text: b.Answer, Have: int(b.Tries), Until: b.NotBefore}
}

// QueueClosed is why a queue takes no jobs; the zero Reason when it takes them.
func (s *Session) QueueClosed(q ledger.QueueID) trace.Reason {
	queue := s.L.Queue(q)
	r := trace.Reason{Queue: queue.Name}
	switch {
	case queue.Place == ledger.Missing:
		r.Code = trace.QueueNotFound
	case queue.Place == ledger.SetAside:
		f, _ := queue.Fact.SetAside()
		r.Code, r.Text = trace.QueueInvalid, f.Field+": "+f.Message
	case queue.Place == ledger.Cyclic:
		r.Code = trace.QueueCyclic
	case queue.Place == ledger.Orphaned:
		r.Code, r.Text, r.Cause = trace.QueueOrphaned, queue.Broken, s.setAside(queue.Broken)
	case !queue.Leaf():
		r.Code = trace.QueueNotLeaf
	case queue.State() != model.QueueOpen:
		r.Code, r.Text, r.Cause = trace.QueueNotOpen, queue.State().String(), s.closedAncestor(q)
	default:
		return trace.Reason{}
	}
	return r
}

// setAside is why the queue of a name is set aside; nil when there is none of it.
func (s *Session) setAside(name string) *trace.Reason {
	q, known := s.L.Queues.Find(name)
	if !known || s.L.Queue(q).Place != ledger.SetAside {
		return nil
	}
	r := s.QueueClosed(q)
	return &r
}

// closedAncestor names the ancestor that closes a queue which is open itself; nil when there is none.
func (s *Session) closedAncestor(q ledger.QueueID) *trace.Reason {
	if s.L.Queue(q).Fact.State != model.QueueOpen {
		return nil
	}
	for at := s.L.Queues.Parent(q); at != ledger.NoQueue; at = s.L.Queues.Parent(at) {
		if up := s.L.Queue(at); up.Fact != nil && up.Fact.State != model.QueueOpen {
			return &trace.Reason{Code: trace.QueueNotOpen, Queue: up.Name, Text: up.Fact.State.String()}
		}
	}
	return nil
}
