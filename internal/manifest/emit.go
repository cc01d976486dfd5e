package manifest

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// The bounds of one object: aliases and nesting must not explode. The API server takes
// objects of three megabytes at most.
const (
	mostDeep    = 500
	mostEmitted = 16 << 20
)

// emitter writes a tree as JSON, reading scalars as kubectl does, but that numbers keep
// their digits. It finds keys that are there twice.
type emitter struct {
	buf  []byte
	errs []nodeError
	wild bool // a text looks like a number with an exponent of many digits
}

// nodeError is what is wrong with a node.
type nodeError struct {
	node    *yaml.Node
	message string
}

func (e *emitter) fail(n *yaml.Node, format string, args ...any) {
	e.errs = append(e.errs, nodeError{n, fmt.Sprintf(format, args...)})
}

// emit writes a node and says whether there is any sense in going on.
func (e *emitter) emit(n *yaml.Node, depth int) bool {
	switch {
	case depth > mostDeep:
		e.fail(n, "nested more than %d levels deep", mostDeep)
		return false
	case len(e.buf) > mostEmitted:
		e.fail(n, "an object of more than %d MiB", mostEmitted>>20)
		return false
	}
	switch n.Kind {
	case yaml.AliasNode:
		return e.emit(n.Alias, depth+1)
	case yaml.SequenceNode:
		e.buf = append(e.buf, '[')
		for i, c := range n.Content {
			if i > 0 {
				e.buf = append(e.buf, ',')
			}
			if !e.emit(c, depth+1) {
				return false
			}
		}
		e.buf = append(e.buf, ']')
	case yaml.MappingNode:
		return e.mapping(n, depth)
	default:
		e.scalar(n)
	}
	return true
}

func (e *emitter) mapping(n *yaml.Node, depth int) bool {
	all, ok := pairs(n, 0)
	if !ok {
		e.fail(n, "nested more than %d levels deep", mostDeep)
		return false
	}
	e.duplicates(n)
	e.buf = append(e.buf, '{')
	for i := 0; i < len(all); i += 2 {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		k, _ := resolved(all[i])
		if k == nil || k.Kind != yaml.ScalarNode {
			e.fail(all[i], "a key must be a text")
			return false
		}
		e.buf = appendText(e.buf, k.Value)
		e.buf = append(e.buf, ':')
		if !e.emit(all[i+1], depth+1) {
			return false
		}
	}
	e.buf = append(e.buf, '}')
	return true
}

// duplicates finds keys that a mapping has twice. Merged keys are not its own.
func (e *emitter) duplicates(n *yaml.Node) {
	const few = 12
	var seen map[string]int
	if len(n.Content) > 2*few {
		seen = make(map[string]int, len(n.Content)/2)
	}
	for i := 0; i < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode {
			continue
		}
		first := 0
		if seen != nil {
			first = seen[k.Value]
			seen[k.Value] = k.Line
		} else {
			for j := 0; j < i; j += 2 {
				if n.Content[j].Kind == yaml.ScalarNode && n.Content[j].Value == k.Value {
					first = n.Content[j].Line
				}
			}
		}
		if first > 0 {
			e.fail(k, "is given twice, first in line %d", first)
		}
	}
}

// resolved follows aliases to a node; false when they lead nowhere.
func resolved(n *yaml.Node) (*yaml.Node, bool) {
	for range mostDeep {
		if n.Kind != yaml.AliasNode {
			return n, true
		}
		n = n.Alias
	}
	return nil, false
}

