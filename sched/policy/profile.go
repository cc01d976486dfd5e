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

// Build makes a profile's plugins and finds which extension points they implement. An unknown plugin is an error; a
// plugin that is named in two places counts in the first.
func Build(p Profile, known []Definition, l *ledger.Ledger) (*Set, error) {
	s := &Set{l: l}
	s.Eviction.s = s
	var seen []string
	for i, tier := range p.Tiers {
		s.tier = i
		for _, c := range tier {
			if slices.Contains(seen, c.Plugin) {
				continue
			}
			seen = append(seen, c.Plugin)
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
			s.add(c.Plugin, plugin, c.Off)
		}
	}
	return s, nil
}
