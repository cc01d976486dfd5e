package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/world/apimodel"
)

// The world's queues: the second one has a limit, and the third one is owed something.
var queueNames = []string{"blue", "green", "red"}

const (
	boundedQueue = "green"
	owedQueue    = "red"
	owedCores    = 4
)

// mostCores is what the bounded queue may hold: any job's minimum fits below it.
func (w *World) mostCores() int64 { return int64(w.Nodes * nodeCores / 2) }

var weights = []int{2, 3, 1}

// due is how many cores a queue deserves at least, whatever all of them ask for; the tenant's queue and the default one
// have weights, too.
func (w *World) due(queue string) int {
	if queue == owedQueue {
		return owedCores
	}
	return (w.Nodes*nodeCores - owedCores) * weights[slices.Index(queueNames, queue)] / 8
}

// queueSpec is that of a queue of the world; some serve their jobs strictly in order.
func (w *World) queueSpec(i int) map[string]any {
	spec := map[string]any{"weight": weights[i], "reclaimable": true}
	switch queueNames[i] {
	case boundedQueue:
		spec["capability"] = map[string]any{"cpu": fmt.Sprint(w.mostCores())}
	case owedQueue: // by its weight it would deserve less in a small cluster
		spec["guarantee"] = map[string]any{"resource": map[string]any{"cpu": fmt.Sprint(owedCores)}}
	}
	w.jobs.tree.into(spec, queueNames[i])
	if w.chance(0.3) || w.Planned {
		spec["dequeueStrategy"] = "fifo"
	}
	return spec
}

// seenWithin is for how long a scheduler may not have seen something: watches stall for up to a minute, processes stand
// still for as long, and networks for two thirds of that.
const seenWithin = 3 * time.Minute

// window is a figure as it was lately.
type window struct {
	at     []time.Time
	values []int64
}

func (s *window) add(v int64) {
	s.at, s.values = append(s.at, time.Now()), append(s.values, v)
	for len(s.at) > 1 && time.Since(s.at[1]) > seenWithin { // the one before still held then
		s.at, s.values = s.at[1:], s.values[1:]
	}
}

// most is the largest value that it had lately.
func (s *window) most() (out int64) {
	for i, v := range s.values {
		if i+1 < len(s.at) && time.Since(s.at[i+1]) > seenWithin {
			continue
		}
		out = max(out, v)
	}
	return out
}

// sum is what came lately.
func (s *window) sum() (out int64) {
	for i, v := range s.values {
		if time.Since(s.at[i]) <= seenWithin {
			out += v
		}
	}
	return out
}

// held is how many cores a queue's pods hold that are not leaving and were not told that they have to: from then on a
// queue's limit does not count them, as in Volcano.
func (c *checker) held(queue string) int64 { return c.heldBut(queue, nil) }

// heldBut is what a queue's pods hold without some of them.
func (c *checker) heldBut(queue string, without map[types.UID]bool) int64 {
	return c.running(queue, func(uid types.UID) bool { return !c.said[uid] && !without[uid] })
}

// going are the pods that may have been told that they have to leave, and those of jobs of which that was said of one
// pod: where a member's deletion was refused before, the others are told once it is accepted.
func (c *checker) going() map[types.UID]bool {
	out := maps.Clone(c.tried)
	for _, p := range c.w.api.List(c.pods) {
		if c.goesWhole(p) {
			out[p.Meta().GetUID()] = true
		}
	}
	return out
}

// running is how many cores those of a queue's pods hold that count, of those that are not leaving. A pod that was told
// that it has to leave stays where its deletion is refused.
func (c *checker) running(queue string, counts func(types.UID) bool) (sum int64) {
	for _, p := range c.w.api.List(c.pods) {
		if uid := p.Meta().GetUID(); c.bound[uid] != "" && p.Meta().GetDeletionTimestamp() == nil && counts(uid) &&
			c.queueOf(p) == queue {
			sum += coresOf(p)
		}
	}
	return sum
}

func everyPod(types.UID) bool { return true }

// queueOf is the queue of a user's pod.
func (c *checker) queueOf(p *apimodel.Stored) string {
	if one := c.w.jobs.of(p); one != nil {
		return one.queue
	}
	return ""
}

