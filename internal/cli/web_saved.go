//go:build !simulator

package cli

import (
	"path/filepath"

	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/web/player"
	"ashlar.sh/sched"
)

// saved makes what the page shows of a state that a live scheduler saved, after it has decided on it.
func (p pages) saved(s watching) (*player.Player, error) {
	path := s.files[0]
	state, err := recording.ReadState(path)
	if err != nil {
		return nil, badInput("error: " + err.Error())
	}
	chosen, lines := playing(p).configured(replaying{config: s.config}, path, state.Configuration)
	if len(lines) > 0 {
		return nil, badInput(lines...)
	}
	used := profile.Local(profile.Of(chosen), state.UTCOffset)
	engine, err := sched.New(used, append(p.engine(), state.Pace())...)
	if err != nil {
		return nil, badInput(chosen.Locate(err).Error())
	}
	engine.Apply(state.Facts...)
	engine.Restore(state.Commitments)
	plan, _, _ := engine.Decide(state.Now)
	summary := explain.Summary{Cycles: 1}
	for _, i := range plan.Items {
		switch i.Kind {
		case sched.BindPod:
			summary.Bound++
		case sched.EvictPod:
			summary.Evicted++
		}
	}
	return player.New(&still{engine, state.Now}, player.Options{Title: filepath.Base(path), Source: "dump",
		Begin: state.Now, Speed: 1, Paused: true,
		Summary:   func() explain.Summary { return summary },
		Evictions: func() []explain.Eviction { return nil },
		Parse:     p.parsed(s.simulation),
		Copy: func(items []sim.Item, begin int64) (*sim.World, error) {
			return sim.New(used, items, sim.Options{Engine: p.engine(), Begin: begin, Written: written, Freed: freed})
		}}), nil
}
