package sim_test

import (
	"fmt"
	"testing"
	"time"

	"ashlar.sh/internal/sim"
)

func times(p *play) string {
	var out []time.Duration
	for _, c := range p.cycles {
		out = append(out, c.At)
	}
	return fmt.Sprint(out)
}

func TestCyclesRunOnlyWhereSomethingCanHappen(t *testing.T) {
	cases := map[string]struct {
		items []sim.Item
		want  string
	}{
		"an empty world looks twice":                {nil, "[0s 1s]"},
		"a pod is bound, runs, and all is quiet":    {[]sim.Item{node("n", 1), pod("a", 1)}, "[0s 1s 2s]"},
		"a pod that waits for ever delays no other": {[]sim.Item{node("n", 1), pod("a", 2)}, "[0s 1s]"},
		"an hour in which nothing happens is free": {[]sim.Item{node("n", 1), pod("a", 1, at(time.Hour))},
			"[0s 1s 1h0m0s 1h0m1s 1h0m2s]"},
		"a moment between two cycles waits for the next": {
			[]sim.Item{node("n", 1), pod("a", 1, at(90*time.Minute+time.Millisecond))}, "[0s 1s 1h30m1s 1h30m2s 1h30m3s]"},
		"what is later than all time never comes": {[]sim.Item{node("n", 1), pod("a", 1, at(1<<63-1))}, "[0s 1s]"},
		"a pod that outlives all time runs for ever": {
			[]sim.Item{node("n", 1), pod("a", 1, lasts(1<<63-1))}, "[0s 1s 2s]"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := times(start(t, c.items...).rest()); got != c.want {
				t.Errorf("cycles at %s, want %s", got, c.want)
			}
		})
	}
}

func TestNumbersCountPeriodsAndTheSummaryCountsCycles(t *testing.T) {
	p := startWith(t, sim.Options{Period: 10 * time.Second}, node("n", 1), pod("a", 1), pod("b", 1, at(time.Hour))).rest()
	var numbers []int
	for _, c := range p.cycles {
		numbers = append(numbers, c.Number)
	}
	if got := fmt.Sprint(numbers); got != "[1 2 3 361 362]" {
		t.Errorf("numbers %s", got)
	}
	want := sim.Summary{Cycles: 5, VirtualTime: time.Hour + 10*time.Second, Bound: 1, Pending: 1}
	if got := p.Summary(); got != want {
		t.Errorf("summary %+v, want %+v", got, want)
	}
}

func TestRunStopsAtItsTime(t *testing.T) {
	p := start(t, node("n", 1), pod("a", 1, lasts(10*time.Second)), pod("b", 1))
	p.Run(11 * time.Second)
	p.want("a Succeeded n, b Binding n")
	if p.Now() != 11*time.Second {
		t.Errorf("it is %v", p.Now())
	}
	p.Run(0)
	p.want("a Succeeded n, b Running n")
}

func TestWhatIsDoneAfterARunShowsAfterItsTime(t *testing.T) {
	p := start(t, node("n", 1), pod("a", 1))
	p.Run(20 * time.Second)
	p.Submit(pod("b", 1))
	p.Delete(podRef("a"))
	p.step(21 * time.Second)
	p.want("a Releasing n, b Pipelined n")
	p.step(22 * time.Second)
	p.want("b Binding n")
}

func TestAHorizonOfAMillionCyclesCostsNothing(t *testing.T) {
	p := start(t, node("n", 1), pod("a", 1, lasts(1e6*time.Second)), pod("b", 1))
	p.Run(2e6 * time.Second)
	p.want("a Succeeded n, b Running n")
	if s := p.Summary(); s.Cycles > 12 || s.Endless {
		t.Errorf("%+v", s)
	}
}

func TestAWorldThatGoesRoundInACircleEnds(t *testing.T) {
	w, err := sim.New(profile("purge"), []sim.Item{node("n", 1), pod("victim", 1, owned)}, purging(true))
	if err != nil {
		t.Fatal(err)
	}
	w.Run(0)
	if s := w.Summary(); !s.Endless || s.Evicted < 1000 {
		t.Errorf("%+v", s)
	}
}
