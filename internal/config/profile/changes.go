package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ashlar.sh/internal/config"
	"ashlar.sh/sched/policy"
)

// Changes says, a line each, what the engine does otherwise by another profile: actions and their arguments, then
// plugins in the order of the tiers, with their flags and arguments. None: both profiles are the same to it.
func Changes(before, after policy.Profile) (lines []string) {
	if was, is := strings.Join(before.Actions, ", "), strings.Join(after.Actions, ", "); was != is {
		lines = append(lines, fmt.Sprintf("actions: %q, were %q", is, was))
	}
	for _, name := range sortedKeys(before.ActionArguments, after.ActionArguments) {
		lines = append(lines, argumentsChanged("action "+name, before.ActionArguments[name], after.ActionArguments[name])...)
	}
	was, is := placesOf(before), placesOf(after)
	for _, p := range was {
		if _, stays := find(is, p.name); !stays {
			lines = append(lines, fmt.Sprintf("plugin %s: removed", p.name))
		}
	}
	for _, p := range is {
		old, there := find(was, p.name)
		if !there {
			lines = append(lines, fmt.Sprintf("plugin %s: new, in tier %s", p.name, p.tiers()))
			old = place{}
		} else if old.tiers() != p.tiers() {
			lines = append(lines, fmt.Sprintf("plugin %s: in tier %s, was in %s", p.name, p.tiers(), old.tiers()))
		}
		lines = append(lines, p.since(old)...)
	}
	if len(lines) == 0 && !slices.EqualFunc(was, is, func(a, b place) bool { return a.name == b.name }) {
		lines = append(lines, "plugins: in another order within their tiers")
	}
	return lines
}

// place is where a profile names a plugin: its choices by the number of their tier.
type place struct {
	name    string
	numbers []int
	choices []policy.Choice
}

// placesOf are the plugins of a profile in the order in which it names them first.
func placesOf(p policy.Profile) (out []place) {
	for n, tier := range p.Tiers {
		for _, c := range tier {
			at := slices.IndexFunc(out, func(x place) bool { return x.name == c.Plugin })
			if at < 0 {
				at, out = len(out), append(out, place{name: c.Plugin})
			}
			out[at].numbers, out[at].choices = append(out[at].numbers, n+1), append(out[at].choices, c)
		}
	}
	return out
}

func find(all []place, name string) (place, bool) {
	if at := slices.IndexFunc(all, func(p place) bool { return p.name == name }); at >= 0 {
		return all[at], true
	}
	return place{}, false
}

func (p place) tiers() string {
	words := make([]string, len(p.numbers))
	for i, n := range p.numbers {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, " and ")
}

// since says which flags and arguments of a plugin changed. Of one that is named in several tiers they are compared
// tier by tier.
func (p place) since(old place) (lines []string) {
	for i, c := range p.choices {
		var was policy.Choice
		if i < len(old.choices) {
			was = old.choices[i]
		}
		what := "plugin " + p.name
		if len(p.choices) > 1 {
			what += fmt.Sprintf(" in tier %d", p.numbers[i])
		}
		lines = append(lines, flagsChanged(what, was, c)...)
		lines = append(lines, argumentsChanged(what, was.Arguments, c.Arguments)...)
	}
	return lines
}

func flagsChanged(what string, was, is policy.Choice) (lines []string) {
	for _, f := range config.Flags() {
		off, before := slices.Contains(is.Off, policy.Point(f)), slices.Contains(was.Off, policy.Point(f))
		if f == config.Hierarchy {
			off, before = !is.Hierarchy, !was.Hierarchy
		}
		if off != before {
			lines = append(lines, fmt.Sprintf("%s: %s: %t, was %t", what, f.Spelling(), !off, !before))
		}
	}
	return lines
}

// unwritten stands for the value of an argument that a configuration does not mention.
const unwritten = "its default"

func argumentsChanged(what string, was, is policy.Arguments) (lines []string) {
	show := func(args policy.Arguments, key string) string {
		if value, written := args[key]; written {
			return value
		}
		return unwritten
	}
	for _, key := range sortedKeys(was, is) {
		if before, now := show(was, key), show(is, key); before != now {
			lines = append(lines, fmt.Sprintf("%s: %s: %s, was %s", what, key, now, before))
		}
	}
	return lines
}

// sortedKeys are the keys of both maps, each once.
func sortedKeys[V any, M ~map[string]V](a, b M) []string {
	both := maps.Clone(b)
	if both == nil {
		both = M{}
	}
	maps.Copy(both, a)
	return slices.Sorted(maps.Keys(both))
}
