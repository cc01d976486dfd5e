package world

import (
	"strings"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// deleted checks that a scheduler that deletes a pod says why, and may.
func (c *checker) deleted(write apimodel.Write, p *apimodel.Stored) {
	if !isScheduler(write.Client) {
		if p.Meta().GetNamespace() == userNamespace { // a tenant's gangs have the same names
			c.spare(p.Meta().GetAnnotations()[groupAnnotation])
		}
		return
	}
	c.w.did("a pod evicted")
	c.w.log("%s evicts %s: %s", write.Client, write.Key(), c.why[p.Meta().GetUID()])
	if uid := p.Meta().GetUID(); !c.said[uid] && !c.tried[uid] {
		c.w.wrong("%s deleted pod %s, and never said why", write.Client, write.Key())
	} else if c.stored[uid] {
		c.w.did("a pod evicted that says why")
	} else if !c.calmSince.IsZero() && time.Since(c.calmSince) > countedAfter {
		c.w.wrong("%s deleted pod %s, and the pod does not say why", write.Client, write.Key())
	}
	c.configured(write, c.why[p.Meta().GetUID()])
	c.foreign(write, p)
	c.released(write, p)
	c.outranked(write, p)
	c.guarantee(write, p)
	c.useful(write, p)
	c.w.budgets.evicted(write, p)
}

// released checks that no member of a gang that was once whole is deleted because the gang cannot be completed,
// whatever it lost since.
func (c *checker) released(write apimodel.Write, p *apimodel.Stored) {
	g := c.gangOf(p)
	if why := c.why[p.Meta().GetUID()]; g != nil && g.whole && strings.HasPrefix(why, "evicted by ") {
		c.w.wrong("%s deleted pod %s of a gang that was whole: %s", write.Client, write.Key(), why)
	}
}

// outranked checks that no pod leaves for another one of its queue that has a lower priority. An equal one may take
// the room: drf shares it among jobs.
func (c *checker) outranked(write apimodel.Write, p *apimodel.Stored) {
	why := c.why[p.Meta().GetUID()]
	if why == "" || strings.Contains(why, "takes back its due") {
		return
	}
	_, after, ok := strings.Cut(why, " for "+userNamespace+"/")
	if !ok {
		return
	}
	name, _, _ := strings.Cut(after, " ")
	favoured := c.w.api.Get(c.pods, userNamespace, name)
	if favoured == nil {
		return
	}
	a, b := c.w.jobs.of(favoured), c.w.jobs.of(p)
	if a != nil && b != nil && priorities[a.priority] < priorities[b.priority] {
		c.w.wrong("pod %s of priority %d left for %s of priority %d: %s", write.Key(), priorities[b.priority], name,
			priorities[a.priority], why)
	}
}

var priorities = map[string]int{"low": 10, "high": 1000}

// reachable checks that no pod is bound to a node that is gone, or cordoned, for longer than a scheduler may not have
// seen it.
func (c *checker) reachable(write apimodel.Write, node string) {
	if !isScheduler(write.Client) || time.Since(c.restoredAt) < seenWithin {
		return
	}
	if since, is := c.w.nodes.shut[node]; is && time.Since(since) > countedAfter {
		c.w.wrong("pod %s is bound to %s, which takes no pods for %s", write.Key(), node, time.Since(since))
	}
}
