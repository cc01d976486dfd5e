package policy

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// Set is a profile's plugins by extension point, with the rules by which their answers combine.
type Set struct {
	l    *ledger.Ledger
	tier int // that plugins are added to

	clocks       clocks
	openers      chain[Opener]
	queueOrder   []QueueOrder
	jobOrder     []JobOrder
	taskOrder    []TaskOrder
	jobValid     []JobValid
	enqueueable  chain[JobEnqueueable]
	ready        []JobReady
	pipelined    chain[JobPipelined]
	overused     []Overused
	allocatable  []Allocatable
	prePredicate []PrePredicate
	reporters    []QueueReporter
	arithmetic   []QueueArithmetic
	problems     []Problems
	bookings     []BookingReporter
	devices      []DeviceReporter

	Lackers []Lacker

	budgeted   []Budgeted
	explaining int // the depth of nested calls

	network
	Eviction    Eviction
	NodePlugins NodePlugins
}

// add puts a plugin wherever it implements an extension point that is not turned off, and then its parts. before lists
// the points off in each tier that named it earlier: of a point at which tiers do not count it is added once.
func (s *Set) add(name string, plugin any, off []Point, before [][]Point) {
	for i := range table {
		p := &table[i]
		on := func(off []Point) bool { return p.Flag == "" || !slices.Contains(off, p.Flag) }
		if p.add != nil && on(off) && (p.byTier || !slices.ContainsFunc(before, on)) {
			p.add(s, name, plugin)
		}
	}
	if group, ok := plugin.(Group); ok {
		for _, part := range group.Parts() {
			s.add(name, part, off, before)
		}
	}
}

// addTaskFilter puts filters about queues before those that look at nodes.
func (s *Set) addTaskFilter(_ string, f TaskFilter) {
	if _, ofQueue := f.(QueueFilter); ofQueue {
		s.NodePlugins.TaskFilters = slices.Insert(s.NodePlugins.TaskFilters, 0, f)
		return
	}
	s.NodePlugins.TaskFilters = append(s.NodePlugins.TaskFilters, f)
}

// addNetworkOrder keeps the first of such plugins.
func (s *Set) addNetworkOrder(_ string, o NetworkOrder) {
	if s.NetworkOrder == nil {
		s.NetworkOrder = o
	}
}

// clocks is the part of a Set for answers that change by time; the other lists hold some of the first.
type clocks struct {
	all      []Clock
	later    []Later
	due      []StartsDue
	starters []Starter
}

// network is the part of a Set for sub-groups and for domains of the network.
type network struct {
	subOrder     []SubJobOrder
	subReady     []SubJobReady
	subPipelined chain[SubJobPipelined]
	gradients    []HyperNodeGradient
	hyperOrders  []HyperNodeOrder
	NetworkOrder NetworkOrder // nil: none
}

// NodePlugins holds the plugins that filter and score nodes.
type NodePlugins struct {
	StaticFilters []StaticFilter
	NodeFilters   []NodeFilter
	DomainFilters []DomainFilter
	DomainOrders  []DomainOrder
	TaskFilters   []TaskFilter
	NodeOrders    []NodeOrder
	StaticOrders  []StaticOrder
	BatchOrders   []BatchNodeOrder
	BestNodes     []BestNode
}
