package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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

// Arguments are the settings of a plugin or an action as text, checked against the configuration's
// catalogue before.
type Arguments map[string]string

// OneOf is an argument that is one of a few words; the first word where it is absent.
func (a Arguments) OneOf(key string, words ...string) (string, error) {
	s, ok := a[key]
	switch {
	case !ok:
		return words[0], nil
	case !slices.Contains(words, s):
		return "", BadArgument(key, "%q is not one of %s", s, strings.Join(words, ", "))
	default:
		return s, nil
	}
}

// Resource is an argument that names a resource; otherwise where it is absent.
func (a Arguments) Resource(key, otherwise string) (string, error) {
	s, ok := a[key]
	switch {
	case !ok:
		return otherwise, nil
	case s == "":
		return "", BadArgument(key, "a name is missing: %s, for one", otherwise)
	default:
		return s, nil
	}
}

// Int is an argument as a whole number; otherwise where it is absent. A malformed number is an error
// that names the key.
func (a Arguments) Int(key string, otherwise int64) (int64, error) {
	s, ok := a[key]
	if !ok {
		return otherwise, nil
	}
	x, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, BadArgument(key, "%q is not a whole number", s)
	}
	return x, nil
}

// Bool is an argument as true or false; otherwise where it is absent.
func (a Arguments) Bool(key string, otherwise bool) (bool, error) {
	s, ok := a[key]
	if !ok {
		return otherwise, nil
	}
	x, err := strconv.ParseBool(s)
	if err != nil {
		return false, BadArgument(key, "%q is neither true nor false", s)
	}
	return x, nil
}

// Milli is an argument with at most three decimal places, in thousandths; otherwise where it is absent.
// A malformed number is an error that names the key.
func (a Arguments) Milli(key string, otherwise int64) (int64, error) {
	s, ok := a[key]
	if !ok {
		return otherwise, nil
	}
	whole, places, _ := strings.Cut(s, ".")
	x, err := strconv.ParseInt(whole+places+"000"[min(len(places), 3):], 10, 64)
	if err != nil || whole+places == "" || len(places) > 3 || strings.ContainsAny(places, "+-") {
		return 0, BadArgument(key, "%q is not a number with at most three decimal places", s)
	}
	return x, nil
}

// Duration is an argument such as 1h30m, in nanoseconds; otherwise where it is absent. A malformed
// duration is an error that names the key.
func (a Arguments) Duration(key string, otherwise int64) (int64, error) {
	s, ok := a[key]
	if !ok {
		return otherwise, nil
	}
	x, err := time.ParseDuration(s)
	if err != nil {
		return 0, BadArgument(key, "%q is not a duration such as 90s or 1h30m", s)
	}
	return int64(x), nil
}

// list is an argument "a, b" as a sorted list without repetitions; nil when it is absent.
func (a Arguments) list(key string) []string {
	var out []string
	for _, s := range strings.Split(a[key], ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Names are the names of definitions, in their order.
func Names(list []Definition) (out []string) {
	for _, d := range list {
		out = append(out, d.Name)
	}
	return out
}

// Build makes a profile's plugins and finds which extension points they implement. An unknown plugin is
// an error; a plugin that is named in two places counts in the first.
func Build(p Profile, known []Definition, l *ledger.Ledger) (*Set, error) {
	s := (&Set{l: l}).wire()
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
			plugin, err := known[i].New(c, l)
			if err != nil {
				return nil, &PluginError{Plugin: c.Plugin, Err: err}
			}
			if err := check(plugin); err != nil {
				return nil, fmt.Errorf("plugin %s: %w", c.Plugin, err)
			}
			s.add(c.Plugin, plugin, c.Off)
		}
	}
	return s, nil
}
