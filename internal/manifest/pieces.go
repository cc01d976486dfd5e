package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	sigsjson "sigs.k8s.io/json"
)

// A List, as kubectl prints a cluster, is one document, and JSON documents may follow one
// another without anything between them. They are cut apart where items, or documents,
// begin, and these are read side by side, none of them in memory in another form for longer
// than it takes to decode it. A text of which some piece is malformed is read whole: then
// it is told as the libraries see it.

// piece is what is read at once.
type piece struct {
	chunk
	of   int  // the chunk that it was cut from
	form form // how to read it
	// What the items of a typed list need not say.
	apiVersion, kind string
	depth            int // 1 for the item of a list
}

type form int

const (
	whole    form = iota // a chunk
	yamlItem             // a list in YAML with one item
	jsonItem             // an object in JSON, of a list or not
)

// load reads the documents of a file: in pieces, and those chunks whole of which some piece
// is malformed.
func (s *Set) load(src source) {
	s.file = src.name
	text := src.text
	if bytes.IndexByte(text, '\r') >= 0 {
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte{'\n'}), []byte{'\r'}, []byte{'\n'})
	}
	chunks := split(text)
	uncut := make([]bool, len(chunks))
	for {
		s.progress.begin(src.name, len(text))
		var pieces []piece
		for i, c := range chunks {
			cut := []piece{{chunk: c}}
			if !uncut[i] {
				cut = c.pieces()
			}
			for _, p := range cut {
				p.of = i
				pieces = append(pieces, p)
			}
		}
		sets := s.sideBySide(pieces)
		again := false
		for _, part := range sets {
			for _, i := range part.spoilt {
				uncut[i], again = true, true
			}
		}
		if !again {
			for _, part := range sets {
				s.merge(part)
			}
			return
		}
	}
}

// sideBySide reads pieces on all processors, each part of them into a Set of its own.
func (s *Set) sideBySide(pieces []piece) []*Set {
	n := len(pieces)
	sets := make([]*Set, min(n, 8*runtime.GOMAXPROCS(0)))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(sets); i = int(next.Add(1)) - 1 {
				part := newSet(s.file)
				sets[i], part.progress = part, s.progress
				if s.others != nil {
					part.others = &others{}
				}
				for _, p := range pieces[n*i/len(sets) : n*(i+1)/len(sets)] {
					if !part.read(p) {
						part.spoilt = append(part.spoilt, p.of)
					}
					part.progress.add(len(p.text), 1)
				}
				part.buf = nil
			}
		})
	}
	all.Wait()
	return sets
}

// read reads a piece; false when it is malformed and was cut from something larger.
func (s *Set) read(p piece) bool {
	switch p.form {
	case jsonItem:
		s.documents++
		return s.object(&document{json: p.text, line: p.lines + 1, text: p.chunk}, p.apiVersion, p.kind, p.depth)
	case yamlItem:
		s.documents++
		d, err := s.yaml(p.chunk, true)
		return err == nil && s.object(d, p.apiVersion, p.kind, p.depth)
	}
	s.whole(p.chunk)
	return true
}

// whole reads a chunk, and tells what is malformed.
func (s *Set) whole(c chunk) {
	var docs []*document
	var err *Error
	b := c.begins()
	if b.isJSON() {
		docs, err = b.jsonDocuments()
	}
	if len(docs) == 0 { // a document in YAML may begin with a brace, too
		d, malformed := s.yaml(c, false)
		switch {
		case malformed == nil && string(d.json) != "null":
			docs, err = append(docs, d), nil
		case err == nil:
			err = malformed
		}
	}
	for _, d := range docs {
		s.documents++
		s.object(d, "", "", 0)
	}
	if err != nil {
		s.fail(err.Where.Line, err.Message)
	}
}

// yaml reads a chunk as readYAML does, into a buffer that the next one takes over.
func (s *Set) yaml(c chunk, item bool) (*document, *Error) {
	d, err := readYAML(c, item, s.buf[:0])
	if err == nil && cap(d.json) > cap(s.buf) {
		s.buf = d.json
	}
	return d, err
}

// jsonDocuments reads the documents that follow one another in a chunk, up to one that is
// malformed.
func (c chunk) jsonDocuments() (docs []*document, malformed *Error) {
	decoder := json.NewDecoder(bytes.NewReader(c.text))
	for {
		var text json.RawMessage
		err := decoder.Decode(&text)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			_, at := sigsjson.SyntaxErrorOffset(err)
			message := oneLine(err.Error())
			if errors.Is(err, io.ErrUnexpectedEOF) {
				at, message = int64(len(bytes.TrimRight(c.text, " \t\n"))), "the document ends too early"
			}
			line := c.behind(min(int(at), len(c.text))).lines + 1
			return docs, &Error{Position{Line: line}, "malformed JSON: " + message}
		}
		part := c.behind(int(decoder.InputOffset()) - len(text))
		part.text = part.text[:len(text)]
		docs = append(docs, &document{json: text, line: part.lines + 1, text: part})
	}
}
