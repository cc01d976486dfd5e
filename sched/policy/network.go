package policy

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/topology"
)

// SubJobOrder says which of two sub-groups of a job, by their index in its Subs, is placed first: negative for a.
type SubJobOrder interface {
	CompareSubJobs(j ledger.JobID, a, b int32) int
}

// SubJobReady says that a sub-group has as many members placed as it needs.
type SubJobReady interface {
	SubReady(j ledger.JobID, sub int32) bool
}

// SubJobPipelined votes on whether a sub-group would be ready once the room that its pipelined members wait for is
// free.
type SubJobPipelined interface {
	VoteSubPipelined(j ledger.JobID, sub int32) Vote
}

// HyperNodeGradient knows the domains of the network. With such a plugin, the network topology of jobs is respected:
// the domains of the lowest tier are tried first.
type HyperNodeGradient interface {
	HyperNodes() *topology.Map
}

// HyperNodeOrder scores a domain for tasks that ask for want together: the best domain of a tier is tried first.
type HyperNodeOrder interface {
	ScoreHyperNode(d topology.ID, want resource.Vec) int64
}

// NetworkOrder scores nodes for tasks by the smallest domain of the network that a node is in, and by nothing else of
// the node. A task that is placed changes the scores of many nodes at once, so it is asked for scores of domains. Of
// several such plugins the first counts.
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
	// Fresh returns, by topology.ID of the tree of Network, the score of nodes of which that is the smallest domain:
	// between 0 and the plugin's weight times MaxNodeScore. The list is valid until the next call.
	Fresh() []int64
}
