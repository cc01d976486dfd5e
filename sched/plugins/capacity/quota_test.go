package capacity

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// Seed 001, §5.3 and seed 000, §10.2.
func TestAllocatable(t *testing.T) {
	tests := map[string]struct {
		tree   bool
		queues []string
		held   map[string]string
		asks   string
		fits   int64
		why    string // with nothing in the way the zero reason
	}{
		"flat: up to realCapability, beyond deserved": {false, []string{"q root deserved:cpu=10 capability:cpu=60"},
			map[string]string{"q": "cpu=20"}, "cpu=3", 13, ""},
		"flat: full": {false, []string{"q root capability:cpu=60"},
			map[string]string{"q": "cpu=59"}, "cpu=3", 0, "QueueCapability q cpu 62/60"},
		"only what is asked for is looked at": {false, []string{"q root capability:cpu=60,gpu=2"},
			map[string]string{"q": "cpu=5 gpu=4"}, "cpu=5", 11, ""},
		"flat: what a user's root names holds for all": {false, []string{"root root capability:cpu=50", "q root", "r root"},
			map[string]string{"r": "cpu=45"}, "cpu=2", 2, ""},
		"what no node offers waits for nodes": {false, []string{"q root capability:tpu=2"}, nil, "tpu=4", 1000, ""},
		"a closed queue takes nothing":        {false, []string{"q root closed"}, nil, "cpu=1", 0, "QueueNotOpen q"},
		"tree: the leaf's own limit": {true, []string{"team root capability:cpu=50", "q team capability:cpu=10"},
			map[string]string{"q": "cpu=4"}, "cpu=2", 3, ""},
		"tree: the parent's limit counts what cousins hold": {true,
			[]string{"team root capability:cpu=50", "q team", "r team"},
			map[string]string{"r": "cpu=45", "q": "cpu=1"}, "cpu=2", 2, ""},
		"tree: the queue above that is full is named": {true, []string{"team root capability:cpu=50", "q team", "r team"},
			map[string]string{"r": "cpu=49", "q": "cpu=1"}, "cpu=2", 0, "QueueCapability team cpu 52/50"},
		"tree: root's limit": {true, []string{"root root capability:cpu=20", "team root", "q team", "r root"},
			map[string]string{"r": "cpu=20"}, "cpu=2", 0, "QueueCapability root cpu 22/20"},
		"tree: a full cluster is for nodes to say": {true, []string{"team root", "q team", "r root"},
			map[string]string{"r": "cpu=60", "q": "cpu=40"}, "cpu=1", 1000, ""},
		"tree: a sibling's guarantee is kept": {true, []string{"q root", "r root guarantee:cpu=30"}, nil, "cpu=7", 10, ""},
		"tree: a queue with children":         {true, []string{"q root", "r q"}, nil, "cpu=1", 0, "QueueNotLeaf q"},
		"tree: a queue that is orphaned":      {true, []string{"q nowhere"}, nil, "cpu=1", 0, "QueueNotFound q"},
		"tree: others notice nothing of it": {true, []string{"q root capability:cpu=40", "lost nowhere", "a b", "b a"},
			nil, "cpu=1", 40, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := flat(t, "cpu=100 gpu=8")
			if tc.tree {
				c = nested(t, "cpu=100 gpu=8")
			}
			c.queues(tc.queues...)
			for _, q := range []string{"q", "r"} {
				if asks := tc.held[q]; asks != "" {
					c.hold(q, asks)
				}
			}
			n, why := c.fits("q", tc.asks)
			equal(t, "tasks that fit", n, tc.fits)
			equal(t, "why not more than that", brief(why), tc.why)
		})
	}
}

// job is a job without pods that asks to be let in.
func (c *cluster) job(queue, name, min string, admitted bool) ledger.JobID {
	g := &model.PodGroup{Meta: model.Meta{Namespace: "x", Name: name}, Queue: queue, MinMember: 1}
	if min != "" {
		g.MinResources, g.HasMin = list(min), true
	}
	if admitted {
		g.Phase = model.GroupInqueue
	}
	c.tell(model.KindPodGroup, "x", name, g)
	c.ready()
	j, _ := c.Jobs.Find(ledger.JobKey{Namespace: "x", Name: name})
	return j
}

// Seed 001, §5.4, and decision 6.
func TestEnqueue(t *testing.T) {
	tests := map[string]struct {
		tree   bool
		offers string
		queues []string
		others string // minResources of a job in r that was let in
		min    string
		why    string
	}{
		"flat: within realCapability": {false, "cpu=100", []string{"q root", "r root guarantee:cpu=30"}, "",
			"cpu=70", ""},
		"flat: above it": {false, "cpu=100", []string{"q root", "r root guarantee:cpu=30"}, "",
			"cpu=71", "QueueQuotaInsufficient q cpu 71/70"},
		"flat: what no node offers": {false, "cpu=100", []string{"q root"}, "", "tpu=4", ""},
		"flat: … but for the queue's capability": {false, "cpu=100", []string{"q root capability:tpu=2"}, "", "tpu=4",
			"QueueQuotaInsufficient q tpu 4/2"},
		"without minResources":            {false, "cpu=1", []string{"q root"}, "", "", ""},
		"without minResources, closed":    {false, "cpu=1", []string{"q root closed"}, "", "", "QueueNotOpen q"},
		"tree: an empty cluster can grow": {true, "", []string{"team root", "q team"}, "", "cpu=500", ""},
		"tree: up to the queue's capability": {true, "", []string{"team root", "q team capability:cpu=400"}, "",
			"cpu=500", "QueueQuotaInsufficient q cpu 500/400"},
		"tree: up to the parent's, inherited": {true, "", []string{"team root capability:cpu=400", "q team"}, "",
			"cpu=500", "QueueQuotaInsufficient q cpu 500/400"},
		"tree: up to root's own": {true, "", []string{"root root capability:cpu=300", "q root"}, "",
			"cpu=301", "QueueQuotaInsufficient q cpu 301/300"},
		"tree: siblings' guarantees below a limit": {true, "", []string{"root root capability:cpu=300", "q root",
			"r root guarantee:cpu=100"},
			"", "cpu=201", "QueueQuotaInsufficient q cpu 201/200"},
		"tree: what a cousin was let in with counts above": {true, "cpu=100",
			[]string{"team root capability:cpu=50", "q team", "r team"},
			"cpu=40", "cpu=11", "QueueQuotaInsufficient team cpu 51/50"},
		"tree: and leaves room for others": {true, "cpu=100", []string{"team root capability:cpu=50", "q team", "r team"},
			"cpu=40", "cpu=10", ""},
		"tree: a queue with children": {true, "cpu=100", []string{"q root", "r q"}, "", "cpu=1", "QueueNotLeaf q"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := flat(t, tc.offers)
			if tc.tree {
				c = nested(t, tc.offers)
			}
			c.queues(tc.queues...)
			if tc.others != "" {
				c.job("r", "other", tc.others, true)
			}
			vote, why := c.VoteEnqueue(c.job("q", "job", tc.min, false))
			equal(t, "why", brief(why), tc.why)
			equal(t, "let in", vote == policy.Permit, tc.why == "")
		})
	}
}
