package class

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

// The members of a gang ask one after the other for room that terminating pods hold, on many nodes, while more pods are
// asked to leave, and while statements fail.
func TestAGangThatWaitsForRoomIsAnsweredAsAScanDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.x.flat = []int{0, 3, fewFlat}[w.n(2)]
		sizes := rapid.SampledFrom([][]int{{8}, {1, 2, 3, 5, 8}}).Draw(t, "sizes")
		var runs []ledger.TaskID
		for i := range rapid.SampledFrom([]int{5, 70}).Draw(t, "nodes") {
			node, name := w.plain(i, sizes), fmt.Sprintf("r%d", i)
			w.apply(model.KindNode, "", node.Name, node)
			w.apply(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name},
				Ours: true, Node: node.Name, Phase: model.PodRunning, Spec: &model.Spec{Requests: amounts(900, 1<<20, 1)}})
			runs = append(runs, w.task(name))
		}
		gang := w.asks("q0")
		for i := range 4 {
			name := fmt.Sprintf("q%d", i)
			w.apply(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
				Labels: gang.Labels, Spec: gang.Spec})
		}
		w.waitForRoom(0, runs)
		w.waitForRoom(0, runs)
	})
}

// waitForRoom is a statement that asks pods to leave and has members of the gang wait for their room.
func (w *world) waitForRoom(depth int, runs []ledger.TaskID) {
	ask := func(t ledger.TaskID) ledger.NodeID {
		return w.compareBest(t, "all nodes", Query{Future: true}, w.nodes()).Node
	}
	w.l.Try(func(tx *ledger.Tx) bool {
		for range 2 + w.n(6) {
			t := w.task(fmt.Sprintf("q%d", w.n(3)))
			switch run := runs[w.n(len(runs)-1)]; {
			case depth < 2 && w.n(3) == 0:
				w.waitForRoom(depth+1, runs)
			case w.yes() && w.l.Task(run).Status == model.Running:
				tx.Evict(run, "test", ledger.NoTask)
			case w.l.Task(t).Placeable():
				if n := ask(t); n != ledger.NoNode {
					tx.Pipeline(t, n)
				}
			}
			ask(t)
		}
		return depth > 0 && w.yes()
	})
	ask(w.task("q0"))
}

func (w *world) task(name string) ledger.TaskID {
	t, _ := w.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
	return t
}
