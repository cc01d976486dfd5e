package sched

import (
	"slices"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// No queue is worse off than with its weight's part of the cluster to itself, rounded
// down, as far as it asks.
func TestSharingIncentive(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		m := someSharedNode(t, false)
		for i := range m.queues {
			if s := &m.queues[i]; rapid.IntRange(0, 3).Draw(t, "limit") == 3 {
				s.limited, s.capability = true, rapid.IntRange(0, 12).Draw(t, "capability")
			}
		}
		weights := 0
		for _, s := range m.queues {
			if s.tasks > 0 { // a queue that asks for nothing gets nothing
				weights += s.weight
			}
		}
		shared := m.holds(t)
		for _, s := range m.queues {
			if s.tasks == 0 {
				continue
			}
			alone := min(s.tasks, m.cpu*s.weight/weights/s.cpu)
			if s.gpus > 0 {
				alone = min(alone, m.gpus*s.weight/weights/s.gpus)
			}
			if s.limited {
				alone = min(alone, s.capability)
			}
			if shared[s.name] < alone {
				t.Fatalf("queue %s has %d tasks, and alone it would have %d: %+v", s.name, shared[s.name], alone, m)
			}
		}
	})
}

// Of queues that weigh the same and have equal tasks, none that still asks holds two
// tasks less than another.
func TestEnvyFreenessUpToOneTask(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		m := someSharedNode(t, false)
		for i := range m.queues {
			s, first := &m.queues[i], m.queues[0]
			s.weight, s.cpu, s.gpus = first.weight, first.cpu, first.gpus
		}
		holds := m.holds(t)
		for _, a := range m.queues {
			for _, b := range m.queues {
				if holds[a.name] < a.tasks && holds[b.name] > holds[a.name]+1 {
					t.Fatalf("%s asks and envies %s: %v in %+v", a.name, b.name, holds, m)
				}
			}
		}
	})
}

// Of two queues that are alike the heavier never gets less; and no queue gets less for
// being heavier, but for the one task that rounding may have given it.
func TestMoreWeightNeverGetsLess(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		m := someSharedNode(t, false)
		light := &m.queues[0]
		heavy := *light
		heavy.name, heavy.weight = "z", light.weight+rapid.IntRange(1, 4).Draw(t, "more")
		m.queues = append(m.queues, heavy)
		was := m.holds(t)
		if was["z"] < was["a"] {
			t.Fatalf("z of weight %d has %d tasks, a of weight %d has %d: %+v", heavy.weight, was["z"],
				m.queues[0].weight, was["a"], m)
		}
		m.queues[0].weight += rapid.IntRange(1, 4).Draw(t, "more still")
		if now := m.holds(t); now["a"] < was["a"]-1 {
			t.Fatalf("a has %d tasks instead of %d for being heavier: %+v", now["a"], was["a"], m)
		}
	})
}

// limits draws capabilities, and guarantees that the node can keep.
func (m *sharedNode) limits(t *rapid.T) {
	left := m.cpu
	for i := range m.queues {
		s := &m.queues[i]
		if rapid.IntRange(0, 2).Draw(t, "limit") == 2 {
			s.limited, s.capability = true, rapid.IntRange(0, 12).Draw(t, "capability")
		}
		if rapid.IntRange(0, 2).Draw(t, "guaranteed") == 2 {
			s.keeps, s.assure = true, rapid.IntRange(0, min(left, 8)).Draw(t, "guarantee")
			if s.limited {
				s.assure = min(s.assure, s.capability)
			}
			left -= s.assure
		}
	}
}

// Whatever others ask for, a queue gets what it is guaranteed as far as it asks.
func TestWhatIsGuaranteedIsGot(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		m := someSharedNode(t, true)
		m.limits(t)
		holds := m.holds(t)
		for _, s := range m.queues {
			if holds[s.name] < min(s.assure, s.tasks) {
				t.Fatalf("%s is guaranteed %d, asks for %d and has %d: %+v", s.name, s.assure, s.tasks, holds[s.name], m)
			}
		}
	})
}

// Room that no guarantee keeps goes to queues that ask and may still take it.
func TestNoRoomIsLeftWhileAQueueMayTakeIt(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		m := someSharedNode(t, true)
		m.limits(t)
		sharer := rapid.SampledFrom([]policy.Choice{byWeight, {Plugin: "capacity"}, {Plugin: "capacity", Hierarchy: true}}).
			Draw(t, "plugin")
		e := m.opened(t, sharer)
		idle := m.cpu
		for _, s := range m.queues {
			idle -= placed(e, s) + max(0, s.assure-placed(e, s))
		}
		for _, s := range m.queues {
			if n := placed(e, s); idle > 0 && n < min(s.tasks, mayHold(t, e, s)) {
				t.Fatalf("%d of %d are left, %s has %d of %d and may hold %d, by %s: %+v",
					idle, m.cpu, s.name, n, s.tasks, mayHold(t, e, s), sharer.Plugin, m)
			}
		}
	})
}

