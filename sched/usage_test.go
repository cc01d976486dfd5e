package sched

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// rememberingProfile orders queues and namespaces by what they used, with half-lives of ten minutes.
func rememberingProfile() policy.Profile {
	return policy.Profile{Actions: []string{"allocate"}, Tiers: [][]policy.Choice{{
		{Plugin: "gang"},
		{Plugin: "fairshare", Arguments: policy.Arguments{"fairshare.halfLifeMinutes": "10"}},
		{Plugin: "predicates"},
		{Plugin: "capacity", Hierarchy: true,
			Arguments: policy.Arguments{"usage.weight": "0.5", "usage.halfLife": "10m"}},
	}}}
}

// TestACycleInBetweenChangesNoUsage runs two engines over one history. One has cycles at the times of its facts alone,
// the other at others, too. What is remembered is the same to the last digit.
func TestACycleInBetweenChangesNoUsage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		few, many := engine(t, rememberingProfile()), engine(t, rememberingProfile())
		w.begin()
		next := int64(0)
		for range rapid.IntRange(3, 12).Draw(t, "events") {
			was := w.now
			facts, receipts := w.deal()
			w.now += int64(w.n(20)) * 60 * second
			for range w.n(3) {
				if at := was + int64(w.n(1000))*(w.now-was)/1000; next == 0 || at < next {
					many.Decide(at) // from next on time alone might let a job start
				}
			}
			var plan Plan
			for _, e := range []*Engine{few, many} {
				e.Apply(facts...)
				e.Receive(receipts...)
				plan, next = settle(t, e, w.now)
			}
			w.learn(plan)
			compareUsage(t, few, many)
		}
	})
}

// settle runs cycles at one time until two in a row decide nothing, as the simulator does: what a cycle decides may let
// another job start, and room is kept for a job in the cycle after the one that refused it. It returns all that was
// decided, and the next time that the engine names.
func settle(t rapid.TB, e *Engine, now int64) (all Plan, next int64) {
	t.Helper()
	quiet := 0
	for range 50 {
		plan, _, at := e.Decide(now)
		if quiet++; len(plan.Items) > 0 {
			quiet = 0
		}
		if all.Items = append(all.Items, plan.Items...); quiet == 2 {
			return all, at
		}
	}
	t.Fatalf("at one time, and told nothing, it does not come to rest in 50 cycles, after %d decisions", len(all.Items))
	return all, 0
}

func compareUsage(t *rapid.T, few, many *Engine) {
	a, _ := json.Marshal(few.l.Usage.Saved())
	b, _ := json.Marshal(many.l.Usage.Saved())
	if string(a) != string(b) {
		t.Fatalf("with cycles in between, other usage is remembered:\nwithout %s\nwith    %s", a, b)
	}
}

// holder is an engine with one node and one queue, in which a namespace holds some cpu.
type holder struct {
	e       *Engine
	version uint64
}

func newHolder(t rapid.TB) *holder {
	h := &holder{e: engine(t, rememberingProfile())}
	h.tell(model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n", UID: "n"},
		Allocatable: resource.List{{Name: "cpu", Value: 1_000_000}, {Name: "pods", Value: 110}}})
	h.tell(model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q"}, Weight: 1})
	return h
}

func (h *holder) tell(kind model.Kind, namespace, name string, o model.Object) {
	h.version++
	h.e.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, Version: h.version, Object: o})
}

// holds makes what the namespace holds so many thousandths of a cpu, 0 for nothing.
func (h *holder) holds(cpu int64) {
	if cpu == 0 {
		h.tell(model.KindPod, "alice", "p", nil)
		return
	}
	h.tell(model.KindPod, "alice", "p", &model.Pod{Meta: model.Meta{Namespace: "alice", Name: "p", UID: "p"}, Ours: true,
		Node: "n", Phase: model.PodRunning, Adopt: model.Adopt{Queue: "q"}, Index: -1,
		Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: cpu}}}})
}

// used is what a holder has of cpu at a time, by what is remembered: in thousandths of a cpu.
func (h *holder) used(queue, tenant string, at int64) float64 {
	s := h.e.l.Usage.Saved()
	for _, r := range slices.Concat(s.Queues, s.Tenants) {
		if r.Queue == queue && r.Tenant == tenant {
			for _, a := range r.Amounts {
				u := fair.Average{Whole: a.Used, Part: a.Part}.Toward(a.Held, fair.DecayOver(at-r.At, 600*second))
				return float64(u.Whole) + math.Ldexp(float64(u.Part), -64)
			}
		}
	}
	return 0
}

