package ledger

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
)

// The example of seed 004, "FutureIdle": idle 100m, releasing 500m, pipelined 300m.
func TestFutureIdleIsIdlePlusReleasingLessPipelined(t *testing.T) {
	c := newCluster()
	n := c.node("n", 1000)
	c.pod("runs", 400, on("n"))
	c.pod("leaves", 500, on("n"), terminating)
	waits := c.pod("waits", 300)
	c.Try(func(tx *Tx) bool { tx.Pipeline(waits, n); return true })

	equal(t, "idle", c.Nodes.Idle(0)[n], 100)
	equal(t, "used", c.Nodes.Used(0, n), 900)
	equal(t, "releasing", c.Nodes.Releasing(0)[n], 500)
	equal(t, "pipelined", c.Nodes.Pipelined(0)[n], 300)
	equal(t, "future idle", c.Nodes.FutureIdle(0, n), 300)
	equal(t, "room", c.Nodes.Room(0)[n], 100)
	equal(t, "the node's having a task that leaves", c.Nodes.HasReleasing(n), true)
}

func TestQueueFiguresMoveUpTheTree(t *testing.T) {
	c := newCluster()
	n := c.node("n", 8000)
	c.queueUnder("org", "")
	c.queueUnder("team", "org")
	c.queueUnder("other", "")
	c.ExtendDims()
	j := c.group("g", model.PodGroup{Queue: "team", MinMember: 2})
	c.pod("r", 1000, member("g"), on("n"))
	p := c.pod("p", 2000, member("g"))
	c.pod("s", 4000, member("g"), gated)
	check := func(allocated, request int64, names ...string) {
		t.Helper()
		for _, q := range names {
			equal(t, q+"'s allocated", c.row(t, q).Allocated.Get(0), allocated)
			equal(t, q+"'s request", c.row(t, q).Request.Get(0), request)
		}
	}
	check(1000, 3000, "team", "org", "root")
	c.Try(func(tx *Tx) bool {
		tx.Allocate(p, n)
		check(3000, 3000, "team", "org", "root")
		return false
	})
	check(1000, 3000, "team", "org", "root")
	c.queueUnder("team", "other")
	check(0, 0, "org")
	check(1000, 3000, "team", "other", "root")
	c.tell(model.KindPodGroup, "ns", "g", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g"}, Queue: "org"})
	check(0, 0, "team", "other")
	check(1000, 3000, "org", "root")
	equal(t, "places among pods in the quota", c.Job(j).Request.Get(2), 0)
}

func TestElasticAndInqueue(t *testing.T) {
	min4 := model.PodGroup{MinMember: 2, HasMin: true, MinResources: cpu(4000)}
	type pods struct{ running, gated, waiting, succeeded, failed, leaving int }
	cases := map[string]struct {
		group            model.PodGroup
		phase            model.GroupPhase
		pods             pods
		elastic, inqueue int64
	}{
		"an admitted job reserves its minimum":      {min4, model.GroupInqueue, pods{}, 0, 4000},
		"what it holds already it does not reserve": {min4, model.GroupInqueue, pods{running: 3}, 0, 1000},
		"what gated members ask for it does not reserve": {min4, model.GroupInqueue, pods{running: 1, gated: 2},
			0, 1000},
		"a job that waits to be let in reserves nothing":    {min4, model.GroupPending, pods{waiting: 1}, 0, 0},
		"a phase alone reserves nothing":                    {min4, model.GroupRunning, pods{waiting: 1}, 0, 0},
		"nor does the phase of a gang that lacks members":   {min4, model.GroupUnknown, pods{}, 0, 0},
		"a running job reserves once its minimum is placed": {min4, model.GroupRunning, pods{running: 2}, 0, 2000},
		"a job that lost members reserves what they held":   {min4, model.GroupUnknown, pods{running: 3}, 0, 1000},
		"whatever its phase says":                           {min4, model.GroupPending, pods{running: 3}, 0, 1000},
		"as long as one member stays":                       {min4, model.GroupRunning, pods{leaving: 4}, 0, 0},
		"what a member that failed held is reserved for another": {min4, model.GroupRunning, pods{running: 3, failed: 1},
			0, 1000},
		"what one that succeeded held is not": {min4, model.GroupRunning,
			pods{running: 3, succeeded: 1}, 0, 0},
		"a job that has ended reserves nothing": {min4, model.GroupRunning,
			pods{succeeded: 2, failed: 1}, 0, 0},
		"what is above minResources is elastic": {min4, model.GroupRunning, pods{running: 6}, 2000, 0},
		"without minResources minMember times the mean is the floor": {model.PodGroup{MinMember: 2}, model.GroupRunning,
			pods{running: 5}, 3000, 0},
		"without minResources nothing is reserved": {model.PodGroup{MinMember: 2}, model.GroupInqueue,
			pods{running: 1}, 0, 0},
	}
	for name, k := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCluster()
			c.node("n", 100000)
			k.group.Phase = k.phase
			c.group("g", k.group)
			make := func(n int, kind string, how ...func(*model.Pod)) {
				for i := range n {
					c.pod(fmt.Sprint(kind, i), 1000, append(how, member("g"))...)
				}
			}
			make(k.pods.running, "running", on("n"))
			make(k.pods.gated, "gated", gated)
			make(k.pods.waiting, "waiting")
			make(k.pods.succeeded, "succeeded", on("n"), succeeded)
			make(k.pods.failed, "failed", on("n"), func(p *model.Pod) { p.Phase = model.PodFailed })
			make(k.pods.leaving, "leaving", on("n"), terminating)
			for _, q := range []string{model.DefaultQueue, model.RootQueue} {
				if q == model.RootQueue {
					c.queueUnder(model.DefaultQueue, "")
				}
				equal(t, q+"'s elastic", c.row(t, q).Elastic.Get(0), k.elastic)
				equal(t, q+"'s inqueue", c.row(t, q).Inqueue.Get(0), k.inqueue)
			}
		})
	}
}

