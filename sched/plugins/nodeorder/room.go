package nodeorder

import (
	"ashlar.sh/sched/gauge"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// room scores a node by how full it would be with the task on it. The three scores
// read the same two shares, so they are one part: the shares cost more than the rest.
type room struct {
	l                     *ledger.Ledger
	least, most, balanced int64 // weights
}

// ScoreNode is the weighted sum of the three scores.
func (r *room) ScoreNode(c *ledger.Class, n ledger.NodeID) int64 {
	cpu := r.share(c, n, resource.CPU)
	memory := r.share(c, n, resource.Memory)
	return r.points(cpu, memory)
}

// AddScores is ScoreNode for many nodes.
func (r *room) AddScores(c *ledger.Class, nodes []ledger.NodeID, scores []int64) {
	ofCPU := gauge.NewDial(r.l, resource.CPU, c.Request.Get(resource.CPU))
	ofMemory := gauge.NewDial(r.l, resource.Memory, c.Request.Get(resource.Memory))
	scores = scores[:len(nodes)]
	for i, n := range nodes {
		cpu, memory := min(ofCPU.Share(n), policy.Points), min(ofMemory.Share(n), policy.Points)
		scores[i] += r.points(cpu, memory)
	}
}

func (r *room) points(cpu, memory int64) int64 {
	sum := r.least*leastRequested(cpu, memory) + r.balanced*balanced(cpu, memory)
	if r.most != 0 {
		sum += r.most * mostRequested(cpu, memory)
	}
	return sum
}

// share is the gauge's, with no more held than there is.
func (r *room) share(c *ledger.Class, n ledger.NodeID, d resource.Dim) int64 {
	return min(gauge.Share(r.l, d, n, c.Request.Get(d)), policy.Points)
}

// leastRequested is the mean of what is left; a resource that the node lacks has
// nothing left.
func leastRequested(cpu, memory int64) int64 { return (left(cpu) + left(memory)) / 2 }

func left(share int64) int64 {
	if share == gauge.Lacks {
		return 0
	}
	return policy.Points - share
}

// mostRequested is the mean of what is held; a resource that the node lacks is not
// held.
func mostRequested(cpu, memory int64) int64 { return (max(cpu, 0) + max(memory, 0)) / 2 }

// balanced takes half the distance of the two shares off; a node that lacks one of
// the two has nothing to balance.
func balanced(cpu, memory int64) int64 {
	if cpu == gauge.Lacks || memory == gauge.Lacks {
		return policy.Points
	}
	return policy.Points - max(cpu-memory, memory-cpu)/2
}
