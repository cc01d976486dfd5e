package manifest

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
)

// locator compares a tree with a Go type, to say of a tree that does not decode which
// fields are to blame. It is slow and runs only then.
type locator struct {
	errs  []fieldError
	steps int // bounds the work where aliases multiply
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
			l.fail(n, path, "expected an object, found %s", found(n))
			return
		}
		l.fields(n, t, path)
	case reflect.Map:
		if n.Kind != yaml.MappingNode {
			l.fail(n, path, "expected an object, found %s", found(n))
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
			l.fail(n, path, "expected a list, found %s", found(n))
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
	var e emitter
	if !e.emit(n, 0) || len(e.errs) > 0 {
		return // reported where the whole object was written
	}
	if err := json.Unmarshal(e.buf, reflect.New(t).Interface()); err != nil {
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
	var e emitter
	if n.Kind == yaml.ScalarNode {
		e.scalar(n)
		if json.Unmarshal(e.buf, reflect.New(t).Interface()) == nil {
			return
		}
	}
	l.fail(n, path, "expected %s, found %s", wanted, found(n))
}

// found describes a node to somebody who expected another.
func found(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	}
	var e emitter
	e.scalar(n)
	if bytes.HasPrefix(e.buf, []byte{'"'}) {
		return "the text " + shown(n.Value)
	}
	if n.Tag == "!!str" {
		return "the truth value " + n.Value + " (quotes make it a text)"
	}
	return strings.Trim(shown(n.Value), `"`)
}
