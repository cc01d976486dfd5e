package manifest

import (
	"bytes"
	gojson "encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"ashlar.sh/internal/syntax"
)

// twins compares what blockJSON makes of a text with what the library does, and says whether
// it took it. That a key is there twice may be told by either.
func twins(t *testing.T, text []byte) bool {
	t.Helper()
	fast, ok := blockJSON(text, nil)
	if !ok {
		return false
	}
	slow, err := yaml.YAMLToJSONStrict(text)
	var a, b any
	twice, bad := json.UnmarshalStrict(fast, &a, json.DisallowDuplicateFields)
	if bad == nil && err != nil && len(twice) > 0 && strings.Contains(err.Error(), "already set in map") {
		return true
	}
	if bad != nil || err != nil || len(twice) > 0 {
		t.Fatalf("%q: written as %s, %v %v; the library has %s, %v", text, fast, twice, bad, slow, err)
	}
	if err := json.UnmarshalCaseSensitivePreserveInts(slow, &b); err != nil || !reflect.DeepEqual(a, b) {
		t.Fatalf("%q: written as %s, the library has %s, %v", text, fast, slow, err)
	}
	return true
}

// blockTexts are taken by blockJSON; awkwardTexts are not, for the reason given.
var blockTexts = []string{
	"a: b\n", "---\na: b\n", "# licence\n\na:\n  # inside\n  b: c   \n\nd: {}\ne: []\n",
	"a:\nb:\n- c\n- d: e\n  f:\n    - g\n    - 1\nh: null\n",
	"a: 'x # y: z'\nb: \"q\"\nc: ~\n", "a: |\n  one\n\n   two\n  \nb: |-\n  three\n\n",
	"- a: |\n    x\n  b: c\n-   d: e\n    f: g\n",
	"a: 4Gi\nb: 0x10\nc: 010\nd: 1e3\ne: -1\nf: 2024-01-01\nh: Yes\ni: TRUE\nj: ~\nk: 10.0.0.1\nl: nvidia.com/gpu\n" +
		"m: 1_000\nq: 12345678901234567890\n", "a:b: c\nz: -q\n",
	"  a: b\n  c:\n    d: e", "a: b\n  c\n", "a: 'b\n  c'\n", "a: \"\\n\"\n", "a: b # c\n", "a: {b: c, d: [e]}\n",
	"a: >\n  b\n  c\n", "- - a\n  - b\n",
	"a: |\n\n  b\n", "f:spec:\n  f:a: {}\n", "a: # c\n  b: d\n", "a: |+\n  b\n\n\nc: d\n", "a: |\n  *b !c &d\ne: \"*\"\n",
	"a: b\na: c\n", "a: {b: c,\n  d: e}\n",
}

var awkwardTexts = map[string]string{
	"an anchor": "a: &x b\n", "an alias": "a: *x\n", "a tag": "a: !!str 1\n", "a merge": "a:\n  <<: {b: c}\n",
	"a tab": "a:\tb\n", "a return": "a: b\r\n", "beyond ASCII": "a: é\n", "a scalar": "a\n",
	"a null in a list":            "a:\n-\n- b\n",
	"a key that is a truth value": "on: b\n", "a key that is a number": "1: b\n",
	"an indent that is given": "a:\n  b: |2\n      c\n",
	"two documents":           "a: b\n---\nc: d\n", "an end": "a: b\n...\n", "a directive": "%YAML 1.2\n---\na: b\n",
	"indents that do not fit": "a:\n    b: c\n  d: e\n",
	"a key of several":        "? a\n: b\n", "a colon twice": "a: b: c\n", "nothing": "# a\n",
	"an item beside a mapping":          "a: b\n- c\n",
	"a text that goes on at the margin": "a: 'b\nc'\n", "more than one value": "a: 'b' 'c'\n", "not a number": "a: .nan\n",
	"a document within": "a: b\n--- c\n", "a key that is a number, within": "a: {0: b}\n",
	"keys that are one in JSON":           `{0: "","":"","0":{20072},90Y171}`,
	"a key that is a truth value, within": "a: [yes: b]\n",
}

func TestBlocksAreWrittenAsTheLibraryDoes(t *testing.T) {
	for _, text := range blockTexts {
		if !twins(t, []byte(text)) {
			t.Errorf("%q is left to the library", text)
		}
	}
	for why, text := range awkwardTexts {
		if twins(t, []byte(text)) {
			t.Errorf("%s: %q is taken", why, text)
		}
	}
}

