package manifest

import "bytes"

// chunk is a part of a file.
type chunk struct {
	text  []byte
	lines int // how many lines of the file come before it
}

// behind is the chunk behind its first n bytes.
func (c chunk) behind(n int) chunk {
	return chunk{c.text[n:], c.lines + bytes.Count(c.text[:n], []byte{'\n'})}
}

// split cuts a file at the lines that begin or end a document, so that a document that is
// malformed takes none of its neighbours along. A line that begins one begins its chunk:
// something may follow the three dashes.
func split(text []byte) []chunk {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var out []chunk
	begin, beginLine, line := 0, 0, 0
	for at := 0; at < len(text); line++ {
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		if at > begin && marks(text[at:end], "---") && !onlyDirectives(text[begin:at]) {
			out = append(out, chunk{text[begin:at], beginLine})
			begin, beginLine = at, line
		}
		if marks(text[at:end], "...") {
			out = append(out, chunk{text[begin:end], beginLine})
			begin, beginLine = end, line+1
		}
		at = end
	}
	if begin < len(text) {
		out = append(out, chunk{text[begin:], beginLine})
	}
	return out
}

// marks says that a line begins or ends a document.
func marks(line []byte, mark string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(mark))
	return ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\n"), rest[0]) >= 0)
}

// onlyDirectives says that a chunk is the head (%YAML 1.2) of the document that follows.
func onlyDirectives(text []byte) bool {
	directive := false
	for l := range bytes.Lines(text) {
		l = bytes.TrimSpace(l)
		switch {
		case len(l) == 0 || l[0] == '#':
		case l[0] == '%':
			directive = true
		default:
			return false
		}
	}
	return directive
}

// begins is the chunk from where it holds more than one mark (three dashes, a dash),
// directives and comments.
func (c chunk) begins() chunk {
	at, lines, marked := 0, c.lines, false
	for line := range bytes.Lines(c.text) {
		l := bytes.TrimSpace(line)
		for _, mark := range []string{"---", "-"} {
			if !marked && marks(l, mark) {
				l, marked = bytes.TrimSpace(l[len(mark):]), true
			}
		}
		if len(l) > 0 && l[0] != '#' && (marked || l[0] != '%') {
			return chunk{c.text[at+len(bytes.TrimRight(line, " \t\n"))-len(l):], lines}
		}
		at += len(line)
		lines++
	}
	return chunk{nil, c.lines}
}

// isJSON says that a text begins like JSON.
func (c chunk) isJSON() bool { return len(c.text) > 0 && (c.text[0] == '{' || c.text[0] == '[') }

// unusual says that a text has perhaps what JSON has not, or more than one document: tags,
// anchors and aliases, line breaks that only YAML knows, a root that does not end with
// the text.
func (c chunk) unusual() bool {
	return c.begins().isJSON() || bytes.ContainsAny(c.text, "!&*\u0085\u2028\u2029")
}
