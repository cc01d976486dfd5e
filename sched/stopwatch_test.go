package sched

import (
	"slices"
	"testing"

	"ashlar.sh/sched/policy"
)

type parts struct {
	seen []string
	open int
}

func (p *parts) Begin(part policy.Part, name string) {
	p.seen = append(p.seen, string(part)+" "+name)
	p.open++
}

func (p *parts) End() { p.open-- }

func TestAStopwatchGetsEveryPartInOrder(t *testing.T) {
	var watch parts
	e, err := New(policy.Profile{Actions: []string{"enqueue", "allocate"},
		Tiers: [][]policy.Choice{{{Plugin: "gang"}}, {{Plugin: "proportion"}}}}, WithStopwatch(&watch))
	if err != nil {
		t.Fatal(err)
	}
	e.Decide(0)
	want := []string{"plugin proportion", "action enqueue", "action allocate"}
	if !slices.Equal(watch.seen, want) || watch.open != 0 {
		t.Errorf("told of %v, %d of them open; want %v, none open", watch.seen, watch.open, want)
	}
}
