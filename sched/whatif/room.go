package whatif

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// What would have to be free, by amounts; the engine says whether it is right.

const (
	mostPods    = 256 // of one gang, for which room is looked for
	mostDomains = 3   // that are tried, those first in which the least is lacking
)

// lacking lists the pods that have to be placed for the job to start, by number; none where it lacks pods.
func (s *Search) lacking() []ledger.TaskID {
	l, id, job := s.job()
	pods := slices.DeleteFunc(waiting(l, id), func(t ledger.TaskID) bool {
		return l.Task(t).Pod.Gated || !l.Task(t).Placeable()
	})
	need := int(max(1, job.MinMember-max(0, job.Ready())))
	if len(pods) < need || need > mostPods {
		return nil
	}
	return pods[:need]
}

// room: what other pods hold, free on the nodes where the least is lacking. Where jobs that come before take what would
// be free, twice as much is tried, and four times.
func (s *Search) room() {
	for often := 1; often <= 4 && s.family > 0; often *= 2 {
		for _, c := range s.places(often) {
			if way, starts := s.try([]trace.Change{c}, nil); starts {
				s.found(s.tighten(way))
				return
			}
		}
	}
}

// places lists where the job could go if that were free, for so many of each pod, those first in which the least is
// lacking.
func (s *Search) places(often int) (out []trace.Change) {
	pods := s.lacking()
	if len(pods) == 0 {
		return nil
	}
	type place struct {
		trace.Change
		cost int64
	}
	var places []place
	for _, d := range s.domains() {
		if where, cost, ok := s.pack(d.nodes).lay(pods, often); ok && len(where) > 0 {
			places = append(places, place{trace.Change{Kind: trace.ChangeRoom, Object: d.name, To: d.tier, Where: where}, cost})
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.Object, b.Object))
	})
	for _, p := range places[:min(len(places), mostDomains)] {
		out = append(out, p.Change)
	}
	return out
}

// tighten leaves out what need not be free, and makes the rest as little as it may be where it is one amount.
func (s *Search) tighten(way trace.Way) trace.Way {
	last := len(way.Changes) - 1
	run := func(where []trace.Freed) bool {
		c := way.Changes[last]
		c.Where = where
		w, does := s.try([]trace.Change{c}, nil)
		if does {
			way = w
		}
		return does
	}
	for i := 0; i < len(way.Changes[last].Where) && len(way.Changes[last].Where) > 1 && s.family > 0; {
		if !run(slices.Delete(slices.Clone(way.Changes[last].Where), i, i+1)) {
			i++
		}
	}
	if len(way.Changes[last].Where) != 1 {
		return way
	}
	w := way.Changes[last].Where[0]
	step := Step1(w.Dim)
	no, yes := int64(0), up(w.Amount, step)
	try := func(n int64) {
		to := w
		to.Amount = min(n*step, w.Amount)
		if run([]trace.Freed{to}) {
			yes = n
		} else if s.family > 0 {
			no = n
		}
	}
	if yes > 1 {
		try(yes - 1)
	}
	for yes-no > 1 && s.family > 0 {
		try(no + (yes-no)/2)
	}
	way.Changes[last].Least = yes-no == 1
	return way
}

// domain is a set of nodes that hold the whole job.
type domain struct {
	name  string
	tier  int64
	nodes []ledger.NodeID
}

// domains lists where the job may be as far as its network topology goes.
func (s *Search) domains() (out []domain) {
	l, id, job := s.job()
	m := topology.New(l).Fresh()
	var t *model.Topology
	if job.Group != nil {
		t = job.Group.Topology
	}
	for _, d := range m.Widest(topology.Root, m.Reach(id, topology.AllSubs), m.Limit(t)) {
		x := m.Domain(d)
		out = append(out, domain{x.Name, int64(x.Tier), x.Nodes})
	}
	return out
}

