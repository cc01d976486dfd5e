package class

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/topology"
)

// networkScores are what a task adds to the scores of nodes by the network's smallest domains.
type networkScores struct {
	tree    *topology.Map
	version uint64  // of the tree; 0: domains of the network are not scored
	scores  []int64 // by topology.ID; nil: they are not scored for this task
}

// networkScores finds the scores by domain of the network for a task.
func (x *Index) networkScores(r *row, t ledger.TaskID) networkScores {
	o := x.set.NetworkOrder
	if o == nil {
		return networkScores{}
	}
	tree := o.Network()
	if tree == nil {
		return networkScores{}
	}
	if !o.ConcernsTask(t) {
		return networkScores{tree: tree, version: tree.Version()}
	}
	if r.network == nil {
		r.network = o.NetworkScores(r.class)
	}
	s := networkScores{tree, tree.Version(), r.network.Fresh()}
	if size := bytesByDomain * len(s.scores); size != r.networkSize {
		r.networkSize = size
		x.weigh(r)
	}
	return s
}

// bytesByDomain is roughly what scores by domain take for each domain.
const bytesByDomain = 24

// add adds to scores[i] what the domain of nodes[i] adds, or without nodes that of node first+i, except for nodes that
// do not take the class.
func (p *networkScores) add(nodes []ledger.NodeID, first int, scores []int64) {
	if p.scores == nil {
		return
	}
	for i := range scores {
		n := ledger.NodeID(first + i)
		if nodes != nil {
			n = nodes[i]
		}
		if scores[i] != out {
			scores[i] += p.scores[p.tree.Leaf(n)]
		}
	}
}
