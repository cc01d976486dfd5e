package capacity

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// town is a cluster of gangs that run or wait, all of them as a whole.
type town struct {
	*cluster
	gangs []gang
	seen  map[string]int // by what ran: how many had been evicted when that was so last

	evicted int
}

type gang struct {
	queue, asks string
	tasks       []ledger.TaskID
	runs        bool
}

const offers = "cpu=10 gpu=4 memory=8"

// townOf draws queues and gangs of one to five pods, of which those that fit run.
func townOf(t *rapid.T) *town {
	choice := policy.Choice{Hierarchy: rapid.Bool().Draw(t, "hierarchy"), Arguments: policy.Arguments{}}
	if choice.Hierarchy {
		choice.Arguments["ancestorReclaimLevel"] = fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "level"))
	}
	x := &town{cluster: open(t, choice, offers), seen: map[string]int{}}
	x.queues(estates(t)...)
	leaves := x.leaves()
	for range rapid.IntRange(4, 12).Draw(t, "gangs") {
		g := gang{queue: rapid.SampledFrom(leaves).Draw(t, "queue"),
			tasks: make([]ledger.TaskID, rapid.IntRange(1, 5).Draw(t, "members")),
			asks: rapid.SampledFrom([]string{"cpu=1", "cpu=2", "cpu=4", "gpu=1", "gpu=2", "cpu=1 gpu=1", "cpu=3 gpu=1",
				"memory=3", "cpu=1 memory=2", "cpu=3 memory=1", "gpu=1 memory=2", "gpu=2 memory=1",
				"cpu=2 gpu=1 memory=2"}).Draw(t, "asks")}
		x.gangs = append(x.gangs, g)
		i := len(x.gangs) - 1
		x.set(i, rapid.IntRange(0, 3).Draw(t, "runs") > 0 && x.hasRoom(i))
	}
	return x
}

// estates draws two to six queues below root or each other, most of which deserve
// something.
func estates(t *rapid.T) []string {
	names := []string{"root", "root"}
	var out []string
	amount := func(what string, most int) string {
		return fmt.Sprintf(" %s:cpu=%d,gpu=%d,memory=%d", what, rapid.IntRange(0, most).Draw(t, what),
			rapid.IntRange(0, most/2).Draw(t, what),
			rapid.IntRange(0, most).Draw(t, what))
	}
	for i := range rapid.IntRange(2, 6).Draw(t, "queues") {
		name := string(rune('a' + i))
		text := name + " " + rapid.SampledFrom(names).Draw(t, "parent")
		if rapid.IntRange(0, 4).Draw(t, "entitled") > 0 {
			text += amount("deserved", 6)
		}
		if rapid.IntRange(0, 3).Draw(t, "guaranteed") == 0 {
			text += amount("guarantee", 2)
		}
		out, names = append(out, text), append(names, name)
	}
	return out
}

// set makes a gang run or wait.
func (x *town) set(i int, runs bool) {
	g, name := &x.gangs[i], fmt.Sprintf("gang-%d", i)
	g.runs = runs
	for k := range g.tasks {
		g.tasks[k] = x.member(g.queue, name, fmt.Sprintf("%s-%d", name, k), g.asks, runs)
	}
	x.tell(model.KindPodGroup, "x", name, &model.PodGroup{Meta: model.Meta{Namespace: "x", Name: name}, Queue: g.queue,
		MinMember: int32(len(g.tasks))})
	x.ready()
}

// room is what is left of the node.
func (x *town) room() resource.Vec {
	left := x.vec(offers)
	for _, g := range x.gangs {
		for range g.tasks {
			if g.runs {
				left = left.Sub(x.vec(g.asks))
			}
		}
	}
	return left
}

func (x *town) hasRoom(i int) bool {
	left := x.room()
	for range x.gangs[i].tasks {
		left = left.Sub(x.vec(x.gangs[i].asks))
	}
	return enough(left)
}

func enough(v resource.Vec) bool {
	for _, x := range v {
		if x < 0 {
			return false
		}
	}
	return true
}

func (x *town) unit(i int) policy.Unit {
	return policy.Unit{Queue: x.id(x.gangs[i].queue), Whole: true, Tasks: x.gangs[i].tasks}
}

