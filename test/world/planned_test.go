package world

import (
	"regexp"
	"testing"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// plannedFor is what a PodGroup or a pod says of a planned start.
var plannedFor = regexp.MustCompile(`its start is planned for (\S+) on ([^"]{0,30})`)

// lateStart is by how much a job may start after its planned start: a pod that is bound is started up to 3 s later, and
// its limit counts from then; what others do is seen and answered within seconds.
const lateStart = 15 * time.Second

// planned remembers when a gang was first planned to start.
func (c *checker) planned(write apimodel.Write) {
	if !c.w.Planned || write.After == nil || !isScheduler(write.Client) {
		return
	}
	g := c.gangs[string(write.After.Meta().GetUID())]
	if write.Kind == c.pods {
		g = c.gangOf(write.After)
	}
	found := plannedFor.FindSubmatch(write.After.JSON())
	if found != nil {
		c.w.log("%s is planned to start at %s on %s", write.Key(), found[1], found[2])
	}
	if g == nil || found == nil || !g.first.IsZero() {
		return
	}
	at, err := time.Parse(time.RFC3339, string(found[1]))
	if err != nil {
		c.w.wrong("%s says that it starts at %q: %v", write.Key(), found[1], err)
		return
	}
	g.first = at
	c.w.did("a planned start")
}

// punctual checks that a gang that starts does so no later than it was first planned to.
func (c *checker) punctual(g *gang) {
	if g.whole || g.first.IsZero() {
		return
	}
	c.w.did("a planned job started")
	if late := time.Since(g.first); late > lateStart {
		c.w.wrong("gang %s starts %s later than it was first planned to", g.name, late)
	}
}

// With enforced limits, no node lost and one queue no job starts later than it was first planned to: in worlds where
// watches die and writes are doubled, all pods have limits, the queue is fifo, and no job has a priority.
func TestPlannedStartsAreKept(t *testing.T) {
	did, log := map[string]int{}, logged(t)
	for i := range setting(t, seedsVariable, 6) {
		seed := setting(t, seedVariable, 1) + i
		o := drawn(seed, 15*time.Minute)
		o.Planned, o.Schedulers, o.Log = true, 1, log
		o.Trouble = Trouble{NetworkTrouble: NetworkTrouble{WatchDies: o.Trouble.WatchDies, Doubled: o.Trouble.Doubled}}
		r := run(t, o)
		for what, n := range r.Did {
			did[what] += n
		}
		if len(r.Wrong) > 0 {
			t.Errorf("%s=%d %s=1: %d wrong, the first: %s", seedVariable, seed, seedsVariable, len(r.Wrong), r.Wrong[0])
		}
	}
	if did["a planned job started"] == 0 {
		t.Error("no job whose start was planned started")
	}
	t.Log(did)
}
