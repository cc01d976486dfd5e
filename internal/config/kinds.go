package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Kind is the type of value an argument takes.
type Kind int

// The kinds. Map and Sequence are kept without a look inside, for the plugins
// that will read them.
const (
	Int Kind = iota
	Bool
	Float
	String
	Duration
	List
	Map
	Sequence
	Any
)

// String is the kind's name in documentation.
func (k Kind) String() string {
	return [...]string{"int", "bool", "float", "string", "duration", "list", "map", "sequence", "any"}[k]
}

// check returns what was expected and what stands there instead, or nil.
func (k Kind) check(n *yaml.Node) error {
	var err error
	switch k {
	case Int:
		_, err = readInt(n)
	case Bool:
		_, err = readBool(n)
	case Float:
		_, err = readMilli(n)
	case String:
		_, err = readText(n)
	case Duration:
		_, err = readDuration(n)
	case List:
		_, err = readList(n)
	case Map:
		err = ofKind(n, yaml.MappingNode, "keys with values")
	case Sequence:
		err = ofKind(n, yaml.SequenceNode, "a list")
	}
	return err
}

func readInt(n *yaml.Node) (int64, error) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int" {
		if v, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64); err == nil {
			return v, nil
		}
	}
	return 0, expected("a whole number", n, isNumberInQuotes(n))
}

func readBool(n *yaml.Node) (bool, error) {
	if n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!bool" || n.ShortTag() == "!!str") {
		switch strings.ToLower(n.Value) {
		case "yes", "on":
			return true, nil
		case "no", "off":
			return false, nil
		}
		if v, err := strconv.ParseBool(n.Value); err == nil {
			return v, nil
		}
	}
	return false, expected("true or false", n, "")
}

func readMilli(n *yaml.Node) (int64, error) {
	const want = "a decimal number with at most three places such as 1.2"
	tag := ""
	if n.Kind == yaml.ScalarNode {
		tag = n.ShortTag()
	}
	if tag == "!!int" {
		v, err := readInt(n)
		if err != nil || v > 1e15 || v < -1e15 {
			return 0, expected(want, n, "")
		}
		return v * 1000, nil
	}
	if tag == "!!float" {
		if v, ok := milli(n.Value); ok {
			return v, nil
		}
	}
	return 0, expected(want, n, isNumberInQuotes(n))
}

// milli reads digits with an optional sign and point; no exponents, which
// nobody writes here and which name numbers too long to hold.
func milli(s string) (int64, bool) {
	unsigned := strings.TrimLeft(s, "+-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(s)-len(unsigned) > 1 || len(fraction) > 3 || len(whole) > 15 || whole+fraction == "" {
		return 0, false
	}
	digits := whole + fraction + strings.Repeat("0", 3-len(fraction))
	v, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return 0, false
	}
	if s[0] == '-' {
		return -int64(v), true
	}
	return int64(v), true
}

func readText(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", expected("text", n, "")
	}
	switch n.ShortTag() {
	case "!!null":
		return "", expected("text", n, "")
	case "!!int", "!!float", "!!bool":
		return "", expected("text", n, "put it in quotes")
	}
	return n.Value, nil
}

func readDuration(n *yaml.Node) (time.Duration, error) {
	if text, err := readText(n); err == nil {
		if d, err := time.ParseDuration(text); err == nil {
			return d, nil
		}
	}
	return 0, expected("a duration such as 30s or 1h30m", n, "")
}

func readJSON(n *yaml.Node) (string, error) {
	var value any
	if err := n.Decode(&value); err != nil {
		return "", expected("a list, or keys with values", n, "")
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", expected("a list, or keys that are names with values", n, "")
	}
	return string(text), nil
}

func readList(n *yaml.Node) ([]string, error) {
	const want = `names between commas such as "a, b"`
	if n.Kind != yaml.SequenceNode {
		text, err := readText(n)
		if err != nil {
			return nil, expected(want, n, "")
		}
		return names(text), nil
	}
	var all []string
	for _, item := range n.Content {
		text, err := readText(item)
		if err != nil {
			return nil, expected(want, item, "")
		}
		all = append(all, names(text)...)
	}
	return all, nil
}

// names splits at commas and drops what is empty.
func names(text string) []string {
	var all []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

func ofKind(n *yaml.Node, kind yaml.Kind, want string) error {
	if n.Kind == kind {
		return nil
	}
	return expected(want, n, "")
}

func isNumberInQuotes(n *yaml.Node) string {
	quotes := yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle
	if n.Kind == yaml.ScalarNode && n.Style&quotes != 0 {
		if _, ok := milli(n.Value); ok {
			return "write it without quotes"
		}
	}
	return ""
}

// expected is the error of a value that is not what it should be, with a hint
// where there is one.
func expected(want string, n *yaml.Node, hint string) error {
	text := fmt.Sprintf("expected %s, got %s", want, shown(n))
	if hint != "" {
		text += "; " + hint
	}
	return errors.New(text)
}

// shown describes what stands in the file.
func shown(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "keys with values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == "!!null":
		return "nothing"
	}
	return quoted(n.Value)
}
