package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"ashlar.sh/internal/syntax"
)

// Source says where the bytes come from, for messages.
type Source struct {
	// File is how the user knows it: a path, or "ConfigMap ns/name".
	File string
	// LineOffset is the number of lines that precede the first byte in File: 0
	// for a whole file; for a block in a ConfigMap, the line of its "|".
	LineOffset int
}

// Mode says what becomes of that which Volcano would have ignored.
type Mode int

const (
	// Strict refuses it: nothing in the file is without effect unnoticed.
	Strict Mode = iota
	// Lenient warns and goes on without it, so that a file that works with
	// Volcano never turns a cluster off. What Volcano refuses stays refused,
	// but for an unknown action.
	Lenient
)

// maxSize bounds a file. A ConfigMap holds no more.
const maxSize = 1 << 20

// Parse reads a configuration. It returns the Problems in the order of their
// lines, and a Scheduler unless one of them is fatal.
func Parse(src Source, data []byte, known Catalog, mode Mode) (*Scheduler, []Problem) {
	p := &parser{src: src, known: known, mode: mode}
	s := p.file(data)
	if s != nil {
		p.problems = append(p.problems, s.Unbuilt()...)
	}
	if anyFatal(p.problems) {
		s = nil
	}
	return s, inOrder(p.problems)
}

type parser struct {
	src      Source
	known    Catalog
	mode     Mode
	problems []Problem
	placed   int // values looked at by place
}

// refuse reports what no mode can live with. Lines here and below are those of
// the file, see place.
func (p *parser) refuse(line int, format string, args ...any) {
	p.report(line, true, fmt.Sprintf(format, args...))
}

// warn reports what the user should know.
func (p *parser) warn(line int, format string, args ...any) {
	p.report(line, false, fmt.Sprintf(format, args...))
}

// object reports what Strict refuses and Lenient ignores; instead says what
// Lenient does about it.
func (p *parser) object(line int, instead, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if p.mode == Lenient {
		message += "; " + instead
	}
	p.report(line, p.mode == Strict, message)
}

func (p *parser) report(line int, fatal bool, message string) {
	p.problems = append(p.problems, Problem{File: p.src.File, Line: line, Fatal: fatal, Message: message})
}

// near is didYouMean, until a report is full anyway.
func (p *parser) near(name string, candidates []string) string {
	if len(p.problems) >= maxProblems {
		return ""
	}
	return didYouMean(name, candidates)
}

// nearKey is near for the key of an argument: a key that differs by its prefix alone is near, too, as
// "binpack.weight" is to "weight".
func (p *parser) nearKey(key string, keys []string) string {
	if near := p.near(key, keys); near != "" {
		return near
	}
	for _, k := range keys {
		if strings.HasSuffix(k, "."+key) || strings.HasSuffix(key, "."+k) {
			return p.near(k, []string{k})
		}
	}
	return ""
}

func (p *parser) file(data []byte) *Scheduler {
	if len(data) > maxSize {
		p.refuse(1+p.src.LineOffset, "the configuration is %d bytes long; at most %d are read", len(data), maxSize)
		return nil
	}
	root := p.document(data)
	if root == nil || !p.place(root) {
		return nil
	}
	s := &Scheduler{File: p.src.File, Configurations: map[string]Arguments{}, Metrics: map[string]string{}}
	var configurations *yaml.Node
	sections := []string{"actions", "tiers", "configurations", "metrics"}
	for _, f := range p.fields(root, "the configuration") {
		switch f.key {
		case "actions":
			s.Actions = p.actions(f.value)
		case "tiers":
			s.Tiers = p.tiers(f.value)
		case "configurations":
			configurations = f.value
		case "metrics":
			s.Metrics = p.metrics(f.value)
		default:
			p.object(f.line, "it is skipped", "unknown key %s%s", quoted(f.key), p.near(f.key, sections))
		}
	}
	p.configurations(configurations, s)
	p.rules(s, root.Line)
	return s
}

