package ledger

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// A hundred pods that were put on a node without a scheduler ask for as much each as the door lets pass: in plain
// numbers they would add up to room.
func TestANodeThatIsGivenMoreThanNumbersHoldHasNoRoom(t *testing.T) {
	const most = int64(1000) << 48
	c := newCluster()
	n := c.node("n", 4000)
	asks := func(p *model.Pod) {
		p.Spec.Requests = resource.List{{Name: "x.io/bytes", Value: most}, {Name: resource.PodsName, Value: 1}}
	}
	for i := range 100 {
		c.pod(fmt.Sprint("p", i), 0, on("n"), asks)
		bytes, _ := c.Dims.Lookup("x.io/bytes")
		if room := c.Nodes.Room(bytes)[n]; room >= 0 {
			t.Fatalf("%d of room with %d pods on the node", room, i+1)
		}
		sound(t, c.Ledger)
	}
	bytes, _ := c.Dims.Lookup("x.io/bytes")
	waits := c.pod("waits", 1000, asks)
	c.Try(func(tx *Tx) bool {
		tx.Allocate(waits, n)
		sound(t, c.Ledger)
		return false
	})
	sound(t, c.Ledger)
	for i := range 100 {
		c.tell(model.KindPod, "ns", fmt.Sprint("p", 99-i), nil)
		sound(t, c.Ledger)
	}
	equal(t, "what is idle when all are gone", c.Nodes.Idle(bytes)[n], 0)
	equal(t, "what is used when all are gone", c.Nodes.Used(bytes, n), 0)
}
