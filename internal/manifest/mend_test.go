package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	sigsyaml "sigs.k8s.io/yaml"

	"ashlar.sh/internal/syntax"
)

// seen loads a text and returns the names of what was read and the errors.
func seen(text string) string {
	s, errs := fromText(text)
	var out []string
	for _, o := range s.objects {
		out = append(out, o.GetName())
	}
	for _, e := range errs {
		out = append(out, e.Error())
	}
	return strings.Join(out, "\n")
}

// Whatever the form of a List, a value that JSON does not have keeps only its item from being read.
func TestWhatJSONHasNotHurtsOnlyItsItem(t *testing.T) {
	const head = "apiVersion: v1\nkind: List\nitems:\n"
	const a, b = "{apiVersion: v1, kind: Node, metadata: {name: a}}", "{apiVersion: v1, kind: Node, metadata: {name: b}}"
	item := func(spec string) string {
		return "{apiVersion: v1, kind: Pod, metadata: {name: bad}, spec: {" + spec + "}}"
	}
	const nan = `spec.priority: ".nan" is not a number that a field can have`
	for _, tt := range []struct{ name, text, want string }{
		{"in block style", head + "- " + a + "\n- " + item("priority: .nan") + "\n- " + b + "\n", "a\nb\n-:5: " + nan},
		{"indented", head + "    - " + a + "\n    - " + item("priority: .nan") + "\n    - " + b + "\n", "a\nb\n-:5: " + nan},
		{"in brackets", "{apiVersion: v1, kind: List, items: [" + a + ",\n" + item("priority: .nan") + ",\n" + b + "]}\n",
			"a\nb\n-:2: " + nan},
		{"in brackets, below keys", "items: [" + a + ",\n  " + item("priority: .nan") + ",\n  " + b +
			"]\nkind: List\napiVersion: v1\n", "a\nb\n-:2: " + nan},
		{"with anchors", head + "- &x " + a + "\n- " + item("priority: .nan") + "\n- {<<: *x, metadata: {name: c}}\n",
			"a\nc\n-:5: " + nan},
		{"in what an alias stands for", head + "- " + b + "\n- &x " + item("priority: .nan") + "\n- *x\n",
			"b\n-:5: " + nan + "\n-:5: " + nan},
		{"in what is merged", head + "- " + b + "\n- &x " + item("priority: .nan") + "\n- {<<: *x, metadata: {name: c}}\n",
			"b\n-:5: " + nan + "\n-:6: malformed YAML: json: unsupported value: NaN"},
		{"in an unknown field", head + "- " + a + "\n- " + item("new: [.inf, -.inf]") + "\n- " + b + "\n",
			"a\nb\n" + `-:5: spec.new[0]: ".inf" is not a number that a field can have` + "\n" +
				`-:5: spec.new[1]: "-.inf" is not a number that a field can have`},
		{"in a list of a list", head + "- {apiVersion: v1, kind: List, items: [" + a + ", " + item("priority: .nan") +
			"]}\n- " + b + "\n", "a\nb\n-:4: " + nan},
		{"in a typed list", "apiVersion: v1\nkind: NodeList\nitems: [{metadata: {name: a}},\n" +
			" {metadata: {name: x, generation: .nan}}]\n",
			"a\n" + `-:4: metadata.generation: ".nan" is not a number that a field can have`},
		{"a key that is no text", head + "- " + a + "\n- " + item("? {a: b}\n : c") + "\n- " + b + "\n",
			"a\nb\n-:5: spec: a key must be a text"},
		{"a tag that does not fit", head + "- " + a + "\n- " + item("priority: !!int x") + "\n- " + b + "\n",
			"a\nb\n-:5: malformed YAML: cannot decode !!str `x` as a !!int"},
		{"an item that is too deep", head + "- " + a + "\n- " + item("new: &x [*x]") + "\n- " + b + "\n",
			"a\nb\n-:5: nested more than 500 levels deep"},
		{"an item that is null", head + "- " + a + "\n- null\n- " + item("priority: .nan") + "\n",
			"a\n-:5: expected an object with apiVersion and kind, found null\n-:6: " + nan},
		{"the list's own", "apiVersion: v1\nkind: List\nmetadata: {generation: .nan}\nitems: [" + a + "]\n",
			`-:3: metadata.generation: ".nan" is not a number that a field can have`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := seen(tt.text); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A key that is there twice is told wherever it is: in fields that no type knows, too, and
// whether a document is written in block style, in brackets or in JSON.
func TestAKeyThatIsThereTwiceInAnUnknownField(t *testing.T) {
	for _, text := range []string{
		pod("a", "  new:\n    x: 1\n    x: 2\n"),
		pod("a", "  new:\n    {x: 1,\n    x: 2}\n"),
		"\n\n\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"},\n \"spec\": {\"new\":\n" +
			" {\"x\": 1,\n \"x\": 2}}}\n",
	} {
		if got := seen(text); got != "-:7: spec.new.x: is given twice, first in line 6" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// alike compares a document written anew from its tree with what the library makes of its text.
func alike(t *testing.T, text []byte) {
	t.Helper()
	roots, err := syntax.Documents(text, 2)
	want, bad := sigsyaml.YAMLToJSONStrict(text)
	if err != nil || bad != nil || len(roots) != 1 || bareTag.Match(text) {
		return
	}
	var e expansion
	if e.visit(roots[0], 0, false); e.err != nil || e.bytes > mostWritten {
		return
	}
	var l locator
	if l.check(roots[0], &fieldPath{}); len(l.errs) > 0 {
		return // of a key that is there twice the library keeps any
	}
	var a, b any
	got, err := written(roots[0])
	if err != nil || json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%q: written as %s, %v; the library has %s", text, got, err, want)
	}
}

func TestTreesAreWrittenAsTheyWereRead(t *testing.T) {
	for _, text := range append([]string{everyKind, vcjob, fatPod}, blockTexts...) {
		for _, c := range split([]byte(text)) {
			alike(t, c.text)
		}
	}
	for _, text := range awkwardTexts {
		alike(t, []byte(text))
	}
}

// Documents may be nested as deeply as the libraries read them: 500 levels where aliases or
// tags are looked at, 10 000 otherwise. What is deeper is refused, and all is told at once.
func TestDeepDocuments(t *testing.T) {
	const begin = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nnew:"
	nested := func(open, inside, end string, n int) string {
		return strings.Repeat(open, n) + inside + strings.Repeat(end, n)
	}
	blocks := func(n int, line string) string {
		var b bytes.Buffer
		for i := range n {
			fmt.Fprintf(&b, "\n%s%s", strings.Repeat(" ", i+1), line)
		}
		return b.String() + " x\n"
	}
	const jsonBegin = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "new": `
	for _, tt := range []struct{ name, text, want string }{
		{"brackets", begin + " " + nested("[", "1", "]", 9_000) + "\n", "a"},
		{"too many brackets", begin + " " + nested("[", "1", "]", 200_000) + "\n",
			"-:4: malformed YAML: exceeded max depth of 10000"},
		{"brackets without end", begin + " " + strings.Repeat("[", 1<<20) + "\n",
			"-:4: malformed YAML: exceeded max depth of 10000"},
		{"mappings in brackets", begin + " " + nested("{a: ", "1", "}", 4_000) + "\n", "a"},
		{"blocks", begin + blocks(2_000, "a:"), "a"},
		{"blocks of lists", begin + "\n" + strings.Repeat("- ", 4_000) + "x\n", "a"},
		{"too many blocks of lists", begin + "\n" + strings.Repeat("- ", 200_000) + "x\n",
			"-:4: malformed YAML: exceeded max depth of 10000"},
		{"a tag below brackets", begin + " " + nested("[", "!x 1", "]", 600) + "\n", "-:4: nested more than 500 levels deep"},
		{"JSON", jsonBegin + nested("[", "1", "]", 9_000) + "}", "a"},
		{"JSON, objects", jsonBegin + nested(`{"a": `, "1", "}", 9_000) + "}", "a"},
		{"too deep JSON", jsonBegin + nested("[", "1", "]", 200_000) + "}",
			"-:1: malformed JSON: invalid character '[' exceeded max depth"},
		{"JSON without end", jsonBegin + strings.Repeat("[", 1<<20),
			"-:1: malformed JSON: invalid character '[' exceeded max depth"},
		{"a deep item of a List", `{"apiVersion": "v1", "kind": "List", "items": [` + jsonBegin +
			nested("[", "1", "]", 9_000) + "}]}", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := seen(tt.text); got != tt.want {
				t.Errorf("got %.300s, want %s", got, tt.want)
			}
		})
	}
	got := seen(jsonBegin + nested(`{"a": 0, "a": `, "1", "}", 9_000) + "}")
	long := "-:1: ..." + strings.Repeat("a.", mostShownSteps-1) + "a: is given twice, first in line 1"
	if strings.Count(got, "is given twice") != 9_000 || !strings.Contains(got, long) || len(got) > 9_000*2*mostShownSteps+
		1<<20 {
		t.Errorf("%d bytes, %.300s", len(got), got)
	}
}