// document is the root of the only YAML document, or nil after a Problem.
func (p *parser) document(data []byte) *yaml.Node {
	docs, err := syntax.Documents(data, 2)
	switch {
	case err != nil:
		line, text := syntax.Line(data, err)
		p.refuse(line+p.src.LineOffset, "this is not YAML: %s", text)
		return nil
	case len(docs) == 0 || isNull(docs[0]):
		p.refuse(1+p.src.LineOffset, "the configuration is empty; %s", actionsExample)
		return nil
	}
	if len(docs) > 1 {
		line := docs[1].Line
		if isNull(docs[1]) { // the library says the line after the last one
			line = min(line, 1+bytes.Count(data, []byte("\n")))
		}
		p.object(line+p.src.LineOffset, "it is skipped",
			"a second document begins here; a configuration is one document")
		if p.mode == Strict {
			return nil
		}
	}
	return docs[0]
}

// mostNodes bounds what a file may become when its aliases are written out.
const mostNodes = 100_000

// place turns the lines of the data into lines of the file. An alias Strict refuses; Lenient
// puts what it stands for in its place, as Volcano's reader does, up to mostNodes in all: expanding
// aliases is how a small file becomes a huge one. It is false where the file cannot be read.
func (p *parser) place(n *yaml.Node) bool {
	if p.placed++; p.placed > mostNodes {
		p.refuse(1+p.src.LineOffset, "the configuration has more than %d values when its aliases are written out", mostNodes)
		return false
	}
	n.Line += p.src.LineOffset
	for i, c := range n.Content {
		if c.Kind == yaml.AliasNode {
			line := c.Line + p.src.LineOffset
			if p.mode == Strict {
				p.refuse(line, "the alias %s is not read here; write the value out", quoted("*"+c.Value))
				return false
			}
			c = writtenOut(c.Alias, c.Line)
			n.Content[i] = c
		}
		if !p.place(c) {
			return false
		}
	}
	merge(n)
	return true
}

// writtenOut is a copy of what an alias stands for, as if it stood on the alias's line. Aliases
// in it stay, so that a value which holds itself ends at mostNodes.
func writtenOut(n *yaml.Node, line int) *yaml.Node {
	out := *n
	out.Line = line
	out.Content = make([]*yaml.Node, 0, len(n.Content))
	for _, c := range n.Content {
		if c.Kind != yaml.AliasNode {
			c = writtenOut(c, line)
		}
		out.Content = append(out.Content, c)
	}
	return &out
}

// merge puts the keys of "<<" into the mapping that has it, but for those that it has itself.
func merge(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	has := map[string]bool{}
	var own, more []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; key.ShortTag() == "!!merge" {
			more = append(more, n.Content[i+1])
		} else {
			has[key.Value] = true
			own = append(own, key, n.Content[i+1])
		}
	}
	for len(more) > 0 {
		from := more[0]
		more = more[1:]
		if from.Kind == yaml.SequenceNode {
			more = append(slices.Clone(from.Content), more...)
			continue
		}
		for i := 0; from.Kind == yaml.MappingNode && i+1 < len(from.Content); i += 2 {
			if key := from.Content[i]; !has[key.Value] {
				has[key.Value] = true
				own = append(own, key, from.Content[i+1])
			}
		}
	}
	n.Content = own
}

// field is one key of a mapping.
type field struct {
	key   string
	line  int
	value *yaml.Node
}

// fields lists the keys of a mapping, each once; nothing for null. Anything but
// a mapping is refused, as Volcano does.
func (p *parser) fields(n *yaml.Node, what string) []field {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		p.refuse(n.Line, "%s: expected keys with values, got %s", what, shown(n))
		return nil
	}
	var all []field
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			p.refuse(key.Line, "%s: expected a key, got %s", what, shown(key))
			continue
		}
		f := field{key.Value, key.Line, value}
		if at, twice := first[f.key]; twice {
			p.object(f.line, "the last one counts", "key %s is given twice (first on line %d)", quoted(f.key), all[at].line)
			all[at] = f
			continue
		}
		first[f.key] = len(all)
		all = append(all, f)
	}
	return all
}

// items lists the elements of a sequence; nothing for null.
func (p *parser) items(n *yaml.Node, what string) []*yaml.Node {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		p.refuse(n.Line, "%s: expected a list, got %s", what, shown(n))
		return nil
	}
	return n.Content
}

func isNull(n *yaml.Node) bool {
	return n == nil || n.Kind == 0 || (n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null")
}
