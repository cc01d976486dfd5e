package manifest

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// plainJSON reads JSON that is well formed into the trees that jsonReader makes, several
// times as fast. What it does not take it leaves to that one, which says what is wrong:
// FuzzPlain compares the two.
type plainJSON struct {
	nodes *nodes
	text  string
	at    int
	line  int // of the file, from 1
	ok    bool
}

// plainJSON reads the first document of a chunk and returns what follows it; false when it
// is not plain, or there is none.
func (c chunk) plainJSON(nodes *nodes) (*yaml.Node, chunk, bool) {
	c = c.blanks()
	end := balanced(c.text)
	if end == 0 {
		return nil, c, false
	}
	r := plainJSON{nodes: nodes, text: string(c.text[:end]), line: c.lines + 1, ok: true}
	root := r.value(0)
	return root, chunk{c.text[end:], r.line - 1}, r.ok
}

// blanks is the chunk without the blanks that it begins with.
func (c chunk) blanks() chunk {
	rest := bytes.TrimLeft(c.text, " \t\r\n")
	return chunk{rest, c.lines + bytes.Count(c.text[:len(c.text)-len(rest)], []byte{'\n'})}
}

// balanced is the length of the object or list that a text begins with, as far as brackets
// outside of texts tell; 0 when it begins with neither or does not end.
func balanced(text []byte) int {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return 0
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// fail ends the reading.
func (r *plainJSON) fail() *yaml.Node {
	r.ok = false
	return nil
}

// space skips blanks and is the byte behind them, 0 at the end.
func (r *plainJSON) space() byte {
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case '\n':
			r.line++
		case ' ', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}

func (r *plainJSON) value(depth int) *yaml.Node {
	if depth > mostDeep || r.at == len(r.text) {
		return r.fail()
	}
	switch c := r.text[r.at]; {
	case c == '{' || c == '[':
		return r.several(c, depth)
	case c == '"':
		return r.quoted()
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	for _, w := range [...]struct{ text, tag string }{{"true", "!!bool"}, {"false", "!!bool"}, {"null", "!!null"}} {
		if strings.HasPrefix(r.text[r.at:], w.text) {
			r.at += len(w.text)
			return r.nodes.add(yaml.ScalarNode, w.tag, w.text, r.line)
		}
	}
	return r.fail()
}

// several reads an object or a list.
func (r *plainJSON) several(open byte, depth int) *yaml.Node {
	n, end := r.nodes.add(yaml.MappingNode, "!!map", "", r.line), byte('}')
	if open == '[' {
		n.Kind, n.Tag, end = yaml.SequenceNode, "!!seq", ']'
	}
	begin := r.nodes.mark()
	r.at++
	for c := r.space(); c != end; {
		if open == '{' {
			if c != '"' {
				return r.fail()
			}
			r.nodes.push(r.quoted())
			if !r.ok || r.space() != ':' {
				return r.fail()
			}
			r.at++
			r.space()
		}
		r.nodes.push(r.value(depth + 1))
		if !r.ok {
			return nil
		}
		if c = r.space(); c == ',' {
			r.at++
			if c = r.space(); c == end {
				return r.fail()
			}
		} else if c != end {
			return r.fail()
		}
	}
	r.at++
	n.Content = r.nodes.since(begin)
	return n
}

// quoted reads a text, of which the present byte is the first quotation mark.
func (r *plainJSON) quoted() *yaml.Node {
	begin, plain, ascii := r.at, true, true
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			text := r.text[begin+1 : r.at-1]
			if !plain && json.Unmarshal([]byte(r.text[begin:r.at]), &text) != nil || !ascii && !utf8.ValidString(text) {
				return r.fail()
			}
			n := r.nodes.add(yaml.ScalarNode, "!!str", text, r.line)
			n.Style = yaml.DoubleQuotedStyle
			return n
		case c == '\\':
			plain = false
			r.at++
		case c < ' ':
			return r.fail()
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return r.fail()
}

func (r *plainJSON) number() *yaml.Node {
	begin := r.at
	for r.at < len(r.text) && strings.IndexByte("0123456789+-.eE", r.text[r.at]) >= 0 {
		r.at++
	}
	text, tag := r.text[begin:r.at], "!!int"
	if strings.ContainsAny(text, ".eE") {
		tag = "!!float"
	}
	if !wholeNumber(text) && !jsonNumber.MatchString(text) {
		return r.fail()
	}
	return r.nodes.add(yaml.ScalarNode, tag, text, r.line)
}

// wholeNumber says that a text is digits, of which the first is no needless zero, with or
// without a minus.
func wholeNumber(text string) bool {
	if len(text) > 1 && text[0] == '-' {
		text = text[1:]
	}
	if text == "" || text[0] == '0' && len(text) > 1 {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
