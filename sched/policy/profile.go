package policy

import (
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
)

// Profile is a configuration: actions in order, plugins in tiers.
type Profile struct {
	Actions         []string
	Tiers           [][]Choice
	ActionArguments map[string]Arguments
}

// HasAction says that an action is configured.
func (p *Profile) HasAction(name string) bool { return slices.Contains(p.Actions, name) }

// Choice is a plugin in a tier.
type Choice struct {
	Plugin    string
	Off       []Point // extension points its flags turn off
	Hierarchy bool
	Arguments Arguments
}

// Build makes a profile's plugins and finds which extension points they implement. An unknown plugin is an error. A
// plugin that is named in several tiers is one plugin, with the arguments of the last: it answers in each tier, under
// the flags of that tier, where answers combine tier by tier, and once elsewhere.
func Build(p Profile, known []Definition, l *ledger.Ledger) (*Set, error) {
	s := &Set{l: l}
	s.Eviction.s = s
	last := map[string]Choice{}
	for _, tier := range p.Tiers {
		for _, c := range tier {
			last[c.Plugin] = c
		}
	}
	built := map[string]any{}
	before := map[string][][]Point{}
	for i, tier := range p.Tiers {
		s.tier = i
		for _, c := range tier {
			if _, is := built[c.Plugin]; !is {
				plugin, err := build(last[c.Plugin], known, l)
				if err != nil {
					return nil, err
				}
				built[c.Plugin] = plugin
			}
			s.add(c.Plugin, built[c.Plugin], c.Off, before[c.Plugin])
			before[c.Plugin] = append(before[c.Plugin], c.Off)
		}
	}
	return s, nil
}

// build makes one plugin, and finds what is wrong with it.
func build(c Choice, known []Definition, l *ledger.Ledger) (any, error) {
	i := slices.IndexFunc(known, func(d Definition) bool { return d.Name == c.Plugin })
	if i < 0 {
		return nil, fmt.Errorf("plugin %q is not known", c.Plugin)
	}
	if err := known[i].Check(); err != nil {
		return nil, err
	}
	plugin, err := known[i].New(c, l)
	if err != nil {
		return nil, &BuildError{Of: "plugin", Name: c.Plugin, Err: err}
	}
	if err := check(plugin); err != nil {
		return nil, fmt.Errorf("plugin %s: %w", c.Plugin, err)
	}
	return plugin, nil
}
