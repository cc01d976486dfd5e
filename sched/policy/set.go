package policy

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// chain is the plugins of one extension point, tier by tier.
type chain[P any] [][]P

func join[P any](c *chain[P], plugin any, off bool) {
	if p, ok := plugin.(P); ok && !off {
		last := len(*c) - 1
		(*c)[last] = append((*c)[last], p)
	}
}

// sign notes the name of a plugin that joins a chain.
func sign[P any](names *[][]string, name string, plugin any, off bool) {
	if _, ok := plugin.(P); ok && !off {
		last := len(*names) - 1
		(*names)[last] = append((*names)[last], name)
	}
}

// Set is a profile's plugins by extension point, with the rules by which their
// answers combine.
type Set struct {
	l *ledger.Ledger

	clocks       chain[Clock]
	openers      chain[opener]
	queueOrder   chain[QueueOrder]
	jobOrder     chain[JobOrder]
	taskOrder    chain[TaskOrder]
	jobValid     chain[JobValid]
	enqueueable  chain[JobEnqueueable]
	ready        chain[JobReady]
	pipelined    chain[JobPipelined]
	overused     chain[Overused]
	allocatable  chain[Allocatable]
	prePredicate chain[PrePredicate]
	reporters    chain[QueueReporter]
	arithmetic   chain[QueueArithmetic]
	problems     chain[Problems]

	victimQueueOrder chain[VictimQueueOrder]
	preemptive       chain[Preemptive]
	reclaimable      chain[Reclaimable]
	preemptable      chain[Preemptable]
	starving         chain[JobStarving]
	givers           chain[Giver]
	ceilings         chain[VictimCeiling]
	guards           chain[Guard]
	deschedulers     chain[Descheduler]
	preemptNames     [][]string // of the plugins in preemptable, tier by tier
	reclaimNames     [][]string
	giverNames       [][]string

	StaticFilters []StaticFilter
	NodeFilters   []NodeFilter
	DomainFilters []DomainFilter
	DomainOrders  []DomainOrder
	TaskFilters   []TaskFilter
	NodeOrders    []NodeOrder
	StaticOrders  []StaticOrder
	BatchOrders   []BatchNodeOrder
	BestNodes     []BestNode

	network
}

func (s *Set) beginTier() {
	s.network.beginTier()
	s.clocks = append(s.clocks, nil)
	s.openers = append(s.openers, nil)
	s.queueOrder = append(s.queueOrder, nil)
	s.jobOrder = append(s.jobOrder, nil)
	s.taskOrder = append(s.taskOrder, nil)
	s.jobValid = append(s.jobValid, nil)
	s.enqueueable = append(s.enqueueable, nil)
	s.ready = append(s.ready, nil)
	s.pipelined = append(s.pipelined, nil)
	s.overused = append(s.overused, nil)
	s.allocatable = append(s.allocatable, nil)
	s.prePredicate = append(s.prePredicate, nil)
	s.reporters = append(s.reporters, nil)
	s.arithmetic = append(s.arithmetic, nil)
	s.problems = append(s.problems, nil)
	s.victimQueueOrder = append(s.victimQueueOrder, nil)
	s.preemptive = append(s.preemptive, nil)
	s.reclaimable = append(s.reclaimable, nil)
	s.preemptable = append(s.preemptable, nil)
	s.starving = append(s.starving, nil)
	s.givers = append(s.givers, nil)
	s.ceilings = append(s.ceilings, nil)
	s.guards = append(s.guards, nil)
	s.deschedulers = append(s.deschedulers, nil)
	s.preemptNames = append(s.preemptNames, nil)
	s.reclaimNames = append(s.reclaimNames, nil)
	s.giverNames = append(s.giverNames, nil)
}