// TestUsageIsTheIntegral compares what is remembered, of a queue, of the queue above and of a namespace, with the
// integral of what was held, each part of it found anew.
func TestUsageIsTheIntegral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHolder(t)
		type part struct {
			from, to int64
			cpu      int64
		}
		var parts []part
		now := rapid.Int64Range(0, 1_800_000_000*second).Draw(t, "start")
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			cpu := rapid.Int64Range(0, 1000_000).Draw(t, "cpu")
			h.holds(cpu)
			h.e.Decide(now)
			p := part{now, now + rapid.Int64Range(0, 3600).Draw(t, "seconds")*second, cpu}
			parts, now = append(parts, p), p.to
		}
		want, rate := 0.0, math.Ln2/600
		for _, p := range parts { // what was held from t to t+dt counts rate·dt·2^(−age/halfLife)
			want += float64(p.cpu) * (math.Exp(-rate*float64(now-p.to)/1e9) - math.Exp(-rate*float64(now-p.from)/1e9))
		}
		for _, of := range [...][2]string{{"q", ""}, {model.RootQueue, ""}, {"q", "alice"}} {
			if got := h.used(of[0], of[1], now); math.Abs(got-want) > 1+want*1e-9 {
				t.Fatalf("%v has used %v, want %v, of %v", of, got, want, parts)
			}
		}
	})
}

func TestAHolderOfTenForEverHasTen(t *testing.T) {
	h := newHolder(t)
	for m := range int64(60 * 24 * 3) {
		h.holds(10_000)
		h.e.Decide(m * 60 * second)
	}
	if got := h.used("q", "alice", 60*24*3*60*second); got != 10_000 {
		t.Fatalf("who held ten for three days has %v", got/1000)
	}
}

// TestAClockThatJumps: a clock that runs ahead forgets, as time does, and one that is put back forgets nothing and
// remembers nothing twice.
func TestAClockThatJumps(t *testing.T) {
	h := newHolder(t)
	h.holds(8_000)
	h.e.Decide(1_000_000 * second)
	h.e.Decide(1_000_600 * second) // 4 cpu by now
	h.holds(0)
	h.e.Decide(1_000_600 * second)
	h.e.Decide(600 * second) // put back by eleven days
	h.holds(8_000)
	h.e.Decide(600 * second)
	if got := h.used("q", "alice", 600*second); math.Abs(got-4_000) > 1 {
		t.Fatalf("after the clock was put back, %v is left of 4", got/1000)
	}
	if got := h.used("q", "alice", 1200*second); math.Abs(got-6_000) > 1 {
		t.Fatalf("ten minutes later it is %v, want 6", got/1000)
	}
	h.e.Decide(9_000_000_000 * second) // 285 years ahead
	if got := h.used("q", "alice", 9_000_000_000*second); got != 8_000 {
		t.Fatalf("after the clock ran ahead, who holds 8 has %v", got/1000)
	}
}

// TestARestoredEngineForgetsTheSame: an engine that is restored when a minute begins, or within it, remembers the same
// holders as the one that went on, also when so little is left of one that it is forgotten.
func TestARestoredEngineForgetsTheSame(t *testing.T) {
	h := newHolder(t)
	h.holds(1_000)
	h.e.Decide(17 * second)
	h.holds(0)
	forgotten := false
	for at := int64(77); at < 2*3600; at += 20 {
		other := again(t, h.e)
		h.e.Decide(at * second)
		other.Decide(at * second)
		is, want := lineOf(t, other.l.Usage.Saved()), lineOf(t, h.e.l.Usage.Saved())
		if is != want {
			t.Fatalf("at %d s a restored engine remembers %swant %s", at, is, want)
		}
		forgotten = len(h.e.l.Usage.Saved().Tenants) == 0
	}
	if !forgotten {
		t.Fatal("after two hours the holder is remembered still")
	}
}

// TestWithoutWeightNothingIsKept: an engine that remembers nothing has no state of it, and takes none over.
func TestWithoutWeightNothingIsKept(t *testing.T) {
	e := engine(t, policy.Profile{Actions: []string{"allocate"}, Tiers: [][]policy.Choice{{{Plugin: "proportion"},
		{Plugin: "fairshare", Arguments: policy.Arguments{"fairshare.weight": "0"}}}}})
	e.Decide(second)
	e.l.Usage.Restore(ledger.UsageState{Queues: []ledger.UsageRecord{{Queue: "q",
		Amounts: []ledger.UsageAmount{{Resource: "cpu", Used: 5}}}}})
	if e.l.Usage.Saved() != nil || e.Commitments().Usage != nil {
		t.Fatalf("it keeps %v", e.l.Usage.Saved())
	}
}

// books books the node for namespace alice in queue q.
func (h *holder) books(b model.Booking) {
	b.Meta = model.Meta{Name: "b", UID: "b"}
	if b.Owner == (model.BookingOwner{}) {
		b.Owner = model.BookingOwner{Queue: "q", Namespace: "alice"}
	}
	h.tell(model.KindBooking, "", "b", &b)
}

// until has cycles whenever the engine wants one, and at a time.
func (h *holder) until(now, at int64) {
	for _, _, next := h.e.Decide(now); next != 0 && next < at; {
		_, _, next = h.e.Decide(next)
	}
	h.e.Decide(at)
}

