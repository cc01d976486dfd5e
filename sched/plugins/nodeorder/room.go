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
	cpu, memory           *gauge.Table
	left                  [2][]int64 // scratch: what the tables read
}

// ScoreNode is the weighted sum of the three scores.
func (r *room) ScoreNode(c *ledger.Class, n ledger.NodeID) int64 {
	cpu := r.share(c, n, resource.CPU)
	memory := r.share(c, n, resource.Memory)
	return r.points(cpu, memory)
}

// AddScores is ScoreNode for some nodes.
func (r *room) AddScores(c *ledger.Class, nodes []ledger.NodeID, scores []int64) {
	cpu, memory := r.scratch(len(nodes))
	r.cpu.Some(nodes, c.Request.Get(resource.CPU), cpu)
	r.memory.Some(nodes, c.Request.Get(resource.Memory), memory)
	r.add(scores, cpu, memory, func(i int) (int64, bool) { return r.odd(c, nodes[i]) })
}

// AddRun is ScoreNode for the nodes from first on.
func (r *room) AddRun(c *ledger.Class, first ledger.NodeID, scores []int64) {
	cpu, memory := r.scratch(len(scores))
	r.cpu.Run(first, c.Request.Get(resource.CPU), cpu)
	r.memory.Run(first, c.Request.Get(resource.Memory), memory)
	r.add(scores, cpu, memory, func(i int) (int64, bool) { return r.odd(c, first+ledger.NodeID(i)) })
}

func (r *room) scratch(n int) (cpu, memory []int64) {
	for i := range r.left {
		if len(r.left[i]) < n {
			r.left[i] = make([]int64, 2*n)
		}
	}
	return r.left[0][:n], r.left[1][:n]
}

// add adds the three scores from what would be left of the two resources, of nodes that
// offer both; odd gives those of the others.
func (r *room) add(scores, cpu, memory []int64, odd func(i int) (int64, bool)) {
	cpu, memory = cpu[:len(scores)], memory[:len(scores)]
	if r.cpu.Odd() || r.memory.Odd() {
		for i := range scores {
			if points, is := odd(i); is {
				scores[i] += points
			} else {
				scores[i] += r.points(policy.Points-cpu[i], policy.Points-memory[i])
			}
		}
		return
	}
	least, balanced := r.least, r.balanced
	for i := range scores {
		sum, apart := cpu[i]+memory[i], cpu[i]-memory[i]
		apart = (apart ^ apart>>63) - apart>>63
		scores[i] += least*(sum>>1) + balanced*(policy.Points-apart>>1)
	}
	if r.most != 0 {
		for i := range scores {
			scores[i] += r.most * (policy.Points - (cpu[i]+memory[i]+1)>>1)
		}
	}
}

// odd scores a node that some table cannot read.
func (r *room) odd(c *ledger.Class, n ledger.NodeID) (points int64, is bool) {
	if r.cpu.OddAt(n) || r.memory.OddAt(n) {
		return r.ScoreNode(c, n), true
	}
	return 0, false
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
