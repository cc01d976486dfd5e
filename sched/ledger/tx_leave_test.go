package ledger

import (
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// TestLeaveIsEvictOnNodes: nodes and PluginStates count a task that leaves as one that is evicted, and undo is exact.
func TestLeaveIsEvictOnNodes(t *testing.T) {
	left := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		state := newRecorder()
		w.l.PluginStates.Add(state)
		w.run(40, func() {})
		var tasks []TaskID
		for i := range w.l.Tasks.rows {
			if row := &w.l.Tasks.rows[i]; !row.free && row.Node != NoNode && row.Hold() == Firm && w.n(1) == 0 {
				tasks = append(tasks, TaskID(i))
			}
		}
		was := fingerprint(w.l, state)
		seen := func(leave func(*Tx, TaskID)) (nodes string, places map[Key]string) {
			w.l.Try(func(tx *Tx) bool {
				for _, task := range tasks {
					leave(tx, task)
				}
				for n := range NodeID(w.l.Nodes.Len()) {
					nodes += fmt.Sprintln(w.l.Node(n).Tasks, w.l.Nodes.HasReleasing(n), w.l.Nodes.ReleasingNodes())
					for d := range resource.Dim(w.l.Dims.Len()) {
						nodes += fmt.Sprintln(w.l.Nodes.Idle(d)[n], w.l.Nodes.FutureIdle(d, n), w.l.Nodes.Room(d)[n])
					}
				}
				places = map[Key]string{}
				for task, place := range state.places {
					places[task] = fmt.Sprint(place)
				}
				return false
			})
			if is := fingerprint(w.l, state); is != was {
				t.Fatalf("something is left behind: %s", differs(was, is))
			}
			return nodes, places
		}
		evicted, places := seen(func(tx *Tx, task TaskID) { tx.Evict(task, "test", NoTask) })
		leaving, placed := seen(func(tx *Tx, task TaskID) { tx.Leave(task) })
		if evicted != leaving || !maps.Equal(places, placed) {
			t.Fatalf("after tasks left:\n%s%v\nwant\n%s%v", leaving, placed, evicted, places)
		}
		for _, task := range tasks {
			if w.l.Task(task).Status == model.Releasing {
				t.Fatal("a task still leaves after the try")
			}
		}
		left += len(tasks)
	})
	if left == 0 {
		t.Error("no task left")
	}
}
