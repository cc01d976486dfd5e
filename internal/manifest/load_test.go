package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fromText loads a text as standard input.
func fromText(text string) (*Set, []Error) {
	return Load([]string{"-"}, strings.NewReader(text))
}

// expanded loads and expands a text without errors.
func expanded(t *testing.T, text string) *World {
	t.Helper()
	s, errs := fromText(text)
	for _, e := range errs {
		t.Error(e)
	}
	return s.Expand()
}

// badInput has, for each text, the errors it gives, each as "line: what is wrong".
var badInput = []struct {
	name, text string
	want       []string
}{
	{"no text", "", []string{"-: holds no object"}},
	{"comments only", "# nothing\n---\n# here\n", []string{"-: holds no object"}},
	{"a scalar", "hello\n", []string{`-:1: expected an object with apiVersion and kind, found the text "hello"`}},
	{"a list of objects", "- a\n- b\n", []string{"-:1: expected an object with apiVersion and kind, found a list"}},
	{"neither apiVersion nor kind", "\nreplicas: 3\n", []string{"-:2: an object without apiVersion",
		"-:2: an object without kind"}},
	{"an empty kind", "apiVersion: v1\nkind:\n", []string{"-:1: an object without kind"}},
	{"a kind that is no text", "apiVersion: v1\nkind: [Pod]\n", []string{"-:2: kind: expected a text, found a list"}},
	{"no name", "apiVersion: v1\nkind: Pod\nmetadata: {}\n", []string{"-:3: Pod without metadata.name"}},
	{"no metadata", "apiVersion: v1\nkind: Node\n", []string{"-:1: Node without metadata.name"}},
	{"a name that no API server takes", "apiVersion: v1\nkind: Node\nmetadata:\n  name: Node_1\n",
		[]string{`-:4: metadata.name: "Node_1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric ` +
			`characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used ` +
			`for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`}},
	{"a namespace that no API server takes", "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: a.b}\n",
		[]string{`-:3: metadata.namespace: "a.b": must not contain dots`}},
	{"an unknown kind in a group we serve", "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Que\nmetadata: {name: q}\n",
		[]string{`-:2: unknown kind "Que" in apiVersion "scheduling.volcano.sh/v1beta1" (did you mean Queue?)`}},
	{"a kind in the wrong group", "kind: Deployment\napiVersion: v1\n",
		[]string{`-:1: unknown kind "Deployment" in apiVersion "v1" (did you mean apiVersion apps/v1?)`}},
	{"a kind like none", "kind: Zebra\napiVersion: apps/v1\n",
		[]string{`-:1: unknown kind "Zebra" in apiVersion "apps/v1"`}},
	{"a version that is gone", "kind: PodDisruptionBudget\napiVersion: policy/v1beta1\n",
		[]string{`-:1: apiVersion "policy/v1beta1" has no PodDisruptionBudget here, only policy/v1 has`}},
	{"a misspelt group of Volcano", "kind: Queue\napiVersion: schedulin.volcano.sh/v1beta1\n",
		[]string{`-:1: unknown group "schedulin.volcano.sh" (did you mean scheduling.volcano.sh?)`}},
	{"a quantity that is none",
		pod("a", "  containers:\n  - name: c\n    resources:\n      requests:\n        cpu: many\n"+
			"        nvidia.com/gpu: 1Qi\n"),
		[]string{
			"-:9: spec.containers[0].resources.requests.cpu: quantities must match the regular expression " +
				"'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
			"-:10: spec.containers[0].resources.requests[nvidia.com/gpu]: quantities must match the regular expression " +
				"'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"}},
	{"an exponent that would never end", pod("a", "  overhead:\n    cpu: 1e-999999999\n"),
		[]string{`-:6: spec.overhead.cpu: "1e-999999999" has an exponent that no quantity has`}},
	{"an exponent that would wrap", pod("a", "  overhead: {cpu: '1e4294967297'}\n"),
		[]string{`-:5: spec.overhead.cpu: "1e4294967297" has an exponent that no quantity has`}},
	{"wrong types, all of them", pod(
		"a", "  priority: high\n  nodeName: 7\n  hostNetwork: \"yes\"\n  containers: {}\n  nodeSelector: [a]\n"+
			"  tolerations: [x]\n"),
		[]string{
			`-:5: spec.priority: expected a whole number of 32 bits, found the text "high"`,
			`-:6: spec.nodeName: expected a text, found 7`,
			`-:7: spec.hostNetwork: expected true or false, found the text "yes"`,
			`-:8: spec.containers: expected a list, found an object`,
			`-:9: spec.nodeSelector: expected an object, found a list`,
			`-:10: spec.tolerations[0]: expected an object, found the text "x"`}},
	{"a number that does not fit", pod("a", "  priority: 3000000000\n"),
		[]string{"-:5: spec.priority: expected a whole number of 32 bits, found 3000000000"}},
	{"a bare yes is no text, as kubectl has it", pod("a", "  nodeSelector:\n    fast: yes\n"),
		[]string{"-:6: spec.nodeSelector.fast: expected a text, found the truth value yes (quotes make it a text)"}},
	{"a time that is none", "apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n  creationTimestamp: yesterday\n",
		[]string{`-:5: metadata.creationTimestamp: parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse ` +
			`"yesterday" as "2006"`}},
	{"a key that is there twice", pod("a", "  nodeName: x\n  nodeName: y\n"),
		[]string{"-:6: spec.nodeName: is given twice, first in line 5"}},
	{"a key that is there twice, as a number and as a text", pod("a", "  nodeSelector: {0: x, \"0\": y}\n"),
		[]string{"-:5: spec.nodeSelector.0: is given twice, first in line 5"}},
	{"a key that is there twice, as a truth value and as a text",
		pod("a", "  nodeSelector:\n    yes: x\n    \"true\": y\n"),
		[]string{"-:7: spec.nodeSelector.true: is given twice, first in line 6"}},
	{"a key that is there twice, as two numbers", pod("a", "  nodeSelector:\n    1.0: x\n    0x1: y\n"),
		[]string{"-:7: spec.nodeSelector.1: is given twice, first in line 6"}},
	{"a key that is there twice, in JSON", `{"apiVersion": "v1", "kind": "Node",` + "\n" +
		`"metadata": {"name": "n"}, "kind": "Node"}`,
		[]string{"-:2: kind: is given twice, first in line 1"}},
	{"a number that is none", pod("a", "  priority: .nan\n"),
		[]string{`-:5: spec.priority: ".nan" is not a number that a field can have`}},
	{"a tag that no field has", pod("a", "  nodeName: !secret x\n"),
		[]string{`-:5: spec.nodeName: has the tag "!secret", which no field has`}},
	{"a document that is malformed leaves its neighbours alone",
		"apiVersion: v1\nkind: [\n---\n" + pod("a", "  priority: x\n") + "---\nkind: \"a\n",
		[]string{
			"-:2: malformed YAML: did not find expected node content",
			`-:8: spec.priority: expected a whole number of 32 bits, found the text "x"`,
			"-:10: malformed YAML: found unexpected end of stream"}},
	{"malformed JSON", "{\"apiVersion\": \"v1\",\n \"kind\": \"Node\",\n \"metadata\": {\"name\": \"a\"]}",
		[]string{"-:3: malformed JSON: invalid character ']' after object key:value pair"}},
	{"JSON that ends too early", "{\"apiVersion\": \"v1\",\n \"kind\": \"Node\"\n",
		[]string{"-:2: malformed JSON: the document ends too early"}},
	{"items that are no list", "apiVersion: v1\nkind: List\nitems: 3\n", []string{"-:3: items: expected a list, found 3"}},
	{"an item that is wrong", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {}\n- 7\n",
		[]string{"-:6: Node without metadata.name", "-:7: expected an object with apiVersion and kind, found 7"}},
	{"a typed list of a kind that is unknown", "apiVersion: v1\nkind: PoodList\nitems: []\n",
		[]string{`-:1: unknown kind "Pood" in apiVersion "v1" (did you mean Pod?)`}},
}

