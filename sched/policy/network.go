package policy

import (
	"cmp"
	"slices"
	"strconv"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/topology"
)

// The points for sub-groups and for domains of the network.
const (
	PointSubJobOrder       Point = "SubJobOrder"
	PointSubJobReady       Point = "SubJobReady"
	PointSubJobPipelined   Point = "SubJobPipelined"
	PointHyperNodeOrder    Point = "HyperNodeOrder"
	PointHyperNodeGradient Point = "HyperNodeGradient"
)

// SubJobOrder says which of two sub-groups of a job, by their index in its Subs, is placed
// first: negative for a.
type SubJobOrder interface {
	CompareSubJobs(j ledger.JobID, a, b int32) int
}

// SubJobReady says that a sub-group has as many members placed as it needs.
type SubJobReady interface {
	SubReady(j ledger.JobID, sub int32) bool
}

// SubJobPipelined votes on whether a sub-group would be ready once the room promised to it is
// free.
type SubJobPipelined interface {
	VoteSubPipelined(j ledger.JobID, sub int32) Vote
}

// HyperNodeGradient knows the domains of the network. With such a plugin, the network topology of jobs
// is respected: the domains of the lowest tier are tried first.
type HyperNodeGradient interface {
	HyperNodes() *topology.Map
}

// HyperNodeOrder scores a domain for tasks that ask for want together: the best domain of a tier is
// tried first.
type HyperNodeOrder interface {
	ScoreHyperNode(d topology.ID, want resource.Vec) int64
}

// NetworkOrder scores nodes for tasks by the smallest domain of the network that a node is in, and by nothing
// else of the node. A task that is placed changes the scores of many nodes at once, so it is asked for scores
// of domains. Of several such plugins the first counts.
type NetworkOrder interface {
	// Network is the tree of domains, up to date; nil where the scores of all nodes are equal.
	Network() *topology.Map
	// ConcernsTask says that it scores nodes for a task at all.
	ConcernsTask(t ledger.TaskID) bool
	// NetworkScores are the scores for one class. It is called once for a class.
	NetworkScores(c *ledger.Class) NetworkScores
}

// NetworkScores are the scores for a class by domain.
type NetworkScores interface {
	// Fresh returns, by topology.ID of the tree of Network, the score of nodes of which that is the smallest
	// domain: between 0 and the plugin's weight times Points. The list is valid until the next call.
	Fresh() []int64
}

// network is the part of a Set for these points.
type network struct {
	NetworkOrder NetworkOrder // nil: none

	subOrder     []SubJobOrder
	subReady     []SubJobReady
	subPipelined chain[SubJobPipelined]
	gradients    []HyperNodeGradient
	hyperOrders  []HyperNodeOrder
}

// addNetworkOrder keeps the first of such plugins.
func (s *Set) addNetworkOrder(_ string, o NetworkOrder) {
	if s.NetworkOrder == nil {
		s.NetworkOrder = o
	}
}

// HyperNodes is rule J: the map of the first plugin that knows the network, brought up to date; nil
// when there is none.
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

// CompareSubJobs is rule A: plugins, then the values of the policy's keys, where numbers compare as
// numbers, then the name.
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
	return elect(s.subPipelined, func(p SubJobPipelined) Vote { return p.VoteSubPipelined(j, sub) })
}
