package config

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

func (p *parser) tiers(n *yaml.Node) [][]Plugin {
	var all [][]Plugin
	for _, item := range p.items(n, "tiers") {
		var tier []Plugin
		for _, f := range p.fields(item, "a tier") {
			if f.key != "plugins" {
				p.object(f.line, "it is skipped", "a tier: unknown key %s (a tier is written as \"- plugins:\" and a list)",
					quoted(f.key))
				continue
			}
			tier = p.plugins(f.value)
		}
		all = append(all, tier)
	}
	return all
}

func (p *parser) plugins(n *yaml.Node) []Plugin {
	var tier []Plugin
	for _, item := range p.items(n, "plugins") {
		plugin, ok := p.plugin(item)
		if !ok {
			continue
		}
		at := slices.IndexFunc(tier, func(other Plugin) bool { return other.Name == plugin.Name })
		if at < 0 {
			tier = append(tier, plugin)
			continue
		}
		p.object(plugin.Line, "the last one counts", "plugin %s is twice in one tier (first on line %d)",
			plugin.Name, tier[at].Line)
		tier[at] = plugin
	}
	return tier
}

// plugin reads one plugin; false if it is to be left out.
func (p *parser) plugin(n *yaml.Node) (Plugin, bool) {
	flags := flagReader{p: p, values: map[Flag]bool{}, written: map[Flag]bool{}}
	name, arguments := p.named(n, "a plugin", pluginKeys(), flags.take)
	if name.value == nil {
		return Plugin{}, false
	}
	entry, known := p.known.Plugin(name.value.Value)
	if !known {
		near := p.near(name.value.Value, entryNames(p.known.Plugins))
		if near == "" {
			near = ": it is neither built in nor compiled in"
		}
		p.object(name.line, "it is skipped", "unknown plugin %s%s", quoted(name.value.Value), near)
		return Plugin{}, false
	}
	return Plugin{
		Name: entry.Name, Line: name.line, Built: entry.Built, Flags: flags.values,
		Arguments: p.arguments(arguments, "plugin "+entry.Name, entry),
	}, true
}

// flagReader collects the flags of one plugin in either spelling.
type flagReader struct {
	p       *parser
	values  map[Flag]bool
	written map[Flag]bool
}

// take reads f if it is a flag, and tells whether it is one.
func (r flagReader) take(f field) bool {
	at := slices.IndexFunc(spellings, func(s spelling) bool { return s.key == f.key })
	if at < 0 {
		return false
	}
	flag := spellings[at].flag
	on, err := readBool(f.value)
	if err != nil {
		r.p.object(f.line, "the default is used", "%s: %v", f.key, err)
		return true
	}
	if r.written[flag] && r.values[flag] != on {
		r.p.twoSpellings(f.line, flag.Spelling(), otherSpelling(flag))
	}
	if !r.written[flag] || f.key == flag.Spelling() {
		r.values[flag] = on
	}
	r.written[flag] = true
	return true
}

func otherSpelling(f Flag) string {
	for _, s := range spellings {
		if s.flag == f && !s.first {
			return s.key
		}
	}
	return ""
}

// pluginKeys lists what may stand in a plugin, for suggestions.
func pluginKeys() []string {
	keys := []string{"name", "arguments"}
	for _, s := range spellings {
		keys = append(keys, s.key)
	}
	return keys
}
