package policy

import (
	"reflect"
	"slices"

	"ashlar.sh/sched/ledger"
)

// ExtensionPoint is one question that plugins may answer: an interface, what configurations and documents say of it,
// and where a Set keeps the plugins that implement it.
type ExtensionPoint struct {
	Name    string // the interface's
	Flag    Point  // the flag that takes a plugin out of it; "": none does
	Rule    string // how answers combine: a letter of docs/plugins.md; "": the engine asks each plugin by itself
	Meaning string // what a plugin answers, in half a sentence
	Refines []string

	asks    reflect.Type
	methods []string
	refines []reflect.Type
	add     func(s *Set, name string, plugin any)
	byTier  bool // a plugin that is named in several tiers answers in each of them
}

// ExtensionPoints lists all extension points, and refinements of them, in a new slice each time. A refinement is an
// interface that says more of an answer; a plugin that implements it has to implement a point of Refines, too.
func ExtensionPoints() []ExtensionPoint { return slices.Clone(table) }

// table is the one list of extension points. A plugin is added wherever it implements the interface, and a method of a
// plugin that belongs to none of them is an error (check).
var table = []ExtensionPoint{
	point("", "", "the time of the cycle, and when answers change by time alone",
		list(func(s *Set) *[]Clock { return &s.clocks.all })),
	point("", "", "its answers also change with what the cycle decided",
		list(func(s *Set) *[]Later { return &s.clocks.later }), of[Clock]()),
	point("", "", "jobs of which the start is planned whatever their queue says",
		list(func(s *Set) *[]StartsDue { return &s.clocks.due }), of[Clock]()),
	point("", "", "answers depend on when a task starts",
		list(func(s *Set) *[]Starter { return &s.clocks.starters }), of[Clock]()),
	point("", "", "what stays unchanged for the cycle", tier(func(s *Set) *chain[Opener] { return &s.openers })),
	point("", "", "sums that the ledger drives, in tries too",
		func(s *Set, _ string, p StatefulPlugin) { s.l.PluginStates.Add(p.PluginState()) }),
	refinement[ledger.PluginState]("it is its own PluginState", of[StatefulPlugin](), of[ledger.PluginState]()),
	refinement[ledger.FactReader]("it reads facts that the engine does not", of[ledger.PluginState]()),
	refinement[ledger.PodObserver]("it is also told of pods that wait or have finished", of[ledger.PluginState]()),
	refinement[ledger.Allocator]("which of several things on a node each placement takes", of[ledger.PluginState]()),
	refinement[ledger.PipelinedAllocator]("which things a pipelined task will have", of[ledger.PluginState]()),
	refinement[ledger.Keeper]("what was chosen is kept with room for a planned start", of[ledger.Allocator]()),
	refinement[ledger.Resumable]("its sums pass to the engine that replaces this one", of[ledger.PluginState]()),
	refinement[ledger.TermMatcher]("which affinity terms select a pod", of[ledger.PluginState]()),
	point("", "", "a budget for answers that cost too much for one cycle",
		list(func(s *Set) *[]Budgeted { return &s.budgeted })),
	point("", "", "a plugin made of several parts", func(*Set, string, Group) {}),

	point(PointQueueOrder, "A", "which queue is served first",
		list(func(s *Set) *[]QueueOrder { return &s.queueOrder })),
	refinement[CoupledQueueOrder]("serving one queue moves others", of[QueueOrder]()),
	refinement[HierarchicalQueueOrder]("an order by paths in a tree", of[QueueOrder]()),
	point(PointJobOrder, "A", "which job of a queue is served first",
		list(func(s *Set) *[]JobOrder { return &s.jobOrder })),
	refinement[TenantOrder]("an order by what tenants hold and used", of[JobOrder]()),
	point(PointTaskOrder, "A", "which task of a job is placed first",
		list(func(s *Set) *[]TaskOrder { return &s.taskOrder })),
	point(PointSubJobOrder, "A", "which sub-group of a job is placed first",
		list(func(s *Set) *[]SubJobOrder { return &s.subOrder })),

	point("", "D", "why a job cannot be scheduled at all", list(func(s *Set) *[]JobValid { return &s.jobValid })),
	refinement[OfJobAlone]("the answer follows from the job alone", of[JobValid](), of[JobStarving]()),
	inTiers(point(PointJobEnqueued, "E", "whether a job may leave Pending",
		tier(func(s *Set) *chain[JobEnqueueable] { return &s.enqueueable }))),
	refinement[JobLoanable]("whether a job that would start at once may leave Pending", of[JobEnqueueable]()),
	point(PointJobReady, "B", "whether a job's placements may be committed",
		list(func(s *Set) *[]JobReady { return &s.ready })),
	inTiers(point(PointJobPipelined, "E", "whether a job would be ready with its pipelined members",
		tier(func(s *Set) *chain[JobPipelined] { return &s.pipelined }))),
	refinement[OnlyWhole]("no job holds room for a part of its minimum", of[JobPipelined]()),
	point(PointSubJobReady, "B", "whether a sub-group has as many members placed as it needs",
		list(func(s *Set) *[]SubJobReady { return &s.subReady })),
	inTiers(point(PointSubJobPipelined, "E", "whether a sub-group would be ready with its pipelined members",
		tier(func(s *Set) *chain[SubJobPipelined] { return &s.subPipelined }))),
	point(PointOverused, "C", "whether a queue is served no more in this cycle",
		list(func(s *Set) *[]Overused { return &s.overused })),
	point(PointAllocatable, "B", "how many more tasks a queue may take: the least that any plugin allows",
		list(func(s *Set) *[]Allocatable { return &s.allocatable })),

	point(PointPredicate, "D", "why no node takes a task",
		list(func(s *Set) *[]PrePredicate { return &s.prePredicate })),
	point(PointPredicate, "D", "a node for a class, by facts alone",
		list(func(s *Set) *[]StaticFilter { return &s.NodePlugins.StaticFilters })),
	refinement[LabelFilter]("a node is admitted by terms about its labels", of[StaticFilter]()),
	refinement[Aspect]("the part of a spec that an answer depends on", of[StaticFilter](), of[StaticOrder]()),
	point(PointPredicate, "D", "a node for a class, by the pods on it",
		list(func(s *Set) *[]NodeFilter { return &s.NodePlugins.NodeFilters })),
	point(PointPredicate, "D", "a node for a class, by the pods in its domains",
		list(func(s *Set) *[]DomainFilter { return &s.NodePlugins.DomainFilters })),
	refinement[Colocator]("the first pod of a class decides the domain of the rest", of[DomainFilter]()),
	point(PointPredicate, "D", "a node for one task, by anything", (*Set).addTaskFilter),
	refinement[QueueFilter]("a filter with one answer for all nodes", of[TaskFilter]()),
	refinement[Refuser]("a set of nodes that would be refused", of[TaskFilter]()),
	refinement[Stocked]("what a task needs of things that can be counted, and what ends give back", of[TaskFilter]()),
	refinement[Unresolvable]("no node would take a task, whichever pods ended", of[TaskFilter]()),
	point("", "", "dimensions that a task asks for in another way than by its request",
		list(func(s *Set) *[]Lacker { return &s.Lackers })),
	point(PointNodeOrder, "I", "a node for a class, by facts and the pods on it",
		list(func(s *Set) *[]NodeOrder { return &s.NodePlugins.NodeOrders })),
	refinement[BulkOrder]("the scores of many nodes in one call", of[NodeOrder]()),
	point(PointNodeOrder, "I", "a node for a class, by facts alone and relative to other nodes",
		list(func(s *Set) *[]StaticOrder { return &s.NodePlugins.StaticOrders })),
	refinement[MovingOrder]("the scores change with facts that change nothing else", of[StaticOrder]()),
	point(PointNodeOrder, "I", "a node for a class, by the pods in its domains",
		list(func(s *Set) *[]DomainOrder { return &s.NodePlugins.DomainOrders })),
	refinement[GradedOrder]("many nodes have equal scores", of[DomainOrder]()),
	point(PointNodeOrder, "I", "all nodes for one task, by anything",
		list(func(s *Set) *[]BatchNodeOrder { return &s.NodePlugins.BatchOrders })),
	point(PointBestNode, "J", "one of the nodes that would take a task",
		list(func(s *Set) *[]BestNode { return &s.NodePlugins.BestNodes })),
	point(PointNodeOrder, "J", "a node for a task, by its smallest domain of the network", (*Set).addNetworkOrder),
	point(PointHyperNodeGradient, "J", "the domains of the network",
		list(func(s *Set) *[]HyperNodeGradient { return &s.gradients })),
	point(PointHyperNodeOrder, "I", "a domain of the network",
		list(func(s *Set) *[]HyperNodeOrder { return &s.hyperOrders })),

	inTiers(point(PointJobStarving, "F", "whether pods may be evicted for a job",
		tier(func(s *Set) *chain[JobStarving] { return &s.Eviction.starving }))),
	inTiers(point(PointPreemptable, "G", "whether a unit of the preemptor's own queue may be evicted for it",
		tier(func(s *Set) *chain[Preemptable] { return &s.Eviction.preemptable }))),
	refinement[EqualPreemptable]("jobs of equal priority may be victims", of[Preemptable]()),
	refinement[ByPreemptor]("the answer for one job says nothing about another", of[Preemptable](), of[Reclaimable]()),
	point(PointPreemptable, "B", "the priority above which no job is a victim",
		list(func(s *Set) *[]VictimCeiling { return &s.Eviction.ceilings })),
	inTiers(point(PointReclaimable, "G", "whether a unit of another queue may be evicted for a preemptor",
		tier(func(s *Set) *chain[Reclaimable] { return &s.Eviction.reclaimable }))),
	inTiers(point(PointReclaimable, "B", "whether anything of a queue may be reclaimed",
		tier(func(s *Set) *chain[VictimQueueFilter] { return &s.Eviction.queueFilters }))),
	point("", "A", "which of two queues loses tasks first",
		list(func(s *Set) *[]VictimQueueOrder { return &s.Eviction.queueOrder })),
	point(PointPreemptive, "B", "whether a queue may take from other queues",
		list(func(s *Set) *[]Preemptive { return &s.Eviction.preemptive })),
	point("", "D", "units that no action may evict", list(func(s *Set) *[]Guard { return &s.Eviction.guards })),
	inTiers(point(PointVictim, "H", "tasks that would run better elsewhere",
		tier(func(s *Set) *chain[Descheduler] { return &s.Eviction.deschedulers }))),

	point("", "J", "a queue's figures, for reports", list(func(s *Set) *[]QueueReporter { return &s.reporters })),
	point("", "J", "how a queue's figures come about", list(func(s *Set) *[]QueueArithmetic { return &s.arithmetic })),
	point("", "", "contradictions between objects", list(func(s *Set) *[]Problems { return &s.problems })),
	point("", "", "how bookings of nodes stand, for reports",
		list(func(s *Set) *[]BookingReporter { return &s.bookings })),
	point("", "", "which devices there are and which claims have them, for reports",
		list(func(s *Set) *[]DeviceReporter { return &s.devices })),
}

