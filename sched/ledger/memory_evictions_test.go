package ledger_test

import (
	"testing"

	"ashlar.sh/sched/ledger"
)

func TestEvictionsAreRememberedForAMinute(t *testing.T) {
	l := ledger.New()
	const second = int64(1e9)
	l.EvictionHistory.Restore([]ledger.PastEviction{{At: 10 * second, Queue: "a"}, {At: 30 * second, Queue: "b"}}, 0)
	for now, want := range map[int64]int{69: 2, 70: 1, 89: 1, 90: 0} {
		again := ledger.New()
		again.EvictionHistory.Restore(l.EvictionHistory.All(), 0)
		again.EvictionHistory.Trim(now * second)
		if got := len(again.EvictionHistory.All()); got != want {
			t.Errorf("at %d s %d are remembered, want %d", now, got, want)
		}
	}
}
