package config

import (
	"ashlar.sh/sched/actions"
	built "ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
)

// builtActions are the actions of this version, in the order of Volcano's documentation.
func builtActions() (all []Entry) {
	for _, d := range actions.All() {
		all = append(all, Entry{Name: d.Name, Built: true, Meaning: d.Meaning, Arguments: d.Arguments})
	}
	return all
}

// builtPlugins are the plugins of this version, in their order.
func builtPlugins() (all []Entry) {
	for _, d := range built.All() {
		all = append(all, entryOf(d))
	}
	return all
}

// entryOf is the entry of a plugin by its definition. One that does not list its arguments takes any.
func entryOf(d policy.Definition) Entry {
	if d.Arguments == nil {
		d.Arguments = []*policy.Argument{{Prefix: true, Kind: policy.KindAny, Meaning: "kept as written"}}
	}
	return Entry{Name: d.Name, Built: true, Meaning: d.Meaning, Arguments: d.Arguments}
}
