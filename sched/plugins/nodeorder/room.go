package nodeorder

import (
	"math/bits"

	"ashlar.sh/sched/fraction"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// room scores a node by how full it would be with the task on it. The three scores
// read the same shares, so they are one part: the shares cost more than the rest.
type room struct {
	l                     *ledger.Ledger
	least, most, balanced int64 // weights
	cpu, memory           *fraction.Table
	device                struct {
		*fraction.Table              // nil: not read yet
		dim             resource.Dim // none: no node offers any, and no task asks for any
	}
	dims int        // as many as there were when device was looked for
	left [3][]int64 // scratch: what the tables read
}

// deviceName is the extended resource that is balanced with cpu and memory, where it is
// asked for. Source: the arguments that Volcano gives NodeResourcesBalancedAllocation.
const deviceName = "nvidia.com/gpu"

// ScoreNode is the weighted sum of the three scores.
func (r *room) ScoreNode(c *ledger.Class, n ledger.NodeID) int64 {
	return r.score(c, n, r.balances(c))
}

// score is ScoreNode; d: the dimension that is balanced too, or none.
func (r *room) score(c *ledger.Class, n ledger.NodeID, d resource.Dim) int64 {
	cpu, memory := r.share(c, n, resource.CPU), r.share(c, n, resource.Memory)
	sum := r.least * leastRequested(cpu, memory)
	if r.most != 0 {
		sum += r.most * mostRequested(cpu, memory)
	}
	if d == none {
		return sum + r.balance(c, d)*balanced(cpu, memory)
	}
	return sum + r.balance(c, d)*balancedThree(cpu, memory, r.share(c, n, d))
}

// none is no dimension.
const none = resource.Dim(-1)

// balances is the dimension that is balanced with cpu and memory for a class, none where
// it asks for no devices.
func (r *room) balances(c *ledger.Class) resource.Dim {
	if dims := r.l.Dims.Len(); dims != r.dims {
		r.dims, r.device.dim = dims, none
		if d, known := r.l.Dims.Lookup(deviceName); known {
			r.device.dim = d
		}
	}
	if d := r.device.dim; d != none && r.balanced != 0 && c.Request.Get(d) > 0 {
		return d
	}
	return none
}

// AddScores is ScoreNode for some nodes.
func (r *room) AddScores(c *ledger.Class, nodes []ledger.NodeID, scores []int64) {
	cpu, memory, device := r.scratch(len(nodes))
	r.cpu.Some(nodes, c.Request.Get(resource.CPU), cpu)
	r.memory.Some(nodes, c.Request.Get(resource.Memory), memory)
	d := r.balances(c)
	if d != none {
		r.table(d).Some(nodes, c.Request.Get(d), device)
	}
	r.add(c, d, scores, func(i int) ledger.NodeID { return nodes[i] })
}

// AddRun is ScoreNode for the nodes from first on.
func (r *room) AddRun(c *ledger.Class, first ledger.NodeID, scores []int64) {
	cpu, memory, device := r.scratch(len(scores))
	r.cpu.Run(first, c.Request.Get(resource.CPU), cpu)
	r.memory.Run(first, c.Request.Get(resource.Memory), memory)
	d := r.balances(c)
	if d != none {
		r.table(d).Run(first, c.Request.Get(d), device)
	}
	r.add(c, d, scores, func(i int) ledger.NodeID { return first + ledger.NodeID(i) })
}

// table reads the devices of nodes.
func (r *room) table(d resource.Dim) *fraction.Table {
	if r.device.Table == nil {
		r.device.Table = fraction.NewTable(r.l, d)
	}
	return r.device.Table
}

func (r *room) scratch(n int) (cpu, memory, device []int64) {
	for i := range r.left {
		if len(r.left[i]) < n {
			r.left[i] = make([]int64, 2*n)
		}
	}
	return r.left[0][:n], r.left[1][:n], r.left[2][:n]
}

// add adds the three scores from what would be left of the resources that were read; d as
// in score.
func (r *room) add(c *ledger.Class, d resource.Dim, scores []int64, node func(i int) ledger.NodeID) {
	if d != none || r.cpu.Inexact() || r.memory.Inexact() {
		r.addEach(c, d, scores, node)
		return
	}
	cpu, memory, _ := r.scratch(len(scores))
	least, weight := r.least, r.balance(c, d)
	for i := range scores {
		sum, apart := cpu[i]+memory[i], cpu[i]-memory[i]
		apart = (apart ^ apart>>63) - apart>>63
		scores[i] += least*(sum>>1) + weight*(policy.MaxNodeScore-apart>>1)
	}
	if r.most != 0 {
		for i := range scores {
			scores[i] += r.most * (policy.MaxNodeScore - (cpu[i]+memory[i]+1)>>1)
		}
	}
}

// balance is the weight that balance has for a class: none for one that asks for nothing
// of what is balanced, as in kube-scheduler; d as in score.
func (r *room) balance(c *ledger.Class, d resource.Dim) int64 {
	if d == none && c.Request.Get(resource.CPU) == 0 && c.Request.Get(resource.Memory) == 0 {
		return 0
	}
	return r.balanced
}

// addEach is add where nodes are looked at one by one: those that some table cannot read,
// and those with devices.
func (r *room) addEach(c *ledger.Class, d resource.Dim, scores []int64, node func(i int) ledger.NodeID) {
	cpu, memory, device := r.scratch(len(scores))
	weight := r.balance(c, d)
	for i := range scores {
		n := node(i)
		switch {
		case d != none && r.l.Nodes.Allocatable(d)[n] <= 0: // it does not take the class
		case r.cpu.InexactAt(n) || r.memory.InexactAt(n) || d != none && r.device.InexactAt(n):
			scores[i] += r.score(c, n, d)
		default:
			apart := balanced(cpu[i], memory[i])
			if d != none {
				apart = balancedThree(cpu[i], memory[i], device[i])
			}
			scores[i] += r.least*((cpu[i]+memory[i])>>1) + weight*apart + r.most*(policy.MaxNodeScore-(cpu[i]+memory[i]+1)>>1)
		}
	}
}

// share is the gauge's, with no more held than there is.
func (r *room) share(c *ledger.Class, n ledger.NodeID, d resource.Dim) int64 {
	return min(fraction.Share(r.l, d, n, c.Request.Get(d)), policy.MaxNodeScore)
}

// leastRequested is the mean of what is left; a resource that the node lacks has
// nothing left.
func leastRequested(cpu, memory int64) int64 { return (left(cpu) + left(memory)) / 2 }

func left(share int64) int64 {
	if share == fraction.NotOffered {
		return 0
	}
	return policy.MaxNodeScore - share
}

// mostRequested is the mean of what is held; a resource that the node lacks is not
// held.
func mostRequested(cpu, memory int64) int64 { return (max(cpu, 0) + max(memory, 0)) / 2 }

// balanced takes half the distance of two shares off, which is their standard deviation;
// a node that lacks one of the two has nothing to balance. Parts that are left serve as
// well as shares: they lie as far apart.
func balanced(cpu, memory int64) int64 {
	if cpu == fraction.NotOffered || memory == fraction.NotOffered {
		return policy.MaxNodeScore
	}
	return policy.MaxNodeScore - max(cpu-memory, memory-cpu)/2
}

// balancedThree takes the standard deviation of three shares off, rounded down: a third of
// the root of the squares of their distances. What the node lacks is left out.
func balancedThree(cpu, memory, device int64) int64 {
	switch {
	case device == fraction.NotOffered:
		return balanced(cpu, memory)
	case cpu == fraction.NotOffered:
		return balanced(memory, device)
	case memory == fraction.NotOffered:
		return balanced(cpu, device)
	}
	a, b, c := cpu-memory, cpu-device, memory-device
	return policy.MaxNodeScore - root(a*a+b*b+c*c)/3
}

// root is the square root of a number, rounded down; 0 for 0.
func root(x int64) int64 {
	if x <= 0 {
		return 0
	}
	r := int64(1) << ((bits.Len64(uint64(x)) + 1) / 2) // not below the root
	for {
		next := (r + x/r) / 2
		if next >= r {
			return r
		}
		r = next
	}
}
