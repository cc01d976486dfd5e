package session

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// couldStart says that a job in line could start if there were room, and that neither its pods' classes nor amounts
// show that empty nodes and an empty queue would not have that room.
func (s *Session) couldStart(j ledger.JobID) bool {
	if s.Blocked(j).Is() || s.Pause(j) != nil || s.Policy.ValidateJob(j).Is() {
		return false
	}
	job := s.L.Job(j)
	waiting := s.pendingOf(j)
	need := int(job.MinMember - job.ReadyOrPromised())
	fit, fitOfRole := fitEmpty(s, waiting, len(job.Roles))
	if fit < int64(need) {
		return false
	}
	for i := range job.Roles {
		if r := &job.Roles[i]; int64(r.Min-r.ReadyOrPromised()) > fitOfRole[i] {
			return false
		}
	}
	if need <= 0 || need > len(waiting) {
		return true
	}
	least := leastOf(s, waiting, need)
	for d, amount := range least {
		if amount > s.L.Nodes.Total(resource.Dim(d)) {
			return false
		}
	}
	return !s.beyondCapability(j, least)
}

// pendingOf lists a job's pods that ask for something and wait for a node.
func (s *Session) pendingOf(j ledger.JobID) (out []ledger.TaskID) {
	s.L.Jobs.Tasks(j, model.Pending, func(t ledger.TaskID) bool {
		if task := s.L.Task(t); task.Placeable() && !s.L.Class(task.Class).BestEffort {
			out = append(out, t)
		}
		return true
	})
	return out
}

// fitEmpty is how many tasks have room on empty nodes, class by class, of all and by role.
func fitEmpty(s *Session, tasks []ledger.TaskID, roles int) (all int64, ofRole []int64) {
	type kind struct {
		class ledger.ClassID
		role  int32
	}
	count, classes := map[kind]int64{}, map[ledger.ClassID]int64{}
	for _, t := range tasks {
		task := s.L.Task(t)
		count[kind{task.Class, task.Role}]++
		classes[task.Class]++
	}
	for class, n := range classes { // order-free: a sum
		classes[class] = s.Nodes.Whole(class, n)
		all += min(n, classes[class])
	}
	ofRole = make([]int64, roles)
	for k, n := range count { // order-free: sums
		if k.role >= 0 {
			ofRole[k.role] += min(n, classes[k.class])
		}
	}
	return all, ofRole
}

// leastOf is, by dimension, the least that so many of the tasks ask for.
func leastOf(s *Session, tasks []ledger.TaskID, need int) []int64 {
	least, asked := make([]int64, s.L.Dims.Len()), make([]int64, len(tasks))
	for d := range least {
		for i, t := range tasks {
			asked[i] = s.L.Class(s.L.Task(t).Class).Request.Get(resource.Dim(d))
		}
		slices.Sort(asked)
		var sum resource.Sum
		for _, a := range asked[:need] {
			sum = sum.Plus(a)
		}
		least[d] = sum.Int64()
	}
	return least
}

// beyondCapability says that amounts are above the capability of a job's queue, or of one above it up to the one that
// refuses the job now: plugins may heed none further up, or none at all.
func (s *Session) beyondCapability(j ledger.JobID, least []int64) bool {
	why := s.QueueLacks(j)
	for _, short := range why.Shorts {
		for d, amount := range least { // what may be is what the ancestors and the cluster leave of the capability
			if why.Code == trace.QueueCapability && s.L.Dims.Name(resource.Dim(d)) == short.Dim && amount > short.Have {
				return true
			}
		}
	}
	switch why.Code {
	case trace.QueueCapability, trace.QueueDeserved, trace.QueueOverused, trace.QueueQuotaInsufficient:
	default:
		return false
	}
	for q := s.L.Job(j).Queue; q != ledger.NoQueue; q = s.L.Queues.Parent(q) {
		queue := s.L.Queue(q)
		for d, amount := range least {
			bound, limited := queue.Capability.Bound(resource.Dim(d))
			if limited && resource.Dim(d) != resource.Pods && amount > bound {
				return true
			}
		}
		if why.Queue == "" || why.Queue == queue.Name {
			return false
		}
	}
	return false
}
