package world

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// tree has two of the world's queues below a third one, which bounds both together. Operators move a queue, and delete
// the one above.
type tree struct {
	w       *World
	queues  *apimodel.Kind
	changed time.Time // when the tree became what it is
}

// aboveQueue is the queue above, and belowQueues those below it.
const aboveQueue = "colours"

var belowQueues = []string{"blue", boundedQueue}

// movedFrom is the first seed of worlds in which queues are a tree.
const movedFrom = 60_000_000

// move draws, from a source of its own, what worlds from there on have.
func (o *Options) move() {
	r := rand.New(rand.NewPCG(o.Seed, 10))
	if r.IntN(3) > 0 && !o.Planned {
		o.Trouble.Moved = 30*time.Second + time.Duration(r.Int64N(int64(2*time.Minute)))
	}
}

// together is how many cores the queues below may hold together: the minimum of any job fits.
func (t *tree) together() int64 { return int64(t.w.Nodes * nodeCores * 5 / 8) }

func (t *tree) begin() {
	w := t.w
	if w.Trouble.Moved <= 0 {
		return
	}
	t.make()
	w.every(w.Trouble.Moved, func() {
		below := belowQueues[w.random.IntN(len(belowQueues))]
		switch w.random.IntN(4) {
		case 0:
			w.did("the queue above others gone")
			w.do(http.MethodDelete, t.queues.Path("", aboveQueue), map[string]any{})
		case 1:
			w.did("the queue above others made again")
			w.do(http.MethodDelete, t.queues.Path("", aboveQueue), map[string]any{})
			t.make()
			return
		case 2:
			w.did("a queue below a queue that is not there")
			t.put(below, "nowhere")
		default:
			w.did("a queue moved")
			t.put(below, "root")
		}
		w.seq.after(w.between(time.Second, w.longest()), t.calm)
	})
}

// calm has the tree as it was at first.
func (t *tree) calm() {
	if t.w.Trouble.Moved <= 0 {
		return
	}
	if t.w.api.Get(t.queues, "", aboveQueue) == nil {
		t.make()
	}
	for _, name := range belowQueues {
		t.put(name, aboveQueue)
	}
}

func (t *tree) make() {
	t.w.make(t.queues.Group, t.queues.Resource, map[string]any{"apiVersion": "scheduling.volcano.sh/v1beta1",
		"kind": "Queue", "metadata": map[string]any{"name": aboveQueue}, "spec": map[string]any{"weight": 5,
			"reclaimable": true, "parent": "root", "capability": map[string]any{"cpu": fmt.Sprint(t.together())}}})
}

// put has a queue below another one.
func (t *tree) put(name, above string) {
	if q := t.w.api.Get(t.queues, "", name); q != nil && text(q.Object, "spec", "parent") != above {
		t.w.do(http.MethodPatch, t.queues.Path("", name), map[string]any{"spec": map[string]any{"parent": above}})
	}
}

// into writes into the spec of a queue which one it is below.
func (t *tree) into(spec map[string]any, name string) {
	if t.w.Trouble.Moved > 0 && slices.Contains(belowQueues, name) {
		spec["parent"] = aboveQueue
	}
}

// wrote follows the tree.
func (t *tree) wrote(write apimodel.Write) {
	if write.Kind != t.queues {
		return
	}
	if write.Before == nil || write.After == nil ||
		text(write.Before.Object, "spec", "parent") != text(write.After.Object, "spec", "parent") {
		t.changed = time.Now()
	}
}

// whole says that the tree is as it was at first, and that every scheduler that acts has seen it.
func (t *tree) whole() bool {
	if t.w.Trouble.Moved <= 0 || time.Since(t.changed) < countedAfter || time.Since(t.w.check.restoredAt) < seenWithin ||
		t.w.api.Get(t.queues, "", aboveQueue) == nil {
		return false
	}
	return !slices.ContainsFunc(belowQueues, func(name string) bool {
		q := t.w.api.Get(t.queues, "", name)
		return q == nil || text(q.Object, "spec", "parent") != aboveQueue
	})
}

// bounded checks that no binding of a scheduler takes the queues below above what they may hold together.
func (t *tree) bounded(write apimodel.Write) {
	c := t.w.check
	if !isScheduler(write.Client) || !slices.Contains(belowQueues, c.queueOf(write.After)) {
		return
	}
	if t.w.Trouble.Moved > 0 {
		t.w.did("a pod bound below a queue above")
	}
	if !t.whole() {
		return
	}
	now, going := int64(0), c.going()
	for _, name := range belowQueues {
		now += c.heldBut(name, going)
	}
	if now > t.together() {
		t.w.wrong("queues %v may hold %d cores together, and hold %d since %s is bound", belowQueues, t.together(), now,
			write.Key())
	}
}

// moved are defects that worlds with a tree of queues find.
func moved() map[string]func() Breaks {
	within := func(o *Options) {
		o.Planned, o.Lasts, o.Nodes, o.MostJobs = false, 15*time.Minute, 6, 30
		o.Trouble = Trouble{ClusterTrouble: ClusterTrouble{Moved: 5 * time.Minute}}
	}
	return map[string]func() Breaks{
		"does not see which queue is below which": func() Breaks {
			return Breaks{event: replaces("Queue", `"parent":"`+aboveQueue+`"`, `"parent":"root"`), world: within,
				shows: "cores together"}
		},
	}
}
