package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

var nodeN = model.Ref{Kind: model.KindNode, Name: "n"}

// intervention is something done to a world after its first cycles.
type intervention struct {
	items []sim.Item
	after int
	do    func(w *sim.World)
	wants []string // how all pods stand one, two … cycles later
}

func (c intervention) play(t *testing.T) {
	p := start(t, c.items...)
	now := time.Duration(0)
	for range c.after {
		p.step(now)
		now += time.Second
	}
	c.do(p.World)
	for _, want := range c.wants {
		p.step(now)
		p.want(want)
		now += time.Second
	}
	p.rest()
}

func TestNodesThatGo(t *testing.T) {
	for name, c := range map[string]intervention{
		"the pods of a node that has gone are gone a cycle later": {
			[]sim.Item{node("n", 2), node("o", 1), pod("a", 2), pod("b", 1), pod("c", 1, lasts(1500*time.Millisecond))}, 2,
			func(w *sim.World) { w.Delete(nodeN) },
			[]string{"a Running n, b Running o, c Pending", "b Running o, c Pending"}},
		"those that are owned come back": {
			[]sim.Item{node("n", 2), pod("a", 2, owned)}, 2, func(w *sim.World) { w.Delete(nodeN) },
			[]string{"a Running n", "a Pending"}},
		"a pod bound as its node goes is gone with it": {
			[]sim.Item{node("n", 2), pod("a", 2, owned, lasts(0))}, 1, func(w *sim.World) { w.Delete(nodeN) },
			[]string{"a Bound n", "a Pending"}},
		"nothing on a node that has gone runs on, and it starts again when the node is back": {
			[]sim.Item{node("n", 2), pod("a", 2, lasts(2*time.Second))}, 2,
			func(w *sim.World) { w.Delete(nodeN); w.Apply(back(node("n", 2))) },
			[]string{"a Running n", "a Running n", "a Succeeded n"}},
		"a change to a node changes nothing for its pods": {
			[]sim.Item{node("n", 2), pod("a", 2, lasts(2*time.Second)), pod("b", 1)}, 2,
			func(w *sim.World) { w.Apply(back(node("n", 3))) },
			[]string{"a Running n, b Binding n", "a Succeeded n, b Running n"}},
	} {
		t.Run(name, c.play)
	}
}

func TestInterventions(t *testing.T) {
	for name, c := range map[string]intervention{
		"a running pod that is deleted terminates for one cycle": {
			[]sim.Item{node("n", 1), pod("a", 1)}, 2, func(w *sim.World) { w.Delete(podRef("a")) },
			[]string{"a Releasing n", ""}},
		"an owned one comes back": {
			[]sim.Item{node("n", 1), pod("a", 1, owned)}, 2, func(w *sim.World) { w.Delete(podRef("a")) },
			[]string{"a Releasing n", "a Binding n", "a Running n"}},
		"a pod that is Binding is bound and terminates": {
			[]sim.Item{node("n", 1), pod("a", 1)}, 1, func(w *sim.World) { w.Delete(podRef("a")) },
			[]string{"a Releasing n", ""}},
		"a pod that waits is gone at once": {
			[]sim.Item{pod("a", 1)}, 1, func(w *sim.World) { w.Delete(podRef("a")) },
			[]string{""}},
		"an owned one that waits is another pod at once": {
			[]sim.Item{pod("a", 1, owned)}, 1, func(w *sim.World) { w.Delete(podRef("a")) },
			[]string{"a Pending"}},
		"a pod that has finished is not replaced": {
			[]sim.Item{node("n", 1), pod("a", 1, owned, lasts(0))}, 2, func(w *sim.World) { w.Delete(podRef("a")) },
			[]string{""}},
		"a pod that is deleted twice is deleted once": {
			[]sim.Item{node("n", 1), pod("a", 1, owned)}, 2, func(w *sim.World) { w.Delete(podRef("a")); w.Delete(podRef("a")) },
			[]string{"a Releasing n", "a Binding n", "a Running n"}},
		"a pod that terminates does not finish": {
			[]sim.Item{node("n", 1), pod("a", 1, owned, lasts(time.Second))}, 2, func(w *sim.World) { w.Delete(podRef("a")) },
			[]string{"a Releasing n", "a Binding n", "a Running n", "a Succeeded n"}},
		"a pod that terminates keeps its name until it is gone": {
			[]sim.Item{node("n", 2), pod("a", 1)}, 2, func(w *sim.World) { w.Delete(podRef("a")); w.Submit(pod("a", 2)) },
			[]string{"a Releasing n", "a Binding n"}},
		"a pod ends when it is told to": {
			[]sim.Item{node("n", 1), pod("a", 1), pod("b", 1)}, 2, func(w *sim.World) { w.Finish(key("a"), true) },
			[]string{"a Failed n, b Binding n", "a Failed n, b Running n"}},
		"a pod that is Binding may end before it was seen to run": {
			[]sim.Item{node("n", 1), pod("a", 1)}, 1, func(w *sim.World) { w.Finish(key("a"), false) },
			[]string{"a Succeeded n"}},
		"a pod with its gate removed is placed": {
			[]sim.Item{node("n", 1), pod("a", 1, as(func(p *model.Pod) { p.Gated = true }))}, 2,
			func(w *sim.World) { w.Apply(back(pod("a", 1))) },
			[]string{"a Binding n"}},
		"a pod told anew under its uid goes on": {
			[]sim.Item{node("n", 2), uid(pod("a", 1, lasts(3*time.Second)))}, 2, func(w *sim.World) {
				w.Submit(uid(pod("a", 2, lasts(3*time.Second))))
			},
			[]string{"a Running n", "a Running n", "a Succeeded n"}},
		"another pod of the name takes its place": {
			[]sim.Item{node("n", 2), pod("a", 1, lasts(3*time.Second))}, 2, func(w *sim.World) { w.Submit(pod("a", 2)) },
			[]string{"a Binding n", "a Running n", "a Running n"}},
		"an item without content deletes when its time has come": {
			[]sim.Item{node("n", 2), pod("a", 1), {Fact: model.Fact{Ref: podRef("a")}, SubmitAt: 3 * time.Second}}, 2,
			func(*sim.World) {},
			[]string{"a Running n", "a Releasing n", ""}},
		"what does not exist cannot be deleted or ended": {
			[]sim.Item{node("n", 2)}, 1, func(w *sim.World) {
				w.Delete(podRef("a"))
				w.Finish(key("a"), true)
				w.Apply(model.Fact{Ref: podRef("a")})
			}, []string{""}},
	} {
		t.Run(name, c.play)
	}
}