// reclaim tries to make room for a waiting gang, victims in the order given, as the
// action does: member by member, every unit judged at the state of the try. It returns
// the pods that go, and false when the gang would not be placed whole.
func (x *town) reclaim(i int, order []int) (gone []int, ok bool) {
	left := x.room()
	node, _ := x.Nodes.Find("n1")
	x.Try(func(tx *ledger.Tx) bool {
		taken := map[int]bool{}
		for k, task := range x.gangs[i].tasks {
			c := x.claim(x.gangs[i].queue, x.gangs[i].asks)
			c.Rest = c.Want.Clone()
			for range x.gangs[i].tasks[k+1:] {
				c.Rest = c.Rest.Add(c.Want)
			}
			for d := range c.Want {
				if c.Want[d] > left.Get(resource.Dim(d)) {
					c.ShortOnAll = append(c.ShortOnAll, resource.Dim(d))
				}
			}
			placed := func() bool {
				_, may := x.Preemptive(c)
				return may && enough(left.Clone().Sub(c.Want))
			}
			for _, v := range order {
				if taken[v] || !x.gangs[v].runs || placed() || x.Reclaimable(c, x.unit(v)).Vote != policy.Permit {
					continue
				}
				for _, victim := range x.gangs[v].tasks {
					tx.Evict(victim, "reclaim", task)
					left = left.Add(x.vec(x.gangs[v].asks))
				}
				taken[v], gone = true, append(gone, v)
			}
			if ok = placed(); !ok {
				break
			}
			left = left.Sub(c.Want)
			tx.Nominate(task, node)
		}
		return false
	})
	return gone, ok && len(gone) > 0
}

// running names the gangs that run.
func (x *town) running() string {
	text := ""
	for _, g := range x.gangs {
		text += map[bool]string{true: "1", false: "0"}[g.runs]
	}
	return text
}

// Whichever pod is placed where there is room, and whichever queue reclaims from which, in any order: no state
// comes back once somebody was evicted after it, so evictions end.
func TestNoRoomGoesBackAndForth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := townOf(t)
		var path []string
		for range 60 {
			state := x.running()
			if i := slices.Index(path, state); i >= 0 && x.evicted > x.seen[state] {
				t.Fatalf("state %s came back by %v: %+v", state, path[i:], x.gangs)
			}
			path, x.seen[state] = append(path, state), x.evicted
			if !x.step(t) {
				return
			}
		}
	})
}

// step places a gang that has room; without one it reclaims for one, if anything may move.
func (x *town) step(t *rapid.T) bool {
	numbers := make([]int, len(x.gangs))
	for i := range numbers {
		numbers[i] = i
	}
	order, claims := rapid.Permutation(numbers).Draw(t, "victims"), rapid.Permutation(numbers).Draw(t, "claims")
	for _, i := range claims {
		if !x.gangs[i].runs && x.hasRoom(i) && x.lawful(i) {
			x.set(i, true)
			return true
		}
	}
	for _, i := range claims {
		if x.gangs[i].runs {
			continue
		}
		if gone, ok := x.reclaim(i, order); ok {
			for _, v := range gone {
				x.set(v, false)
			}
			x.set(i, true)
			x.evicted += len(gone)
			return true
		}
	}
	return false
}

// lawful says that a gang's queue may hold all of it.
func (x *town) lawful(i int) bool {
	g := &x.gangs[i]
	class := x.Task(g.tasks[0]).Class
	return x.plugin.Allocatable(x.id(g.queue), class, int64(len(g.tasks))) >= int64(len(g.tasks))
}

func TestAQueueThatMayNotGiveIsPermittedNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := townOf(t)
		for i, g := range x.gangs {
			for _, taker := range x.gangs {
				if !g.runs || taker.runs || x.MayBeVictimQueue(x.id(g.queue), x.id(taker.queue)) {
					continue
				}
				unit := x.unit(i)
				unit.Tasks = unit.Tasks[:rapid.IntRange(1, len(unit.Tasks)).Draw(t, "of the gang")]
				if o := x.Reclaimable(x.claim(taker.queue, taker.asks), unit); o.Vote == policy.Permit {
					t.Fatalf("%s may give nothing to %s, and %s of it is permitted", g.queue, taker.queue, g.asks)
				}
			}
		}
	})
}
