package syntax_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ashlar.sh/internal/syntax"
)

// Roots know the lines of the whole text, whichever document they are of.
func TestDocumentsAreReadInTheirOrder(t *testing.T) {
	const text = "# first\na: b\n---\n- c\n---\n---\nd\n"
	for most, want := range map[int]string{0: "", 1: "2!!map ", 2: "2!!map 4!!seq ",
		math.MaxInt: "2!!map 4!!seq 6!!null 7!!str "} {
		roots, err := syntax.Documents([]byte(text), most)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, n := range roots {
			fmt.Fprintf(&got, "%d%s ", n.Line, n.Tag)
		}
		if got.String() != want {
			t.Errorf("at most %d: %q, want %q", most, got.String(), want)
		}
	}
}

func TestTextsWithoutADocumentHaveNoRoots(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", " \n# here\n"} {
		if roots, err := syntax.Documents([]byte(text), 2); len(roots) > 0 || err != nil {
			t.Errorf("%q: %d roots, %v", text, len(roots), err)
		}
	}
}

// What comes behind the documents that are asked for may be malformed.
func TestOnlyAsManyDocumentsAreReadAsAreAskedFor(t *testing.T) {
	const text = "a: b\n---\nc: [\n---\n"
	if roots, err := syntax.Documents([]byte(text), 1); len(roots) != 1 || err != nil {
		t.Errorf("the first: %d roots, %v", len(roots), err)
	}
	if roots, err := syntax.Documents([]byte(text), 2); roots != nil || err == nil {
		t.Errorf("both: %d roots, %v", len(roots), err)
	}
}

// The line is that in which somebody would look for the mistake, not that in which the block
// around it begins; messages name it once.
func TestTheLineOfAMistake(t *testing.T) {
	long := strings.Repeat("a: b # and so on, beyond what is searched for the line\n", 2000)
	for _, tt := range []struct {
		name, text string
		line       int
		message    string
	}{
		{"the scanner's", "a: b\nc: \"d\n", 2, "found unexpected end of stream"},
		{"the parser's, in a mapping", "a: b\nc: d\n- e\nf: g\n", 3, "did not find expected key"},
		{"the parser's, in brackets", "a:\n  b: [c,\n    d\ne: f\n", 3, "did not find expected ',' or ']'"},
		{"in a later document", "a: b\n---\nc: d\n- e\n", 4, "did not find expected key"},
		{"one that the library gives no line", "a: b\nc: *d\n", 2, "unknown anchor 'd' referenced"},
		{"no character of YAML", "a: b\nc: \x01\n", 2, "control characters are not allowed"},
		{"a long text, the scanner's", long + "c: \"d\n", 2001, "found unexpected end of stream"},
		{"a long text without a line", long + "c: *d\n", 1, "unknown anchor 'd' referenced"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := syntax.Documents([]byte(tt.text), math.MaxInt)
			if err == nil {
				t.Fatal("it is well-formed")
			}
			if line, message := syntax.Line([]byte(tt.text), err); line != tt.line || message != tt.message {
				t.Errorf("line %d: %s; want line %d: %s", line, message, tt.line, tt.message)
			}
		})
	}
}