// back is the fact of an item, to be applied during a run.
func back(i sim.Item) model.Fact { return i.Fact }

func uid(i sim.Item) sim.Item {
	i.Fact.UID = "its-own"
	return i
}

func TestEvictionOfAnOwnedAndOfABarePod(t *testing.T) {
	p := startWith(t, purging(false), node("n", 2), pod("victim-bare", 1),
		pod("victim-owned", 1, owned, lasts(4*time.Second)),
		pod("wants", 2, at(2*time.Second), lasts(time.Second)))
	for i, want := range []string{
		"victim-bare Binding n, victim-owned Binding n",
		"victim-bare Running n, victim-owned Running n",
		"victim-bare Releasing n, victim-owned Releasing n, wants Pending",
		"victim-owned Pending, wants Binding n",
		"victim-owned Pending, wants Running n",
		"victim-owned Binding n, wants Succeeded n",
		"victim-owned Running n, wants Succeeded n",
		"victim-owned Running n, wants Succeeded n",
	} {
		p.step(time.Duration(i) * time.Second)
		p.want(want)
	}
	p.rest().want("victim-owned Succeeded n, wants Succeeded n")
	if p.Now() != 11*time.Second {
		t.Errorf("it ended at %v: the duration of the replacement was not a new one", p.Now())
	}
	var got []string
	for _, e := range p.Evictions() {
		got = append(got, fmt.Sprintf("%d %v %s %s %s %s for %s", e.Cycle, e.Time, e.Pod, e.Job, e.Queue, e.Action,
			e.PreemptorJob))
	}
	const why = `purge for ns/wants`
	want := "3 2s ns/victim-bare victim-bare default " + why + "\n3 2s ns/victim-owned victim-owned default " + why
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("evictions\n%s\nwant\n%s", s, want)
	}
	if s := p.Summary(); s.Bound != 4 || s.Evicted != 2 || s.Pending != 0 {
		t.Errorf("%+v", s)
	}
}

// A pod that is deleted for good is replaced by no controller, one that is only deleted is; whether it runs or waits.
func TestDeletedForGood(t *testing.T) {
	gone := func(name string, final bool) sim.Item {
		return sim.Item{Fact: model.Fact{Ref: podRef(name)}, SubmitAt: 5 * time.Second, Final: final}
	}
	w := start(t, node("n", 4), pod("runs", 4, owned), pod("waits", 2, owned), pod("again", 2, owned),
		gone("runs", true), gone("waits", true), gone("again", false)).rest()
	w.want("again Running n")
}
