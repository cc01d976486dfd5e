package proportion_test

import (
	"reflect"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// group is a PodGroup in queue a with its minResources, nil for none.
func (c *cluster) group(name string, min resource.List, phase model.GroupPhase) ledger.JobID {
	c.tell(model.KindPodGroup, "ns", name, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name}, Queue: "a",
		MinMember: 1, MinResources: min, HasMin: min != nil, Phase: phase})
	j, _ := c.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
	return j
}

// TestEnqueue: minResources + allocated + inqueue - elastic is to be within what the
// queue may ever hold.
func TestEnqueue(t *testing.T) {
	short := func(need, have int64) []trace.Short { return []trace.Short{{Dim: "cpu", Need: need, Have: have}} }
	tests := map[string]struct {
		cores  int64
		queue  queue
		others func(c *cluster)
		asks   resource.List
		code   trace.Code
		shorts []trace.Short
	}{
		"room for all of it": {cores: 10, asks: cpu(10)},
		"more than the cluster": {
			cores: 10, asks: cpu(11), code: trace.QueueQuotaInsufficient, shorts: short(11_000, 10_000),
		},
		"more than the capability": {
			cores: 10, queue: queue{capability: 4}, asks: cpu(5), code: trace.QueueQuotaInsufficient,
			shorts: short(5_000, 4_000),
		},
		"what is allocated counts": {
			cores: 10, asks: cpu(8), code: trace.QueueQuotaInsufficient, shorts: short(11_000, 10_000),
			others: func(c *cluster) { c.pod("runs", "a", cpu(3), "node") },
		},
		"what was let in before counts": {
			cores: 10, asks: cpu(8), code: trace.QueueQuotaInsufficient, shorts: short(12_000, 10_000),
			others: func(c *cluster) { c.group("earlier", cpu(4), model.GroupInqueue) },
		},
		"what a job holds above its minimum can be given back": {
			cores: 10, asks: cpu(8),
			others: func(c *cluster) {
				c.group("wide", cpu(2), model.GroupRunning)
				c.tell(model.KindPod, "ns", "wide-0", &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "wide-0"}, Ours: true,
					Group: "wide", Node: "node", Phase: model.PodRunning, Spec: &model.Spec{Requests: cpu(6)}})
			},
		},
		"only the dimensions of minResources count": {
			cores: 10, asks: also(nil, resource.MemoryName, 50),
			others: func(c *cluster) { c.pod("runs", "a", cpu(30), "node") },
		},
		"a cluster without nodes lets in, that it may grow": {asks: cpu(1000)},
		"a cluster without nodes holds to the capability": {
			queue: queue{capability: 4}, asks: cpu(5), code: trace.QueueQuotaInsufficient, shorts: short(5_000, 4_000),
		},
		"a resource no node offers yet lets in": {cores: 10, asks: also(cpu(1), gpu, 8_000)},
		"a closed queue lets nobody in": {
			cores: 10, queue: queue{state: model.QueueClosed}, asks: cpu(1), code: trace.QueueNotOpen,
		},
		"a closed queue lets nobody in, without minResources either": {
			cores: 10, queue: queue{state: model.QueueClosed}, code: trace.QueueNotOpen,
		},
		"without minResources it is let in": {cores: 10, others: func(c *cluster) { c.pod("runs", "a", cpu(30), "node") }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.queue.name, test.queue.weight = "a", 1
			c := newCluster(t, 0, test.queue)
			if test.cores > 0 {
				c.node(also(cpu(test.cores), resource.MemoryName, 100))
			}
			if test.others != nil {
				test.others(c)
			}
			j := c.group("asks", test.asks, model.GroupPending)
			c.open()
			vote, r := c.p.VoteEnqueue(j)
			if want := test.code == trace.None; (vote == policy.Permit) != want || r.Code != test.code {
				t.Errorf("the vote is %d for %q, want %q", vote, r.Code, test.code)
			}
			if !reflect.DeepEqual(r.Shorts, test.shorts) {
				t.Errorf("the amounts are %+v, want %+v", r.Shorts, test.shorts)
			}
			if r.Is() && r.Queue != "a" {
				t.Errorf("the queue in the way is %q, want a", r.Queue)
			}
		})
	}
}