// packing is what nodes have left while pods are laid on them.
type packing struct {
	l     *ledger.Ledger
	nodes []ledger.NodeID
	admit map[ledger.ClassID][]bool
	left  map[resource.Dim][]int64 // by place in nodes; below zero: what would have to be free
}

func (s *Search) pack(nodes []ledger.NodeID) *packing {
	l, _, _ := s.job()
	return &packing{l: l, nodes: nodes, admit: map[ledger.ClassID][]bool{}, left: map[resource.Dim][]int64{}}
}

// admits says on which nodes labels and taints let a class.
func (p *packing) admits(c ledger.ClassID) []bool {
	if known := p.admit[c]; known != nil {
		return known
	}
	out := make([]bool, len(p.nodes))
	for i, n := range p.nodes {
		out[i] = Admits(p.l.Class(c).Spec, p.l.Node(n).Fact)
	}
	p.admit[c] = out
	return out
}

// Admits says that labels and taints of a node let a pod on it.
func Admits(s *model.Spec, n *model.Node) bool {
	if n.Unschedulable || !match.Labels(s.Selector, n) || s.Affinity != nil && !match.Any(s.Affinity, n) {
		return false
	}
	return !slices.ContainsFunc(n.Taints, func(t model.Taint) bool {
		return t.Effect != model.PreferNoSchedule && !match.Tolerated(s.Tolerations, t)
	})
}

// lacks is what would have to be free on nodes.
type lacks map[ledger.NodeID]map[resource.Dim]int64

// of is what the nodes have left of a resource.
func (p *packing) of(d resource.Dim) []int64 {
	if known := p.left[d]; known != nil {
		return known
	}
	room := p.l.Nodes.Room(d)
	out := make([]int64, len(p.nodes))
	for i, n := range p.nodes {
		out[i] = max(0, room[n])
	}
	p.left[d] = out
	return out
}

// lay puts pods, so often each, on the nodes where the least is lacking for them. It returns what would have to be
// free there and, in millionths of a pod, how much that is; false: a pod finds no node.
func (p *packing) lay(pods []ledger.TaskID, often int) (where []trace.Freed, cost int64, ok bool) {
	short := lacks{}
	for range often {
		for _, t := range pods {
			class := p.l.Task(t).Class
			at, more := p.cheapest(class, short)
			if at < 0 {
				return nil, 0, false
			}
			cost += more
			for _, need := range p.l.Class(class).Need {
				left := p.of(need.Dim)
				if left[at] -= need.Amount; left[at] < 0 {
					n := p.nodes[at]
					if short[n] == nil {
						short[n] = map[resource.Dim]int64{}
					}
					short[n][need.Dim] -= left[at]
					left[at] = 0
				}
			}
		}
	}
	for n, of := range short { // order-free: sorted below
		for d, amount := range of { // order-free: sorted below
			where = append(where, trace.Freed{Node: p.l.Node(n).Name, Dim: p.l.Dims.Name(d), Amount: amount})
		}
	}
	slices.SortFunc(where, func(a, b trace.Freed) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Dim, b.Dim))
	})
	return where, cost, true
}

// cheapest is the node on which the least is lacking for a pod, the first by name of equal ones; -1: on none do the
// other pods hold enough.
func (p *packing) cheapest(class ledger.ClassID, short lacks) (best int, least int64) {
	best = -1
	c, admits := p.l.Class(class), p.admits(class)
next:
	for i, n := range p.nodes {
		if !admits[i] {
			continue
		}
		cost := int64(0)
		for _, need := range c.Need {
			over := need.Amount - p.of(need.Dim)[i]
			if over <= 0 {
				continue
			}
			if over+short[n][need.Dim] > p.l.Nodes.Used(need.Dim, n) {
				continue next
			}
			cost += resource.MulDiv(over, 1_000_000, need.Amount)
		}
		if best < 0 || cost < least || cost == least && p.l.Node(n).Name < p.l.Node(p.nodes[best]).Name {
			best, least = i, cost
		}
	}
	return best, least
}
