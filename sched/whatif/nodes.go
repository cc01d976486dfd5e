package whatif

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

const (
	mostShapes = 2 // of nodes that are tried
	hostLabel  = "kubernetes.io/hostname"
)

// nodes: more nodes like one that is there, of the commonest kinds that may take the pods.
func (s *Search) nodes() {
	pods := s.lacking()
	if len(pods) == 0 {
		return
	}
	l, _, _ := s.job()
	first := l.Task(pods[0])
	type shape struct {
		like  string
		nodes int
		holds int64 // pods on an empty one
	}
	shapes := map[string]*shape{}
	l.Nodes.Present(func(n ledger.NodeID) bool {
		fact := l.Node(n).Fact
		if !Admits(first.Pod.Spec, fact) {
			return true
		}
		holds := int64(mostPods)
		for _, need := range l.Class(first.Class).Need {
			holds = min(holds, l.Nodes.Allocatable(need.Dim)[n]/need.Amount)
		}
		if holds == 0 {
			return true
		}
		key := form(fact)
		if x := shapes[key]; x == nil {
			shapes[key] = &shape{fact.Name, 1, holds}
		} else if x.nodes++; fact.Name < x.like {
			x.like = fact.Name
		}
		return true
	})
	var all []*shape
	for _, x := range shapes { // order-free: sorted below
		all = append(all, x)
	}
	slices.SortFunc(all, func(a, b *shape) int {
		return cmp.Or(cmp.Compare(b.nodes, a.nodes), cmp.Compare(a.like, b.like))
	})
	for _, x := range all[:min(len(all), mostShapes)] {
		need := int64(len(pods))
		s.leastOf((need+x.holds-1)/x.holds, 2*need, func(n int64) trace.Change {
			return trace.Change{Kind: trace.ChangeNodes, Object: x.like, Count: int(n)}
		})
	}
}

// form is what nodes that are alike for pods have in common.
func form(n *model.Node) string {
	labels := slices.DeleteFunc(slices.Clone(n.Labels), func(l model.Label) bool { return l.Key == hostLabel })
	return fmt.Sprint(n.Allocatable, labels, n.Taints, n.Elsewhere)
}

// nodes are facts of more nodes like one that is there.
func (x *change) nodes(like string, count int) (out []model.Fact) {
	n, there := x.l.Nodes.Find(like)
	if !there || !x.l.Node(n).Present() {
		return nil
	}
	for i := 0; len(out) < count; i++ {
		name := fmt.Sprintf("%s-more-%d", like, i+1)
		if _, taken := x.l.Fact(model.Ref{Kind: model.KindNode, Name: name}); taken {
			continue
		}
		node := *x.l.Node(n).Fact
		node.Name, node.UID, node.Images = name, name, nil
		node.Labels = slices.Clone(node.Labels)
		for i := range node.Labels {
			if node.Labels[i].Key == hostLabel {
				node.Labels[i].Value = name
			}
		}
		out = append(out, x.known(model.KindNode, "", name, &node))
	}
	return out
}
