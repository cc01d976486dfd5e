package manifest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	sigsyaml "sigs.k8s.io/yaml"
)

// locator says of a document that does not decode which fields are to blame, and where they
// are. It is slow and runs only then.
type locator struct {
	errs  []fieldError
	steps int // bounds the work where aliases multiply
}

// locate looks at the document's tree by itself and, if that is well, at how it fits obj,
// which may be nil.
func (d *document) locate(obj any) []fieldError {
	var l locator
	if n := d.tree(); n != nil {
		if l.check(n, &fieldPath{}); len(l.errs) == 0 && obj != nil {
			l.compare(n, reflect.TypeOf(obj), &fieldPath{})
		}
	}
	return l.errs
}

// check finds what no document may have, whatever its kind.
func (l *locator) check(n *yaml.Node, path *fieldPath) {
	switch n.Kind {
	case yaml.SequenceNode:
		for i, c := range n.Content {
			l.check(c, path.index(i))
		}
	case yaml.MappingNode:
		l.duplicates(n, path)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, _ := resolved(n.Content[i])
			if k == nil || k.Kind != yaml.ScalarNode || k.Tag == "!!null" {
				l.fail(n.Content[i], path, "a key must be a text")
				continue
			}
			l.check(n.Content[i+1], path.key(k.Value))
		}
	case yaml.ScalarNode:
		switch n.Tag {
		case "!!float":
			if j := asJSON(n); j == nil {
				l.fail(n, path, "%s is not a number that a field can have", shown(n.Value))
			}
		case "!!null", "!!bool", "!!int", "!!str", "!!timestamp", "!!binary", "!!merge", "":
		default:
			l.fail(n, path, "has the tag %s, which no field has", shown(n.Tag))
		}
	}
}

// duplicates finds keys that a mapping has twice. Merged keys are not its own.
func (l *locator) duplicates(n *yaml.Node, path *fieldPath) {
	if n == nil {
		return
	}
	first := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode {
			continue
		}
		key := keyOf(k)
		if line := first[key]; line > 0 {
			l.fail(k, path.key(key), "is given twice, first in line %d", line)
		}
		first[key] = k.Line
	}
}

const mostSteps = 1 << 20

var (
	quantityType   = reflect.TypeFor[resource.Quantity]()
	unmarshaler    = reflect.TypeFor[json.Unmarshaler]()
	textualDecoder = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (l *locator) fail(n *yaml.Node, path *fieldPath, format string, args ...any) {
	l.errs = append(l.errs, fieldError{n.Line, path.String(), fmt.Sprintf(format, args...)})
}

// compare finds the fields of n that do not fit into t.
func (l *locator) compare(n *yaml.Node, t reflect.Type, path *fieldPath) {
	if l.steps++; l.steps > mostSteps {
		return
	}
	n, ok := resolved(n)
	if !ok || n.Tag == "!!null" {
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if p := reflect.PointerTo(t); p.Implements(unmarshaler) || p.Implements(textualDecoder) {
		l.whole(n, t, path)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		if n.Kind != yaml.MappingNode {
			l.fail(n, path, "expected an object, found %s", found(asJSON(n), n.Value))
			return
		}
		l.fields(n, t, path)
	case reflect.Map:
		if n.Kind != yaml.MappingNode {
			l.fail(n, path, "expected an object, found %s", found(asJSON(n), n.Value))
			return
		}
		for i := 0; i < len(n.Content); i += 2 {
			l.compare(n.Content[i+1], t.Elem(), path.key(n.Content[i].Value))
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			l.whole(n, t, path)
			return
		}
		if n.Kind != yaml.SequenceNode {
			l.fail(n, path, "expected a list, found %s", found(asJSON(n), n.Value))
			return
		}
		for i, c := range n.Content {
			l.compare(c, t.Elem(), path.index(i))
		}
	case reflect.Interface:
	default:
		l.basic(n, t, path)
	}
}

// fields compares the fields that a struct has; those it has not are no error.
func (l *locator) fields(n *yaml.Node, t reflect.Type, path *fieldPath) {
	all, _ := pairs(n, 0)
	for i := 0; i < len(all); i += 2 {
		if f, ok := fieldNamed(t, all[i].Value); ok {
			l.compare(all[i+1], f, path.key(all[i].Value))
		}
	}
}

// fieldNamed is the type of the field that JSON calls name.
func fieldNamed(t reflect.Type, name string) (reflect.Type, bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case tag == name && tag != "-" && tag != "":
			return f.Type, true
		case f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct:
			if inner, ok := fieldNamed(f.Type, name); ok {
				return inner, true
			}
		}
	}
	return nil, false
}

// whole lets a type that reads itself judge the node.
func (l *locator) whole(n *yaml.Node, t reflect.Type, path *fieldPath) {
	if t == quantityType && n.Kind == yaml.ScalarNode && looksWild(n.Value) {
		l.fail(n, path, "%s has an exponent that no quantity has", shown(n.Value))
		return
	}
	if err := json.Unmarshal(asJSON(n), reflect.New(t).Interface()); err != nil {
		l.fail(n, path, "%s", oneLine(err.Error()))
	}
}

func (l *locator) basic(n *yaml.Node, t reflect.Type, path *fieldPath) {
	wanted := "a text"
	switch t.Kind() {
	case reflect.Bool:
		wanted = "true or false"
	case reflect.Float32, reflect.Float64:
		wanted = "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		wanted = "a whole number of " + strconv.Itoa(t.Bits()) + " bits"
	}
	if j := asJSON(n); json.Unmarshal(j, reflect.New(t).Interface()) != nil {
		l.fail(n, path, "expected %s, found %s", wanted, found(j, n.Value))
	}
}

// quoted are the styles in which a scalar is a text whatever it looks like.
const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// asJSON is what kubectl takes a node for; nil when JSON has no such value.
func asJSON(n *yaml.Node) []byte {
	var v any = n.Value
	switch {
	case n.Kind == yaml.ScalarNode && n.Style&(quoted|yaml.TaggedStyle) == 0:
		j, _ := sigsyaml.YAMLToJSON([]byte(n.Value))
		return j
	case n.Kind != yaml.ScalarNode && n.Decode(&v) != nil:
		return nil
	}
	j, _ := json.Marshal(v)
	return j
}

// found describes a value in JSON, written as source, in a message that expected another.
func found(j []byte, source string) string {
	var text string
	switch {
	case len(j) > 0 && j[0] == '{':
		return "an object"
	case len(j) > 0 && j[0] == '[':
		return "a list"
	case json.Unmarshal(j, &text) == nil && string(j) != "null":
		return "the text " + shown(text)
	case source == "":
		source = string(j)
	case j != nil && (string(j) == "true" || string(j) == "false") && !strings.EqualFold(source, string(j)):
		return "the truth value " + source + " (quotes make it a text)"
	}
	return strings.Trim(shown(source), `"`)
}

// elements is what a list consists of; nothing for another node.
func elements(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// value is what a mapping has under a key; nil without.
func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	all, _ := pairs(n, 0)
	for i := 0; i < len(all); i += 2 {
		if all[i].Value == key {
			v, _ := resolved(all[i+1])
			return v
		}
	}
	return nil
}
