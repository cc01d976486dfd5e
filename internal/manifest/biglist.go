package manifest

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v3"
)

// A large List, as kubectl prints a cluster, is one document, and JSON documents may
// follow one another without anything between them: read whole, they keep one processor
// busy while the others wait. They are cut apart where items, or documents, begin, and
// these are read side by side. Whatever looks unusual is read whole, and so is a text of
// which some piece is malformed: then it is told as for any other file.

// manyBytes is from how large on a chunk is cut.
const manyBytes = 1 << 20

// inPieces reads a chunk that is one large List, or many documents in JSON; false, with
// nothing read, when it is neither, or cannot be read in pieces.
func (s *Set) inPieces(c chunk) bool {
	cut := chunk.cut
	j, isJSON := c.json()
	if isJSON {
		c, cut = j, chunk.cutJSON
	}
	head, items, ok := cut(c)
	isList := len(head.text) > 0
	if !ok || isList && !head.plainList() {
		return false
	}
	ok = s.sideBySide(len(items), func(part *Set, i int) bool {
		it := items[i]
		part.told.add(it.to-it.from, 1)
		return part.piece(chunk{c.text[it.from:it.to], it.lines}, isJSON, isList)
	})
	if ok && isList {
		s.documents++
	}
	return ok
}

// piece reads an item of a List, or a document of its own; false when it is malformed. An
// item in YAML is a list of one. What begins like JSON must be JSON: cut apart, it might be
// YAML that it is not as a whole.
func (s *Set) piece(c chunk, isJSON, isList bool) bool {
	s.nodes.forget()
	take := func(root *yaml.Node) { s.object(root, "", "", 1) }
	switch {
	case isJSON && !isList:
		take = s.document
	case !isJSON:
		take = func(root *yaml.Node) {
			for _, item := range elements(root) {
				s.object(item, "", "", 1)
			}
		}
	}
	if !isJSON {
		return c.parse(&s.nodes, take) == nil
	}
	root, rest, ok := c.plainJSON(&s.nodes)
	if ok {
		take(root)
	}
	return ok && len(rest.text) == 0
}

// sideBySide reads n pieces on all processors, each part of them into a Set of its own,
// and takes them in unless one says that it cannot be read.
func (s *Set) sideBySide(n int, read func(part *Set, i int) bool) bool {
	parts := min(n, 8*runtime.GOMAXPROCS(0))
	sets := make([]*Set, parts)
	var next atomic.Int64
	var failed atomic.Bool
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for p := int(next.Add(1)) - 1; p < parts && !failed.Load(); p = int(next.Add(1)) - 1 {
				sets[p] = newSet(s.file)
				sets[p].told = s.told
				for i := n * p / parts; i < n*(p+1)/parts && !failed.Load(); i++ {
					if !read(sets[p], i) {
						failed.Store(true)
					}
				}
			}
		})
	}
	all.Wait()
	if failed.Load() {
		return false
	}
	for _, part := range sets {
		s.merge(part)
	}
	return true
}

// plainList says that the text around the items is that of a List and nothing else.
func (c chunk) plainList() bool {
	list, documents := false, 0
	err := c.parse(&nodes{}, func(root *yaml.Node) {
		documents++
		var e emitter
		if root.Kind != yaml.MappingNode {
			return
		}
		e.duplicates(root)
		kind, version := value(root, "kind"), value(root, "apiVersion")
		list = len(e.errs) == 0 && kind != nil && kind.Value == "List" && version != nil && version.Value == "v1"
	})
	return err == nil && list && documents == 1
}

// piece is where one item of a list lies in a text, and how many lines of the file come
// before it.
type piece struct{ from, to, lines int }

// cut parts a block list under "items:" into its items; head is the rest of the document.
func (c chunk) cut() (head chunk, items []piece, ok bool) {
	var rest bytes.Buffer
	inside, after, dash := false, false, -1 // dash is the column of the dashes
	at, line := 0, c.lines
	for l := range bytes.Lines(c.text) {
		text := bytes.TrimRight(l, " \r\n")
		indent := len(text) - len(bytes.TrimLeft(text, " "))
		begins := inside && indent < len(text) && text[indent] == '-' && (indent+1 == len(text) || text[indent+1] == ' ')
		switch {
		case begins && (dash < 0 || indent == dash):
			dash = indent
			items = append(items, piece{at, at, line})
		case inside && (len(text) == 0 || indent > dash && dash >= 0):
		case inside && indent == 0 && len(items) > 0:
			inside, after = false, true
		case inside || after && bytes.HasPrefix(text, []byte{'-'}):
			return head, nil, false
		}
		if inside {
			if k := len(items); k > 0 {
				items[k-1].to = at + len(l)
			}
			rest.WriteByte('\n')
		} else {
			rest.Write(l)
		}
		if !after && string(text) == "items:" {
			inside = true
		}
		at += len(l)
		line++
	}
	return chunk{rest.Bytes(), c.lines}, items, len(items) > 0
}
