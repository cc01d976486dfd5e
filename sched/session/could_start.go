package session

import (
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// couldStartOnEmptyNodes says that a job of a fifo queue could start if there were room, and that empty nodes and an
// empty queue would have that room, as far as the classes of its pods, amounts and what filters count show.
func (s *Session) couldStartOnEmptyNodes(j ledger.JobID) bool {
	if s.Blocked(j).Is() || s.Backoff(j) != nil || s.Policy.ValidateJob(j).Is() {
		return false
	}
	job := s.L.Job(j)
	waiting := slices.DeleteFunc(s.pendingOf(j), func(t ledger.TaskID) bool { return unresolvable(s, t) })
	need := int(job.MinMember - job.ReadyOrPipelined())
	fit, fitOfRole := fitEmpty(s, waiting, len(job.Roles))
	if fit < int64(need) {
		return false
	}
	for i := range job.Roles {
		if r := &job.Roles[i]; int64(r.Min-r.ReadyOrPipelined()) > fitOfRole[i] {
			return false
		}
	}
	if need <= 0 || need > len(waiting) {
		return true
	}
	least := make([]int64, s.L.Dims.Len())
	for d := range least {
		least[d] = LeastOf(s.L, waiting, need, resource.Dim(d))
		if least[d] > s.L.Nodes.Total(resource.Dim(d)) {
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
	first := map[ledger.ClassID]ledger.TaskID{}
	for _, t := range tasks {
		task := s.L.Task(t)
		if classes[task.Class] == 0 {
			first[task.Class] = t
		}
		count[kind{task.Class, task.Role}]++
		classes[task.Class]++
	}
	for class, n := range classes { // order-free: a sum
		classes[class] = s.Whole(first[class], n)
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

// Whole is for how many tasks of a class, of which t is one, the nodes have room without any other task, counted up to
// want: by amounts, static filters, and what filters count.
func (s *Session) Whole(t ledger.TaskID, want int64) int64 {
	of := s.L.Task(t).Class
	fit := s.NodeIndex.Whole(of, want)
	for _, f := range s.Policy.NodePlugins.TaskFilters {
		counts, does := f.(policy.Stocked)
		if !does || fit == 0 || !counts.Concerns(s.L.Class(of).Spec) {
			continue
		}
		sum := int64(0)
		for n, k := range class.WholeFits(s.NodeIndex, of) {
			if k == 0 {
				continue
			}
			if sum += counts.Most(t, ledger.NodeID(n), min(int64(k), fit)); sum >= fit {
				break
			}
		}
		fit = min(fit, sum)
	}
	return fit
}

// unresolvable says that no node takes a task, whichever pods end.
func unresolvable(s *Session, t ledger.TaskID) bool {
	return slices.ContainsFunc(s.Policy.NodePlugins.TaskFilters, func(f policy.TaskFilter) bool {
		knows, does := f.(policy.Unresolvable)
		return does && knows.Concerns(s.L.Class(s.L.Task(t).Class).Spec) && knows.Unresolvable(t)
	})
}

// LeastOf is the least that so many of some tasks ask for of a resource.
func LeastOf(l *ledger.Ledger, tasks []ledger.TaskID, need int, d resource.Dim) int64 {
	asked := make([]int64, len(tasks))
	for i, t := range tasks {
		asked[i] = l.Request(t).Get(d)
	}
	slices.Sort(asked)
	var sum resource.Sum
	for _, a := range asked[:need] {
		sum = sum.Plus(a)
	}
	return sum.Int64()
}

// beyondCapability says that amounts are above the capability of a job's queue, or of one above it up to the one that
// refuses the job now.
func (s *Session) beyondCapability(j ledger.JobID, least []int64) bool {
	why := s.QueueLacks(j)
	for _, short := range why.Shorts {
		for d, amount := range least { // what may be is what the ancestors and the cluster leave of the capability
			if why.Code == trace.QueueCapability && s.L.Dims.Name(resource.Dim(d)) == short.Dim && amount > short.Have {
				return true
			}
		}
	}
	_, over := BeyondCapability(s.L, s.L.Job(j).Queue, &why, func(d resource.Dim) int64 { return least[d] })
	return len(over) > 0
}

// BeyondCapability returns the first queue, from one up to the one that refuses a job now, with a capability below what
// the job asks for at least, and the resources of which it is; none where the refusal does not show that a plugin heeds
// capabilities: plugins may heed none, or none further up.
func BeyondCapability(l *ledger.Ledger, q ledger.QueueID, why *trace.Reason,
	least func(resource.Dim) int64) (ledger.QueueID, []resource.Dim) {
	if !ByQueue(why.Code) {
		return ledger.NoQueue, nil
	}
	for ; q != ledger.NoQueue; q = l.Queues.Parent(q) {
		queue := l.Queue(q)
		if over := AboveCapability(queue, least); len(over) > 0 {
			return q, over
		}
		if why.Queue == "" || why.Queue == queue.Name {
			break
		}
	}
	return ledger.NoQueue, nil
}

// ByQueue says that a code is of a refusal by what queues hold and may hold.
func ByQueue(c trace.Code) bool {
	switch c {
	case trace.QueueCapability, trace.QueueDeserved, trace.QueueOverused, trace.QueueQuotaInsufficient:
		return true
	}
	return false
}

// AboveCapability returns the resources of which amounts are above the capability of a queue.
func AboveCapability(q *ledger.Queue, least func(resource.Dim) int64) (over []resource.Dim) {
	for d := range resource.Dim(q.Capability.Dims()) {
		if bound, limited := q.Capability.Bound(d); limited && d != resource.Pods && least(d) > bound {
			over = append(over, d)
		}
	}
	return over
}