// point is a row of the table for the interface P. With refined it is a refinement, of which a Set keeps the plugins,
// too.
func point[P any](flag Point, rule, meaning string, add func(s *Set, name string, p P),
	refined ...reflect.Type,
) ExtensionPoint {
	row := refinement[P](meaning, refined...)
	row.Flag, row.Rule = flag, rule
	row.add = func(s *Set, name string, plugin any) {
		if p, ok := plugin.(P); ok {
			add(s, name, p)
		}
	}
	return row
}

// inTiers is the row of a point at which answers combine tier by tier.
func inTiers(row ExtensionPoint) ExtensionPoint {
	row.byTier = true
	return row
}

// refinement is a row for an interface that says more of the answers at one of the points.
func refinement[P any](meaning string, refined ...reflect.Type) ExtensionPoint {
	asks := reflect.TypeFor[P]()
	row := ExtensionPoint{Name: asks.Name(), Meaning: meaning, asks: asks, refines: refined}
	for i := range asks.NumMethod() {
		row.methods = append(row.methods, asks.Method(i).Name)
	}
	for _, r := range refined {
		row.Refines = append(row.Refines, r.Name())
	}
	return row
}

func of[P any]() reflect.Type { return reflect.TypeFor[P]() }

// list keeps the plugins of a point in one list: of the tiers their order alone counts.
func list[P any](in func(*Set) *[]P) func(*Set, string, P) {
	return func(s *Set, _ string, p P) { *in(s) = append(*in(s), p) }
}

