package policy

import (
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

// sign notes the name of a plugin that is added to a chain.
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

	Lackers []Lacker

	budgeted   []Budgeted
	explaining int // the depth of nested calls

	network
	Eviction Eviction
	Nodes    NodePoints
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
	s.Eviction.queueOrder = append(s.Eviction.queueOrder, nil)
	s.Eviction.preemptive = append(s.Eviction.preemptive, nil)
	s.Eviction.reclaimable = append(s.Eviction.reclaimable, nil)
	s.Eviction.preemptable = append(s.Eviction.preemptable, nil)
	s.Eviction.starving = append(s.Eviction.starving, nil)
	s.Eviction.queueFilters = append(s.Eviction.queueFilters, nil)
	s.Eviction.ceilings = append(s.Eviction.ceilings, nil)
	s.Eviction.guards = append(s.Eviction.guards, nil)
	s.Eviction.deschedulers = append(s.Eviction.deschedulers, nil)
	s.Eviction.preemptNames = append(s.Eviction.preemptNames, nil)
	s.Eviction.reclaimNames = append(s.Eviction.reclaimNames, nil)
	s.Eviction.queueFilterNames = append(s.Eviction.queueFilterNames, nil)
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
	join(&s.Eviction.queueOrder, plugin, false)
	join(&s.Eviction.preemptive, plugin, is(PointPreemptive))
	join(&s.Eviction.reclaimable, plugin, is(PointReclaimable))
	join(&s.Eviction.preemptable, plugin, is(PointPreemptable))
	sign[Reclaimable](&s.Eviction.reclaimNames, name, plugin, is(PointReclaimable))
	sign[Preemptable](&s.Eviction.preemptNames, name, plugin, is(PointPreemptable))
	join(&s.Eviction.starving, plugin, is(PointJobStarving))
	join(&s.Eviction.queueFilters, plugin, is(PointReclaimable))
	sign[VictimQueueFilter](&s.Eviction.queueFilterNames, name, plugin, is(PointReclaimable))
	join(&s.Eviction.ceilings, plugin, is(PointPreemptable))
	join(&s.Eviction.guards, plugin, false)
	join(&s.Eviction.deschedulers, plugin, is(PointVictim))
	s.network.add(plugin, is)
	s.addFilters(plugin, is(PointPredicate), is(PointNodeOrder))
	if p, ok := plugin.(Budgeted); ok {
		s.budgeted = append(s.budgeted, p)
	}
	if p, ok := plugin.(BestNode); ok && !is(PointBestNode) {
		s.Nodes.BestNodes = append(s.Nodes.BestNodes, p)
	}
	if group, ok := plugin.(Group); ok {
		for _, part := range group.Parts() {
			s.add(name, part, off)
		}
	}
}

func (s *Set) addFilters(plugin any, noPredicate, noOrder bool) {
	if b, ok := plugin.(StatefulPlugin); ok {
		s.l.PluginStates.Add(b.PluginState())
	}
	if f, ok := plugin.(StaticFilter); ok && !noPredicate {
		s.Nodes.StaticFilters = append(s.Nodes.StaticFilters, f)
	}
	if f, ok := plugin.(NodeFilter); ok && !noPredicate {
		s.Nodes.NodeFilters = append(s.Nodes.NodeFilters, f)
	}
	if f, ok := plugin.(DomainFilter); ok && !noPredicate {
		s.Nodes.DomainFilters = append(s.Nodes.DomainFilters, f)
	}
	if f, ok := plugin.(DomainOrder); ok && !noOrder {
		s.Nodes.DomainOrders = append(s.Nodes.DomainOrders, f)
	}
	if f, ok := plugin.(QueueFilter); ok && !noPredicate {
		s.Nodes.TaskFilters = slices.Insert(s.Nodes.TaskFilters, 0, TaskFilter(f))
	} else if f, ok := plugin.(TaskFilter); ok && !noPredicate {
		s.Nodes.TaskFilters = append(s.Nodes.TaskFilters, f)
	}
	if f, ok := plugin.(Lacker); ok {
		s.Lackers = append(s.Lackers, f)
	}
	if f, ok := plugin.(NodeOrder); ok && !noOrder {
		s.Nodes.NodeOrders = append(s.Nodes.NodeOrders, f)
	}
	if f, ok := plugin.(StaticOrder); ok && !noOrder {
		s.Nodes.StaticOrders = append(s.Nodes.StaticOrders, f)
	}
	if f, ok := plugin.(BatchNodeOrder); ok && !noOrder {
		s.Nodes.BatchOrders = append(s.Nodes.BatchOrders, f)
	}
}

// Group is a plugin made of several, as predicates and nodeorder are of their filters and scores; each
// part answers for itself at every point.
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

// wire tells the parts what they are parts of.
func (s *Set) wire() *Set {
	s.Eviction.s = s
	return s
}
