// Package profile turns a configuration that was read into the profile an engine is
// made for.
//
// It is the seam between the grammar (internal/config), which knows what Volcano
// knows, and the engine (sched/policy), which knows what is built: actions, plugins
// and arguments that are not built are left out here, and nowhere else. That they are
// left out is said by config.Scheduler.Unbuilt, never silently nothing.
//
// It checks nothing: a Scheduler holds only values of the kinds its catalogue asks
// for. Equal Schedulers give equal profiles.
package profile

import (
	"maps"
	"slices"

	"ashlar.sh/internal/config"
	"ashlar.sh/sched/plugins/tdm"
	"ashlar.sh/sched/policy"
)

// Of makes the profile of a configuration: built actions in their order, built plugins
// in their tiers with the extension points that their flags turn off, arguments as
// text. A tier that nothing is left of stays, empty.
func Of(s *config.Scheduler) policy.Profile {
	p := policy.Profile{ActionArguments: map[string]policy.Arguments{}}
	for _, a := range s.Actions {
		if !a.Built {
			continue
		}
		p.Actions = append(p.Actions, a.Name)
		p.ActionArguments[a.Name] = arguments(s.Configurations[a.Name])
	}
	for _, tier := range s.Tiers {
		choices := []policy.Choice{}
		for _, plugin := range tier {
			if plugin.Built {
				choices = append(choices, choice(plugin))
			}
		}
		p.Tiers = append(p.Tiers, choices)
	}
	return p
}

// Local returns a copy of p in which plugin tdm, if its arguments name no zone, reads hours at an offset from UTC such
// as +08:00. With an offset "" they are in UTC.
func Local(p policy.Profile, offset string) policy.Profile {
	if offset == "" {
		return p
	}
	p.Tiers = slices.Clone(p.Tiers)
	for i, tier := range p.Tiers {
		for at, c := range tier {
			if _, named := c.Arguments[tdm.OffsetKey]; c.Plugin != tdm.Name || named {
				continue
			}
			c.Arguments = maps.Clone(c.Arguments)
			if c.Arguments == nil {
				c.Arguments = policy.Arguments{}
			}
			c.Arguments[tdm.OffsetKey] = offset
			p.Tiers[i] = slices.Clone(p.Tiers[i])
			p.Tiers[i][at] = c
		}
	}
	return p
}

func choice(p config.Plugin) policy.Choice {
	c := policy.Choice{Plugin: p.Name, Hierarchy: p.Enabled(config.Hierarchy), Arguments: arguments(p.Arguments)}
	for _, f := range config.Flags() {
		if f.Default() && !p.Enabled(f) {
			c.Off = append(c.Off, policy.Point(f))
		}
	}
	slices.Sort(c.Off)
	return c
}

// arguments are those that have an effect.
func arguments(written config.Arguments) policy.Arguments {
	out := policy.Arguments{}
	for _, a := range written {
		if a.Built {
			out[a.Key] = a.Text
		}
	}
	return out
}
