package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// Plugins as somebody outside this repository would write them: nothing in the engine
// knows them.

// hot scores a node for a class by something of its own.
type hot struct{ l *ledger.Ledger }

func (p hot) ScoreNode(c *ledger.Class, n ledger.NodeID) int64 {
	return int64(p.l.Nodes.Hash(n)>>40) % policy.MaxNodeScore
}

// social scores all nodes that would take a task in relation to each other: the more
// they run already, the less they are worth.
type social struct{ l *ledger.Ledger }

func (p social) ScoreNodes(_ ledger.TaskID, nodes []ledger.NodeID, scores []int64) {
	for i, n := range nodes {
		scores[i] -= int64(p.l.Node(n).Tasks) * policy.MaxNodeScore / int64(len(nodes))
	}
}

// first picks the first node by name among those with the highest score.
type first struct{}

func (first) PickNode(_ ledger.TaskID, nodes []ledger.NodeID, scores []int64) (int, bool) {
	best := 0
	for i := range nodes {
		if scores[i] > scores[best] {
			best = i
		}
	}
	return best, true
}

// BenchmarkPlugins places one-pod jobs of one template with one plugin from outside: a
// score of its own, a score that compares all nodes for every task, a choice of node.
func BenchmarkPlugins(b *testing.B) {
	for _, kind := range []struct {
		name   string
		plugin func(*ledger.Ledger) any
	}{
		{"node-order", func(l *ledger.Ledger) any { return hot{l} }},
		{"batch-order", func(l *ledger.Ledger) any { return social{l} }},
		{"best-node", func(*ledger.Ledger) any { return first{} }},
	} {
		b.Run(fmt.Sprintf("jobs=1000/%s/nodes=5000", kind.name), func(b *testing.B) {
			p := profile()
			p.Tiers = append(p.Tiers, []policy.Choice{{Plugin: "outside"}})
			outside := policy.Definition{Name: "outside", New: func(_ policy.Choice, l *ledger.Ledger) (any, error) {
				return kind.plugin(l), nil
			}}
			w := newWorldWith(b, 5000, p, sched.WithPlugin(outside))
			w.place(b, shape{1000, 1}, func(int, int) *model.Spec { return small })
		})
	}
}
