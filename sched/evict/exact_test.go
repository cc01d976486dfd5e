package evict_test

import (
	"cmp"
	"slices"
	"testing"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// price is what a set of victims costs but for when they started.
type price struct {
	highest int32
	sum     int64
	count   int
}

func (p price) compare(o price) int {
	return cmp.Or(cmp.Compare(p.highest, o.highest), cmp.Compare(p.sum, o.sum), cmp.Compare(p.count, o.count))
}

// TestTheCheapestVictimsOfAll: on clusters small enough, every set of units on every node
// is tried in every order. A place is found whenever there is one, and no victim could have
// been spared, or replaced by a less important one.
func TestTheCheapestVictimsOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { cheapestOfAll(t) })
	somebodyWasEvicted(t, cheapestOfAll)
}

// cheapestOfAll compares what was found with the best there is; it returns whether a pod was evicted.
func cheapestOfAll(t *rapid.T) (took bool) {
	s := newSquare(t, 1)
	return s.takes(s.brute())
}

// No victims are found for a job of which no task is to be placed, as while a backoff applies to it. That answer is not
// remembered for the jobs like it, nor for itself once it has tasks.
func TestNoVictimsForAJobWithoutATask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSquare(t, 1)
		if s.search.Would(s.rule, s.job, nil) || s.search.Take(s.rule, s.job, nil) {
			t.Fatal("victims were found")
		}
		s.takes(s.brute())
	})
}

// takes runs the search and compares its victims with the best there are.
func (s *square) takes(want price, possible bool) (took bool) {
	got, took := s.take()
	switch {
	case took != possible:
		s.t.Fatalf("%s: victims found: %v, there are some: %v (%+v)", s.rule.Action, took, possible, want)
	case took && got.compare(want) != 0:
		s.t.Fatalf("%s: the victims cost %+v, the cheapest %+v", s.rule.Action, got, want)
	}
	return took
}

// somebodyWasEvicted checks that in nearly half of the worlds that are drawn, or more,
// a pod is evicted. It draws the same hundred every time, since others may differ by chance.
func somebodyWasEvicted(t *testing.T, world func(*rapid.T) bool) {
	t.Helper()
	worlds, taken := rapid.Custom(world), 0
	for seed := range 100 {
		if worlds.Example(seed) {
			taken++
		}
	}
	if taken < 45 {
		t.Errorf("somebody was evicted in only %d of 100 worlds: that shows little", taken)
	}
}

// take runs the search, and prices its victims.
func (s *square) take() (p price, ok bool) {
	p.highest = -1 << 31
	ok = s.search.Take(s.rule, s.job, s.tasks)
	s.search.Records(func(t ledger.TaskID, r *trace.Eviction) {
		p = p.with(s.l.Job(s.l.Task(t).Job).Priority)
		if r.Exhausted {
			s.t.Fatal("the search was given up")
		}
	})
	return p, ok
}

func (p price) with(priority int32) price {
	return price{max(p.highest, priority), p.sum + int64(priority) + 1<<31, p.count + 1}
}

// brute is the cheapest price there is: among surplus members, or where they are not
// enough anywhere, with whole gangs. No pod is evicted where room is free.
func (s *square) brute() (best price, found bool) {
	b := &brute{square: s, asks: policy.Preemptor{Task: s.tasks[0], Job: s.job, Queue: s.l.Job(s.job).Queue}}
	b.class = s.l.Task(s.tasks[0]).Class
	b.asks.Want = s.l.Class(b.class).Request
	if s.rule.Scope == evict.OtherQueues {
		b.findShortOnAll()
		if r, ok := s.set.Eviction.Preemptive(b.asks); !ok && r.Code != trace.QueueCapability {
			return price{}, false
		}
	}
	if free := s.nodeIndex.Best(class.Query{Task: s.tasks[0]}); free.Node != ledger.NoNode && b.lawful() {
		return price{}, false
	}
	for _, b.wholes = range []bool{false, true} {
		if b.wholes && !s.rule.WholeGangs {
			break
		}
		s.l.Nodes.Present(func(n ledger.NodeID) bool {
			b.on(n)
			return true
		})
		if b.any {
			return b.best, true
		}
	}
	return price{}, false
}

type brute struct {
	*square
	asks   policy.Preemptor
	class  ledger.ClassID
	wholes bool
	spread bool // units of all nodes together: what is surplus on each need not be in all
	node   ledger.NodeID
	units  []policy.Unit
	tiers  [2]int
	seen   map[uint64]bool
	best   price
	any    bool
}

func (b *brute) findShortOnAll() {
	for _, need := range b.l.Class(b.class).Need {
		enough := need.Dim == resource.Pods
		b.l.Nodes.Present(func(n ledger.NodeID) bool {
			enough = enough || b.l.Nodes.FutureIdle(need.Dim, n) >= need.Amount
			return true
		})
		if !enough {
			b.asks.ShortOnAll = append(b.asks.ShortOnAll, need.Dim)
		}
	}
}

