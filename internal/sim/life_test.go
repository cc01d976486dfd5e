package sim_test

import (
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

// TestHowPodsLive plays worlds cycle by cycle: wants[i] is how all pods stand after
// the cycle at second i.
func TestHowPodsLive(t *testing.T) {
	deleting := as(func(p *model.Pod) { p.Deleting = true })
	cases := map[string]struct {
		items []sim.Item
		wants []string
	}{
		"a pod bound in a cycle is Running in the next": {
			[]sim.Item{node("n", 1), pod("a", 1)},
			[]string{"a Binding n", "a Running n", "a Running n"}},
		"a duration counts from the moment the pod starts": {
			[]sim.Item{node("n", 1), pod("a", 1, lasts(2*time.Second)), pod("b", 1, lasts(time.Second))},
			[]string{"a Binding n, b Pending", "a Running n, b Pending", "a Running n, b Pending",
				"a Succeeded n, b Binding n", "a Succeeded n, b Running n", "a Succeeded n, b Succeeded n"}},
		"a duration of nothing is over as it starts": {
			[]sim.Item{node("n", 1), pod("a", 1, lasts(0))},
			[]string{"a Binding n", "a Succeeded n"}},
		"a part of a period counts as a whole one": {
			[]sim.Item{node("n", 1), pod("a", 1, lasts(1500*time.Millisecond))},
			[]string{"a Binding n", "a Running n", "a Running n", "a Succeeded n"}},
		"a pod that comes with a node starts Running, and its duration with it": {
			[]sim.Item{node("n", 1), pod("a", 1, on("n"), lasts(time.Second))},
			[]string{"a Running n", "a Succeeded n"}},
		"a pod on a node that does not exist never starts": {
			[]sim.Item{node("n", 1), pod("a", 1, on("m"), lasts(time.Second))},
			[]string{"a Bound m", "a Bound m"}},
		"a pod on a node that comes later starts with it": {
			[]sim.Item{pod("a", 1, on("n"), lasts(time.Second)), func() sim.Item {
				n := node("n", 1)
				n.SubmitAt = time.Second
				return n
			}()},
			[]string{"a Bound n", "a Running n", "a Succeeded n"}},
		"a bare pod that comes terminating is gone in the second cycle": {
			[]sim.Item{node("n", 1), pod("a", 1, on("n"), deleting), pod("b", 1)},
			[]string{"a Releasing n, b Pipelined n", "b Binding n"}},
		"an owned one is replaced, to wait like any other": {
			[]sim.Item{node("n", 1), pod("a", 1, on("n"), deleting, owned), pod("b", 1, as(func(p *model.Pod) {
				p.Created = -1
			}))},
			[]string{"a Releasing n, b Pipelined n", "a Pending, b Binding n"}},
		"the older pod goes first, whatever the names": {
			[]sim.Item{node("n", 1), pod("x", 1, lasts(time.Second)), pod("b", 1, at(500*time.Millisecond)),
				pod("a", 1, at(600*time.Millisecond))},
			[]string{"x Binding n", "a Pending, b Pending, x Running n", "a Pending, b Binding n, x Succeeded n"}},
		"pods of other schedulers are left alone and finish": {
			[]sim.Item{node("n", 2), pod("a", 1, as(func(p *model.Pod) { p.Ours = false })),
				pod("b", 1, on("n"), lasts(time.Second), as(func(p *model.Pod) { p.Ours = false }))},
			[]string{"a Pending, b Running n", "a Pending, b Succeeded n"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := start(t, c.items...)
			for i, want := range c.wants {
				p.step(time.Duration(i) * time.Second)
				p.want(want)
			}
		})
	}
}

func TestAPodWithoutPodGroupIsAdopted(t *testing.T) {
	p := start(t, node("n", 4), pod("a", 1), pod("b-0", 1, as(func(p *model.Pod) { p.Owner = "b" })),
		pod("b-1", 1, as(func(p *model.Pod) { p.Owner = "b" }))).rest()
	var jobs []string
	for _, j := range p.Engine().Report().Jobs {
		jobs = append(jobs, j.Name+" in "+j.Queue+" "+j.Phase.String())
	}
	if got := strings.Join(jobs, ", "); got != "a in default Running, b in default Running" {
		t.Errorf("jobs: %s", got)
	}
}

func TestAPodGroupShowsThePhaseDecidedInTheNextCycle(t *testing.T) {
	p := start(t, node("n", 2), group("g", 2), pod("g-0", 1, of("g"), lasts(3*time.Second)),
		pod("g-1", 1, of("g"), lasts(3*time.Second)))
	phase := func() string {
		f, _ := p.Engine().Ledger().Fact(model.Ref{Kind: model.KindPodGroup, Namespace: "ns", Name: "g"})
		return f.Object.(*model.PodGroup).Phase.String()
	}
	for i, want := range []string{"Pending", "Inqueue", "Running", "Running", "Running", "Completed"} {
		p.step(time.Duration(i) * time.Second)
		if got := phase(); got != want {
			t.Errorf("after cycle %d the PodGroup shows %s, want %s", i+1, got, want)
		}
	}
}

func TestQueuesAreMadeWhenMissingAndOnlyThen(t *testing.T) {
	mine := sim.Item{Fact: model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: model.DefaultQueue},
		Object: &model.Queue{Weight: 7}}}
	p := start(t, mine).rest()
	var got []string
	for _, q := range p.Engine().Report().Queues {
		got = append(got, q.Name)
		if q.Name == model.DefaultQueue && q.Weight != 7 {
			t.Errorf("default has weight %d: not the one that was given", q.Weight)
		}
	}
	if s := strings.Join(got, " "); s != "default root" {
		t.Errorf("queues: %s", s)
	}
}

