package world

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/test/world/apimodel"
)

const (
	usageHalfLife = 10 * time.Minute
	usageObject   = "volcano-usage-0" // that many holders all are in the first one
)

// keptUsage is what schedulers kept last of what queues used.
type keptUsage struct {
	by    string // which one wrote it
	ahead time.Duration
	cores map[string]usedCores
}

// usedCores is the decayed average of the cores of a queue at a time.
type usedCores struct {
	at      time.Time
	average float64
}

// remembers checks that what is kept of what queues used goes on from what was kept before, whichever scheduler wrote
// that: an average falls no faster than that of a queue that holds nothing, and rises no faster than that of one that
// holds the whole cluster.
func (c *checker) remembers(write apimodel.Write) {
	if write.After == nil || write.After.Meta().GetName() != usageObject || !isScheduler(write.Client) {
		return
	}
	c.overwritten(write)
	now, err := usageOf(write.After)
	if err != nil {
		c.w.wrong("%s wrote of usage what cannot be read: %v", write.Client, err)
		return
	}
	c.w.did("usage kept")
	if c.usage.by != "" && c.usage.by != write.Client {
		c.w.did("usage taken over")
	}
	for _, queue := range slices.Sorted(maps.Keys(c.usage.cores)) {
		was := c.usage.cores[queue]
		is, found := now[queue]
		if !found {
			is.at = time.Now().Add(c.w.aheadOf(write.Client))
		}
		// One whose clock is behind the last one's goes on from its own time.
		passed := is.at.Sub(was.at)
		if back := c.w.aheadOf(write.Client) - c.usage.ahead; back < 0 && passed < 0 {
			passed -= back
		}
		left := math.Exp2(-passed.Hours() / usageHalfLife.Hours())
		least := was.average * left
		most := least + 2*float64(c.w.Nodes*nodeCores)*(1-left) // pods of nodes that are gone count for a while
		// A tenant may say of its pods that they are on a node and ask for all there is: that counts in its own queue.
		if !slices.Contains(queueNames, queue) {
			most = math.Inf(1)
		}
		if passed < 0 || is.average < least-0.01 || is.average > most+0.01 {
			c.w.wrong("%s kept %.3f cores at %s as what queue %s used, and %s before %.3f at %s: it is remembered otherwise",
				write.Client, is.average, is.at.Sub(c.w.began), queue, c.usage.by, was.average, was.at.Sub(c.w.began))
		}
	}
	c.usage = keptUsage{by: write.Client, ahead: c.w.aheadOf(write.Client), cores: now}
}

// usageOf reads what is kept of cores, by queue.
func usageOf(kept *apimodel.Stored) (map[string]usedCores, error) {
	var state ledger.UsageState
	if err := json.Unmarshal([]byte(text(kept.Object, "data", "usage.json")), &state); err != nil {
		return nil, err
	}
	out := map[string]usedCores{}
	for _, r := range state.Queues {
		for _, a := range r.Amounts {
			if a.Resource == "cpu" {
				out[r.Queue] = usedCores{time.Unix(0, r.At), (float64(a.Used) + float64(a.Part)/math.Exp2(64)) / 1000}
			}
		}
	}
	return out, nil
}

// What queues used outlives the schedulers that saw it.
func TestUsageOutlivesSchedulers(t *testing.T) {
	o := drawn(3, 15*time.Minute)
	o.Usage, o.Schedulers = true, 2
	o.Trouble = Trouble{NetworkTrouble: NetworkTrouble{LostAfter: 0.03, Cut: 2 * time.Minute},
		ProcessTrouble: ProcessTrouble{Killed: 2 * time.Minute, Replaced: 3 * time.Minute}}
	r := run(t, o)
	if len(r.Wrong) > 0 {
		t.Errorf("%d wrong, the first: %s", len(r.Wrong), r.Wrong[0])
	}
	if r.Did["usage taken over"] == 0 {
		t.Errorf("no scheduler took usage over: %v", r.Did)
	}
}
