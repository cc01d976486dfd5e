package class

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// Nodes are scored in runs, and their winners meet in groups: a world of a few nodes has
// one of each. Here are several runs, with little else.
func TestManyNodesAreAnsweredForAsFewAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.x.order.longest = 2 * group
		nodes := rapid.SampledFrom([]int{15, 64, 90}).Draw(t, "nodes")
		sizes := rapid.SampledFrom([][]int{{8}, {8, 16}, {1, 2, 3, 5, 8}}).Draw(t, "sizes")
		for i := range nodes {
			w.tell(model.KindNode, "", fmt.Sprintf("m%d", i), w.plain(i, sizes))
		}
		w.hyperNodes()
		for i, n := range w.nodes() {
			if i%2 == 0 {
				w.half = append(w.half, n)
			}
		}
		for i := range 6 {
			w.tell(model.KindPod, "ns", fmt.Sprintf("q%d", i), w.asks(fmt.Sprintf("q%d", i)))
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

// plain is one of many nodes, of a few sizes; every fifth has its own label alone.
func (w *world) plain(i int, sizes []int) *model.Node {
	size := sizes[i%len(sizes)]
	n := &model.Node{Meta: model.Meta{Name: fmt.Sprintf("m%d", i)}, Labels: []model.Label{{Key: "name", Value: fmt.Sprintf("m%d", i)}},
		Allocatable: amounts(1000*size, 4<<20*size+i%7, 10)}
	if i%5 > 0 {
		n.Labels = append(n.Labels, model.Label{Key: "zone", Value: []string{"a", "b"}[i%2]})
	}
	return n
}

// asks is a pod of one template or its own, with a demand on labels or without.
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
		s.Extra = "picky"
	}
	if w.n(3) == 3 {
		s.Neighbours = w.neighbours()
	}
	return &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Labels: w.podLabels(name), Spec: s}
}

func (w *world) best(t ledger.TaskID) {
	w.t.Helper()
	n, got := w.x.Best(t)
	m, want := w.twin.best(t, w.nodes(), false)
	if n != m || got != want {
		w.t.Fatalf("Best of %v is %s with %d, the scan finds %s with %d", w.l.Task(t).Key, w.name(n), got, w.name(m), want)
	}
	n, got = w.x.BestWithin(t, w.half)
	m, want = w.twin.best(t, w.half, false)
	if n != m || got != want {
		w.t.Fatalf("BestWithin half of the nodes of %v is %s with %d, the scan finds %s with %d", w.l.Task(t).Key, w.name(n), got, w.name(m), want)
	}
}

// hold has many nodes change at once: a statement puts the task on one after another, or a
// pod that runs comes to some of them, filling them.
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
			n := nodes[i]
			w.tell(model.KindPod, "ns", fmt.Sprintf("full%d", i), &model.Pod{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprintf("full%d", i), UID: fmt.Sprint(i)},
				Ours: true, Node: w.l.Node(n).Name, Phase: model.PodRunning, Spec: &model.Spec{Requests: amounts(int(w.l.Nodes.Room(resource.CPU)[n])-w.n(1)*600, 1, 1)}})
		}
	default:
		if n, _ := w.x.Best(t); n != ledger.NoNode {
			name := fmt.Sprintf("bound%d", w.version)
			w.tell(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Labels: w.podLabels(name),
				Node: w.l.Node(n).Name, Phase: model.PodRunning, Spec: &model.Spec{Requests: amounts(500, 1<<20, 1)}})
		}
	}
}
