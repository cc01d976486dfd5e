package manifest

import "bytes"

// cutJSON parts a large JSON text: one List into its items, of which head is the rest of
// the List; several documents into these, without a head.
func (c chunk) cutJSON() (head chunk, items []piece, ok bool) {
	for rest := c.blanks(); len(rest.text) > 0; rest = rest.blanks() {
		n := balanced(rest.text)
		if n == 0 {
			return head, nil, false
		}
		items = append(items, piece{len(c.text) - len(rest.text), len(c.text) - len(rest.text) + n, rest.lines})
		rest = rest.behind(n)
	}
	if len(items) == 1 {
		return c.cutList()
	}
	return head, items, len(items) > 1
}

// behind is the chunk behind its first n bytes.
func (c chunk) behind(n int) chunk {
	return chunk{c.text[n:], c.lines + bytes.Count(c.text[:n], []byte{'\n'})}
}

// cutList parts an object with a list "items" of objects.
func (c chunk) cutList() (head chunk, items []piece, ok bool) {
	r := c.blanks()
	if len(r.text) == 0 || r.text[0] != '{' {
		return head, nil, false
	}
	for r = r.behind(1).blanks(); len(r.text) > 0 && r.text[0] == '"'; r = r.blanks() {
		name := quotedLength(r.text)
		isItems := string(r.text[:name]) == `"items"`
		r = r.behind(name).blanks()
		if name == 0 || len(r.text) == 0 || r.text[0] != ':' {
			return head, nil, false
		}
		r = r.behind(1).blanks()
		if isItems && len(items) == 0 && len(r.text) > 0 && r.text[0] == '[' {
			if items, ok = c.cutElements(r.behind(1)); !ok {
				return head, nil, false
			}
		}
		n := valueLength(r.text)
		if n == 0 {
			return head, nil, false
		}
		if r = r.behind(n).blanks(); len(r.text) > 0 && r.text[0] == ',' {
			r = r.behind(1).blanks()
		}
	}
	if len(items) == 0 {
		return head, nil, false
	}
	return c.without(items), items, true
}

// cutElements finds the objects of a list, up to its end; rest begins behind its bracket
// and is the end of c.
func (c chunk) cutElements(rest chunk) (items []piece, ok bool) {
	for rest = rest.blanks(); len(rest.text) > 0; rest = rest.behind(1).blanks() {
		n := balanced(rest.text)
		if n == 0 || rest.text[0] != '{' {
			return nil, false
		}
		at := len(c.text) - len(rest.text)
		items = append(items, piece{at, at + n, rest.lines})
		if rest = rest.behind(n).blanks(); len(rest.text) == 0 || rest.text[0] != ',' {
			return items, len(rest.text) > 0 && rest.text[0] == ']'
		}
	}
	return nil, false
}

// without is the chunk with one empty object in the place of its items and as many lines.
func (c chunk) without(items []piece) chunk {
	first, last := items[0], items[len(items)-1]
	var rest bytes.Buffer
	rest.Write(c.text[:first.from])
	rest.WriteString("{")
	rest.Write(bytes.Repeat([]byte{'\n'}, bytes.Count(c.text[first.from:last.to], []byte{'\n'})))
	rest.WriteString("}")
	rest.Write(c.text[last.to:])
	return chunk{rest.Bytes(), c.lines}
}

// quotedLength is the length of the text in quotation marks that a text begins with; 0
// when it does not end.
func quotedLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// valueLength is the length of the value that a text begins with; 0 when it has none.
func valueLength(text []byte) int {
	switch {
	case len(text) == 0:
		return 0
	case text[0] == '"':
		return quotedLength(text)
	case text[0] == '{' || text[0] == '[':
		return balanced(text)
	}
	return max(0, bytes.IndexAny(text, ",} \t\r\n"))
}