// chain is the plugins of an extension point, and their names, tier by tier.
type chain[P any] struct {
	tiers [][]P
	names [][]string
}

// tier keeps the plugins of a point tier by tier, with their names.
func tier[P any](in func(*Set) *chain[P]) func(*Set, string, P) {
	return func(s *Set, name string, p P) {
		c := in(s)
		for len(c.tiers) <= s.tier {
			c.tiers, c.names = append(c.tiers, nil), append(c.names, nil)
		}
		c.tiers[s.tier] = append(c.tiers[s.tier], p)
		c.names[s.tier] = append(c.names[s.tier], name)
	}
}

// some says that a plugin of some tier has the refinement R.
func some[R, P any](tiers ...[]P) bool {
	return slices.ContainsFunc(tiers, func(tier []P) bool { return slices.ContainsFunc(tier, has[R, P]) })
}

// all says that every plugin of all tiers has the refinement R.
func all[R, P any](tiers ...[]P) bool {
	lacks := func(p P) bool { return !has[R](p) }
	return !slices.ContainsFunc(tiers, func(tier []P) bool { return slices.ContainsFunc(tier, lacks) })
}

func has[R, P any](p P) bool {
	_, is := any(p).(R)
	return is
}

// Group is a plugin made of several, as predicates and nodeorder are of their filters and scores; each part answers
// for itself at every point. One without parts is a plugin that its arguments turn off.
type Group interface{ Parts() []any }

// Parts is a Group that is nothing else.
type Parts []any

// Parts implements Group.
func (p Parts) Parts() []any { return p }
