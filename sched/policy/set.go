package policy

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// Set is a profile's plugins by extension point, with the rules by which their
// answers combine.
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
	Eviction Eviction
	Nodes    NodePoints
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
		s.Nodes.TaskFilters = slices.Insert(s.Nodes.TaskFilters, 0, f)
		return
	}
	s.Nodes.TaskFilters = append(s.Nodes.TaskFilters, f)
}

// wire tells the parts what they are parts of.
func (s *Set) wire() *Set {
	s.Eviction.s = s
	return s
}
