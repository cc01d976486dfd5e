package world

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/world/apimodel"
)

// gang is a life of a PodGroup.
type gang struct {
	name  string
	least int
	whole bool      // it once had its minimum
	from  time.Time // since when
	half  time.Time // since when it is bound in part; zero: it is not
	gone  int       // how many of its pods are gone
	lost  bool      // a bug kept a binding of it from being sent: as after a crash, it is completed or stays
	stays bool      // a user was told that its members stay, though it is in part
	// goes are the members that were bound when it was said of one that all are evicted.
	goes map[types.UID]bool
	// denied is when a scheduler was last kept from deleting a member of it, and left when one was last gone: nothing of
	// it is deleted while others leave, which may take minutes.
	denied, left time.Time
	// orphan: the scheduler that bound it in part lost the lease before it recorded that the gang never was whole.
	orphan bool
	first  time.Time // when it was first planned to start; zero: it was not
}

// group follows the lives of PodGroups.
func (c *checker) group(write apimodel.Write) {
	if write.After == nil {
		g := c.gangs[string(write.Before.Meta().GetUID())]
		c.halfTooLong(g)
		delete(c.gangs, string(write.Before.Meta().GetUID()))
		return
	}
	if write.Before == nil {
		least := int64(1)
		if spec, ok := write.After.Object["spec"].(map[string]any); ok {
			least, _ = spec["minMember"].(int64)
		}
		c.gangs[string(write.After.Meta().GetUID())] = &gang{name: write.After.Meta().GetName(), least: int(least)}
		if write.After.Meta().GetNamespace() == userNamespace { // a tenant's may have the same name
			delete(c.spared, write.After.Meta().GetName())
		}
		return
	}
	if g := c.gangs[string(write.After.Meta().GetUID())]; g != nil {
		if least, ok := asMap(write.After.Object["spec"])["minMember"].(int64); ok && int(least) != g.least {
			g.least = int(least)
			c.standsOf(g)
		}
	}
}

// standsOf notes whether a gang is bound in part, whichever pods it has.
func (c *checker) standsOf(g *gang) {
	for _, p := range c.w.api.List(c.pods) {
		if c.gangOf(p) == g {
			c.stands(p)
			return
		}
	}
}

// stands notes whether a pod's gang is bound in part.
func (c *checker) stands(p *apimodel.Stored) {
	g := c.gangOf(p)
	if g == nil {
		return
	}
	n, hold, tasks := 0, false, map[string]int64{} // hold: one that was bound keeps its room
	for _, other := range c.w.api.List(c.pods) {
		if other.Meta().GetNamespace() == p.Meta().GetNamespace() &&
			other.Meta().GetAnnotations()[groupAnnotation] == g.name && text(other.Object, "spec", "nodeName") != "" &&
			text(other.Object, "status", "phase") != "Failed" {
			n++
			tasks[other.Meta().GetAnnotations()[taskAnnotation]]++
			uid := other.Meta().GetUID()
			hold = hold || c.bound[uid] != "" && c.bindsOf[uid] > 0 && other.Meta().GetDeletionTimestamp() == nil
		}
	}
	enough := n >= g.least && c.eachTask(p, tasks)
	if !enough && g.from.Equal(time.Now()) { // no scheduler can have seen that
		g.whole = false
	}
	switch {
	case enough:
		c.halfTooLong(g)
		c.punctual(g)
		if !g.whole {
			g.from = time.Now()
		}
		g.whole, g.half = true, time.Time{}
	case !hold: // those that have succeeded or leave count, and hold up nothing
		c.halfTooLong(g)
		g.half = time.Time{}
	case g.half.IsZero() && !g.whole:
		g.half, g.orphan = time.Now(), false
	}
}

func (c *checker) halfTooLong(g *gang) {
	if g == nil || g.half.IsZero() || g.whole || g.lost || c.spared[g.name] {
		return
	}
	most := halfBound
	if c.w.Trouble.Held > 0 { // twice a binding may be in doubt for so long, and nothing is released meanwhile
		most += 2 * longHeld
	}
	since := g.half
	if g.denied.After(since) {
		since = g.denied
		if g.left.After(since) {
			since = g.left
		}
	}
	if took := time.Since(since); took > most && !c.mayStay(g) {
		c.w.wrong("gang %s was bound in part for %s", g.name, took)
	}
}