// capability checks that no binding of a scheduler takes a queue above its limit, or is of a tenant that may hold
// nothing.
func (c *checker) capability(write apimodel.Write) {
	if !isScheduler(write.Client) || time.Since(c.restoredAt) < blind {
		return
	}
	if write.After.Meta().GetNamespace() == evilNamespace {
		c.w.wrong("pod %s is bound, and its queue may hold next to nothing", write.Key())
	}
	if c.queueOf(write.After) != boundedQueue {
		return
	}
	if now := c.heldBut(boundedQueue, c.going()); now > c.w.mostCores() {
		c.w.wrong("queue %s may hold %d cores, and holds %d since %s is bound", boundedQueue, c.w.mostCores(), now,
			write.Key())
	}
}

// guarantee checks that no queue takes from another what that is owed, and that nothing is taken for a tenant that may
// hold nothing.
func (c *checker) guarantee(write apimodel.Write, p *apimodel.Stored) {
	why := c.why[p.Meta().GetUID()]
	if strings.Contains(why, " for "+evilNamespace+"/") {
		c.w.wrong("pod %s was evicted for a tenant that may hold nothing: %s", write.Key(), why)
	}
	if c.queueOf(p) != owedQueue || !strings.Contains(why, "takes back its due") ||
		time.Since(c.restoredAt) < seenWithin || time.Since(c.remadeAt) < seenWithin {
		return
	}
	c.debt.taken.add(coresOf(p))
	most, taken, back := c.debt.held.most(), c.debt.taken.sum(), c.debt.regained.sum()+c.promised(owedQueue)
	if most+back-taken < owedCores && c.running(owedQueue, everyPod) < owedCores {
		c.w.wrong("queue %s is owed %d cores, held at most %d, got %d anew, and %d were taken from it, %s the last: %s",
			owedQueue, owedCores, most, back, taken, write.Key(), why)
	}
}

// promised is how many cores a queue's pods have reserved, or are about to have: what was freed for them counts as held
// by their queue, and so does a pod of which the binding is under way, or before it that of its volumes and devices.
func (c *checker) promised(queue string) (sum int64) {
	for _, p := range c.w.api.List(c.pods) {
		status, _ := p.Object["status"].(map[string]any)
		sent := c.debt.sent[p.Meta().GetUID()]
		underWay := !sent.IsZero() && time.Since(sent) <= seenWithin
		if c.bound[p.Meta().GetUID()] == "" && (underWay || text(status, "nominatedNodeName") != "") &&
			c.queueOf(p) == queue {
			sum += coresOf(p)
		}
	}
	return sum
}

// goesAsAWhole is said of pods of which all that their job has are evicted.
const goesAsAWhole = "its job goes as a whole"

// goWhole notes that a pod's job is evicted as a whole, if that is said of the pod.
func (c *checker) goWhole(uid types.UID, why string) {
	if !strings.Contains(why, goesAsAWhole) {
		return
	}
	pods := c.w.api.List(c.pods)
	at := slices.IndexFunc(pods, func(p *apimodel.Stored) bool { return p.Meta().GetUID() == uid })
	if at < 0 || c.gangOf(pods[at]) == nil {
		return
	}
	g := c.gangOf(pods[at])
	g.goes = map[types.UID]bool{}
	for _, p := range pods {
		if uid := p.Meta().GetUID(); c.bound[uid] != "" && c.gangOf(p) == g {
			g.goes[uid] = true
		}
	}
}

// goesWhole says that it was said of another pod of a pod's job that all of them are evicted, which this one is then.
func (c *checker) goesWhole(p *apimodel.Stored) bool {
	g := c.gangOf(p)
	return g != nil && g.goes[p.Meta().GetUID()]
}

// reasons remembers what is said of an eviction.
func (c *checker) reasons(body []byte) {
	var pod struct {
		Metadata struct{ UID types.UID }
		Status   struct {
			Conditions []struct{ Type, Message string }
		}
	}
	if json.Unmarshal(body, &pod) != nil {
		return // then nothing is said
	}
	for _, one := range pod.Status.Conditions {
		if one.Type == "DisruptionTarget" {
			c.said[pod.Metadata.UID], c.why[pod.Metadata.UID] = true, one.Message
			c.goWhole(pod.Metadata.UID, one.Message)
		}
	}
}
