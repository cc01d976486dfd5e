package manifest

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/json"
	sigsyaml "sigs.k8s.io/yaml"

	"ashlar.sh/internal/syntax"
)

// document is an object, or a list of them, as JSON; and what it was made of, for messages.
type document struct {
	json    []byte
	line    int   // of the file on which it begins
	text    chunk // what it was made of; without text where root is known, or no reader needs it
	item    bool  // text is a list in YAML, and this its only item
	root    *yaml.Node
	unusual bool         // it has perhaps what the JSON does not tell: the tree is to be checked
	errs    []fieldError // why it has no JSON, although it is well-formed
}

// surrogates are halves of characters, which JSON has and YAML has not.
var surrogates = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// tree is the document with its lines in the file, as the YAML library reads it; nil when it
// does not. It is read once, when something is wrong.
func (d *document) tree() *yaml.Node {
	if d.root != nil || d.text.text == nil {
		return d.root
	}
	text := bytes.ToValidUTF8(surrogates.ReplaceAll(d.text.text, []byte(`\ufffd`)), []byte("\ufffd"))
	roots, err := syntax.Documents(text, 1)
	if err == nil && len(roots) == 1 {
		d.grow(roots[0])
	}
	d.text.text = nil
	return d.root
}

// grow takes the root of the text for the document's tree.
func (d *document) grow(root *yaml.Node) {
	shift(root, d.text.lines)
	if d.root = root; d.item {
		d.root = nil
		if items := elements(root); len(items) == 1 {
			d.root = items[0]
		}
	}
}

// shift moves a tree down. Aliases point into the same tree.
func shift(n *yaml.Node, lines int) {
	n.Line += lines
	for _, c := range n.Content {
		shift(c, lines)
	}
}

// at is the line of a field, or of the nearest one around it that is there.
func (d *document) at(path ...string) int {
	n, line := d.tree(), d.line
	for _, key := range path {
		if n = value(n, key); n == nil {
			break
		}
		line = n.Line
	}
	return line
}

// readYAML appends the JSON of a chunk's only document to buf, with the scalar types that
// kubectl gives them; item says that the chunk is a list with the document as its only
// item.
func readYAML(c chunk, item bool, buf []byte) (*document, *Error) {
	d := &document{text: c, item: item, line: c.begins().lines + 1, unusual: hasWildExponent(c.text)}
	ok := false
	if d.json, ok = blockJSON(c.text, buf); !ok { // what it takes has no such key
		d.unusual = d.unusual || hasLooseKey(c.text)
		if err := d.read(c); err != nil {
			return nil, err
		}
	}
	if last := len(d.json) - 1; item && last > 1 && d.json[0] == '[' {
		d.json = d.json[1:last]
	}
	return d, nil
}

// read lets the library read the text. To the library a mapping with a repeated key is
// wrong, and one that overrides a merged key too; it reads the first of several documents,
// and expands aliases however often: of these the tree is asked.
func (d *document) read(c chunk) *Error {
	var err error
	if !c.unusual() {
		if d.json, err = sigsyaml.YAMLToJSONStrict(c.text); err == nil {
			return nil
		}
	}
	roots, err := syntax.Documents(c.text, 2)
	switch {
	case err != nil:
		line, text := syntax.Line(c.text, err)
		return &Error{Position{Line: c.lines + line}, "malformed YAML: " + oneLine(text)}
	case len(roots) == 0:
		d.json = []byte("null")
		return nil
	case len(roots) > 1:
		return &Error{Position{Line: c.lines + roots[1].Line}, "a document that does not begin on a line of its own"}
	}
	d.unusual = true
	d.grow(roots[0])
	var e expansion
	if e.visit(roots[0], 0, false); e.err != nil {
		d.errs = []fieldError{{line: e.err.Where.Line, message: e.err.Message}}
		return nil
	}
	if d.json, err = sigsyaml.YAMLToJSON(c.text); err == nil {
		return nil
	}
	if e.bytes > mostWritten || bareTag.Match(c.text) || !d.mend() {
		d.errs = d.blame(err)
	}
	return nil
}

// blame says what in a well-formed document JSON does not have.
func (d *document) blame(err error) []fieldError {
	if errs := d.locate(nil); len(errs) > 0 {
		return errs
	}
	message := oneLine(strings.TrimPrefix(err.Error(), "yaml: "))
	return []fieldError{{line: d.line, message: "malformed YAML: " + message}}
}

// The bounds of a document: aliases and nesting must not explode. The API server takes
// objects of three megabytes at most.
const (
	mostDeep     = 500
	mostExpanded = 16 << 20
)

// expansion bounds what aliases make of a document.
type expansion struct {
	bytes int // below aliases
	err   *Error
}

// visit looks at what is below a node; aliased says that an alias led there.
func (e *expansion) visit(n *yaml.Node, depth int, aliased bool) {
	if aliased {
		e.bytes += 1 + len(n.Value)
	}
	switch {
	case e.err != nil:
	case depth > mostDeep:
		e.err = &Error{Position{Line: n.Line}, fmt.Sprintf("nested more than %d levels deep", mostDeep)}
	case e.bytes > mostExpanded:
		e.err = &Error{Position{Line: n.Line}, fmt.Sprintf("an object of more than %d MiB", mostExpanded>>20)}
	case n.Kind == yaml.AliasNode:
		e.visit(n.Alias, depth+1, true)
	default:
		for _, c := range n.Content {
			e.visit(c, depth+1, aliased)
		}
	}
}

// fill reads the document into obj and returns the fields that obj does not know, or what
// keeps it from being read.
func (d *document) fill(obj any) (unknown []string, errs []fieldError) {
	if d.unusual || hasWildExponent(d.json) {
		if errs := d.locate(obj); len(errs) > 0 {
			return nil, errs
		}
	}
	strict, err := json.UnmarshalStrict(d.json, obj)
	for _, e := range strict {
		field, ok := strings.CutPrefix(e.Error(), "unknown field ")
		if !ok {
			err = e
			break
		}
		unknown = append(unknown, field)
	}
	if err == nil && len(unknown) > 0 { // the decoder does not look into these
		var all any
		if twice, _ := json.UnmarshalStrict(d.json, &all, json.DisallowDuplicateFields); len(twice) > 0 {
			err = twice[0]
		}
	}
	if err == nil {
		return unknown, nil
	}
	if errs = d.locate(obj); len(errs) == 0 {
		errs = []fieldError{{line: d.line, message: oneLine(err.Error())}}
	}
	return nil, errs
}
