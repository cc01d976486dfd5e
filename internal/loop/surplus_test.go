package loop

import (
	"testing"
	"time"
)

// placed is how many pods of a group have a node.
func (w *living) placed(group string) (n int) {
	for _, p := range w.members(group) {
		if p.Spec.NodeName != "" {
			n++
		}
	}
	return n
}

func (w *living) wantPlaced(group string, want int) {
	w.Helper()
	if got := w.placed(group); got != want {
		w.Errorf("%v: %d pods of %s are placed, want %d", time.Now().Format("05.000"), got, group, want)
	}
}

// All jobs that are submitted within a second begin, in whatever order they come: what the first wants above its
// minimum comes after the minimums of the others.
func TestAllJobsOfABurstBegin(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.group("first", 2, noOwner)
		w.pods("first", 0, 12, "1")
		w.after(40 * time.Millisecond)
		w.wantPlaced("first", 2)
		w.group("second", 2, patient) // its pods come once it is let in
		w.after(400 * time.Millisecond)
		w.pods("second", 0, 2, "1")
		w.after(40 * time.Millisecond)
		w.wantPlaced("second", 2)
		w.group("third", 2, noOwner)
		w.pods("third", 0, 2, "1")
		w.after(40 * time.Millisecond)
		w.wantPlaced("third", 2)
		w.after(time.Second)
		w.wantPlaced("first", 4)
	})
}

// A job that runs and grows by a pod, when nothing else waits, has it placed a tenth of a
// second later.
func TestARunningJobGrowsWithinATenthOfASecond(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.group("g", 1, noOwner)
		w.pods("g", 0, 1, "1")
		w.after(time.Minute)
		w.pods("g", 1, 1, "1")
		w.after(90 * time.Millisecond)
		w.wantPlaced("g", 1)
		w.after(20 * time.Millisecond)
		w.wantPlaced("g", 2)
	})
}

// A pod that is a job of its own is placed at once.
func TestAPodAloneWaitsForNobody(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.group("wide", 1, noOwner)
		w.pods("wide", 0, 3, "1")
		w.group("one", 1, noOwner)
		w.pods("one", 0, 1, "1")
		w.after(10 * time.Millisecond)
		w.wantPlaced("one", 1)
		w.wantPlaced("wide", 1)
	})
}
