package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// orders are the ways to order queues: each of them moves something else when a queue is
// served.
var orders = map[string][]policy.Choice{
	"by weight":            {{Plugin: "proportion"}},
	"flat capacity":        {{Plugin: "capacity"}},
	"a tree of capacity":   {{Plugin: "capacity", Hierarchy: true}},
	"a tree of drf":        {{Plugin: "drf", Hierarchy: true}},
	"two trees":            {{Plugin: "capacity", Hierarchy: true}, {Plugin: "drf", Hierarchy: true}},
	"weight, then a tree":  {{Plugin: "proportion"}, {Plugin: "drf", Hierarchy: true}},
	"nothing but the name": nil,
}

// The slow twin: the queue that the rotation names is the first of those inside it by the
// profile's order, as they stand now, whatever moved in between.
func TestARotationNamesTheFirstOfItsQueues(t *testing.T) {
	for name, choices := range orders {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				e, err := New(policy.Profile{Actions: []string{"allocate"},
					Tiers: [][]policy.Choice{append([]policy.Choice{{Plugin: "predicates"}}, choices...)}})
				if err != nil {
					t.Fatal(err)
				}
				turn(t, e)
			})
		})
	}
}

// turn draws a forest of queues with jobs, and turns among them to the end.
func turn(t *rapid.T, e *Engine) {
	queues := forest(t, e)
	e.l.ExtendDims()
	e.policy.Open(&trace.Recorder{}, policy.NoStopwatch{})
	var jobs []ledger.JobID
	inside := map[ledger.QueueID]int{}
	for _, q := range queues {
		for k := range rapid.IntRange(0, 3).Draw(t, "jobs") {
			name := fmt.Sprintf("%s-%d", q, k)
			j, ok := e.l.Jobs.Find(ledger.JobKey{Namespace: "x", Name: name, Adopted: true})
			if !ok {
				t.Fatalf("there is no job %s", name)
			}
			jobs = append(jobs, j)
			inside[e.l.Job(j).Queue]++
		}
	}
	r := e.session.Rotate(jobs)
	for len(inside) > 0 {
		if r.Queues() != len(inside) {
			t.Fatalf("the rotation has %d queues, want %d", r.Queues(), len(inside))
		}
		q, j, ok := r.Next()
		for other := range inside { // order-free: all are compared
			if !ok || other != q && e.policy.CompareQueues(other, q) < 0 {
				t.Fatalf("%s is named before %s", e.l.Queue(q).Name, e.l.Queue(other).Name)
			}
		}
		inside[q]--
		stir(t, e, e.l.Job(j).Key.Name)
		switch rapid.IntRange(0, 5).Draw(t, "then") {
		case 0:
			inside[q] -= len(r.Drain(q))
		case 1:
			r.Again(q, j)
			inside[q]++
		}
		if inside[q] == 0 {
			delete(inside, q)
		}
		r.Return(q)
	}
	if q, _, ok := r.Next(); ok {
		t.Fatalf("%s is named by a rotation that is empty", e.l.Queue(q).Name)
	}
}

// stir serves the job that had its turn, and now and then lets others gain or lose.
func stir(t *rapid.T, e *Engine, job string) {
	n, _ := e.l.Nodes.Find("n")
	for _, name := range append([]string{job}, rapid.SliceOfN(rapid.StringMatching("[a-h]-[0-2]"), 0, 2).
		Draw(t, "others")...) {
		task, ok := e.l.Tasks.Find(ledger.Key{Namespace: "x", Name: name})
		switch move := rapid.IntRange(0, 3).Draw(t, "moved"); {
		case !ok || move == 0:
		case move == 1:
			e.l.Drop(task)
		default:
			e.l.Try(func(tx *ledger.Tx) bool {
				if e.l.Task(task).Status == model.Pending {
					tx.Allocate(task, n)
				}
				return move == 2
			})
		}
	}
}

// forest is up to eight queues, below each other for capacity and on paths for drf, with
// three pods each.
func forest(t *rapid.T, e *Engine) []string {
	version := uint64(0)
	tell := func(k model.Kind, ns, name string, o model.Object) {
		version++
		e.l.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: ns, Name: name}, UID: name, Version: version, Object: o})
	}
	cpu := func(x int) resource.List {
		return resource.List{{Name: "cpu", Value: int64(x) * 1000}, {Name: "memory", Value: int64(x)}}
	}
	tell(model.KindNode, "", "n",
		&model.Node{Meta: model.Meta{Name: "n"}, Allocatable: append(cpu(40), resource.Amount{Name: "pods", Value: 100000})})
	names, taken := []string{"root"}, map[string]bool{}
	for i := range rapid.IntRange(1, 8).Draw(t, "queues") {
		name := string(rune('a' + i))
		q := &model.Queue{Meta: model.Meta{Name: name, Created: int64(rapid.IntRange(0, 1).Draw(t, "age"))},
			Weight: int32(rapid.IntRange(1, 3).Draw(t, "weight")), Parent: rapid.SampledFrom(names).Draw(t, "parent"),
			Priority: int32(max(0, rapid.IntRange(-2, 1).Draw(t, "priority")))}
		if rapid.Bool().Draw(t, "deserves") {
			q.Deserved = cpu(rapid.IntRange(0, 6).Draw(t, "deserved"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "path") {
			q.Path = append(q.Path, model.Level{Name: rapid.SampledFrom([]string{"eng", "sci"}).Draw(t, "level"),
				Weight: int64(rapid.IntRange(1, 2).Draw(t, "its weight")) * 1000})
		}
		taken[q.Parent] = true
		names = append(names, name)
		tell(model.KindQueue, "", name, q)
	}
	var leaves []string
	for _, name := range names {
		if taken[name] || name == "root" {
			continue
		}
		leaves = append(leaves, name)
		for k := range 3 {
			pod := fmt.Sprintf("%s-%d", name, k)
			tell(model.KindPod, "x", pod, &model.Pod{Meta: model.Meta{Namespace: "x", Name: pod, UID: pod}, Ours: true,
				Adopt: model.Adopt{Queue: name},
				Spec: &model.Spec{Requests: append(cpu(rapid.IntRange(1, 3).Draw(t, "asks")),
					resource.Amount{Name: "pods", Value: 1})}})
		}
	}
	return leaves
}
