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

	victimQueueOrder       chain[VictimQueueOrder]
	preemptive             chain[Preemptive]
	reclaimable            chain[Reclaimable]
	preemptable            chain[Preemptable]
	starving               chain[JobStarving]
	victimQueueFilters     chain[VictimQueueFilter]
	ceilings               chain[VictimCeiling]
	guards                 chain[Guard]
	deschedulers           chain[Descheduler]
	preemptNames           [][]string // of the plugins in preemptable, tier by tier
	reclaimNames           [][]string
	victimQueueFilterNames [][]string

	StaticFilters []StaticFilter
	NodeFilters   []NodeFilter
	DomainFilters []DomainFilter
	DomainOrders  []DomainOrder
	TaskFilters   []TaskFilter
	Lackers       []Lacker
	NodeOrders    []NodeOrder
	StaticOrders  []StaticOrder
	BatchOrders   []BatchNodeOrder
	BestNodes     []BestNode

	budgeted   []Budgeted
	explaining int // the depth of nested calls

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
	s.victimQueueFilters = append(s.victimQueueFilters, nil)
	s.ceilings = append(s.ceilings, nil)
	s.guards = append(s.guards, nil)
	s.deschedulers = append(s.deschedulers, nil)
	s.preemptNames = append(s.preemptNames, nil)
	s.reclaimNames = append(s.reclaimNames, nil)
	s.victimQueueFilterNames = append(s.victimQueueFilterNames, nil)
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
	join(&s.victimQueueFilters, plugin, is(PointReclaimable))
	sign[VictimQueueFilter](&s.victimQueueFilterNames, name, plugin, is(PointReclaimable))
	join(&s.ceilings, plugin, is(PointPreemptable))
	join(&s.guards, plugin, false)
	join(&s.deschedulers, plugin, is(PointVictim))
	s.network.add(plugin, is)
	s.addFilters(plugin, is(PointPredicate), is(PointNodeOrder))
	if p, ok := plugin.(Budgeted); ok {
		s.budgeted = append(s.budgeted, p)
	}
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
	if b, ok := plugin.(StatefulPlugin); ok {
		s.l.AddPluginState(b.PluginState())
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
	if f, ok := plugin.(QueueFilter); ok && !noPredicate {
		s.TaskFilters = slices.Insert(s.TaskFilters, 0, TaskFilter(f))
	} else if f, ok := plugin.(TaskFilter); ok && !noPredicate {
		s.TaskFilters = append(s.TaskFilters, f)
	}
	if f, ok := plugin.(Lacker); ok {
		s.Lackers = append(s.Lackers, f)
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
