package nodeorder_test

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
)

// BenchmarkScoreNode is one score by room with the default weights, least requested and
// balanced together, over 8192 nodes in an order that no prefetcher guesses.
func BenchmarkScoreNode(b *testing.B) {
	const nodes = 8192
	l := ledger.New()
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		addNode(l, name, amounts(64_000, 256*gi))
		addPod(l, "p"+name, name, false, amounts(int64(i%60)*1000, int64(i%50)*gi))
	}
	class := classOf(l, addPod(l, "asker", "", false, amounts(1500, 3*gi)))
	score := build(b, l, nil).NodePlugins.NodeOrders[0]
	at := uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		at = at*1664525 + 1013904223
		score.ScoreNode(class, ledger.NodeID(at>>19))
	}
}