func TestCountsOfAGang(t *testing.T) {
	c := newCluster()
	n := c.node("n", 100000)
	j := c.group("g", model.PodGroup{MinMember: 5,
		MinTaskMember: []model.RoleMin{{Role: "ps", Min: 1}, {Role: "worker", Min: 2}}})
	c.pod("a", 1000, member("g"), as("ps"), on("n"))
	c.pod("b", 1000, member("g"), as("worker"), succeeded)
	c.pod("c", 0, member("g"), as("worker"))
	c.pod("d", 1000, member("g"), as("worker"), gated)
	c.pod("e", 1000, member("g"), as("worker"), terminating, on("n"))
	f := c.pod("f", 1000, member("g"), as("worker"))
	c.Try(func(tx *Tx) bool { tx.Pipeline(f, n); return true })

	job := c.Job(j)
	equal(t, "placed: running and succeeded", job.Placed(), 2)
	equal(t, "ready: also the best-effort member", job.Ready(), 3)
	equal(t, "waiting: pipelined", job.By[model.Pipelined], 1)
	equal(t, "valid: all but the terminating one", job.Valid(), 5)
	equal(t, "gated", job.Gated, 1)
	for _, r := range job.Roles {
		switch r.Name {
		case "ps":
			equal(t, "ps ready", r.Ready(), 1)
			equal(t, "ps minimum", r.Min, 1)
		case "worker":
			equal(t, "workers ready", r.Ready(), 2)
			equal(t, "worker minimum", r.Min, 2)
		}
	}
	c.group("g", model.PodGroup{MinMember: 2, MinTaskMember: []model.RoleMin{{Role: "ps", Min: 1},
		{Role: "worker", Min: 2}}})
	for _, r := range c.Job(j).Roles {
		equal(t, "the minimum of "+r.Name+" when roles ask for more than minMember", r.Min, 0)
	}
}