// pod is a Pod with its spec beginning in line 5.
func pod(name, spec string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec:\n" + spec
}

func TestBadInputIsToldWithItsLine(t *testing.T) {
	for _, tt := range badInput {
		t.Run(tt.name, func(t *testing.T) {
			_, errs := fromText(tt.text)
			var got []string
			for _, e := range errs {
				got = append(got, e.Error())
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestAliasesMustNotExplode(t *testing.T) {
	text := "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nx0: &x0 [" + strings.Repeat("abcdefghij,", 10) + "]\n"
	for i := 1; i < 12; i++ {
		text += fmt.Sprintf("x%d: &x%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*x%d,", i-1), 10))
	}
	if _, errs := fromText(text); len(errs) != 1 || !strings.Contains(errs[0].Message, "an object of more than 16 MiB") {
		t.Errorf("%v", errs)
	}
	if _, errs := fromText("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: &s\n  s: *s\n"); len(errs) != 1 ||
		!strings.Contains(errs[0].Message, "nested more than 500 levels deep") {
		t.Errorf("%v", errs)
	}
}

func TestAliasesAndMergesAreRead(t *testing.T) {
	w := expanded(t, "apiVersion: v1\nkind: List\nitems:\n"+
		"- &n {apiVersion: v1, kind: Node, metadata: &m {name: a, labels: {x: z}}}\n"+
		"- <<: *n\n  metadata: {<<: *m, name: b}\n")
	if got := refs(w); got != "Node/a Node/b" {
		t.Errorf("%s", got)
	}
}

func TestFilesAndFolders(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	write("a/two.yaml", "\n\n"+node("n2"))
	write("a/b/one.yml", node("n1"))
	write("a/three.json", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n3"}}{"apiVersion":"v1","kind":"Node",`+
		`"metadata":{"name":"n4"}}`)
	write("a/readme.txt", "not a manifest")
	write("empty/readme.txt", "not a manifest")
	odd := write("odd.conf", node("n5"))

	s, errs := Load([]string{filepath.Join(dir, "a"), odd, "-"}, strings.NewReader(node("n6")))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	w := s.Expand()
	if got := refs(w); got != "Node/n1 Node/n2 Node/n3 Node/n4 Node/n5 Node/n6" {
		t.Error(got)
	}
	if got, want := w.Items[1].Where.String(), filepath.Join(dir, "a/two.yaml")+":3"; got != want {
		t.Errorf("n2 is at %s, want %s", got, want)
	}

	missing, empty := filepath.Join(dir, "missing"), filepath.Join(dir, "empty")
	_, errs = Load([]string{missing, empty, "-"}, nil)
	want := []string{missing + ": cannot be read: no such file or directory", empty +
		": holds no .yaml, .yml or .json file",
		"-: there is no standard input"}
	for i, e := range errs {
		if e.Error() != want[i] {
			t.Errorf("got %s, want %s", e.Error(), want[i])
		}
	}
	if len(errs) != len(want) {
		t.Errorf("%v", errs)
	}
}

func node(name string) string {
	return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name + "}\n"
}

// refs lists what a world has.
func refs(w *World) string {
	var out []string
	for _, it := range w.Items {
		out = append(out, it.Fact.Ref.String())
	}
	return strings.Join(out, " ")
}

func TestManyDocumentsAreReadAsOne(t *testing.T) {
	var text, want strings.Builder
	for i := range 512 {
		fmt.Fprintf(&text, "apiVersion: v1\nkind: Node\nmetadata: {name: n%d}\nnewField: 1\n---\n", i)
		if i%100 == 7 {
			fmt.Fprintf(&text, "apiVersion: v1\nkind: Nod\n---\n")
			fmt.Fprintf(&want, "-:%d: unknown kind \"Nod\" in apiVersion \"v1\" (did you mean Node?)\n", 5*(i+1)+3*(i/100)+2)
		}
	}
	s, errs := fromText(text.String())
	var got strings.Builder
	for _, e := range errs {
		fmt.Fprintln(&got, e)
	}
	if got.String() != want.String() {
		t.Errorf("got\n%swant\n%s", got.String(), want.String())
	}
	w := s.Expand()
	problem := told{"Node/n0", `unknown field "newField" is ignored, here and in 511 more Nodes`}
	if len(w.Items) != 512 || !slices.Equal(toldOf(w), []told{problem}) {
		t.Errorf("%d items, %v", len(w.Items), w.Problems)
	}
}

// bigList is a List of many Nodes, large enough to be read in pieces, with extra in the
// place of one of them.
func bigList(indent, head, extra, tail string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range 12_000 {
		item := fmt.Sprintf("- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n%d\n    annotations:\n      about: |\n"+
			"        - one\n\n        - two\n", i)
		if i == 9_000 {
			item = extra + item
		}
		for l := range strings.Lines(item) {
			b.WriteString(indent + l)
		}
	}
	return b.String() + tail
}

func TestALargeListIsReadLikeAnyOther(t *testing.T) {
	const head = "apiVersion: v1\nkind: List\nitems:\n"
	misspelt := "- apiVersion: v1\n  kind: Nod\n  metadata: {name: x}\n"
	for name, c := range map[string]struct {
		text, err string
		objects   int
	}{
		"items at the margin": {bigList("", head, "", ""), "", 12_000},
		"items indented":      {bigList("  ", head, "", ""), "", 12_000},
		"fields after the items": {bigList("", "apiVersion: v1\nitems:\n", "",
			"kind: List\nmetadata:\n  resourceVersion: \"\"\n"), "", 12_000},
		"an anchor in one, used in others": {bigList("", head, "- &a {apiVersion: v1, kind: Node, metadata: {name: x}}\n",
			"- <<: *a\n  metadata: {name: other}\n"), "", 12_002},
		"a kind that is none": {bigList("", head, misspelt, ""),
			`-:81005: unknown kind "Nod" in apiVersion "v1" (did you mean Node?)`, 12_000},
		"an item that is malformed": {bigList("", head, "- {a: b\n", ""),
			"-:81003: malformed YAML: did not find expected ',' or '}'", 0},
		"not a list at all": {bigList("", "apiVersion: v1\nkind: Lisp\nitems:\n", "", ""),
			`-:2: unknown kind "Lisp" in apiVersion "v1"`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, errs := fromText(c.text)
			got := ""
			if len(errs) > 0 {
				got = errs[0].Error()
			}
			if got != c.err || len(errs) > 1 {
				t.Errorf("%d errors, the first %q, want %q", len(errs), got, c.err)
			}
			if len(s.objects) != c.objects {
				t.Errorf("%d objects, want %d", len(s.objects), c.objects)
			}
			if n := len(s.objects); c.err == "" && s.objects[1].where.Line != s.objects[0].where.Line+9 {
				t.Errorf("the second of %d objects is said to be at line %d", n, s.objects[1].where.Line)
			}
		})
	}
}