// findShortOnNode notes what a node has too little of for so many tasks.
func (b *brute) findShortOnNode(n ledger.NodeID, count int64) {
	for _, need := range b.l.Class(b.class).Need {
		if need.Dim != resource.Pods && b.l.Nodes.FutureIdle(need.Dim, n) < count*need.Amount {
			b.asks.ShortOnNode = append(b.asks.ShortOnNode, need.Dim)
		}
	}
}

func (b *brute) judge(u policy.Unit) int {
	if u.Whole {
		u.Tasks = slices.DeleteFunc(slices.Clone(u.Tasks), func(t ledger.TaskID) bool {
			return b.l.Task(t).Status != model.Running
		})
		if len(u.Tasks) == 0 {
			return policy.NoTier
		}
		u.Surplus = max(0, len(u.Tasks)-int(b.l.Job(u.Job).MinMember))
	}
	if b.rule.Scope == evict.OtherQueues {
		judged, _ := b.set.Eviction.Reclaimable(b.asks, u)
		return judged.Tier
	}
	judged, _ := b.set.Eviction.Preemptable(b.asks, u)
	return judged.Tier
}

func kindOf(u policy.Unit) int {
	if u.Whole {
		return 1
	}
	return 0
}

// on tries a node.
func (b *brute) on(n ledger.NodeID) {
	b.node, b.units, b.seen = n, nil, map[uint64]bool{}
	b.tiers = [2]int{policy.NoTier, policy.NoTier}
	b.asks.ShortOnNode = nil
	b.findShortOnNode(n, 1)
	b.l.Jobs.Each(func(j ledger.JobID) bool {
		b.unitsOf(j)
		return true
	})
	for _, u := range b.units {
		if t, k := b.judge(u), kindOf(u); t != policy.NoTier && (b.tiers[k] == policy.NoTier || t < b.tiers[k]) {
			b.tiers[k] = t
		}
	}
	b.l.Try(func(tx *ledger.Tx) bool {
		b.from(tx, 0, price{highest: -1 << 31})
		return false
	})
}

func (b *brute) mine(t ledger.TaskID) bool {
	task := b.l.Task(t)
	q := b.l.Job(task.Job).Queue
	return task.Job != b.job && task.Status == model.Running && task.Pod.Preemptable &&
		(q == b.asks.Queue) == (b.rule.Scope == evict.SameQueue)
}

// unitsOf lists the units of a job that have a member on the node.
func (b *brute) unitsOf(j ledger.JobID) {
	var here, all []ledger.TaskID
	whole := true
	b.l.Jobs.Tasks(j, model.Running, func(t ledger.TaskID) bool {
		all = append(all, t)
		whole = whole && b.mine(t)
		if b.mine(t) && b.l.Task(t).Node == b.node {
			here = append(here, t)
		}
		return true
	})
	order := func(x, y ledger.TaskID) int { return b.set.CompareTasks(y, x) }
	slices.SortFunc(here, order)
	slices.SortFunc(all, order)
	job := b.l.Job(j)
	spare := max(0, min(len(all)-int(job.MinMember), len(here)))
	for _, t := range here[:spare] {
		b.units = append(b.units, policy.Unit{Queue: job.Queue, Job: j, Tasks: []ledger.TaskID{t}})
	}
	if b.wholes && whole && (len(here) > spare || b.spread && len(here) > 0) {
		b.units = append(b.units, policy.Unit{Queue: job.Queue, Job: j, Whole: true, Tasks: all})
	}
}

// from evicts one unit more, each in turn.
func (b *brute) from(tx *ledger.Tx, set uint64, p price) {
	if set != 0 && b.fits() {
		if !b.any || p.compare(b.best) < 0 {
			b.best, b.any = p, true
		}
		return
	}
	for i, u := range b.units {
		if set>>i&1 == 1 || b.seen[set|1<<i] || b.judge(u) != b.tiers[kindOf(u)] || b.tiers[kindOf(u)] == policy.NoTier {
			continue
		}
		b.seen[set|1<<i] = true
		tx.Try(func(tx *ledger.Tx) bool {
			q := p
			for _, t := range u.Tasks {
				if b.l.Task(t).Status == model.Running {
					tx.Evict(t, "brute", ledger.NoTask)
					q = q.with(b.l.Job(u.Job).Priority)
				}
			}
			b.from(tx, set|1<<i, q)
			return false
		})
	}
}

func (b *brute) fits() bool {
	for _, need := range b.l.Class(b.class).Need {
		if b.l.Nodes.FutureIdle(need.Dim, b.node) < need.Amount {
			return false
		}
	}
	return b.lawful()
}

func (b *brute) lawful() bool {
	if b.set.Allocatable(b.asks.Queue, b.class, 1) < 1 {
		return false
	}
	if b.rule.Scope != evict.OtherQueues {
		return true
	}
	_, ok := b.set.Eviction.Preemptive(b.asks)
	return ok
}
