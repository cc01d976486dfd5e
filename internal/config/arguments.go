package config

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Argument is one key of an arguments block.
type Argument struct {
	// Key is the catalogue's spelling, whichever of two the file uses.
	Key  string
	Line int
	// Built is false for an argument of Volcano's that this version does not heed.
	Built bool

	value *yaml.Node
}

// Arguments are the keys of one arguments block in the order of the file. The
// zero value is an empty block.
//
// Each getter returns the value of key, or otherwise where the key is not
// written, and an error that names key, line and what was expected. After Parse
// a getter of the kind in the catalogue never fails.
type Arguments struct {
	written []Argument
}

// All lists what was written, in the order of the file.
func (a Arguments) All() []Argument { return append([]Argument(nil), a.written...) }

// Has tells whether key is written.
func (a Arguments) Has(key string) bool { return a.find(key) != nil }

// Names lists what follows prefix in the keys that begin with it, in the order
// of the file: for "binpack.resources." the names of resources.
func (a Arguments) Names(prefix string) []string {
	var names []string
	for _, arg := range a.written {
		if name, ok := strings.CutPrefix(arg.Key, prefix); ok && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Int is a whole number. As in Volcano, a number in quotes is not one.
func (a Arguments) Int(key string, otherwise int64) (int64, error) {
	return get(a, key, otherwise, readInt)
}

// Bool is true or false, also as text that says so.
func (a Arguments) Bool(key string, otherwise bool) (bool, error) {
	return get(a, key, otherwise, readBool)
}

// Milli is a decimal number in thousandths, exact: 1.2 is 1200.
func (a Arguments) Milli(key string, otherwise int64) (int64, error) {
	return get(a, key, otherwise, readMilli)
}

// Text is any text that YAML does not take for a number or a truth value.
func (a Arguments) Text(key, otherwise string) (string, error) {
	return get(a, key, otherwise, readText)
}

// Scalar is a value as it is written, whatever it is; false where the key is not written
// or its value is a list or a map.
func (a Arguments) Scalar(key string) (string, bool) {
	arg := a.find(key)
	if arg == nil || arg.value.Kind != yaml.ScalarNode {
		return "", false
	}
	return arg.value.Value, true
}

// Duration is a length of time as Go writes it: 1h30m, 10s, 100ms.
func (a Arguments) Duration(key string, otherwise time.Duration) (time.Duration, error) {
	return get(a, key, otherwise, readDuration)
}

// List is a text of names between commas, or a YAML list of names; without
// empty ones, nil where the key is not written.
func (a Arguments) List(key string) ([]string, error) {
	return get(a, key, nil, readList)
}

// JSON is a list, or keys with values, as JSON with its keys sorted; "" where the key is
// not written.
func (a Arguments) JSON(key string) (string, error) {
	return get(a, key, "", readJSON)
}

func (a Arguments) find(key string) *Argument {
	for i := range a.written {
		if a.written[i].Key == key {
			return &a.written[i]
		}
	}
	return nil
}

func get[T any](a Arguments, key string, otherwise T, read func(*yaml.Node) (T, error)) (T, error) {
	arg := a.find(key)
	if arg == nil {
		return otherwise, nil
	}
	v, err := read(arg.value)
	if err != nil {
		return otherwise, fmt.Errorf("line %d: argument %s: %w", arg.Line, quoted(key), err)
	}
	return v, nil
}
