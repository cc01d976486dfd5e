package loop

import (
	"testing"
	"time"
)

// refusedFor makes a gang of four that fills the only node, and a pod that waits for the room of one member. The API
// server refuses to bind g-3 for a while.
func (w *living) refusedFor(d time.Duration) {
	w.runs("before", "", "ray", "4", "n0")
	w.refuse("g-3")
	w.gangOf4()
	w.after(time.Second)
	w.group("other", 1, noOwner)
	w.pods("other", 0, 1, "1")
	w.after(d)
	w.refuse("")
}

// A member that is refused for a moment keeps its room until it is bound.
func TestAMemberThatIsRefusedForAMomentKeepsItsRoom(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.refusedFor(0)
		w.after(2 * time.Second)
		if n, others := w.bound("g"), w.bound("other"); n != 4 || others != 0 {
			t.Errorf("%d members of the gang are bound and %d pods that wait for their room, want 4 and none", n, others)
		}
		if _, kept := w.record("g"); kept || w.deletions() > 0 || w.events("g", "GangStranded") > 0 {
			t.Errorf("there is a record: %t, and %d pods were deleted, want neither", kept, w.deletions())
		}
		w.after(5 * time.Second) // until it runs
		w.right("g")
	})
}

// Where others have taken the room of a member that was refused, so that it is not tried again, the gang gives its room
// back as if it had been refused ever since, and starts once there is room.
func TestAGangThatLostItsRoomAfterARefusalIsReleased(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.refusedFor(5 * time.Second)
		if n, others := w.bound("g"), w.bound("other"); n != 3 || others != 1 {
			t.Fatalf("%d members of the gang are bound and %d pods that waited for the room, want 3 and 1", n, others)
		}
		w.replaced(80 * time.Second)
		if w.after(time.Minute); w.bound("g") > 0 {
			t.Errorf("%d members hold room, though there is none for all, want none", w.bound("g"))
		}
		w.delete("other-0")
		w.remade(10 * time.Second)
		if n, d := w.bound("g"), w.deletions(); n != 4 || d != 3 {
			t.Errorf("with room for all %d members are bound, and %d pods were deleted, want 4 and 3", n, d)
		}
		w.right("g")
	})
}
