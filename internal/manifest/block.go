package manifest

import (
	"bytes"
	"strings"

	"sigs.k8s.io/yaml"
)

// block writes YAML as JSON: it finds the keys and dashes of a document in block style,
// and words, whole numbers and quoted texts on one line; every other value it hands to
// sigs.k8s.io/yaml, and a document that is not of this form it leaves to that altogether.
// It is there for its speed: the library alone takes 0.22 ms for a pod of 1.4 kB as kubectl
// prints it, which is 22 s of processor time for 100 000 of them; this takes 0.03 ms
// (BenchmarkFastPaths, medians of seven runs on a busy machine). FuzzBlock compares the two.
type block struct {
	text    []byte
	out     []byte
	unusual bool // the library must read this document

	// The line that is looked at: what begins at from, up to its end, without blanks behind
	// it; indent is the column of from, -1 behind the text. After "- " it is the rest of the
	// line.
	from, end, indent int
	next              int // where the line after it begins
}

// mostBlock bounds how deep a document in block style is nested; deeper ones are the library's.
const mostBlock = 60

// blockJSON appends the JSON of a document to out; false when it is the library's.
func blockJSON(text, out []byte) ([]byte, bool) {
	for _, c := range text {
		if c < ' ' && c != '\n' || c >= 0x7f {
			return out, false
		}
	}
	b := block{text: text, out: out}
	if rest, ok := bytes.CutPrefix(text, []byte("---\n")); ok {
		b.next = len(text) - len(rest)
	}
	if b.advance(); b.indent >= 0 {
		b.node(0)
		return b.out, !b.unusual && b.indent < 0
	}
	return out, false
}

// advance goes to the next line that holds something.
func (b *block) advance() {
	for b.next < len(b.text) {
		begin := b.next
		b.end, b.next = lineEnd(b.text, begin)
		for b.from = begin; b.from < b.end && b.text[b.from] == ' '; b.from++ {
		}
		for b.end > b.from && b.text[b.end-1] == ' ' {
			b.end--
		}
		b.indent = b.from - begin
		if b.from < b.end && b.text[b.from] != '#' {
			line := b.text[b.from:b.end]
			b.unusual = b.unusual || b.indent == 0 && (line[0] == '%' ||
				bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("...")))
			return
		}
	}
	b.from, b.end, b.indent = len(b.text), len(b.text), -1
}

// lineEnd is where the line that begins at a place ends, and where the next one begins.
func lineEnd(text []byte, at int) (end, next int) {
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n, at + n + 1
	}
	return len(text), len(text)
}

// dash says that the line begins an item of a list.
func (b *block) dash() bool {
	return b.from < b.end && b.text[b.from] == '-' && (b.end == b.from+1 || b.text[b.from+1] == ' ')
}

// node reads what begins at the present line and goes on at its indent.
func (b *block) node(depth int) {
	switch {
	case depth > mostBlock:
		b.unusual = true
	case b.dash():
		b.list(depth)
	default:
		b.mapping(depth)
	}
}

// list reads the items at the present indent. It may stand at that of the key it belongs
// to; the mapping of that key then goes on after it.
func (b *block) list(depth int) {
	indent, sign := b.indent, byte('[')
	for !b.unusual && b.indent == indent && b.dash() {
		b.out, sign = append(b.out, sign), ','
		begin := b.from
		for b.from++; b.from < b.end && b.text[b.from] == ' '; b.from++ {
		}
		b.indent += b.from - begin
		switch {
		case b.from == b.end:
			b.unusual = true
		case b.dash() || b.key() > 0:
			b.node(depth + 1)
		default:
			b.leaf(indent)
		}
	}
	b.unusual = b.unusual || b.indent > indent
	b.out = append(b.out, ']')
}

func (b *block) mapping(depth int) {
	indent, sign := b.indent, byte('{')
	for !b.unusual && b.indent == indent && !b.dash() {
		n := b.key()
		if n == 0 {
			b.unusual = true
			return
		}
		b.out, sign = append(b.out, sign), ','
		b.quote(b.text[b.from : b.from+n])
		b.out = append(b.out, ':')
		for b.from += n + 1; b.from < b.end && b.text[b.from] == ' '; b.from++ {
		}
		if b.from < b.end {
			b.leaf(indent)
		} else if b.advance(); b.indent > indent || b.indent == indent && b.dash() {
			b.node(depth + 1)
		} else {
			b.out = append(b.out, "null"...)
		}
	}
	b.unusual = b.unusual || b.indent > indent
	b.out = append(b.out, '}')
}

