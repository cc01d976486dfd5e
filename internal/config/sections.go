package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"ashlar.sh/sched/policy"
)

const actionsExample = `write for example actions: "enqueue, allocate, backfill"`

// actions reads the names between commas.
func (p *parser) actions(n *yaml.Node) []Action {
	text, err := readText(n)
	if err != nil {
		p.refuse(n.Line, "actions: expected names between commas, got %s; %s", shown(n), actionsExample)
		return nil
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var all []Action
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		entry, known := p.known.Action(name)
		switch {
		case known:
			all = append(all, Action{Name: name, Line: n.Line, Built: entry.Built})
		case name == "":
			p.object(n.Line, "it is skipped", "actions: a comma without a name")
		default:
			p.object(n.Line, "it is skipped", "unknown action %s%s", quoted(name), p.near(name, entryNames(p.known.Actions)))
		}
	}
	return all
}

// configurations reads the arguments of actions. It comes after the actions are
// known, so that it can say which of its elements have no effect.
func (p *parser) configurations(n *yaml.Node, s *Scheduler) {
	lines := map[string]int{}
	for _, item := range p.items(n, "configurations") {
		what := "an element of configurations"
		name, arguments := p.named(item, what, []string{"name", "arguments"}, nil)
		if name.value == nil {
			continue
		}
		action := name.value.Value
		entry, known := find(append(slices.Clone(p.known.Actions), p.known.Others...), action)
		if !known {
			p.object(name.line, "it is skipped", "configurations: unknown action %s%s", quoted(action),
				p.near(action, entryNames(p.known.Actions)))
			continue
		}
		if at, twice := lines[action]; twice {
			p.object(name.line, "the first one counts", "action %s is configured twice (first on line %d)", action, at)
			continue
		}
		lines[action] = name.line
		s.Configurations[action] = p.arguments(arguments, "action "+action, entry)
		p.idle(name.line, entry, s)
	}
}

// idle says that arguments have no effect because their action does not run;
// an action that runs and is not built is reported where it is listed.
func (p *parser) idle(line int, entry Entry, s *Scheduler) {
	runs := slices.ContainsFunc(s.Actions, func(a Action) bool { return a.Name == entry.Name })
	_, isAction := p.known.Action(entry.Name)
	switch {
	case !isAction:
		p.warn(line, "%s (%s) is known and not built yet: it does nothing in this version", entry.Name, entry.Meaning)
	case !runs:
		p.warn(line, "action %s is configured and not among the actions: this has no effect", entry.Name)
	}
}

// metrics reads a flat map of texts; as in Volcano, numbers and truth values
// are texts too.
func (p *parser) metrics(n *yaml.Node) map[string]string {
	all := map[string]string{}
	entry := Entry{Arguments: p.known.Metrics}
	for _, f := range p.fields(n, "metrics") {
		known := policy.Lookup(entry.Arguments, f.key) != nil
		switch {
		case f.value.Kind != yaml.ScalarNode || isNull(f.value):
			p.object(f.line, "it is skipped", "metrics: %s: expected text, got %s", quoted(f.key), shown(f.value))
		case !known:
			p.object(f.line, "it is skipped", "metrics: unknown key %s%s", quoted(f.key), p.near(f.key, entry.keys()))
		default:
			all[f.key] = f.value.Value
		}
	}
	return all
}

// named reads what plugins and configurations have in common: a name and
// arguments. Keys that are neither go to other, which tells whether it took
// them; keys lists what may stand there, for suggestions.
func (p *parser) named(n *yaml.Node, what string, keys []string,
	other func(field) bool) (name field, arguments *yaml.Node) {
	if n.Kind == yaml.ScalarNode && !isNull(n) {
		p.refuse(n.Line, "%s begins with \"- name: \"; here is only %s", what, quoted(n.Value))
		return field{}, nil
	}
	for _, f := range p.fields(n, what) {
		switch {
		case f.key == "name":
			name = f
		case f.key == "arguments":
			arguments = f.value
		case other == nil || !other(f):
			p.object(f.line, "it is skipped", "%s: unknown key %s%s", what, quoted(f.key), p.near(f.key, keys))
		}
	}
	if name.value == nil || name.value.Kind != yaml.ScalarNode || isNull(name.value) || name.value.Value == "" {
		p.object(n.Line, "it is skipped", "%s has no name", what)
		return field{}, nil
	}
	return name, arguments
}

// arguments reads one arguments block against the catalogue.
func (p *parser) arguments(n *yaml.Node, owner string, entry Entry) Arguments {
	var all Arguments
	for _, f := range p.fields(n, "the arguments of "+owner) {
		spec := policy.Lookup(entry.Arguments, f.key)
		if spec == nil {
			p.object(f.line, "it is skipped", "%s has no argument %s%s", owner, quoted(f.key), p.nearKey(f.key, entry.keys()))
			continue
		}
		text, err := textOf(spec.Kind, f.value)
		if err == nil {
			err = spec.Check(text)
		}
		if err != nil {
			p.object(f.line, "the default is used", "argument %s of %s: %v", quoted(f.key), owner, err)
			continue
		}
		key := f.key
		if !spec.Prefix {
			key = spec.Key
		}
		before := all.find(key)
		switch {
		case before == nil:
			all = append(all, Argument{Key: key, Line: f.line, Built: !spec.Later, Text: text})
		case before.Text != text:
			p.twoSpellings(f.line, spec.Key, spec.Alias)
			if f.key == spec.Key {
				before.Text = text
			}
		}
	}
	return all
}

// twoSpellings objects to a key that is written in both of its spellings with two values: Strict refuses it, and
// Lenient takes the one that Volcano reads, which is the first.
func (p *parser) twoSpellings(line int, first, second string) {
	p.object(line, "the first is what Volcano reads and counts",
		"%s and %s are two spellings of one key and differ", first, second)
}