// TestIdleBookedRoomIsUsed compares what is remembered of the owner of a booking with the integral of what its pod
// holds, and of all the rest of the node while a window lasts, though no job waits. An engine that is made anew in the
// midst remembers the same to the last digit.
func TestIdleBookedRoomIsUsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHolder(t)
		const minutes = 60 * second
		start := rapid.Int64Range(1, 1_800_000_000).Draw(t, "start") * second
		from, to := int64(10), 10+rapid.Int64Range(1, 50).Draw(t, "minutes")
		h.books(model.Booking{Windows: []model.Window{{From: start + from*minutes, To: start + to*minutes}}})
		now, want, rate := int64(0), 0.0, math.Ln2/600
		type part struct {
			from, to int64
			cpu      int64
		}
		var parts []part
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			cpu := rapid.Int64Range(0, 1000_000).Draw(t, "cpu")
			h.holds(cpu)
			if rapid.Bool().Draw(t, "made anew") {
				anew := engine(t, rememberingProfile())
				anew.Apply(h.e.l.Facts()...)
				anew.Restore(h.e.Commitments())
				h.e = anew
			}
			ends := now + rapid.Int64Range(1, 30).Draw(t, "passed")
			h.until(start+now*minutes, start+ends*minutes)
			parts, now = append(parts, part{now, ends, cpu}), ends
		}
		ago := func(minute int64) float64 { return math.Exp(-rate * 60 * float64(now-minute)) }
		for _, p := range parts {
			want += float64(p.cpu) * (ago(p.to) - ago(p.from))
			if a, b := max(p.from, from), min(p.to, to); a < b {
				want += float64(1_000_000-p.cpu) * (ago(b) - ago(a))
			}
		}
		for _, of := range [...][2]string{{"q", ""}, {model.RootQueue, ""}, {"q", "alice"}} {
			if got := h.used(of[0], of[1], start+now*minutes); math.Abs(got-want) > 1+want*1e-9 {
				t.Fatalf("%v has used %v, want %v, of %v booked from minute %d to %d", of, got, want, parts, from, to)
			}
		}
	})
}

// TestIdleRoomIsNoUsageOfTheQueueThatAPodGroupNames: the author of the PodGroup for which nodes are booked may write
// any queue into it, and that queue does not yield for room that the author leaves idle.
func TestIdleRoomIsNoUsageOfTheQueueThatAPodGroupNames(t *testing.T) {
	h := newHolder(t)
	h.tell(model.KindPodGroup, "alice", "g", &model.PodGroup{Meta: model.Meta{Namespace: "alice", Name: "g", UID: "g"},
		Queue: "q", MinMember: 1})
	h.books(model.Booking{Owner: model.BookingOwner{Namespace: "alice", Group: "g"},
		Windows: []model.Window{{From: 600 * second, To: 7200 * second}}})
	h.until(0, 3600*second)
	if got := h.used("q", "", 3600*second); got != 0 {
		t.Errorf("queue q has used %v of what it never had", got)
	}
}

// TestWhatIsNotIdleBookedRoom: maintenance is no usage, nor is a window that was ended early, nor a node that takes no
// pods.
func TestWhatIsNotIdleBookedRoom(t *testing.T) {
	window := []model.Window{{From: 600 * second, To: 7200 * second}}
	for name, c := range map[string]struct {
		booking model.Booking
		node    model.Node
		until   int64 // it counts from 600 s to then
	}{
		"idle to the end": {booking: model.Booking{Windows: window}, until: 7200},
		"maintenance":     {booking: model.Booking{Windows: window, Maintenance: true}, until: 600},
		"ended early":     {booking: model.Booking{Windows: window, PurgeAfter: 900 * second}, until: 1500},
		"a cordoned node": {booking: model.Booking{Windows: window}, node: model.Node{Unschedulable: true}, until: 600},
		"it is given up":  {booking: model.Booking{}, until: 600},
		"two windows a day": {booking: model.Booking{Windows: []model.Window{{From: 600 * second, To: 900 * second},
			{From: 900 * second, To: 1200 * second}}}, until: 1200},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHolder(t)
			n := c.node
			n.Meta = model.Meta{Name: "n", UID: "n"}
			n.Allocatable = resource.List{{Name: "cpu", Value: 1_000_000}, {Name: "pods", Value: 110}}
			h.tell(model.KindNode, "", "n", &n)
			h.books(c.booking)
			h.until(0, 9000*second)
			rate := math.Ln2 / 600
			want := 1_000_000 * (math.Exp(-rate*float64(9000-c.until)) - math.Exp(-rate*float64(9000-600)))
			if got := h.used("q", "alice", 9000*second); math.Abs(got-want) > 1 {
				t.Errorf("alice has used %v, want %v", got, want)
			}
		})
	}
}