func TestPlacesOfQueues(t *testing.T) {
	c := newCluster()
	c.queueUnder("sound", "")
	c.queueUnder("below", "sound")
	c.queueUnder("self", "self")
	c.queueUnder("ring1", "ring2")
	c.queueUnder("ring2", "ring1")
	c.queueUnder("hangs-on-ring", "ring1")
	c.queueUnder("orphan", "nowhere")
	c.queueUnder("grandchild", "orphan")
	c.tell(model.KindQueue, "", "aside", &model.Queue{Meta: model.Meta{Name: "aside",
		Faults: []model.Fault{{Field: "spec", Message: "is absurd", Fatal: true}}}})
	c.queueUnder("below-aside", "aside")
	c.group("lost", model.PodGroup{Queue: "never-seen"})
	want := map[string]struct {
		place  Place
		broken string
		depth  int32
		leaf   bool
	}{
		model.RootQueue: {Sound, "", 0, false},
		"sound":         {Sound, "", 1, false},
		"below":         {Sound, "", 2, true},
		"self":          {Cyclic, "", 0, false},
		"ring1":         {Cyclic, "", 0, false},
		"ring2":         {Cyclic, "", 0, false},
		"hangs-on-ring": {Cyclic, "", 0, true},
		"orphan":        {Orphaned, "nowhere", 0, false},
		"grandchild":    {Orphaned, "nowhere", 0, true},
		"aside":         {SetAside, "", 0, false},
		"below-aside":   {Orphaned, "aside", 0, true},
		"never-seen":    {Missing, "", 0, true},
	}
	for name, w := range want {
		q := c.row(t, name)
		equal(t, name+"'s place", q.Place, w.place)
		equal(t, name+"'s missing ancestor", q.Broken, w.broken)
		equal(t, name+"'s depth", q.Depth, w.depth)
		equal(t, name+"'s being a leaf", q.Leaf(), w.leaf)
	}
	c.group("found", model.PodGroup{Queue: "nowhere"})
	equal(t, "a queue that was named by a child first, being a leaf", c.row(t, "nowhere").Leaf(), false)
}

func TestMembersMoveUnderAQueueThatIsGone(t *testing.T) {
	c := newCluster()
	n := c.node("n", 4000)
	c.queueUnder("org", "")
	c.queueUnder("team", "org")
	c.group("g", model.PodGroup{Queue: "team", MinMember: 1})
	p := c.pod("p", 1000, member("g"))
	c.ExtendDims()
	c.tell(model.KindQueue, "", "org", nil)
	c.SetCommitment(p, Commitment{Kind: CommitBind, Node: n, Item: 1})
	equal(t, "the place of the queue that lost its parent", c.row(t, "team").Place, Orphaned)
	equal(t, "what it holds", c.row(t, "team").Allocated.Get(0), 1000)
	equal(t, "what root holds", c.row(t, model.RootQueue).Allocated.Get(0), 0)
	sound(t, c.Ledger)
}

func TestRowsAreFreedWithTheLastOfTheirUsers(t *testing.T) {
	c := newCluster()
	for i := range int64(5) {
		c.pod("p", 1000+i, on("never-seen"))
		c.tell(model.KindPod, "ns", "p", nil)
	}
	equal(t, "the number of task rows", c.Tasks.Len(), 1)
	equal(t, "the number of job rows", c.Jobs.Len(), 1)
	equal(t, "the number of node rows", c.Nodes.Len(), 1)
	equal(t, "the first class's being live", c.Class(0).Live(), false)
	_, node := c.Nodes.Find("never-seen")
	equal(t, "the node's being known", node, false)
}

// Templates come back: a class without tasks keeps its row, until so many others
// were given up since that the memory is worth more.
func TestAClassComesBackToItsRow(t *testing.T) {
	c := newCluster()
	give := func(cpu int64) ClassID {
		t := c.pod("p", cpu)
		class := c.Task(t).Class
		c.tell(model.KindPod, "ns", "p", nil)
		return class
	}
	first := give(1)
	born := c.Class(first).Born
	for i := range int64(mostRetired - 1) {
		give(2 + i)
	}
	equal(t, "the row it comes back to", give(1), first)
	equal(t, "the row's birth", c.Class(first).Born, born)
	for i := range int64(3 * mostRetired) {
		give(10_000 + i)
	}
	if n := c.Classes.Len(); n > mostRetired+1 {
		t.Errorf("%d class rows after %d templates came and went, want at most %d", n, 4*mostRetired, mostRetired+1)
	}
	sound(t, c.Ledger)
}
