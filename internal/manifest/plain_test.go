package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// sameTree says where two trees differ in what is read of them; "" when they do not.
func sameTree(a, b *yaml.Node) string {
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Style != b.Style || a.Line != b.Line || len(a.Content) != len(b.Content) {
		return fmt.Sprintf("line %d: %v %s %q style %v with %d in it; line %d: %v %s %q style %v with %d in it",
			a.Line, a.Kind, a.Tag, a.Value, a.Style, len(a.Content), b.Line, b.Kind, b.Tag, b.Value, b.Style, len(b.Content))
	}
	for i := range a.Content {
		if diff := sameTree(a.Content[i], b.Content[i]); diff != "" {
			return diff
		}
	}
	return ""
}

// twins compares the plain readers of a chunk with the thorough ones, and says whether a
// plain one took it.
func twins(t *testing.T, c chunk) bool {
	t.Helper()
	var slow []*yaml.Node
	keep := func(root *yaml.Node) { slow = append(slow, root) }
	if root, ok := c.plain(&nodes{}); ok {
		if err := c.parseYAML(keep); err != nil || len(slow) != 1 {
			t.Fatalf("%q: read, and the library has %d documents and %v", c.text, len(slow), err)
		}
		if diff := sameTree(root, slow[0]); diff != "" {
			t.Fatalf("%q:\n%s", c.text, diff)
		}
		return true
	}
	if root, rest, ok := c.plainJSON(&nodes{}); ok {
		if _, err := (chunk{c.text[:len(c.text)-len(rest.text)], c.lines}).parseJSON(keep); err != nil || len(slow) != 1 {
			t.Fatalf("%q: read, and the decoder has %d documents and %v", c.text, len(slow), err)
		}
		if diff := sameTree(root, slow[0]); diff != "" {
			t.Fatalf("%q:\n%s", c.text, diff)
		}
		return true
	}
	return false
}

// plainTexts are taken by a plain reader; awkwardTexts are not, for the reason given.
var plainTexts = []string{
	"a: b\n", "---\na: b\n", "# licence\n\na:\n  # inside\n  b: c   \n\nd: {}\ne: []\n", "a:\nb:\n- c\n- d: e\n  f:\n    - g\n    - 1\nh: null\n",
	"a: 'x # y: z'\nb: \"q\"\n\"c\": ~\n", "a: |\n  one\n\n   two\n  \nb: |-\n  three\n\n", "- a: |\n    x\n  b: c\n-   d: e\n    f: g\n",
	"a: 4Gi\nb: 0x10\nc: 010\nd: 1e3\ne: -1\nf: 2024-01-01\ng: .inf\nh: Yes\ni: TRUE\nj: ~\nk: 10.0.0.1\nl: nvidia.com/gpu\n", "a:b: c\nz: -q\n",
	"  a: b\n  c:\n    d: e", `{"a": [1, -2.5e3, true, null, "\u00e9\n", "é"], "b": {}, "c": []}`, "[]", "{\"a\":\n\n{\"b\":\n1}}  ",
}

var awkwardTexts = map[string]string{
	"an anchor": "a: &x b\n", "an alias": "a: *x\n", "a tag": "a: !!str 1\n", "a flow": "a: {b: c}\n", "a folded text": "a: >\n  b\n",
	"a line that goes on": "a: b\n  c\n", "a quoted line that goes on": "a: 'b\n  c'\n", "an escape": "a: \"\\n\"\n", "a comment behind": "a: b # c\n",
	"a tab": "a:\tb\n", "a return": "a: b\r\n", "beyond ASCII": "a: é\n", "a scalar": "a\n", "a null in a list": "a:\n-\n- b\n", "lists in a row": "- - a\n",
	"a key with a colon": "x:: y\n", "two documents": "a: b\n---\nc: d\n", "an end": "a: b\n...\n", "a directive": "%YAML 1.2\n---\na: b\n", "indents that do not fit": "a:\n    b: c\n  d: e\n",
	"a key of several": "? a\n: b\n", "a colon twice": "a: b: c\n", "nothing": "# a\n", "a comma too many": `{"a": 1,}`, "a zero too many": `[01]`, "a bare word": `[yes]`,
	"a broken text": "[\"\n\"]", "bytes that are no text": "[\"\xff\"]", "an item beside a mapping": "a: b\n- c\n", "a blank before a text": "a: |\n\n  b\n",
}

func TestThePlainReadersAreTheLibrarysTwins(t *testing.T) {
	for _, text := range plainTexts {
		if !twins(t, chunk{[]byte(text), 7}) {
			t.Errorf("%q is left to the library", text)
		}
	}
	for why, text := range awkwardTexts {
		if twins(t, chunk{[]byte(text), 0}) {
			t.Errorf("%s: %q is taken", why, text)
		}
	}
}

// What the examples hold is plain but where their authors wrote flows and comments.
func TestTheExamplesAreReadAlike(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	taken := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range split(text) {
			if twins(t, c) {
				taken++
			}
		}
	}
	if taken == 0 {
		t.Error("not one document is plain")
	}
}

// Whatever the bytes: where a plain reader answers, its tree is that of the thorough one.
func FuzzPlain(f *testing.F) {
	for _, text := range plainTexts {
		f.Add(text)
	}
	for _, text := range awkwardTexts {
		f.Add(text)
	}
	for _, tt := range badInput {
		f.Add(tt.text)
	}
	f.Add(everyKind)
	f.Add(vcjob)
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range split([]byte(text)) {
			twins(t, c)
		}
	})
}

// Cut into pieces, or read whole: the same objects and errors.
func FuzzPieces(f *testing.F) {
	f.Add("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: a}\n- apiVersion: v1\n  kind: Nod\n")
	f.Add(`{"apiVersion": "v1", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}},` + "\n" + `{"kind": 3}], "kind": "List"}`)
	f.Add("{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"a\"}}\n{\"kind\": \"Node\"} \n {}")
	f.Add("{a: b}\n{c: d}")
	f.Fuzz(func(t *testing.T, text string) {
		chunks := split([]byte(text))
		if len(chunks) != 1 {
			return
		}
		cut, whole := newSet("f"), newSet("f")
		if !cut.inPieces(chunks[0]) {
			return
		}
		if err := chunks[0].parse(&whole.nodes, whole.document); err != nil {
			whole.fail(err.Where.Line, err.Message)
		}
		if a, b := shownSet(cut), shownSet(whole); a != b {
			t.Errorf("%q\nin pieces:\n%s\nwhole:\n%s", text, a, b)
		}
	})
}

// shownSet is what was read, as lines.
func shownSet(s *Set) string {
	var b strings.Builder
	fmt.Fprintln(&b, s.documents, s.skipped, len(s.configs))
	for _, o := range s.objects {
		fmt.Fprintln(&b, o.where, o.id)
	}
	for _, e := range inOrder(s.errs) {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}
