package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"ashlar.sh/sched/policy"
)

// textOf is a value as policy.Arguments have it: a decimal without zeros at its end, a list with commas, and a map or a
// sequence as JSON with its keys sorted. The error says what was expected and what stands there instead.
func textOf(k policy.Kind, n *yaml.Node) (text string, err error) {
	switch k {
	case policy.KindInt:
		var x int64
		x, err = readInt(n)
		text = strconv.FormatInt(x, 10)
	case policy.KindBool:
		var x bool
		x, err = readBool(n)
		text = strconv.FormatBool(x)
	case policy.KindDecimal:
		var x int64
		x, err = readMilli(n)
		text = decimal(x)
	case policy.KindText:
		text, err = readText(n)
	case policy.KindDuration:
		var x time.Duration
		x, err = readDuration(n)
		text = x.String()
	case policy.KindList:
		var x []string
		x, err = readList(n)
		text = strings.Join(x, ", ")
	case policy.KindMap:
		text, err = readJSON(n, yaml.MappingNode, "keys with values")
	case policy.KindSequence:
		text, err = readJSON(n, yaml.SequenceNode, "a list")
	default:
		if text = n.Value; n.Kind != yaml.ScalarNode {
			text, err = readJSON(n, n.Kind, "a list, or keys with values")
		}
	}
	return text, err
}

// decimal writes thousandths: 1200 is 1.2.
func decimal(milli int64) string {
	sign := ""
	if milli < 0 {
		sign, milli = "-", -milli
	}
	text := fmt.Sprintf("%s%d.%03d", sign, milli/1000, milli%1000)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
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

// milli reads digits with an optional sign and point. It reads no exponents, which can name numbers too long to hold.
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

// readJSON is a value of a kind as JSON with its keys sorted.
func readJSON(n *yaml.Node, kind yaml.Kind, want string) (string, error) {
	var value any
	if n.Kind != kind || n.Decode(&value) != nil {
		return "", expected(want, n, "")
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", expected(want+", of which keys are names", n, "")
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
