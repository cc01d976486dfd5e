package policy

import (
	"cmp"
	"slices"
	"strconv"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// How the answers of plugins combine: by rules A to J, those of Volcano's session. Each method names its rule.

// CompareQueues is rule A: the first plugin that prefers one decides; then the older queue, then the name.
func (s *Set) CompareQueues(a, b ledger.QueueID) int {
	for _, p := range s.queueOrder {
		if r := p.CompareQueues(a, b); r != 0 {
			return r
		}
	}
	x, y := s.l.Queue(a), s.l.Queue(b)
	if x.Fact != nil && y.Fact != nil && x.Fact.Created != y.Fact.Created {
		return cmp.Compare(x.Fact.Created, y.Fact.Created)
	}
	return cmp.Compare(x.Name, y.Name)
}

// CompareJobs is rule A: plugins, then the older job, then the name.
func (s *Set) CompareJobs(a, b ledger.JobID) int {
	for _, p := range s.jobOrder {
		if r := p.CompareJobs(a, b); r != 0 {
			return r
		}
	}
	x, y := s.l.Job(a), s.l.Job(b)
	if x.Created != y.Created {
		return cmp.Compare(x.Created, y.Created)
	}
	return x.Key.Compare(y.Key)
}

// TenantOrder is the first JobOrder that orders by tenants, nil for none.
func (s *Set) TenantOrder() TenantOrder {
	for _, p := range s.jobOrder {
		if t, is := p.(TenantOrder); is {
			return t
		}
	}
	return nil
}

// CompareTasks is rule A: plugins, then the number at the end of the name, then the older pod, then the name.
func (s *Set) CompareTasks(a, b ledger.TaskID) int {
	for _, p := range s.taskOrder {
		if r := p.CompareTasks(a, b); r != 0 {
			return r
		}
	}
	x, y := s.l.Task(a).Pod, s.l.Task(b).Pod
	if x.Index != y.Index {
		return cmp.Compare(x.Index, y.Index)
	}
	if x.Created != y.Created {
		return cmp.Compare(x.Created, y.Created)
	}
	return cmp.Compare(x.Name, y.Name)
}

// ValidateJob is rule D: the first objection counts; the zero Reason when there is none.
func (s *Set) ValidateJob(j ledger.JobID) trace.Reason {
	for _, p := range s.jobValid {
		if r := p.ValidateJob(j); r.Is() {
			return r
		}
	}
	return trace.Reason{}
}

// Enqueueable is rule E: a rejection decides if it comes from any tier up to and including the first one in which a
// plugin permits. Without any vote, the job is permitted.
func (s *Set) Enqueueable(j ledger.JobID) (trace.Reason, bool) {
	return elect(s.enqueueable, func(p JobEnqueueable) (Vote, trace.Reason) { return p.VoteEnqueue(j) })
}

// Loanable is Enqueueable for a job that would start at once (JobLoanable).
func (s *Set) Loanable(j ledger.JobID) bool {
	_, ok := elect(s.enqueueable, func(p JobEnqueueable) (Vote, trace.Reason) {
		if l, ok := p.(JobLoanable); ok {
			return l.VoteLoan(j)
		}
		return p.VoteEnqueue(j)
	})
	return ok
}

// elect is rule E, with the reason of the rejection that decides.
func elect[P, R any](c chain[P], vote func(P) (Vote, R)) (none R, permitted bool) {
	for _, tier := range c.tiers {
		for _, p := range tier {
			switch v, r := vote(p); v {
			case Reject:
				return r, false
			case Permit:
				permitted = true
			}
		}
		if permitted {
			break
		}
	}
	return none, true
}

// Ready is rule B: all plugins must agree; without plugins, the job is ready.
func (s *Set) Ready(j ledger.JobID) bool {
	for _, p := range s.ready {
		if !p.Ready(j) {
			return false
		}
	}
	return true
}

// Pipelined is rule E.
func (s *Set) Pipelined(j ledger.JobID) bool {
	_, ok := elect(s.pipelined, func(p JobPipelined) (Vote, struct{}) { return p.VotePipelined(j), struct{}{} })
	return ok
}

// HoldsInPart says that a job may be pipelined with fewer members than it needs to start.
func (s *Set) HoldsInPart() bool {
	return len(s.pipelined.tiers) == 0 || !all[OnlyWhole](s.pipelined.tiers...)
}

// Overused is rule C: the answer of one plugin is enough.
func (s *Set) Overused(q ledger.QueueID) (trace.Reason, bool) {
	for _, p := range s.overused {
		if r, over := p.Overused(q); over {
			return r, true
		}
	}
	return trace.Reason{}, false
}

// Allocatable is rule B over counts: the least any plugin allows, at most want.
func (s *Set) Allocatable(q ledger.QueueID, c ledger.ClassID, want int64) int64 {
	for _, p := range s.allocatable {
		want = min(want, p.Allocatable(q, c, want))
	}
	return want
}

// WhyNotAllocatable is the reason of the first plugin that does not allow even one task.
func (s *Set) WhyNotAllocatable(q ledger.QueueID, c ledger.ClassID) trace.Reason {
	for _, p := range s.allocatable {
		if p.Allocatable(q, c, 1) < 1 {
			return p.WhyNot(q, c)
		}
	}
	return trace.Reason{}
}

// PrePredicate is rule D.
func (s *Set) PrePredicate(t ledger.TaskID) Verdict {
	for _, p := range s.prePredicate {
		if v := p.PrePredicate(t); !v.Admits() {
			return v
		}
	}
	return Verdict{}
}

// QueueFigures is rule J: the first plugin that knows the queue.
func (s *Set) QueueFigures(q ledger.QueueID) (QueueFigures, bool) {
	for _, p := range s.reporters {
		if f, ok := p.QueueFigures(q); ok {
			return f, true
		}
	}
	return QueueFigures{}, false
}

// QueueArithmetic is rule J.
func (s *Set) QueueArithmetic(q ledger.QueueID) ([]trace.Arithmetic, bool) {
	for _, p := range s.arithmetic {
		if a, ok := p.QueueArithmetic(q); ok {
			return a, true
		}
	}
	return nil, false
}

// Problems are the problems that all plugins find.
func (s *Set) Problems() []Problem {
	var out []Problem
	for _, p := range s.problems {
		out = append(out, p.Problems()...)
	}
	return out
}

// HyperNodes is rule J: the map of the first plugin that knows the network, brought up to date; nil when there is
// none.
func (s *Set) HyperNodes() *topology.Map {
	for _, p := range s.gradients {
		return p.HyperNodes().Fresh()
	}
	return nil
}

// ScoreHyperNode is rule I: the sum of the plugins' scores.
func (s *Set) ScoreHyperNode(d topology.ID, want resource.Vec) (sum int64) {
	for _, p := range s.hyperOrders {
		sum += p.ScoreHyperNode(d, want)
	}
	return sum
}

// CompareSubJobs is rule A: plugins, then the values of the policy's keys, where numbers compare as numbers, then the
// name.
func (s *Set) CompareSubJobs(j ledger.JobID, a, b int32) int {
	for _, p := range s.subOrder {
		if r := p.CompareSubJobs(j, a, b); r != 0 {
			return r
		}
	}
	x, y := &s.l.Job(j).Subs[a], &s.l.Job(j).Subs[b]
	return cmp.Or(cmp.Compare(x.Policy, y.Policy), slices.CompareFunc(x.Values, y.Values, compareValues))
}

// compareValues compares whole numbers as numbers; they come before other texts.
func compareValues(a, b string) int {
	x, wrong := strconv.ParseInt(a, 10, 64)
	y, bad := strconv.ParseInt(b, 10, 64)
	switch {
	case wrong == nil && bad == nil:
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	case wrong == nil:
		return -1
	case bad == nil:
		return 1
	default:
		return cmp.Compare(a, b)
	}
}

// SubReady is rule B.
func (s *Set) SubReady(j ledger.JobID, sub int32) bool {
	for _, p := range s.subReady {
		if !p.SubReady(j, sub) {
			return false
		}
	}
	return true
}

// SubPipelined is rule E.
func (s *Set) SubPipelined(j ledger.JobID, sub int32) bool {
	_, ok := elect(s.subPipelined, func(p SubJobPipelined) (Vote, struct{}) {
		return p.VoteSubPipelined(j, sub),
			struct{}{}
	})
	return ok
}

// HierarchicalQueueOrder is the order of queues, if one plugin alone decides it, by a tree.
func (s *Set) HierarchicalQueueOrder() (order HierarchicalQueueOrder, ok bool) {
	if len(s.queueOrder) == 1 {
		order, ok = s.queueOrder[0].(HierarchicalQueueOrder)
	}
	return order, ok
}

// ServingMovesOthers says that some plugin's order of queues is a CoupledQueueOrder.
func (s *Set) ServingMovesOthers() bool {
	for _, p := range s.queueOrder {
		if tree, ok := p.(CoupledQueueOrder); ok && tree.ServingMovesOthers() {
			return true
		}
	}
	return false
}

// JobsAlone says that for every plugin, whether a job is valid and starves depends on the job alone.
func (s *Set) JobsAlone() bool {
	return all[OfJobAlone](s.Eviction.starving.tiers...) && all[OfJobAlone](s.jobValid)
}