// pairs lists the keys and values of a mapping in turns, merged ones (<<) after its own
// and only where it has none; false when merges nest without end.
func pairs(n *yaml.Node, depth int) ([]*yaml.Node, bool) {
	merges := false
	for i := 0; i < len(n.Content); i += 2 {
		merges = merges || n.Content[i].Tag == "!!merge"
	}
	if !merges {
		return n.Content, true
	}
	if depth > 20 {
		return nil, false
	}
	var own, more []*yaml.Node
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			own = append(own, n.Content[i], n.Content[i+1])
			continue
		}
		from, ok := resolved(n.Content[i+1])
		if !ok {
			return nil, false
		}
		list := []*yaml.Node{from}
		if from.Kind == yaml.SequenceNode {
			list = from.Content
		}
		for _, m := range list {
			if m, ok = resolved(m); !ok || m.Kind != yaml.MappingNode {
				continue
			}
			merged, ok := pairs(m, depth+1)
			if !ok {
				return nil, false
			}
			more = append(more, merged...)
		}
	}
	has := map[string]bool{}
	for i := 0; i < len(own); i += 2 {
		has[own[i].Value] = true
	}
	for i := 0; i < len(more); i += 2 {
		if !has[more[i].Value] {
			has[more[i].Value] = true
			own = append(own, more[i], more[i+1])
		}
	}
	return own, true
}

var (
	jsonNumber   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	wildExponent = regexp.MustCompile(`^[-+]?[0-9.]+[eE](-[0-9]{4,}|\+?[0-9]{9,})$`)
)

// scalar writes a scalar by the rules of YAML 1.1, by which kubectl reads it: a bare
// yes, no, on, off, y or n is a truth value.
func (e *emitter) scalar(n *yaml.Node) {
	if looksWild(n.Value) {
		e.wild = true
	}
	plain := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch n.Tag {
	case "!!null":
		e.buf = append(e.buf, "null"...)
	case "!!bool":
		e.buf = strconv.AppendBool(e.buf, strings.EqualFold(n.Value, "true"))
	case "!!int", "!!float":
		e.number(n)
	case "!!str", "!!timestamp", "!!binary", "":
		if truth, ok := oldTruth(n.Value); ok && plain && n.Tag == "!!str" {
			e.buf = strconv.AppendBool(e.buf, truth)
			return
		}
		e.buf = appendText(e.buf, n.Value)
	default:
		e.fail(n, "has the tag %s, which no field has", shown(n.Tag))
		e.buf = append(e.buf, "null"...)
	}
}

func oldTruth(text string) (truth, ok bool) {
	switch text {
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON":
		return true, true
	case "n", "N", "no", "No", "NO", "off", "Off", "OFF":
		return false, true
	}
	return false, false
}

// number writes whole numbers as such however they are spelt, and others digit by digit.
func (e *emitter) number(n *yaml.Node) {
	if wholeNumber(n.Value) {
		e.buf = append(e.buf, n.Value...)
		return
	}
	if n.Tag == "!!int" {
		var v any
		if err := n.Decode(&v); err == nil {
			e.buf = fmt.Append(e.buf, v)
			return
		}
	}
	text := strings.ReplaceAll(n.Value, "_", "")
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil && v == math.Trunc(v) && math.Abs(v) < 1e15:
		e.buf = strconv.AppendFloat(e.buf, v, 'f', -1, 64)
	case jsonNumber.MatchString(text):
		e.buf = append(e.buf, text...)
	case err == nil && !math.IsInf(v, 0) && !math.IsNaN(v):
		e.buf = strconv.AppendFloat(e.buf, v, 'g', -1, 64)
	default:
		e.fail(n, "%s is not a number that a field can have", shown(n.Value))
		e.buf = append(e.buf, "null"...)
	}
}

// looksWild finds numbers whose exponent alone would keep a reader of quantities busy.
func looksWild(text string) bool {
	if len(text) < 6 || text[len(text)-1] < '0' || text[len(text)-1] > '9' || !strings.ContainsAny(text, "eE") {
		return false
	}
	return wildExponent.MatchString(strings.TrimSpace(text))
}

// appendText writes a JSON string.
func appendText(buf []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			quoted, err := json.Marshal(s)
			if err != nil {
				return append(buf, `""`...)
			}
			return append(buf, quoted...)
		}
	}
	buf = append(buf, '"')
	buf = append(buf, s...)
	return append(buf, '"')
}
