package ledger

import (
	"testing"

	"ashlar.sh/sched/model"
)

// Kept room ends with whatever makes its pod one that is not placed here.
func TestKeptRoomEndsWithItsPod(t *testing.T) {
	for name, change := range map[string]func(p *model.Pod){
		"another scheduler's": func(p *model.Pod) { p.Ours = false },
		"gated":               func(p *model.Pod) { p.Gated = true },
		"deleted":             func(p *model.Pod) { p.Deleting = true },
		"it has a node":       func(p *model.Pod) { p.Node, p.Phase = "n1", model.PodRunning },
		"it is over":          func(p *model.Pod) { p.Phase = model.PodFailed },
	} {
		c := newCluster()
		n := c.node("n1", 4000)
		c.group("g", model.PodGroup{Queue: "q", MinMember: 1})
		waits := c.pod("g-0", 3000, func(p *model.Pod) { p.Group = "g" })
		c.KeptRoom.Keep(waits, n, 100)
		if !c.KeptRoom.Any() || c.row(t, "q").KeptRoom.Get(0) != 3000 {
			t.Fatalf("%s: no room is kept", name)
		}
		c.pod("g-0", 3000, func(p *model.Pod) { p.Group = "g"; change(p) })
		if c.KeptRoom.Any() || c.row(t, "q").KeptRoom.Get(0) != 0 {
			t.Errorf("%s: room is still kept", name)
		}
		for _, finding := range c.Audit() {
			t.Errorf("%s: %s", name, finding)
		}
	}
}
