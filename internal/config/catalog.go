package config

import (
	"slices"

	"ashlar.sh/sched/policy"
)

// Catalog says which names a configuration may use: what exists, what it takes,
// and what is built in this version. It is data, for the parser and for the
// documentation.
type Catalog struct {
	Actions []Entry
	Plugins []Entry
	// Others are the names that an element of configurations may carry besides
	// those of actions.
	Others []Entry
	// Metrics are the keys of the metrics block.
	Metrics []*policy.Argument
}

// Entry is one action or plugin.
type Entry struct {
	Name string
	// Built tells whether this version has it; what is not built is accepted
	// with a warning and does nothing.
	Built bool
	// Meaning is half a sentence on what it is for.
	Meaning   string
	Arguments []*policy.Argument
}

// Volcano is the catalogue of Volcano 1.14 to 1.16, with what this version of
// Ashlar has built and what Ashlar adds.
func Volcano() Catalog {
	return Catalog{
		Actions: builtActions(),
		Plugins: slices.Concat(builtPlugins(), laterPlugins()),
		Others: []Entry{{Name: "init-params", Meaning: "settings of the Ascend device plugin",
			Arguments: []*policy.Argument{{Prefix: true, Kind: policy.KindAny, Meaning: "kept as written"}}}},
		Metrics: metricsKeys(),
	}
}

// With is the catalogue with plugins that were compiled in. One that has the name of another takes its place.
func (c Catalog) With(compiled ...policy.Definition) Catalog {
	names := policy.Names(compiled)
	all := slices.DeleteFunc(slices.Clone(c.Plugins), func(e Entry) bool { return slices.Contains(names, e.Name) })
	for _, d := range compiled {
		all = append(all, entryOf(d))
	}
	c.Plugins = all
	return c
}

// Action finds an action by name.
func (c Catalog) Action(name string) (Entry, bool) { return find(c.Actions, name) }

// Plugin finds a plugin by name.
func (c Catalog) Plugin(name string) (Entry, bool) { return find(c.Plugins, name) }

func find(entries []Entry, name string) (Entry, bool) {
	for _, e := range entries {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// keys lists every spelling of what has a fixed name, for suggestions.
func (e Entry) keys() []string {
	var all []string
	for _, s := range e.Arguments {
		if s.Prefix {
			continue
		}
		all = append(all, s.Key)
		if s.Alias != "" {
			all = append(all, s.Alias)
		}
	}
	return all
}

func entryNames(entries []Entry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Name
	}
	return all
}
