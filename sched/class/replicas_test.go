package class

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

// Pods of ReplicaSets come, are placed and go. There are more nodes than the hostname may divide into groups, so the
// index distinguishes the nodes by how many of the pods they have.
func TestReplicasAreSpreadAsAScanSpreadsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.x.TopologyGroups = 3
		for i := range 9 - len(w.nodes()) { // more than TopologyGroups, as many as the scan has logarithms for
			name := fmt.Sprintf("m%d", i)
			labels := []model.Label{{Key: model.HostnameKey, Value: name},
				{Key: "topology.kubernetes.io/zone", Value: []string{"a", "b"}[i%2]}}
			w.apply(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name}, Labels: labels[min(1, w.n(7)/7):],
				Allocatable: amounts(8000*(1+i%2), 64<<20+i, 10)})
		}
		for i, n := range w.nodes() { // so that the nodes with the fewest replicas are not those with the most room
			name := fmt.Sprintf("there%d", i)
			w.apply(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
				Node: w.l.Node(n).Name, Phase: model.PodRunning, Spec: &model.Spec{Requests: amounts(1000*w.n(6), w.n(7)<<20, 1)}})
		}
		w.hyperNodes()
		replica := func(i int, node string) {
			p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprintf("r%d", i), UID: fmt.Sprint(i)}, Ours: true,
				Labels: []model.Label{{Key: "app", Value: []string{"a", "b"}[i/2%2]},
					{Key: "tier", Value: []string{"a", "b"}[i/4%2]}},
				OwnerID: []string{"ReplicaSet.apps/u0", "ReplicaSet.apps/u1", "Job.batch/u2"}[i%3],
				Spec:    &model.Spec{Requests: amounts(1000, 1<<20, 1)}}
			if node != "" {
				p.Node, p.Phase, p.Deleting = node, model.PodRunning, w.n(7) == 7
			}
			w.apply(model.KindPod, "ns", p.Name, p)
		}
		for i := range 24 {
			replica(i, "")
		}
		for range w.n(2) {
			w.service()
		}
		for range rapid.IntRange(5, 40).Draw(t, "steps") {
			i := w.n(23)
			task, known := w.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: fmt.Sprintf("r%d", i)})
			switch {
			case w.n(7) == 7:
				w.service()
			case !known || w.l.Task(task).Node != ledger.NoNode && w.n(3) == 3:
				replica(i, "")
			case w.l.Task(task).Node != ledger.NoNode:
			case w.n(7) == 7:
				w.apply(model.KindPod, "ns", fmt.Sprintf("r%d", i), nil)
			default:
				w.placeReplica(task, func(node string) { replica(i, node) })
			}
		}
	})
}

// placeReplica compares the best node with that of a scan, before and after a try that places the pod there, and binds
// it.
func (w *world) placeReplica(t ledger.TaskID, bind func(node string)) {
	w.t.Helper()
	compare := func(t ledger.TaskID) ledger.NodeID {
		return w.compareBest(t, "all nodes", Query{}, w.nodes()).Node
	}
	n := compare(t)
	if n == ledger.NoNode {
		return
	}
	w.l.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(t, n)
		for _, other := range w.tasks() {
			if w.l.Task(other).Placeable() && w.l.Task(other).Pod.OwnerID == w.l.Task(t).Pod.OwnerID {
				compare(other)
				break
			}
		}
		return false
	})
	compare(t)
	if w.n(2) > 0 {
		bind(w.l.Node(n).Name)
	} else {
		bind(w.l.Node(w.nodes()[w.n(len(w.nodes())-1)]).Name)
	}
}
