package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Most of what is read was printed by kubectl: blocks of keys and lists, scalars on one
// line, literal texts. plainReader reads that much of YAML and nothing else, several times
// as fast as the library; whatever looks otherwise (anchors, tags, flow collections that
// are not empty, folded lines, escapes, a character that is not ASCII) it leaves to the
// library, which says what is wrong with it too. Where it answers, its tree is the
// library's, but for columns and comments: FuzzPlain compares the two.

// plainReader reads one document.
type plainReader struct {
	nodes *nodes
	text  string
	lines int // of the file before the text

	// The line that is looked at: what begins at from, up to its end, without spaces
	// behind it; indent is the column of from. After "- " it is the rest of the line.
	from, end, next int // next is where the line after it begins
	indent, line    int // line counts from 1 within the text
	over            bool
}

// mostPlain bounds how deep a plain document is nested; deeper ones are the library's.
const mostPlain = 60

// plain reads a chunk that is one plain document; false when it is not.
func (c chunk) plain(nodes *nodes) (*yaml.Node, bool) {
	for _, b := range c.text {
		if b < ' ' && b != '\n' || b >= 0x7f {
			return nil, false
		}
	}
	r := plainReader{nodes: nodes, text: string(c.text), lines: c.lines}
	if rest, ok := strings.CutPrefix(r.text, "---\n"); ok {
		r.next, r.line = len(r.text)-len(rest), 1
	}
	if !r.advance() || r.over {
		return nil, false
	}
	root, ok := r.block(0)
	return root, ok && r.over
}

// advance goes to the next line that holds something; false when it is not plain.
func (r *plainReader) advance() bool {
	for {
		if r.over = r.next >= len(r.text); r.over {
			r.indent = -1
			return true
		}
		begin := r.next
		r.end, r.next = lineEnd(r.text, begin)
		r.line++
		for r.from = begin; r.from < r.end && r.text[r.from] == ' '; r.from++ {
		}
		for r.end > r.from && r.text[r.end-1] == ' ' {
			r.end--
		}
		r.indent = r.from - begin
		switch {
		case r.from == r.end || r.text[r.from] == '#':
			continue
		case r.indent == 0 && (strings.HasPrefix(r.rest(), "---") || strings.HasPrefix(r.rest(), "...") || r.text[r.from] == '%'):
			return false
		}
		return true
	}
}

// lineEnd is where the line that begins at a place ends, and where the next one begins.
func lineEnd(text string, at int) (end, next int) {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n, at + n + 1
	}
	return len(text), len(text)
}

func (r *plainReader) rest() string { return r.text[r.from:r.end] }

// dash says that the line begins an item of a list.
func (r *plainReader) dash() bool {
	return r.text[r.from] == '-' && (r.end == r.from+1 || r.text[r.from+1] == ' ')
}

// block reads what begins at the present line and goes on at its indent.
func (r *plainReader) block(depth int) (*yaml.Node, bool) {
	if depth > mostPlain {
		return nil, false
	}
	if r.dash() {
		return r.list(depth)
	}
	return r.mapping(depth)
}

// list reads the items at the present indent. It may stand at that of the key it belongs
// to, whose mapping goes on behind it.
func (r *plainReader) list(depth int) (*yaml.Node, bool) {
	n := r.nodes.add(yaml.SequenceNode, "!!seq", "", r.lines+r.line)
	begin, indent := r.nodes.mark(), r.indent
	for r.indent == indent && r.dash() {
		rest := strings.TrimLeft(r.text[r.from+1:r.end], " ")
		at := r.end - len(rest)
		r.indent, r.from = r.indent+at-r.from, at
		item, ok := r.item(depth+1, indent)
		if !ok {
			return nil, false
		}
		r.nodes.push(item)
	}
	n.Content = r.nodes.since(begin)
	return n, r.indent <= indent
}

// item reads what follows a dash.
func (r *plainReader) item(depth, indent int) (*yaml.Node, bool) {
	if r.from == r.end || r.dash() {
		return nil, false
	}
	if _, _, ok := key(r.rest()); ok {
		return r.mapping(depth)
	}
	return r.scalar(r.rest(), indent)
}

func (r *plainReader) mapping(depth int) (*yaml.Node, bool) {
	n := r.nodes.add(yaml.MappingNode, "!!map", "", r.lines+r.line)
	begin, indent := r.nodes.mark(), r.indent
	for r.indent == indent && !r.dash() {
		name, rest, ok := key(r.rest())
		if !ok {
			return nil, false
		}
		k, ok := r.word(name)
		if !ok {
			return nil, false
		}
		r.nodes.push(k)
		v := (*yaml.Node)(nil)
		if rest == "" {
			v, ok = r.below(depth, indent)
		} else {
			v, ok = r.scalar(rest, indent)
		}
		if !ok {
			return nil, false
		}
		r.nodes.push(v)
	}
	n.Content = r.nodes.since(begin)
	return n, r.indent < indent
}

