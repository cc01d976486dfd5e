package sched

import (
	"fmt"
	"runtime"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"pgregory.net/rapid"
)

// A copy on which changes were tried and taken back decides what a new copy does. Whatever a history changes is
// tried: objects that come, go and change, whole cycles, and plans that are carried out.
func TestACopyForgetsWhatWasTried(t *testing.T) {
	tries, remade := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		e := engine(t, w.profile(w.withEvictingActions("enqueue", "allocate", "backfill")...), somePace(t))
		w.begin()
		for range rapid.IntRange(1, 8).Draw(t, "cycles") {
			facts, receipts := w.deal()
			e.Apply(facts...)
			e.Receive(receipts...)
			plan, _ := answers(t, e, w.now)
			w.learn(plan)
		}
		before, now := answersOf(t, e), w.now
		c, err := e.Copy()
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			tries++
			later := int64(0)
			if w.rarely() {
				later = int64(w.n(90)) * second
			}
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				facts, _ := w.deal()
				c.Apply(facts...)
				for range 2 {
					c.CarryOut(c.Decide(now + later))
				}
			}
			c.Revert()
			_, was := answers(t, again(t, e), now)
			c.Decide(now)
			c.Revert()
			_, is := answers(t, c.Engine(), now)
			same(t, "a copy remembers what was tried", was, is)
			for _, finding := range c.Engine().Audit() {
				t.Fatalf("audit: %s", finding)
			}
			c.Revert()
		}
		remade += c.Remade()
		same(t, "a copy changed its engine", before, answersOf(t, e))
	})
	t.Logf("%d of %d tries made the copy anew", remade, 2*tries)
}

func answersOf(t *rapid.T, e *Engine) string {
	_, said := answers(t, again(t, e), 1<<50)
	return said
}

// A try that ends another job's pods, so that the one that waits starts, is taken back for what it changed: making the
// copy anew costs as much as hundreds of cycles. A search makes such a try for each job that may end.
func TestATryThatEndsPodsIsTakenBack(t *testing.T) {
	b := newArrivalCluster(t, 2)
	b.group("runs", 2)
	b.members("runs", 0, 2)
	for now := int64(1); now <= 2; now++ {
		b.decide(now * second)
	}
	b.group("waits", 2)
	b.members("waits", 0, 2)
	b.decide(3 * second)
	c, err := b.e.Copy()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for name, pod := range b.pods {
			if pod.Group == "runs" {
				ended := *pod
				ended.Phase = model.PodSucceeded
				c.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Object: &ended})
			}
		}
		if plan := c.Decide(4 * second); len(plan.Items) == 0 {
			t.Fatal("nothing starts on the room of what ended")
		}
		if c.Revert(); c.Remade() > 0 {
			t.Fatal("the copy was made anew")
		}
	}
}

// Copies with more facts cost nothing before they are made: each plan may want them, and few do.
func TestCopiesThatAreNotMadeCostNothing(t *testing.T) {
	e, err := New(policy.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	const nodes, tries = 1000, 100
	for i := range nodes {
		name := fmt.Sprint("n", i)
		e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: name}, UID: name, Version: 1,
			Object: &model.Node{Meta: model.Meta{Name: name}}})
	}
	c, err := e.Copy()
	if err != nil {
		t.Fatal(err)
	}
	more := []model.Fact{{Ref: model.Ref{Kind: model.KindNode, Name: "new"}, UID: "new", Version: 1,
		Object: &model.Node{Meta: model.Meta{Name: "new"}}}}
	var copies func() (*Copy, error)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range tries {
		copies = c.With(more)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / tries; each > nodes {
		t.Errorf("of %d nodes each takes %d bytes", nodes, each)
	}
	with, err := copies()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(with.Engine().Facts()); n != nodes+1 {
		t.Errorf("the copy has %d objects, want %d", n, nodes+1)
	}
}

// The first pods that are tried on a new copy cost what the next ones do: rows of all other pods stay where they are. A
// person that plans waits for that, of 100 000 pods for 25 ms, and each plan after a change is the first on a new copy.
func TestTheFirstTryOnACopyCostsWhatOthersDo(t *testing.T) {
	e, err := New(policy.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	pod := func(name string) model.Fact {
		return model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: 1,
			Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Spec: &model.Spec{}}}
	}
	const pods = 20_000
	for i := range pods {
		e.Apply(pod(fmt.Sprint("p", i)))
	}
	c, err := e.Copy()
	if err != nil {
		t.Fatal(err)
	}
	c.Decide(1)
	c.Revert()
	var took [2]uint64
	for i := range took {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for p := range 16 {
			c.Apply(pod(fmt.Sprint("new", p)))
		}
		runtime.ReadMemStats(&after)
		took[i] = after.TotalAlloc - before.TotalAlloc
		c.Revert()
	}
	if first, next := took[0], took[1]; first > next+pods*16 {
		t.Errorf("16 pods on a copy of %d take %d bytes the first time, and %d the next", pods, first, next)
	}
}
