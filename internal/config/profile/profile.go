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
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ashlar.sh/internal/config"
	"ashlar.sh/sched/plugins/tdm"
	"ashlar.sh/sched/policy"
)

// Of makes the profile of a configuration: built actions in their order, built plugins
// in their tiers with the extension points that their flags turn off, arguments as
// text. A tier that nothing is left of stays, empty.
//
// compiled are the plugins beside the built ones, as they were given to the catalogue.
func Of(s *config.Scheduler, compiled ...policy.Definition) policy.Profile {
	known := config.Volcano().With(compiled...)
	p := policy.Profile{ActionArguments: map[string]policy.Arguments{}}
	for _, a := range s.Actions {
		if !a.Built {
			continue
		}
		p.Actions = append(p.Actions, a.Name)
		if entry, ok := known.Action(a.Name); ok {
			p.ActionArguments[a.Name] = arguments(entry, s.Configurations[a.Name])
		}
	}
	for _, tier := range s.Tiers {
		choices := []policy.Choice{}
		for _, plugin := range tier {
			if plugin.Built {
				choices = append(choices, choice(known, plugin))
			}
		}
		p.Tiers = append(p.Tiers, choices)
	}
	return p
}

// Local has hours be read at an offset from UTC, as +08:00, by those plugins whose arguments name none:
// tdm. p is not changed; an offset "" leaves it UTC.
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

func choice(known config.Catalog, p config.Plugin) policy.Choice {
	entry, _ := known.Plugin(p.Name)
	c := policy.Choice{Plugin: p.Name, Hierarchy: p.Enabled(config.Hierarchy), Arguments: arguments(entry, p.Arguments)}
	for _, f := range config.Flags() {
		if f.Default() && !p.Enabled(f) {
			c.Off = append(c.Off, policy.Point(f))
		}
	}
	slices.Sort(c.Off)
	return c
}

// arguments are the built ones as text.
func arguments(entry config.Entry, args config.Arguments) policy.Arguments {
	out := policy.Arguments{}
	for _, arg := range args.All() {
		if !arg.Built {
			continue
		}
		if text, ok := asText(kindOf(entry, arg.Key), args, arg.Key); ok {
			out[arg.Key] = text
		}
	}
	return out
}

// kindOf is the kind that the catalogue gives a key: its own entry's, else that of the
// longest prefix.
func kindOf(entry config.Entry, key string) config.Kind {
	kind, longest := config.Any, -1
	for _, s := range entry.Arguments {
		if !s.Prefix && s.Key == key {
			return s.Kind
		}
		if s.Prefix && strings.HasPrefix(key, s.Key) && len(s.Key) > longest {
			kind, longest = s.Kind, len(s.Key)
		}
	}
	return kind
}

// asText writes a value as policy.Arguments reads it, maps and sequences as JSON; false
// for the kind that no text stands for (any).
func asText(kind config.Kind, args config.Arguments, key string) (string, bool) {
	var text string
	var err error
	switch kind {
	case config.Int:
		var x int64
		x, err = args.Int(key, 0)
		text = strconv.FormatInt(x, 10)
	case config.Bool:
		var x bool
		x, err = args.Bool(key, false)
		text = strconv.FormatBool(x)
	case config.Float:
		var x int64
		x, err = args.Milli(key, 0)
		text = decimal(x)
	case config.List:
		var x []string
		x, err = args.List(key)
		text = strings.Join(x, ", ")
	case config.Duration:
		x, wrong := args.Duration(key, 0)
		text, err = x.String(), wrong
	case config.String:
		text, err = args.Text(key, "")
	case config.Map, config.Sequence:
		text, err = args.JSON(key)
	case config.Any:
		return args.Scalar(key)
	default:
		return "", false
	}
	return text, err == nil
}

// decimal writes thousandths: 1200 is 1.2.
func decimal(milli int64) string {
	sign := ""
	if milli < 0 {
		sign, milli = "-", -milli
	}
	text := fmt.Sprintf("%s%d.%03d", sign, milli/1000, milli%1000)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
