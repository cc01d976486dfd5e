package session

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAHeapGivesTheLeastFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := NewHeap(cmp.Compare[int])
		var kept []int
		for _, x := range rapid.SliceOf(rapid.IntRange(-1, 9)).Draw(t, "pushes, -1 to pop") {
			if x >= 0 {
				h.Push(x)
				kept = append(kept, x)
				continue
			}
			if h.Len() != len(kept) {
				t.Fatalf("the heap has %d elements, want %d", h.Len(), len(kept))
			}
			if len(kept) > 0 {
				least := slices.Index(kept, slices.Min(kept))
				if got := h.Pop(); got != kept[least] {
					t.Fatalf("popped %d of %v", got, kept)
				}
				kept = slices.Delete(kept, least, least+1)
			}
		}
	})
}
