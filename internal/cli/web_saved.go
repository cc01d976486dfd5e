//go:build !simulator

package cli

import (
	"path/filepath"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/web/player"
)

// saved makes what the page shows of a state that a live scheduler saved, after it has decided on it.
func (p pages) saved(s watching) (*player.Player, error) {
	path := s.files[0]
	state, chosen, err := playing(p).stateIn(path, s.config)
	if err != nil {
		return nil, err
	}
	engine, plan, _, err := playing(p).decideOn(state, chosen, 0)
	if err != nil {
		return nil, err
	}
	summary := summaryOf(plan)
	return player.New(&still{engine, state.Now}, player.Options{Title: filepath.Base(path), Source: "dump",
		Begin: state.Now, Speed: 1, Paused: true,
		Summary:   func() explain.Summary { return summary },
		Evictions: func() []explain.Eviction { return nil },
		Parse:     p.parsed(s.simulation),
		Copy: func(items []sim.Item, begin int64) (*sim.World, error) {
			return sim.New(localProfile(&state, chosen), items, sim.Options{Engine: p.engine(),
				Begin: begin, Written: written, Freed: freed})
		}}), nil
}