func (s *Set) add(name string, plugin any, off []Point) {
	is := func(p Point) bool { return slices.Contains(off, p) }
	join(&s.clocks, plugin, false)
	s.addOpener(name, plugin)
	join(&s.queueOrder, plugin, is(PointQueueOrder))
	join(&s.jobOrder, plugin, is(PointJobOrder))
	join(&s.taskOrder, plugin, is(PointTaskOrder))
	join(&s.jobValid, plugin, false)
	join(&s.enqueueable, plugin, is(PointJobEnqueued))
	join(&s.ready, plugin, is(PointJobReady))
	join(&s.pipelined, plugin, is(PointJobPipelined))
	join(&s.overused, plugin, is(PointOverused))
	join(&s.allocatable, plugin, is(PointAllocatable))
	join(&s.prePredicate, plugin, is(PointPredicate))
	join(&s.reporters, plugin, false)
	join(&s.arithmetic, plugin, false)
	join(&s.problems, plugin, false)
	join(&s.victimQueueOrder, plugin, false)
	join(&s.preemptive, plugin, is(PointPreemptive))
	join(&s.reclaimable, plugin, is(PointReclaimable))
	join(&s.preemptable, plugin, is(PointPreemptable))
	sign[Reclaimable](&s.reclaimNames, name, plugin, is(PointReclaimable))
	sign[Preemptable](&s.preemptNames, name, plugin, is(PointPreemptable))
	join(&s.starving, plugin, is(PointJobStarving))
	join(&s.givers, plugin, is(PointReclaimable))
	sign[Giver](&s.giverNames, name, plugin, is(PointReclaimable))
	join(&s.ceilings, plugin, is(PointPreemptable))
	join(&s.guards, plugin, false)
	join(&s.deschedulers, plugin, is(PointVictim))
	s.network.add(plugin, is)
	s.addFilters(plugin, is(PointPredicate), is(PointNodeOrder))
	if p, ok := plugin.(BestNode); ok && !is(PointBestNode) {
		s.BestNodes = append(s.BestNodes, p)
	}
	if group, ok := plugin.(Group); ok {
		for _, part := range group.Parts() {
			s.add(name, part, off)
		}
	}
}

func (s *Set) addFilters(plugin any, noPredicate, noOrder bool) {
	if b, ok := plugin.(BookKeeper); ok {
		s.l.AddBook(b.Book())
	}
	if f, ok := plugin.(StaticFilter); ok && !noPredicate {
		s.StaticFilters = append(s.StaticFilters, f)
	}
	if f, ok := plugin.(NodeFilter); ok && !noPredicate {
		s.NodeFilters = append(s.NodeFilters, f)
	}
	if f, ok := plugin.(DomainFilter); ok && !noPredicate {
		s.DomainFilters = append(s.DomainFilters, f)
	}
	if f, ok := plugin.(DomainOrder); ok && !noOrder {
		s.DomainOrders = append(s.DomainOrders, f)
	}
	if f, ok := plugin.(TaskFilter); ok && !noPredicate {
		s.TaskFilters = append(s.TaskFilters, f)
	}
	if f, ok := plugin.(NodeOrder); ok && !noOrder {
		s.NodeOrders = append(s.NodeOrders, f)
	}
	if f, ok := plugin.(StaticOrder); ok && !noOrder {
		s.StaticOrders = append(s.StaticOrders, f)
	}
	if f, ok := plugin.(BatchNodeOrder); ok && !noOrder {
		s.BatchOrders = append(s.BatchOrders, f)
	}
}

// Group is a plugin made of several, as predicates and nodeorder are of their filters and
// scores; each part answers for itself, at every point.
type Group interface{ Parts() []any }

// opener is an Opener with its plugin's name.
type opener struct {
	name string
	Opener
}

func (s *Set) addOpener(name string, plugin any) {
	if p, ok := plugin.(Opener); ok {
		last := len(s.openers) - 1
		s.openers[last] = append(s.openers[last], opener{name, p})
	}
}

// Open begins a cycle.
func (s *Set) Open(rec *trace.Recorder, watch Stopwatch) {
	for _, tier := range s.openers {
		for _, p := range tier {
			watch.Begin(PartPlugin, p.name)
			p.Open(rec)
			watch.End()
		}
	}
}

