package class

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// TestWhatRefusersKnowChangesNoAnswer is TestTheIndexAnswersAsAScanOfAllNodesDoes for pods that a policy.Refuser
// judges: what it knows, forgets as nodes change, and what a filter refuses everywhere meanwhile.
func TestWhatRefusersKnowChangesNoAnswer(t *testing.T) {
	asked := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.alone = true
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			w.step(w.ask)
		}
		for _, task := range w.tasks() {
			w.compare(task)
			if w.x.refusing(&w.x.rows.look(w.l.Task(task).Class).feasibility, task) {
				asked++
			}
			w.closed.era++
			w.compare(task)
		}
	})
	if asked == 0 {
		t.Error("no task was known to be refused by most nodes")
	}
}

// knowing is a policy.Refuser: it dislikes most pairs of a pod and a node, knows again those that it was asked
// about, and dislikes others once something of the node changes.
type knowing struct {
	l     *ledger.Ledger
	eras  map[string]int // by the name of the node, how often it changed
	known map[string]bool
}

func (*knowing) Concerns(s *model.Spec) bool { return s.Extra == "knowing" }

func (k *knowing) pair(t ledger.TaskID, n ledger.NodeID) string {
	node := k.l.Node(n).Name
	return fmt.Sprint(k.l.Task(t).Key.Name, " ", node, " ", k.eras[node])
}

func (k *knowing) FilterTask(t ledger.TaskID, n ledger.NodeID, _ bool) policy.Verdict {
	pair := k.pair(t, n)
	if ledger.Hash(pair)%4 == 0 {
		return policy.Verdict{}
	}
	k.known[pair] = true
	return policy.Verdict{Code: trace.NodeDevices}
}

func (k *knowing) Refusing(t ledger.TaskID) []uint64 {
	var out []uint64
	for n := range ledger.NodeID(k.l.Nodes.Len()) {
		if n%64 == 0 {
			out = append(out, 0)
		}
		if k.known[k.pair(t, n)] {
			out[n/64] |= 1 << (n % 64)
		}
	}
	return out
}

// turn lets something of a node change.
func (k *knowing) turn(node string) { k.eras[node]++ }

// closed is a policy.QueueFilter: it refuses some pods everywhere, others each time its era changes.
type closed struct {
	l   *ledger.Ledger
	era int
}

func (*closed) OfQueue() {}

func (*closed) Concerns(s *model.Spec) bool { return s.Extra == "knowing" }

func (c *closed) FilterTask(t ledger.TaskID, _ ledger.NodeID, _ bool) policy.Verdict {
	if ledger.Hash(fmt.Sprint(c.l.Task(t).Key.Name, c.era))%3 == 0 {
		return policy.Verdict{Code: trace.QueueDevices, Everywhere: true}
	}
	return policy.Verdict{}
}
