package cli

import (
	"fmt"
	"strings"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
)

// mostFindings bounds what an audit prints: the first are the ones to look at.
const mostFindings = 20

// world makes the world of an input.
func (in input) world(p Process, s simulation) (*sim.World, error) {
	engine, err := in.engine(p)
	if err != nil {
		return nil, err
	}
	world, err := sim.New(in.profile, in.items, sim.Options{Verbosity: s.verbosity, Audit: s.audit, Engine: engine,
		Begin: in.begin(), Came: s.came, Written: written, Freed: freed})
	if err != nil {
		return nil, badInput(in.chosen.Locate(err).Error())
	}
	return world, nil
}

// run runs a world to its end, or to the virtual time asked for, with its log and its
// progress on stderr. It returns what the audit found, if it was asked for: the run
// ends with the first cycle in which it found something.
func (p Process) run(s simulation, in input) (world *sim.World, findings []string, err error) {
	if world, err = in.world(p, s); err != nil {
		return nil, nil, err
	}
	show := p.progress(s.verbosity > 0)
	defer show.clear()
	for {
		at, more := world.Next()
		if s.stop >= 0 && at > s.stop {
			return world, nil, nil
		}
		if more && in.watch != nil && in.watch.Estimate(at) {
			starts, err := world.Starts(nil)
			if err != nil {
				return world, nil, err
			}
			in.watch.Estimated(starts, at)
		}
		c, more := world.Step()
		if !more {
			return world, nil, nil
		}
		if in.watch != nil {
			in.watch.See(c)
		}
		if in.see != nil {
			in.see(c, world)
		}
		p.log(c)
		for _, f := range c.Audit {
			findings = append(findings, fmt.Sprintf("cycle %d (%s): %s", c.Number, c.At, f))
		}
		if len(findings) > 0 {
			return world, findings[:min(len(findings), mostFindings)], nil
		}
		show.tick(world)
	}
}

// log prints a cycle's events, each after the virtual time.
func (p Process) log(c sim.Cycle) {
	for _, e := range c.Events {
		_, text := explain.Log(e)
		if text == "" {
			continue
		}
		for line := range strings.SplitSeq(explain.Printable(text), "\n") {
			fmt.Fprintf(p.Err, "%-6s %s\n", c.At, line)
		}
	}
}
