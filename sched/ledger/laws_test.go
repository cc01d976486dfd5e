package ledger

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// sound fails the test when a recount differs from what the ledger keeps.
func sound(t rapid.TB, l *Ledger) {
	t.Helper()
	for _, f := range l.Audit() {
		t.Errorf("audit: %s", f)
	}
	if t.Failed() {
		t.FailNow()
	}
}

func TestAuditIsNilAfterEveryStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.l.PluginStates.Add(newRecorder())
		w.run(60, func() { sound(t, w.l) })
	})
}

func TestUndoLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		state := newRecorder()
		w.l.PluginStates.Add(state)
		w.failing = func(f func() bool) {
			was := fingerprint(w.l, state)
			if f() {
				return
			}
			if is := fingerprint(w.l, state); is != was {
				t.Fatalf("a try that failed left something behind: %s", differs(was, is))
			}
		}
		w.run(60, func() {})
	})
}

func TestFactsLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.l.PluginStates.Add(newRecorder())
		w.run(80, func() {})
		w.l.Statements.TakeBackProvisional()
		w.l.Charges.Begin()
		l2 := again(w.l, w.l.Facts())
		sound(t, l2)
		if was, is := byName(w.l), byName(l2); was != is {
			t.Fatalf("a new ledger that is told the same facts differs: %s", differs(was, is))
		}
	})
}

func TestShuffleLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.run(80, func() {})
		facts := w.l.Facts()
		was := byName(again(w.l, facts))
		if is := byName(again(w.l, rapid.Permutation(facts).Draw(t, "facts"))); was != is {
			t.Fatalf("the order of the facts shows: %s", differs(was, is))
		}
	})
}

func TestOldVersionsAreIgnored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.run(40, func() {})
		known := map[model.Ref]model.Fact{}
		for _, f := range w.l.Facts() {
			known[f.Ref] = f
		}
		was, counters := fingerprint(w.l), [4]uint64{w.l.Changes.RoomEpoch(), w.l.Changes.SpecEpoch(),
			w.l.Changes.UsageEpoch(), uint64(w.l.Changes.Nodes.Now())}
		for range 20 {
			f := w.fact()
			if k, ok := known[f.Ref]; ok && k.Version > 0 {
				f.Version = uint64(rapid.IntRange(0, int(k.Version)-1).Draw(t, "older"))
				w.l.Apply(f)
			}
		}
		if is := fingerprint(w.l); is != was {
			t.Fatalf("an old fact was believed: %s", differs(was, is))
		}
		if is := [4]uint64{w.l.Changes.RoomEpoch(), w.l.Changes.SpecEpoch(), w.l.Changes.UsageEpoch(),
			uint64(w.l.Changes.Nodes.Now())}; is != counters {
			t.Fatalf("an old fact moved versions from %v to %v", counters, is)
		}
	})
}

func TestNothingPanicsOnAnyHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.wild = true
		w.l.PluginStates.Add(newRecorder())
		w.run(80, func() {
			if w.rarely() {
				w.l.Dims.Intern("example.com/named-by-a-plugin")
			}
			if w.rarely() {
				w.l.ExtendDims()
			}
			readAll(w.l)
		})
		w.l.ExtendDims()
		byName(w.l)
		w.l.Audit()
	})
}

// readAll asks a ledger everything that needs no ExtendDims.
func readAll(l *Ledger) {
	for n := range l.Nodes.Len() {
		l.Node(NodeID(n)).Present()
		l.Nodes.HasReleasing(NodeID(n))
		l.Nodes.Tasks(NodeID(n), func(TaskID) bool { return true })
		for d := range resource.Pods {
			l.Nodes.FutureIdle(d, NodeID(n))
			l.Nodes.Used(d, NodeID(n))
			l.Nodes.Total(d)
		}
	}
	l.Jobs.Each(func(j JobID) bool {
		job := l.Job(j)
		job.Exists()
		l.Jobs.QueueName(j)
		for s := range model.NumStatus {
			l.Jobs.Tasks(j, s, func(TaskID) bool { return true })
		}
		return true
	})
	l.Queues.Each(func(q QueueID) bool {
		l.Queues.Parent(q)
		l.Queue(q).State()
		l.Queue(q).Weight()
		l.Queue(q).Priority()
		l.Queue(q).Leaf()
		return true
	})
	l.Changes.TakeDirty(func(j JobID) { l.Job(j).Exists() })
}

func TestAPluginStateAddedLateGetsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		first, late := newRecorder(), newRecorder()
		w.l.PluginStates.Add(first)
		w.run(40, func() {})
		w.l.PluginStates.Add(late)
		w.run(20, func() {})
		sound(t, w.l)
		if !maps.Equal(first.places, late.places) {
			t.Fatalf("seats: the first PluginState has %v, the late one %v", first.places, late.places)
		}
		if !maps.Equal(first.facts, late.facts) {
			t.Fatalf("facts: the first PluginState has %v, the late one %v", first.facts, late.facts)
		}
	})
}
