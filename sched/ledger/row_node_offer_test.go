package ledger

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// What a PluginState says that a node offers counts beside the node's fact, and not where the fact has an amount.
func TestWhatANodeOffersBesideItsFact(t *testing.T) {
	const gpu = "example.com/gpu"
	c := newCluster()
	n := c.node("n", 4000)
	d := c.Dims.Intern(gpu)
	says := func(want int64) {
		t.Helper()
		equal(t, "what it offers", c.Nodes.Allocatable(d)[n], want)
		equal(t, "what all offer", c.Nodes.Total(d), want)
		sound(t, c.Ledger)
	}
	fact := func(value int64) {
		of := *c.Node(n).Fact
		of.Allocatable = append(resource.List{}, c.Node(n).Fact.Allocatable...)
		for i := range of.Allocatable {
			if of.Allocatable[i].Name == gpu {
				of.Allocatable[i].Value = value
				value = -1
			}
		}
		if value >= 0 {
			of.Allocatable = resource.Normalize(append(of.Allocatable, resource.Amount{Name: gpu, Value: value}))
		}
		c.tell(model.KindNode, "", "n", &of)
	}
	before := c.Changes.roomEpoch
	c.Nodes.Offer(n, resource.List{{Name: gpu, Value: 2000}})
	says(2000)
	equal(t, "room was freed", c.Changes.roomEpoch > before, true)
	before = c.Changes.roomEpoch
	c.Nodes.Offer(n, resource.List{{Name: gpu, Value: 2000}})
	equal(t, "room was freed by no news", c.Changes.roomEpoch > before, false)
	c.pod("p", 0, on("n"), func(p *model.Pod) {
		p.Spec.Requests = resource.List{{Name: gpu, Value: 1000}, {Name: resource.PodsName, Value: 1}}
	})
	equal(t, "what is idle", c.Nodes.Idle(d)[n], 1000)
	fact(8000)
	says(8000)
	fact(0)
	says(2000)
	equal(t, "what is used", c.Nodes.Used(d, n), 1000)
	c.Nodes.Offer(n, nil)
	says(0)
	equal(t, "what is used of nothing", c.Nodes.Used(d, n), 1000)
	c.Nodes.Offer(n, resource.List{{Name: gpu, Value: 2000}})
	c.tell(model.KindNode, "", "n", nil)
	says(0)
}
