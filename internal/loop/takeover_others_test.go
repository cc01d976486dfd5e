package loop

import (
	"fmt"
	"testing"
	"time"
)

// Members that another scheduler bound keep a gang that stands half, while they are there and
// when they are gone: it may have run whole with them.
func TestMembersOfAnotherSchedulerKeepAGang(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.end()
		w.clusterOf("ray")
		w.group("g", 4, hasty)
		w.runs("g-0", "g", "ray", "1", "n0")
		w.refuse("g-3")
		for i := range 3 {
			w.owned(fmt.Sprint("g-", i+1), "g", "ray", "1")
		}
		w.schedule()
		w.after(2 * time.Minute)
		w.group("h", 4, hasty)
		w.refuse("h-2 h-3")
		for i := range 4 {
			w.owned(fmt.Sprint("h-", i), "h", "ray", "1")
		}
		w.after(10 * time.Second)
		w.runs("h-4", "h", "ray", "1", "n0")
		w.after(2 * time.Minute)
		w.keeps("g-0", "g-1", "g-2", "h-0", "h-1", "h-4")
		w.refuse("g-3 h-2 h-3")
		w.delete("g-0", "h-4")
		w.after(30 * time.Minute)
		w.keeps("g-1", "g-2", "h-0", "h-1")
	})
}

// So does one that was bound when the others were, though it is gone before the scheduler looks.
func TestAMemberThatWasThereBeforeKeepsAGang(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.end()
		w.clusterOf("ray")
		w.group("g", 4, hasty)
		w.runs("g-0", "g", "ray", "1", "n0")
		w.schedule()
		w.after(1500 * time.Millisecond)
		w.refuse("g-3 g-4")
		for i := range 4 {
			w.owned(fmt.Sprint("g-", i+1), "g", "ray", "1")
		}
		w.after(10 * time.Millisecond)
		if n := w.bound("g"); n != 3 {
			t.Fatalf("%d members are bound, want the one that was and two more", n)
		}
		w.delete("g-0")
		w.after(30 * time.Minute)
		w.keeps("g-1", "g-2")
	})
}
