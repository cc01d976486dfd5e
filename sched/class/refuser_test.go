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
// judges. What the refuser knows is out of date once a node changes, and another filter refuses some pods everywhere.
func TestWhatRefusersKnowChangesNoAnswer(t *testing.T) {
	asked := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.refusersOnly = true
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			w.step(w.ask)
		}
		for _, task := range w.tasks() {
			w.compare(task)
			s := lookup{x: w.x, r: w.x.look(w.l.Task(task).Class), task: task}
			if _, few := s.notRefused(); few {
				asked++
			}
			w.queueFilter.era++
			w.compare(task)
		}
	})
	if asked == 0 {
		t.Error("no task was known to be refused by most nodes")
	}
}

// refuser is a policy.Refuser: it refuses most pairs of a pod and a node, remembers those that it was asked about, and
// refuses others once something of the node changes.
type refuser struct {
	l     *ledger.Ledger
	eras  map[string]int // by the name of the node, how often it changed
	known map[string]bool
}

func (*refuser) Concerns(s *model.Spec) bool { return s.Extra == "refuser" }

func (k *refuser) pair(t ledger.TaskID, n ledger.NodeID) string {
	node := k.l.Node(n).Name
	return fmt.Sprint(k.l.Task(t).Key.Name, " ", node, " ", k.eras[node])
}

func (k *refuser) FilterTask(t ledger.TaskID, n ledger.NodeID, _ bool) policy.Verdict {
	pair := k.pair(t, n)
	if ledger.Hash(pair)%4 == 0 {
		return policy.Verdict{}
	}
	k.known[pair] = true
	return policy.Verdict{Code: trace.NodeDevices}
}

func (k *refuser) Refusing(t ledger.TaskID) []uint64 {
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

// changed notes that something of a node changed.
func (k *refuser) changed(node string) { k.eras[node]++ }

// queueFilter is a policy.QueueFilter: it refuses some pods everywhere, and others once its era changes.
type queueFilter struct {
	l   *ledger.Ledger
	era int
}

func (*queueFilter) OfQueue() {}

func (*queueFilter) Concerns(s *model.Spec) bool { return s.Extra == "refuser" }

func (c *queueFilter) FilterTask(t ledger.TaskID, _ ledger.NodeID, _ bool) policy.Verdict {
	if ledger.Hash(fmt.Sprint(c.l.Task(t).Key.Name, c.era))%3 == 0 {
		return policy.Verdict{Code: trace.QueueDevices, Everywhere: true}
	}
	return policy.Verdict{}
}
