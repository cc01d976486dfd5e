package manifest

import "bytes"

// chunk is the part of a file from one "---" to the next, so that a document that is
// malformed takes none of its neighbours along.
type chunk struct {
	text  []byte
	lines int // how many lines of the file come before it
}

// split cuts a file at the lines that begin a document. Such a line begins its chunk:
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
		if at > begin && startsDocument(text[at:end]) && !onlyDirectives(text[begin:at]) {
			out = append(out, chunk{text[begin:at], beginLine})
			begin, beginLine = at, line
		}
		at = end
	}
	if begin < len(text) {
		out = append(out, chunk{text[begin:], beginLine})
	}
	return out
}

func startsDocument(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
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

// json says that a chunk begins like JSON, and where: after three dashes, blank lines
// and comments.
func (c chunk) json() (chunk, bool) {
	text, lines := c.text, c.lines
	if startsDocument(text) {
		text = text[3:]
	}
	for len(text) > 0 {
		switch b := text[0]; {
		case b == '{' || b == '[':
			return chunk{text, lines}, true
		case b == '\n':
			lines++
			text = text[1:]
		case b == ' ' || b == '\t' || b == '\r':
			text = text[1:]
		case b == '#':
			end := bytes.IndexByte(text, '\n')
			if end < 0 {
				return c, false
			}
			text = text[end:]
		default:
			return c, false
		}
	}
	return c, false
}