// key is the length of the key that the line begins with; 0 when that is not surely a text
// before a colon. The library refuses keys beyond a thousand bytes.
func (b *block) key() int {
	line := b.text[b.from:b.end]
	for i, c := range line {
		switch {
		case c == ':' && (i+1 == len(line) || line[i+1] == ' '):
			if i > 0 && i < 500 && isText(line[:i]) {
				return i
			}
			return 0
		case c == ' ' || !plain(c):
			return 0
		}
	}
	return 0
}

// leaf reads a value that begins in the present line, and the lines below that are deeper
// than indent, which is that of what the value belongs to.
func (b *block) leaf(indent int) {
	more := false
	for b.next < len(b.text) {
		end, next := lineEnd(b.text, b.next)
		at := b.next
		for at < end && b.text[at] == ' ' {
			at++
		}
		if at < end {
			if at-b.next <= indent {
				break
			}
			more = true
		}
		b.next = next
	}
	if more || !b.scalar(b.text[b.from:b.end]) {
		b.library(b.text[b.from:b.next])
	}
	b.advance()
}

// scalar writes a value that needs no library; false, and nothing, for others.
func (b *block) scalar(text []byte) bool {
	last := len(text) - 1
	switch c := text[0]; {
	case c == '"' || c == '\'':
		if last == 0 || text[last] != c || bytes.ContainsAny(text[1:last], `"\`) ||
			bytes.IndexByte(text[1:last], c) >= 0 {
			return false
		}
		b.quote(text[1:last])
	case string(text) == "{}", string(text) == "[]", string(text) == "true", string(text) == "false",
		string(text) == "null", wholeNumber(text):
		b.out = append(b.out, text...)
	default:
		for i, c := range text {
			if !plain(c) || c == ':' && (i == last || text[i+1] == ' ') {
				return false
			}
		}
		if !isText(text) {
			return false
		}
		b.quote(text)
	}
	return true
}

func (b *block) quote(text []byte) {
	b.out = append(append(append(b.out, '"'), text...), '"')
}

// library lets the library read a value, up to the next line, as if its key were k. Indents
// that are counted from that of the key, aliases, and tags mean something else there.
func (b *block) library(value []byte) {
	head, _, _ := bytes.Cut(value, []byte{'\n'})
	if head[0] == '|' || head[0] == '>' {
		b.unusual = b.unusual || bytes.ContainsAny(head, "123456789")
	} else {
		b.unusual = b.unusual || bytes.ContainsAny(value, "!*&")
	}
	if b.unusual = b.unusual || hasLooseKey(value); b.unusual {
		return
	}
	j, err := yaml.YAMLToJSONStrict(append([]byte("k: "), value...))
	j, ok := bytes.CutPrefix(j, []byte(`{"k":`))
	if b.unusual = err != nil || !ok; !b.unusual {
		b.out = append(b.out, j[:len(j)-1]...)
	}
}

// plain says that a byte means nothing but itself within a plain scalar, nor within a text
// in JSON.
func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte(" _./-:=,+@()%;$", c) >= 0
}

// isText says that a word of plain bytes is surely a text: no number, time, truth value,
// null nor merge key.
func isText(word []byte) bool {
	switch c := word[0]; {
	case c >= '0' && c <= '9': // an address or a UID, if no hexadecimal number
		return bytes.Count(word, []byte{'.'}) > 1 || len(bytes.Trim(word, "0123456789bBeExXoO_.+-:tTzZ ")) > 0 &&
			(len(word) < 2 || word[1]|0x20 != 'x')
	case c == '-':
		return len(word) > 1 && isText(word[1:]) && (word[1] < '0' || word[1] > '9')
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		if len(word) > len("false") {
			return true
		}
		switch strings.ToLower(string(word)) {
		case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
			return false
		}
		return true
	}
	return word[0] == '/'
}

// wholeNumber says that a text is digits that every reader of numbers takes alike.
func wholeNumber(text []byte) bool {
	return len(text) <= 18 && len(bytes.Trim(text, "0123456789")) == 0 && (text[0] != '0' || len(text) == 1)
}