func TestOfTwoItemsOfOneNameTheLastHoldsAndSaysSo(t *testing.T) {
	first, last := pod("a", 1), pod("a", 2)
	first.Where = "one.yaml:3"
	p := start(t, node("n", 2), first, last).rest()
	p.want("a Running n")
	if used, _ := p.Engine().Report().Nodes[0].Used.Get("cpu"); used != 2000 {
		t.Errorf("it uses %dm: not the last one", used)
	}
	if got := p.problems(); got != "Pod/ns/a: metadata.name: given twice (before at one.yaml:3): the last holds" {
		t.Errorf("problems:\n%s", got)
	}
}

func TestAnItemMayComeBackUnderItsName(t *testing.T) {
	change := group("g", 1, at(10*time.Second))
	p := start(t, node("n", 2), group("g", 3), pod("g-0", 1, of("g"), lasts(time.Second)), change,
		pod("g-0", 2, of("g"), at(20*time.Second), lasts(time.Second))).rest()
	p.want("g-0 Succeeded n")
	if s := p.Summary(); s.Bound != 2 || p.problems() != "" {
		t.Errorf("%+v, problems: %s", s, p.problems())
	}
}

func TestWhatPointsNowhereIsAProblemAndNoError(t *testing.T) {
	p := start(t, node("n", 1), pod("a", 1, on("m")), pod("b", 1, as(func(p *model.Pod) { p.Adopt.Queue = "q" }))).rest()
	for _, want := range []string{`Pod/ns/a: spec.nodeName: node "m" does not exist`,
		"Queue/q: spec.queue: 1 job names it, and it does not exist"} {
		if got := p.problems(); !strings.Contains(got, want) {
			t.Errorf("problems:\n%s\nwant %s", got, want)
		}
	}
}

func TestAProfileThatCannotBeIsAnError(t *testing.T) {
	if _, err := sim.New(profile("dance"), nil, sim.Options{}); err == nil ||
		err.Error() != `action "dance" is not known` {
		t.Errorf("error %v", err)
	}
}
