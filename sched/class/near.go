package class

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/topology"
)

// nearScores are what the present question's task adds to the scores of nodes by the network's smallest
// domains.
type nearScores struct {
	tree    *topology.Map
	version uint64  // of the tree; 0: domains of the network are not scored
	scores  []int64 // by topology.ID; nil: they are not scored for this task
}

// placeNear finds the scores by domain of the network for a task.
func (x *Index) placeNear(r *row, t ledger.TaskID) {
	o := x.set.NetworkOrder
	if o == nil {
		return
	}
	x.near = nearScores{tree: o.Network()}
	if x.near.tree == nil {
		return
	}
	x.near.version = x.near.tree.Version()
	if !o.ConcernsTask(t) {
		return
	}
	if r.network == nil {
		r.network = o.NetworkScores(x.l.Class(r.id))
	}
	x.near.scores = r.network.Fresh()
	if size := bytesByDomain * len(x.near.scores); size != r.networkSize {
		r.networkSize = size
		x.rows.weigh(r)
	}
}

// bytesByDomain is roughly what scores by domain take for each domain.
const bytesByDomain = 24

// of is what a node's domain adds to its score.
func (p *nearScores) of(n ledger.NodeID) int64 {
	if p.scores == nil {
		return 0
	}
	return p.scores[p.tree.Leaf(n)]
}

// add adds what the nodes' domains add to their scores.
func (p *nearScores) add(nodes []ledger.NodeID, scores []int64) {
	if p.scores == nil {
		return
	}
	for i, n := range nodes {
		scores[i] += p.scores[p.tree.Leaf(n)]
	}
}

// addRun adds to scores[i] what the domain of node first+i adds, except for nodes that do not take the class.
func (p *nearScores) addRun(first int, scores []int64) {
	if p.scores == nil {
		return
	}
	for i := range scores {
		if scores[i] != out {
			scores[i] += p.scores[p.tree.Leaf(ledger.NodeID(first+i))]
		}
	}
}

// mostSmallest is into how many groups nodes are divided by the network's smallest domains at most: where there
// are more, nearly every node is in one of its own, and all nodes are scored for each task.
const mostSmallest = 1024

// splitByNetwork begins the division of nodes into groups with one group for each of the network's smallest
// domains, where such domains are scored. It returns the number of groups.
func (x *Index) splitByNetwork(d *domains) int32 {
	d.mixed = false
	if x.near.version == 0 {
		return 1
	}
	found, count := make([]int32, x.near.tree.Len()), int32(0)
	for n := range d.groupOf {
		at := &found[x.near.tree.Leaf(ledger.NodeID(n))]
		if *at == 0 {
			count++
			*at = count
		}
		d.groupOf[n] = *at - 1
	}
	if count > mostSmallest {
		clear(d.groupOf)
		d.mixed, count = true, 1
	}
	return max(1, count)
}
