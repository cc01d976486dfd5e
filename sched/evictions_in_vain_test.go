package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
)

// twoHaveToGo is a node with two pods that have to leave for an urgent one, and their evictions.
func twoHaveToGo(t *testing.T) (*stage, []Item) {
	s := newStage(t, "enqueue", "allocate", "preempt")
	s.queue("default")
	s.node("a", 4)
	s.pod("kept", running("a"))
	s.pod("worker", running("a"))
	s.decides(0)
	s.pod("urgent", priority(10), func(p *model.Pod) { p.Spec.Requests = cpu(4, 1) })
	return s, s.decides(1, "evict kept a", "evict worker a", "nominate urgent a").Items[:2]
}

// An eviction that was not begun, since it would have been for nothing, ends the nominations that it was for. Its pod
// stays as it was, and may be evicted at once.
func TestAForgoneEvictionEndsItsNominations(t *testing.T) {
	s, evictions := twoHaveToGo(t)
	s.restart()
	s.e.Receive(Receipt{Item: evictions[0], Outcome: Forgone}, Receipt{Item: evictions[1], Outcome: Forgone})
	s.restart()
	s.decides(2, "nominate urgent", "evict kept a", "evict worker a", "nominate urgent a")
}

// The pod of which the deletion is denied is spared, and longer each time that it is denied; the other victim is left
// alone meanwhile, since its room alone is not enough.
func TestAPodIsSparedForLongerEachTimeThatItsDeletionIsDenied(t *testing.T) {
	for denials, want := range map[int32]int64{0: 61, 1: 61, 2: 121, 3: 241, 5: 961, 6: 1801, 100: 1801} {
		t.Run(fmt.Sprint(denials), func(t *testing.T) {
			s, evictions := twoHaveToGo(t)
			s.e.Receive(Receipt{Item: evictions[0], Outcome: Failed, Denials: denials},
				Receipt{Item: evictions[1], Outcome: Forgone})
			s.restart()
			s.decides(2, "nominate urgent")
			s.restart()
			if s.next != want {
				t.Errorf("it is spared until %d s, want %d", s.next, want)
			}
			s.decides(s.next - 1)
			s.decides(s.next, "evict kept a", "evict worker a", "nominate urgent a")
		})
	}
}
