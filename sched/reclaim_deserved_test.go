package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// dueProfile reclaims by plugin capacity, with queues that stand flat or in a tree.
func dueProfile(hierarchy bool) policy.Profile {
	return policy.Profile{Actions: []string{"enqueue", "allocate", "backfill", "reclaim"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
		{{Plugin: "predicates"}, {Plugin: "capacity", Hierarchy: hierarchy}, {Plugin: "nodeorder"}},
	}}
}

// deservedRoom is a pod that waits, a pod of which it could have the room, and the resource that decides it.
type deservedRoom struct{ waits, runs, of string }

// TestReclaimGivesAQueueWhatItDeserves: once nothing moves any more no pod waits that asks for a resource
// of which its queue holds too little, while a pod that gives enough of it runs in a queue that
// has too much of it; provided that the claim leaves its queue within its part of all it asks
// for, or that the other queue has too much of all that the pod gives.
func TestReclaimGivesAQueueWhatItDeserves(t *testing.T) {
	evicted := 0
	defer func() {
		if evicted == 0 {
			t.Error("nothing was ever evicted: this shows nothing")
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		tree := rapid.Bool().Draw(t, "tree")
		e, err := New(dueProfile(tree))
		if err != nil {
			t.Fatal(err)
		}
		c := &sharedCluster{t: t, e: e, now: 1000 * second, pods: map[ledger.Key]*model.Pod{}}
		c.settle(tree)
		for i := range 4 + c.n(12) {
			c.single(i)
			if c.n(2) == 0 {
				evicted += len(c.cycle())
			}
		}
		for range 40 {
			evicted += len(c.cycle())
		}
		if due, found := c.deservedRoom(); found {
			t.Fatalf("%s waits while %s runs, which it is owed %s of\n%+v", due.waits, due.runs, due.of, c.e.Report().Queues)
		}
	})
}

// settle puts up nodes and queues that deserve something of both resources; in a tree each
// is below one of two others.
func (c *sharedCluster) settle(tree bool) {
	for i := range 1 + c.n(2) {
		name := fmt.Sprintf("n%d", i)
		c.tell(model.KindNode, "", name, name, &model.Node{Meta: model.Meta{Name: name, UID: name},
			Allocatable: roomOf(2+c.n(6), c.n(4))})
	}
	if tree {
		for i := range 2 {
			name := fmt.Sprintf("org%d", i)
			c.tell(model.KindQueue, "", name, name, &model.Queue{Meta: model.Meta{Name: name, UID: name},
				Weight: 1, Reclaimable: true,
				Deserved: roomOf(20, 20)[:2]})
		}
	}
	for i := range 3 {
		name := fmt.Sprintf("q%d", i)
		q := &model.Queue{Meta: model.Meta{Name: name, UID: name}, Weight: 1, Reclaimable: true,
			Deserved: roomOf(c.n(6), c.n(3))[:2]}
		if tree {
			q.Parent = fmt.Sprintf("org%d", c.n(1))
		}
		c.tell(model.KindQueue, "", name, name, q)
	}
}

// single submits a job of one pod.
func (c *sharedCluster) single(i int) {
	name := fmt.Sprintf("j%d", i)
	c.tell(model.KindPodGroup, "ns", name, name,
		&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name, Created: c.now},
			Queue: fmt.Sprintf("q%d", c.n(2)), MinMember: 1, Phase: model.GroupPending})
	c.birth(&model.Pod{Meta: model.Meta{Namespace: "ns"}, Ours: true, Group: name, Preemptable: true,
		Spec: &model.Spec{Requests: roomOf(c.n(3), c.n(2))}})
}

// deservedRoom looks for a pod that waits and is owed the room of one that runs.
func (c *sharedCluster) deservedRoom() (deservedRoom, bool) {
	report := c.e.Report()
	queues := map[string]QueueReport{}
	for _, q := range report.Queues {
		queues[q.Name] = q
	}
	jobs := map[string]string{}
	for _, j := range report.Jobs {
		jobs[j.Name] = j.Queue
	}
	for _, waits := range c.pods {
		mine := queues[jobs[waits.Group]]
		if waits.Node != "" {
			continue
		}
		for _, runs := range c.pods {
			theirs := queues[jobs[runs.Group]]
			if runs.Node == "" || theirs.Name == mine.Name {
				continue
			}
			if of, found := deserves(report.Nodes, mine, theirs, waits, runs); found {
				return deservedRoom{waits.Name, runs.Name, of}, true
			}
		}
	}
	return deservedRoom{}, false
}

// deserves says of what a waiting pod may have the room of one that runs, and that this is all it
// needs.
func deserves(nodes []NodeReport, mine, theirs QueueReport, waits, runs *model.Pod) (of string, yes bool) {
	var node NodeReport
	for _, n := range nodes {
		if n.Name == runs.Node {
			node = n
		}
	}
	within, above, fits := true, true, true
	for _, d := range []string{resource.CPUName, "nvidia.com/gpu"} {
		asks, gives, idle := amount(waits.Spec.Requests, d), amount(runs.Spec.Requests, d), amount(node.FutureIdle, d)
		has := amount(mine.Allocated, d)+asks <= amount(mine.Deserved, d)
		more := amount(theirs.Allocated, d) > amount(theirs.Deserved, d)
		within, above, fits = within && (asks == 0 || has), above && (gives == 0 || more), fits && idle+gives >= asks
		if asks > idle && gives > 0 && has && more && lackedEverywhere(nodes, d, asks) {
			of = d
		}
	}
	return of, of != "" && fits && (within || above)
}

// lackedEverywhere says that no node has room for an amount.
func lackedEverywhere(nodes []NodeReport, d string, asks int64) bool {
	for _, n := range nodes {
		if amount(n.FutureIdle, d) >= asks {
			return false
		}
	}
	return true
}

func amount(list resource.List, d string) int64 {
	for _, a := range list {
		if a.Name == d {
			return a.Value
		}
	}
	return 0
}
