package evict_test

import (
	"slices"
	"testing"

	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// TestTheCheapestVictimsOfAGang is TestTheCheapestVictimsOfAll for gangs of two and three
// of one class: every set of units of the whole cluster is tried, in every order, and
// every way to place the gang after it.
func TestTheCheapestVictimsOfAGang(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { cheapestOfAGang(t) })
	somebodyWasEvicted(t, cheapestOfAGang)
}

// cheapestOfAGang compares what was found with the best there is; it says whether somebody was evicted.
func cheapestOfAGang(t *rapid.T) (took bool) {
	s := newSquare(t, 2+rapid.IntRange(0, 1).Draw(t, "more"))
	return s.takes(s.bruteGang())
}

// bruteGang is brute for a gang: units of all nodes together.
func (s *square) bruteGang() (best price, found bool) {
	b := &brute{square: s, spread: true, asks: policy.Preemptor{Task: s.tasks[0], Job: s.job, Queue: s.l.Job(s.job).Queue}}
	b.class = s.l.Task(s.tasks[0]).Class
	b.asks.Want = s.l.Class(b.class).Request
	if s.rule.Scope == evict.OtherQueues {
		b.findShortOnAll()
		for range s.tasks {
			b.asks.Rest = b.asks.Rest.Add(b.asks.Want)
		}
		s.l.Nodes.Present(func(n ledger.NodeID) bool { b.findShortOnNode(n, int64(len(s.tasks))); return true })
		if r, ok := s.set.Eviction.Preemptive(b.asks); !ok && r.Code != trace.QueueCapability {
			return price{}, false
		}
	}
	if b.seats(nil) {
		return price{}, false
	}
	for _, b.wholes = range []bool{false, true} {
		if b.wholes && !s.rule.WholeGangs {
			break
		}
		var all []policy.Unit
		s.l.Nodes.Present(func(n ledger.NodeID) bool {
			all = append(all, b.lawfulOn(n)...)
			return true
		})
		b.units, b.seen = all, map[uint64]bool{}
		s.l.Try(func(tx *ledger.Tx) bool {
			b.sets(tx, 0, price{highest: -1 << 31})
			return false
		})
		if b.any {
			return b.best, true
		}
	}
	return price{}, false
}

// lawfulOn lists the units with a member on a node that the first tier permits which
// permits any of their kind there; of whole gangs those that an earlier node did not list.
func (b *brute) lawfulOn(n ledger.NodeID) []policy.Unit {
	b.node, b.units = n, nil
	b.tiers = [2]int{policy.NoTier, policy.NoTier}
	b.l.Jobs.Each(func(j ledger.JobID) bool {
		b.unitsOf(j)
		return true
	})
	for _, u := range b.units {
		if t, k := b.judge(u), kindOf(u); t != policy.NoTier && (b.tiers[k] == policy.NoTier || t < b.tiers[k]) {
			b.tiers[k] = t
		}
	}
	return slices.DeleteFunc(b.units, func(u policy.Unit) bool {
		t := b.judge(u)
		byNode := func(x, y ledger.TaskID) int { return int(b.l.Task(x).Node) - int(b.l.Task(y).Node) }
		first := slices.MinFunc(u.Tasks, byNode)
		return t == policy.NoTier || t != b.tiers[kindOf(u)] || u.Whole && b.l.Task(first).Node < n && b.hasRest(u, n)
	})
}

// hasRest says that an earlier node lists the same whole gang.
func (b *brute) hasRest(u policy.Unit, n ledger.NodeID) bool {
	for at := ledger.NodeID(0); at < n; at++ {
		here := 0
		for _, t := range u.Tasks {
			if b.l.Task(t).Node == at {
				here++
			}
		}
		if here > 0 {
			return true
		}
	}
	return false
}

func (b *brute) sets(tx *ledger.Tx, set uint64, p price) {
	if set != 0 && b.seats(tx) && b.used(set) {
		if !b.any || p.compare(b.best) < 0 {
			b.best, b.any = p, true
		}
		return
	}
	for i, u := range b.units {
		if set>>i&1 == 1 || b.seen[set|1<<i] || b.judge(u) == policy.NoTier || !b.spares(u) {
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
			b.sets(tx, set|1<<i, q)
			return false
		})
	}
}

// spares says that a surplus member is above its gang's minimum still.
func (b *brute) spares(u policy.Unit) bool {
	job := b.l.Job(u.Job)
	return u.Whole || b.l.Task(u.Tasks[0]).Status != model.Running || job.By[model.Running] > job.MinMember
}

// seats says that the whole gang has places.
func (b *brute) seats(*ledger.Tx) (ok bool) {
	b.l.Try(func(tx *ledger.Tx) bool {
		for _, t := range b.tasks {
			b.asks.Task = t
			placed := false
			b.l.Nodes.Present(func(n ledger.NodeID) bool {
				b.node = n
				if placed = b.fits(); placed {
					tx.Nominate(t, n)
				}
				return !placed
			})
			if !placed {
				return false
			}
		}
		ok = true
		return false
	})
	b.asks.Task = b.tasks[0]
	return ok
}

// used says that of every unit some member was on a node that has room for the gang: the
// preemptor is on those nodes.
func (b *brute) used(set uint64) bool {
	for i, u := range b.units {
		if set>>i&1 == 0 {
			continue
		}
		if !slices.ContainsFunc(u.Tasks, func(t ledger.TaskID) bool {
			b.node = b.l.Task(t).Node
			return b.fits()
		}) {
			return false
		}
	}
	return true
}
