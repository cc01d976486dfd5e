package config

import (
	built "ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
)

// builtPlugins are the plugins this version has, in their order.
func builtPlugins() []Entry {
	var all []Entry
	for _, d := range built.All() {
		all = append(all, entryOf(d))
	}
	return all
}

// entryOf is the entry of a plugin by its definition. One whose arguments are not listed takes any, which are
// kept as they are written.
func entryOf(d policy.Definition) Entry {
	e := Entry{Name: d.Name, Built: true, Meaning: d.Meaning}
	if d.Arguments == nil {
		e.Arguments = []Spec{{Prefix: true, Kind: Any, Meaning: "kept as written"}}
	}
	for _, a := range d.Arguments {
		e.Arguments = append(e.Arguments, Spec{Key: a.Key, Prefix: a.Prefix, Later: a.Later, Kind: kinds[a.Kind],
			Default: a.Default, Meaning: a.Meaning, Values: a.Words, Bounds: a.Bounds})
	}
	return e
}

var kinds = map[policy.Kind]Kind{policy.KindInt: Int, policy.KindBool: Bool, policy.KindDecimal: Float,
	policy.KindText: String, policy.KindDuration: Duration, policy.KindList: List, policy.KindSequence: Sequence}
