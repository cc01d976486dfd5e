package class

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// Nodes are scored in runs, and tournaments have groups. In a world of a few nodes there is one of each; here there are
// several of both.
func TestManyNodesAreAnsweredForAsFewAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.x.longest, w.x.flat = 2*group, []int{fewFlat, 0}[w.n(1)]
		nodes := rapid.SampledFrom([]int{15, 64, 90}).Draw(t, "nodes")
		sizes := rapid.SampledFrom([][]int{{8}, {8, 16}, {1, 2, 3, 5, 8}}).Draw(t, "sizes")
		for i := range nodes {
			w.apply(model.KindNode, "", fmt.Sprintf("m%d", i), w.plain(i, sizes))
		}
		w.hyperNodes()
		for i, n := range w.nodes() {
			if i%2 == 0 {
				w.half = append(w.half, n)
			}
		}
		for i := range 6 {
			w.apply(model.KindPod, "ns", fmt.Sprintf("q%d", i), w.asks(fmt.Sprintf("q%d", i)))
		}
		tasks := w.tasks()
		for range rapid.IntRange(1, 12).Draw(t, "placements") {
			task := tasks[w.n(len(tasks)-1)]
			w.best(task)
			w.hold(task)
		}
		for _, task := range tasks {
			w.best(task)
		}
	})
}

// plain is one of many nodes, of a few sizes. Every fifth has no label but its name.
func (w *world) plain(i int, sizes []int) *model.Node {
	size := sizes[i%len(sizes)]
	name := fmt.Sprintf("m%d", i)
	n := &model.Node{Meta: model.Meta{Name: name}, Labels: []model.Label{{Key: "name", Value: name}},
		Allocatable: amounts(1000*size, 4<<20*size+i%7, 10)}
	if i%5 > 0 {
		n.Labels = append(n.Labels, model.Label{Key: "zone", Value: []string{"a", "b"}[i%2]})
	}
	return n
}

// asks is a pod with a request of one of a few sizes, mostly with a requirement on labels of nodes.
func (w *world) asks(name string) *model.Pod {
	s := &model.Spec{Requests: amounts(500*(1+w.n(2)), 1<<20+w.n(3), 1)}
	in := func(key string, op model.Operator, values ...string) {
		s.Affinity = append(s.Affinity, model.Term{All: []model.Requirement{{Key: key, Op: op, Values: values}}})
	}
	switch w.n(7) {
	case 0:
		in("name", model.In, "m1", "m9", "m9", "m66", "nobody")
	case 1:
		in("name", model.NotIn, "m2", "m3", "m64")
	case 2:
		in("zone", model.DoesNotExist)
		in("name", model.In, "m4")
	case 3:
		in("zone", model.Exists)
	case 4:
		s.Extra = "per-task"
	}
	if w.n(3) == 3 {
		s.Neighbours = w.neighbours()
	}
	return &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Labels: w.podLabels(name),
		Spec: s}
}

func (w *world) best(t ledger.TaskID) {
	w.t.Helper()
	w.compareBest(t, "all nodes", Query{}, w.nodes())
	w.compareBest(t, "half of the nodes", Query{Scope: Among(w.half)}, w.half)
}

// hold changes many nodes at once: a statement places the task on one after the other and fails, or running pods come
// that fill some of them. Otherwise a running pod comes to the best node.
func (w *world) hold(t ledger.TaskID) {
	nodes := w.nodes()
	switch w.n(3) {
	case 0:
		for i, n := range nodes {
			if i%3 == 0 {
				w.l.Try(func(tx *ledger.Tx) bool { tx.Allocate(t, n); return false })
			}
		}
	case 1:
		from, every := w.n(len(nodes)-1), 1+w.n(5)
		for i := from; i < len(nodes); i += every {
			n, name := nodes[i], fmt.Sprintf("full%d", i)
			cpu := int(w.l.Nodes.Room(resource.CPU)[n]) - w.n(1)*600
			w.apply(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name},
				Ours: true, Node: w.l.Node(n).Name, Phase: model.PodRunning, Spec: &model.Spec{Requests: amounts(cpu, 1, 1)}})
		}
	default:
		if n := w.x.Best(Query{Task: t}).Node; n != ledger.NoNode {
			name := fmt.Sprintf("bound%d", w.version)
			w.apply(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
				Labels: w.podLabels(name), Node: w.l.Node(n).Name, Phase: model.PodRunning,
				Spec: &model.Spec{Requests: amounts(500, 1<<20, 1)}})
		}
	}
}