// sharers are the ways to share among queues. Of drf it is the tree of annotations.
var sharers = []policy.Choice{byWeight, {Plugin: "capacity"}, {Plugin: "capacity", Hierarchy: true},
	{Plugin: "drf", Hierarchy: true}}

// The order in which facts about queues and jobs come shows in nothing, whichever
// plugin shares.
func TestTheOrderOfQueuesAndJobsNeverMatters(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		m := someSharedNode(t, false)
		m.limits(t)
		p := sharing(rapid.SampledFrom(sharers).Draw(t, "plugin"))
		e, f := engine(t, p), engine(t, p)
		facts := nested(t, m.facts())
		e.Apply(facts...)
		f.Apply(rapid.Permutation(facts).Draw(t, "facts")...)
		_, was := answers(t, e, 0)
		_, is := answers(t, f, 0)
		same(t, "the order of facts shows", was, is)
	})
}

// nested is facts with queues below one another and with parts of their own: those of
// capacity's tree and of drf's.
func nested(t *rapid.T, facts []model.Fact) []model.Fact {
	facts = slices.Clone(facts)
	above := []string{model.RootQueue}
	for i, f := range facts {
		q, ok := f.Object.(*model.Queue)
		if !ok {
			continue
		}
		c := *q
		c.Parent = rapid.SampledFrom(above).Draw(t, "parent")
		if rapid.Bool().Draw(t, "deserves") {
			c.Deserved = units(rapid.IntRange(0, 12).Draw(t, "deserved"), 0, 0)
		}
		for range rapid.IntRange(0, 2).Draw(t, "levels") {
			c.Path = append(c.Path, model.Level{Name: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "level"),
				Weight: 1000 * rapid.Int64Range(1, 2).Draw(t, "level's weight")})
		}
		facts[i].Object = &c
		above = append(above, c.Name)
	}
	return facts
}

// What a queue holds, asks for, keeps and could give back is what its jobs and the
// queues below it do, through any history.
func TestAChildsFiguresAddUpToItsParents(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		w := newWorld(t)
		p := w.profile("enqueue", "allocate", "backfill", "evictAny")
		p.Tiers[1] = append(slices.DeleteFunc(p.Tiers[1], func(c policy.Choice) bool { return c.Plugin == "proportion" }),
			policy.Choice{Plugin: "capacity", Hierarchy: true})
		e := engine(t, p)
		w.begin()
		for range rapid.IntRange(4, 12).Draw(t, "cycles") {
			facts, receipts := w.deal()
			e.Apply(nested(t, facts)...)
			e.Receive(receipts...)
			plan, _, _ := e.Decide(w.now)
			w.learn(plan)
			e.l.Queues.Each(func(q ledger.QueueID) bool {
				addsUp(t, e.l, q)
				return true
			})
		}
	})
}

func addsUp(t *rapid.T, l *ledger.Ledger, q ledger.QueueID) {
	type figures struct{ allocated, request, inqueue, elastic int64 }
	for d := range resource.Dim(l.Dims.Len()) {
		var below figures
		l.Queues.Each(func(child ledger.QueueID) bool {
			if row := l.Queue(child); l.Queues.Parent(child) == q {
				below.allocated += row.Allocated.Get(d)
				below.request += row.Request.Get(d)
				below.inqueue += row.Inqueue.Get(d)
				below.elastic += row.Elastic.Get(d)
			}
			return true
		})
		row := l.Queue(q)
		own := figures{row.Allocated.Get(d), row.Request.Get(d), row.Inqueue.Get(d), row.Elastic.Get(d)}
		l.Jobs.Each(func(j ledger.JobID) bool {
			if job := l.Job(j); job.Queue == q {
				below.allocated += job.Allocated.Get(d)
				below.request += job.Request.Get(d)
			}
			return true
		})
		if row.Jobs > 0 { // what a job alone keeps and could give back it does not show
			own.inqueue, own.elastic, below.inqueue, below.elastic = 0, 0, 0, 0
		}
		if own != below {
			t.Fatalf("queue %s has %+v of %s, its jobs and the queues below it %+v", row.Name, own, l.Dims.Name(d), below)
		}
	}
}