// below reads what a key has when nothing stands behind it.
func (r *plainReader) below(depth, indent int) (*yaml.Node, bool) {
	line := r.line
	switch {
	case !r.advance():
		return nil, false
	case r.indent > indent || r.indent == indent && r.dash():
		return r.block(depth + 1)
	default:
		return r.nodes.add(yaml.ScalarNode, "!!null", "", r.lines+line), true
	}
}

// key parts a line into a key and what follows its colon; false when it has none.
func key(text string) (name, rest string, ok bool) {
	at := 0
	switch c := text[0]; {
	case c == '"' || c == '\'':
		at = 1 + strings.IndexByte(text[1:], c) + 1
		if at < 2 || at == len(text) || text[at] != ':' {
			return "", "", false
		}
	default:
		if at = strings.Index(text, ": "); at < 0 {
			at = len(text) - 1
		}
	}
	name = text[:at]
	if text[at] != ':' || at == 0 || at > mostKey || name[at-1] == ' ' || at+1 < len(text) && text[at+1] != ' ' {
		return "", "", false
	}
	return name, strings.TrimLeft(text[at+1:], " "), true
}

// mostKey bounds a key; the library refuses those beyond a thousand.
const mostKey = 500

// scalar reads a value that begins in the present line and goes on to the next line
// that holds something. indent is that of what it belongs to.
func (r *plainReader) scalar(text string, indent int) (*yaml.Node, bool) {
	var n *yaml.Node
	ok := true
	switch text {
	case "{}":
		n = r.nodes.add(yaml.MappingNode, "!!map", "", r.lines+r.line)
		n.Style = yaml.FlowStyle
	case "[]":
		n = r.nodes.add(yaml.SequenceNode, "!!seq", "", r.lines+r.line)
		n.Style = yaml.FlowStyle
	case "|", "|-":
		n, ok = r.literal(text == "|", indent)
	default:
		n, ok = r.word(text)
	}
	return n, ok && r.advance()
}

// word reads a scalar that stands on one line.
func (r *plainReader) word(text string) (*yaml.Node, bool) {
	inner, last := "", text[len(text)-1]
	if len(text) > 1 {
		inner = text[1 : len(text)-1]
	}
	switch c := text[0]; {
	case c == '"' || c == '\'':
		if len(text) < 2 || last != c || strings.IndexByte(inner, c) >= 0 || c == '"' && strings.IndexByte(inner, '\\') >= 0 {
			return nil, false
		}
		n := r.nodes.add(yaml.ScalarNode, "!!str", inner, r.lines+r.line)
		if n.Style = yaml.DoubleQuotedStyle; c == '\'' {
			n.Style = yaml.SingleQuotedStyle
		}
		return n, true
	case strings.IndexByte("?:,[]{}#&*!|>%@`", c) >= 0, c == '-' && (len(text) < 2 || text[1] == ' '),
		last == ':', strings.Contains(text, ": "), strings.Contains(text, " #"):
		return nil, false
	}
	return r.nodes.add(yaml.ScalarNode, tagOf(text), text, r.lines+r.line), true
}

// tagOf is what the library takes a plain scalar for.
func tagOf(text string) string {
	switch c := text[0]; {
	case c >= '1' && c <= '9' && len(text) <= 18 && strings.Trim(text, "0123456789") == "":
		return "!!int"
	case c >= '0' && c <= '9', c == '+', c == '-', c == '.':
	case len(text) > len("false") || strings.IndexByte("tTfFnN~<", c) < 0:
		return "!!str"
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Value: text}
	return n.ShortTag()
}

// literal reads the lines of a literal text, up to the last of them; clip keeps the break
// behind that one. Texts without a line, with blank lines before the first, and those that
// the file breaks off are the library's.
func (r *plainReader) literal(clip bool, indent int) (*yaml.Node, bool) {
	n := r.nodes.add(yaml.ScalarNode, "!!str", "", r.lines+r.line)
	n.Style = yaml.LiteralStyle
	var b strings.Builder
	blank, deep := 0, 0 // blank lines not written yet; the column of the text
	for r.next < len(r.text) {
		end, next := lineEnd(r.text, r.next)
		line := r.text[r.next:end]
		if next == end {
			return nil, false
		}
		begins := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case deep == 0 && (begins == len(line) || begins <= indent):
			return nil, false
		case deep == 0:
			deep = begins
		case begins == len(line) && begins <= deep:
			blank++
			r.next = next
			r.line++
			continue
		}
		if begins < deep {
			break
		}
		for ; blank > 0; blank-- {
			b.WriteByte('\n')
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line[deep:])
		r.next = next
		r.line++
	}
	if clip {
		b.WriteByte('\n')
	}
	n.Value = b.String()
	return n, deep > 0
}
