package proportion_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// town is a cluster of pods, each a gang of its own, that run or wait.
type town struct {
	*cluster
	pods []lodger
}

type lodger struct {
	queue string
	asks  resource.List
	task  ledger.TaskID
	runs  bool
}

// townOf draws two to four queues and up to ten pods, of which those that fit run.
func townOf(t *rapid.T) *town {
	x := &town{cluster: newCluster(t, 0)}
	x.node(also(cpu(10), resource.MemoryName, 10))
	names := []string{"a", "b", "c", "d"}[:rapid.IntRange(2, 4).Draw(t, "queues")]
	for _, name := range names {
		q := queue{name: name, weight: rapid.Int32Range(1, 3).Draw(t, "weight")}
		if rapid.IntRange(0, 2).Draw(t, "guaranteed") == 0 {
			q.guarantee = rapid.Int64Range(1, 3).Draw(t, "guarantee")
		}
		x.cluster.queue(q)
	}
	for range rapid.IntRange(4, 10).Draw(t, "pods") {
		asks := also(cpu(rapid.Int64Range(0, 4).Draw(t, "cpu")), resource.MemoryName,
			rapid.Int64Range(1, 4).Draw(t, "memory"))
		x.pods = append(x.pods, lodger{queue: rapid.SampledFrom(names).Draw(t, "queue"), asks: asks})
		i := len(x.pods) - 1
		x.set(i, rapid.IntRange(0, 3).Draw(t, "runs") > 0 && within(x.room(), x.want(i)))
	}
	return x
}

// set makes a pod run or wait.
func (x *town) set(i int, runs bool) {
	p := &x.pods[i]
	p.runs = runs
	p.task = x.pod(fmt.Sprintf("pod-%d", i), p.queue, p.asks, map[bool]string{true: "node"}[runs])
	x.open()
}

func (x *town) want(i int) resource.Vec { return x.l.Dims.Vec(x.pods[i].asks) }

// room is what is left of the node.
func (x *town) room() resource.Vec {
	left := x.l.Dims.Vec(also(cpu(10), resource.MemoryName, 10))
	for i, p := range x.pods {
		if p.runs {
			left = left.Sub(x.want(i))
		}
	}
	return left
}

func within(room, want resource.Vec) bool {
	return !slices.ContainsFunc(room.Clone().Sub(want), func(x int64) bool { return x < 0 })
}

func (x *town) claimOf(i int) policy.Preemptor {
	return policy.Preemptor{Queue: x.id(x.pods[i].queue), Task: x.pods[i].task, Job: ledger.NoJob, Want: x.want(i)}
}

func (x *town) unitOf(i int) policy.Unit {
	return policy.Unit{Queue: x.id(x.pods[i].queue), Whole: true, Tasks: []ledger.TaskID{x.pods[i].task}}
}

// reclaim tries to make room for a waiting pod, victims in the order given. It returns
// those that go, and false when the pod would not be placed, or without a victim.
func (x *town) reclaim(i int, order []int) (gone []int, ok bool) {
	room, claim := x.room(), x.claimOf(i)
	x.l.Try(func(tx *ledger.Tx) bool {
		for _, v := range order {
			if ok = within(room, claim.Want); ok {
				break
			}
			if x.pods[v].runs && x.p.Reclaimable(claim, x.unitOf(v)).Vote == policy.Permit {
				tx.Evict(x.pods[v].task, "reclaim", claim.Task)
				room, gone = room.Add(x.want(v)), append(gone, v)
			}
		}
		_, may := x.p.Preemptive(claim)
		ok = may && within(room, claim.Want) && len(gone) > 0
		return false
	})
	return gone, ok
}

// Whichever pod reclaims from which, in whatever order, and whichever takes the room that is
// left over: no set of running pods comes back. What is above deserved, over all queues, only
// ever shrinks, as a claim stays within what its queue deserves in all that it asks for.
func TestNoRoomGoesBackAndForth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := townOf(t)
		seen := map[string]bool{}
		for range 40 {
			state := ""
			for _, p := range x.pods {
				state += map[bool]string{true: "1", false: "0"}[p.runs]
			}
			if seen[state] {
				t.Fatalf("state %s came back", state)
			}
			seen[state] = true
			if !x.step(t) {
				return
			}
		}
	})
}

// step moves something, if anything may move: a pod into room that is left, or one for
// which others go.
func (x *town) step(t *rapid.T) bool {
	numbers := make([]int, len(x.pods))
	for i := range numbers {
		numbers[i] = i
	}
	order := rapid.Permutation(numbers).Draw(t, "victims")
	for _, i := range rapid.Permutation(numbers).Draw(t, "claims") {
		p := x.pods[i]
		if p.runs {
			continue
		}
		if within(x.room(), x.want(i)) && x.p.Allocatable(x.id(p.queue), x.l.Task(p.task).Class, 1) == 1 {
			x.set(i, true)
			return true
		}
		if gone, ok := x.reclaim(i, order); ok {
			for _, v := range gone {
				x.set(v, false)
			}
			x.set(i, true)
			return true
		}
	}
	return false
}

func TestAQueueThatMayNotGiveIsPermittedNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := townOf(t)
		for v, p := range x.pods {
			for i, taker := range x.pods {
				if !p.runs || taker.runs || x.p.MayBeVictimQueue(x.id(p.queue), x.id(taker.queue)) {
					continue
				}
				if o := x.p.Reclaimable(x.claimOf(i), x.unitOf(v)); o.Vote == policy.Permit {
					t.Fatalf("%s may give nothing to %s, and %v of it is permitted", p.queue, taker.queue, p.asks)
				}
			}
		}
	})
}
