//go:build !simulator

package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
)

// ofDump answers from what a live scheduler saved.
func (p questions) ofDump(s source) (*situation, error) {
	out, _, _, err := p.decidedDump(s)
	return out, err
}

// decidedDump runs one cycle on what a live scheduler saved: with the state before it, and the plan.
func (p questions) decidedDump(s source) (*situation, recording.State, sched.Plan, error) {
	state, chosen, err := playing(p).stateIn(s.dump, s.config)
	if err != nil {
		return nil, state, sched.Plan{}, err
	}
	engine, plan, _, err := playing(p).decideOn(state, chosen, 0)
	if err != nil {
		return nil, state, plan, err
	}
	s.namespace = cmp.Or(s.namespace, "default")
	out := &situation{source: s, engine: engine}
	out.asking = explain.Asking{Now: state.Now, Evicted: evictionsOf(plan), Basis: savedBasis(s, state)}
	out.summary.Cycles = 1
	return out, state, plan, nil
}

func savedBasis(s source, state recording.State) explain.Basis {
	out := explain.Basis{Source: "dump", Time: time.Unix(0, state.Now).UTC().Format(time.RFC3339),
		Configuration: "that of the dump"}
	if s.config != "" {
		out.Configuration = s.config
	}
	for _, kind := range slices.Sorted(maps.Keys(state.LeftOut)) {
		out.Unknown = append(out.Unknown,
			fmt.Sprintf("%d facts of kind %s: this version knows no such kind", state.LeftOut[kind], kind))
	}
	return out
}

// dumpedGround is the cluster as it was when the scheduler saved it. What was under way then has happened.
func (p planner) dumpedGround(a planning) (*ground, error) {
	state, chosen, err := playing(p.questions).stateIn(a.dump, a.config)
	if err != nil {
		return nil, err
	}
	g := &ground{facts: recording.Items(state.Facts), chosen: chosen, basis: savedBasis(a.source, state), now: state.Now,
		s: a.source}
	for i := range g.facts {
		g.facts[i].Where = a.dump
	}
	return g, nil
}
