package session_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/session"
)

func TestAHeapWhoseElementsMovedComesOutInOrderOnceReordered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		worth := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 40).Draw(t, "worth")
		h := session.NewHeap(func(a, b int) int {
			if worth[a] != worth[b] {
				return worth[a] - worth[b]
			}
			return a - b
		})
		for i := range worth {
			h.Push(i)
		}
		for i := range worth {
			worth[i] = rapid.IntRange(0, 9).Draw(t, "worth now")
		}
		h.Reorder()
		var got []int
		for h.Len() > 0 {
			got = append(got, worth[h.Pop()])
		}
		if !slices.IsSorted(got) {
			t.Fatalf("came out as %v", got)
		}
	})
}
