package policy

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// Set is a profile's plugins by extension point, with the rules by which their answers combine.
type Set struct {
	l    *ledger.Ledger
	tier int // that plugins are added to

	clocks       []Clock
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

	Lackers []Lacker

	budgeted   []Budgeted
	explaining int // the depth of nested calls

	network
	Eviction    Eviction
	NodePlugins NodePlugins
}

// add puts a plugin wherever it implements an extension point that is not turned off, and then its parts.
func (s *Set) add(name string, plugin any, off []Point) {
	for i := range table {
		if p := &table[i]; p.add != nil && (p.Flag == "" || !slices.Contains(off, p.Flag)) {
			p.add(s, name, plugin)
		}
	}
	if group, ok := plugin.(Group); ok {
		for _, part := range group.Parts() {
			s.add(name, part, off)
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