// Nearly all of what the examples hold is in block style, whatever its values look like.
func TestTheExamplesAreWrittenAlike(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	taken, all := 0, 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range split(text) {
			all++
			if twins(t, c.text) {
				taken++
			}
		}
	}
	if taken*2 < all {
		t.Errorf("%d of %d documents are in block style", taken, all)
	}
}

// Whatever the bytes: where blockJSON answers, it answers as the library.
func FuzzBlock(f *testing.F) {
	for _, text := range blockTexts {
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
			twins(t, c.text)
			alike(t, c.text)
		}
	})
}

// Cut into pieces, or read whole: the same objects and errors.
func FuzzPieces(f *testing.F) {
	f.Add("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: a}\n- apiVersion: v1\n" +
		"  kind: Nod\n")
	f.Add(`{"apiVersion": "v1", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}},` + "\n" +
		`{"kind": 3}], "kind": "List"}`)
	f.Add("{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"a\"}}\n{\"kind\": \"Node\"} \n {}")
	f.Add("{a: b}\n{c: d}")
	f.Fuzz(func(t *testing.T, text string) {
		cut, uncut := newSet("f"), newSet("f")
		for _, c := range split([]byte(strings.ReplaceAll(text, "\r", ""))) {
			for _, p := range c.pieces() {
				if !cut.read(p) {
					return
				}
			}
			roots, err := syntax.Documents(c.text, 1)
			if err != nil {
				return // JSON that YAML does not take has no tree for the lines of its items
			}
			var e expansion
			for _, n := range roots {
				e.visit(n, 0, false)
			}
			if e.err != nil {
				return // the bounds are those of a piece
			}
			uncut.whole(c)
		}
		if a, b := shownSet(cut), shownSet(uncut); a != b {
			t.Errorf("%q\nin pieces:\n%s\nwhole:\n%s", text, a, b)
		}
	})
}

// shownSet is what was read, as lines.
func shownSet(s *Set) string {
	var b strings.Builder
	fmt.Fprintln(&b, s.documents > 0, s.skipped, len(s.configs))
	for _, o := range s.objects {
		fmt.Fprintln(&b, o.where, o.id)
	}
	for _, e := range inOrder(s.errs) {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}

// fatPod is a pod as kubectl prints it.
var fatPod = `apiVersion: v1
kind: Pod
metadata:
  annotations:
    scheduling.k8s.io/group-name: job-7
  creationTimestamp: "2026-01-05T10:00:00Z"
  labels:
    app: train
    pod-template-hash: 7d9f8c6b5
  name: job-7-12
  namespace: team
  uid: 7a3b1c2d-1e2f-4a5b-8c6d-0242ac120002
spec:
  containers:
  - command:
    - sh
    - -c
    - |
      set -e
      python train.py --epochs 10
    image: train:1
    name: main
    resources:
      requests:
        cpu: 500m
        memory: 4Gi
` + (`    volumeMounts:
    - mountPath: /var/run/secrets/kubernetes.io/serviceaccount
      name: kube-api-access
      readOnly: true
`) + `  nodeName: node-00012
  priority: 0
  securityContext: {}
  tolerations:
` + strings.Repeat(`  - effect: NoExecute
    key: node.kubernetes.io/not-ready
    operator: Exists
    tolerationSeconds: 300
`, 2) + `status:
  conditions:
` + strings.Repeat(`  - lastProbeTime: null
    lastTransitionTime: "2026-01-05T10:00:05Z"
    status: "True"
    type: Ready
`, 4) + `  phase: Running
`

// The figures in the comments of block and balanced.
func BenchmarkFastPaths(b *testing.B) {
	text := []byte(fatPod)
	b.Run("yaml/library", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := yaml.YAMLToJSONStrict(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("yaml/block", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		var out []byte
		ok := false
		for b.Loop() {
			if out, ok = blockJSON(text, out[:0]); !ok {
				b.Fatal("not in block style")
			}
		}
	})
	one, err := yaml.YAMLToJSON(text)
	if err != nil {
		b.Fatal(err)
	}
	many := []byte("[" + strings.Repeat(string(one)+",\n", 999) + string(one) + "]")
	b.Run("json/library", func(b *testing.B) {
		b.SetBytes(int64(len(many)))
		for b.Loop() {
			decoder := gojson.NewDecoder(bytes.NewReader(many))
			if _, err := decoder.Token(); err != nil {
				b.Fatal(err)
			}
			for decoder.More() {
				var item gojson.RawMessage
				if err := decoder.Decode(&item); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("json/balanced", func(b *testing.B) {
		b.SetBytes(int64(len(many)))
		for b.Loop() {
			if balanced(many) != len(many) {
				b.Fatal("not balanced")
			}
		}
	})
}