// CompareQueues is rule A: the first plugin that prefers one decides; then the older
// queue, then the name.
func (s *Set) CompareQueues(a, b ledger.QueueID) int {
	for _, tier := range s.queueOrder {
		for _, p := range tier {
			if r := p.CompareQueues(a, b); r != 0 {
				return r
			}
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
	for _, tier := range s.jobOrder {
		for _, p := range tier {
			if r := p.CompareJobs(a, b); r != 0 {
				return r
			}
		}
	}
	x, y := s.l.Job(a), s.l.Job(b)
	if x.Created != y.Created {
		return cmp.Compare(x.Created, y.Created)
	}
	return x.Key.Compare(y.Key)
}

// CompareTasks is rule A: plugins, then the number the name ends in, then the older
// pod, then the name.
func (s *Set) CompareTasks(a, b ledger.TaskID) int {
	for _, tier := range s.taskOrder {
		for _, p := range tier {
			if r := p.CompareTasks(a, b); r != 0 {
				return r
			}
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

// ValidateJob is rule D: the first objection counts.
func (s *Set) ValidateJob(j ledger.JobID) trace.Reason {
	for _, tier := range s.jobValid {
		for _, p := range tier {
			if r := p.ValidateJob(j); r.Is() {
				return r
			}
		}
	}
	return trace.Reason{}
}

// Enqueueable is rule E: a rejection anywhere up to and including the first tier in
// which somebody permits decides; nobody voting permits.
func (s *Set) Enqueueable(j ledger.JobID) (trace.Reason, bool) {
	for _, tier := range s.enqueueable {
		permitted := false
		for _, p := range tier {
			v, r := p.VoteEnqueue(j)
			if v == Reject {
				return r, false
			}
			permitted = permitted || v == Permit
		}
		if permitted {
			break
		}
	}
	return trace.Reason{}, true
}

// Ready is rule B: all must agree; nobody asked, it is ready.
func (s *Set) Ready(j ledger.JobID) bool {
	for _, tier := range s.ready {
		for _, p := range tier {
			if !p.Ready(j) {
				return false
			}
		}
	}
	return true
}

// Pipelined is rule E.
func (s *Set) Pipelined(j ledger.JobID) bool {
	for _, tier := range s.pipelined {
		permitted := false
		for _, p := range tier {
			switch p.VotePipelined(j) {
			case Reject:
				return false
			case Permit:
				permitted = true
			}
		}
		if permitted {
			break
		}
	}
	return true
}

// HoldsInPart says that a job may be promised room for fewer members than it needs to
// start.
func (s *Set) HoldsInPart() bool {
	voters := 0
	for _, tier := range s.pipelined {
		for _, p := range tier {
			if _, whole := p.(OnlyWhole); !whole {
				return true
			}
			voters++
		}
	}
	return voters == 0
}

// Overused is rule C: one is enough.
func (s *Set) Overused(q ledger.QueueID) (trace.Reason, bool) {
	for _, tier := range s.overused {
		for _, p := range tier {
			if r, over := p.Overused(q); over {
				return r, true
			}
		}
	}
	return trace.Reason{}, false
}

// Allocatable is rule B over counts: the least any plugin allows, at most want.
func (s *Set) Allocatable(q ledger.QueueID, c ledger.ClassID, want int64) int64 {
	for _, tier := range s.allocatable {
		for _, p := range tier {
			want = min(want, p.Allocatable(q, c, want))
		}
	}
	return want
}

// WhyNotAllocatable is the reason of the first plugin that allows not even one.
func (s *Set) WhyNotAllocatable(q ledger.QueueID, c ledger.ClassID) trace.Reason {
	for _, tier := range s.allocatable {
		for _, p := range tier {
			if p.Allocatable(q, c, 1) < 1 {
				return p.WhyNot(q, c)
			}
		}
	}
	return trace.Reason{}
}

// PrePredicate is rule D.
func (s *Set) PrePredicate(t ledger.TaskID) Verdict {
	for _, tier := range s.prePredicate {
		for _, p := range tier {
			if v := p.PrePredicate(t); !v.Admits() {
				return v
			}
		}
	}
	return Verdict{}
}

// QueueFigures is rule J: the first plugin that knows the queue.
func (s *Set) QueueFigures(q ledger.QueueID) (QueueFigures, bool) {
	for _, tier := range s.reporters {
		for _, p := range tier {
			if f, ok := p.QueueFigures(q); ok {
				return f, true
			}
		}
	}
	return QueueFigures{}, false
}

// QueueArithmetic is rule J.
func (s *Set) QueueArithmetic(q ledger.QueueID) ([]trace.Arithmetic, bool) {
	for _, tier := range s.arithmetic {
		for _, p := range tier {
			if a, ok := p.QueueArithmetic(q); ok {
				return a, true
			}
		}
	}
	return nil, false
}

// Problems are those of all plugins.
func (s *Set) Problems() []Problem {
	var out []Problem
	for _, tier := range s.problems {
		for _, p := range tier {
			out = append(out, p.Problems()...)
		}
	}
	return out
}
