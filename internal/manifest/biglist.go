package manifest

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v3"
)

// A large List, as kubectl prints a cluster, is one document: read whole it keeps one
// processor busy while the others wait. Its items are cut apart at the lines that begin
// them and read side by side. Whatever looks unusual is read whole, and so is a list of
// which some piece is malformed: then it is told as for any other file.

// manyBytes is from how large on a list is cut.
const manyBytes = 1 << 20

// bigList reads a chunk that is one large List; false, with nothing read, when it is not,
// or cannot be read in pieces.
func (s *Set) bigList(c chunk) bool {
	head, items, ok := c.cut()
	if !ok || !plainList(head) {
		return false
	}
	parts := 4 * runtime.GOMAXPROCS(0)
	sets := make([]*Set, parts)
	var all sync.WaitGroup
	var failed atomic.Bool
	for i := range parts {
		sets[i] = newSet(s.file)
		pieces := items[len(items)*i/parts : len(items)*(i+1)/parts]
		all.Go(func() {
			if len(pieces) == 0 {
				return
			}
			first, last := pieces[0], pieces[len(pieces)-1]
			err := chunk{c.text[first.from:last.to], first.lines}.parse(func(root *yaml.Node) {
				for _, item := range elements(root) {
					sets[i].object(item, "", "", 1)
				}
			})
			if err != nil {
				failed.Store(true)
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
	s.documents++
	return true
}

// plainList says that the text around the items is that of a List and nothing else.
func plainList(head chunk) bool {
	list, documents := false, 0
	err := head.parse(func(root *yaml.Node) {
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
	if len(c.text) < manyBytes {
		return head, nil, false
	}
	var rest bytes.Buffer
	inside, after, dash := false, false, ""
	at, line := 0, c.lines
	for l := range bytes.Lines(c.text) {
		text := string(bytes.TrimRight(l, " \r\n"))
		indent := len(text) - len(strings.TrimLeft(text, " "))
		begins := inside && (strings.HasPrefix(text[indent:], "- ") || text[indent:] == "-")
		switch {
		case begins && dash == "":
			dash = text[:indent+1]
			fallthrough
		case begins && text[:indent+1] == dash:
			items = append(items, piece{at, at, line})
		case inside && (text == "" || indent >= len(dash) && dash != ""):
		case inside && indent == 0 && len(items) > 0:
			inside, after = false, true
		case inside || strings.HasPrefix(text, "-") && after:
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
		if !after && text == "items:" {
			inside = true
		}
		at += len(l)
		line++
	}
	return chunk{rest.Bytes(), c.lines}, items, len(items) > 0
}
