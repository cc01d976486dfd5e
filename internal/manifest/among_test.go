package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Among other files objects are found, and the rest is passed over and told; what looks like an object and is none is
// an error still.
func TestObjectsAmongOtherFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"pods.yaml":                  pod("a", "  {}\n") + "---\nreplicas: 3\n",
		"chart/Chart.yaml":           "name: chart\nversion: 1.0.0\n",
		"chart/values.yaml":          "metadatas: {}\n",
		"chart/list.yaml":            "- a\n- b\n",
		"chart/text.json":            "[1, 2]",
		"chart/templates/pod.yaml":   "kind: Pod\n{{- if .Values.x }}\nspec: {}\n{{- end }}\n",
		"chart/templates/sub/b.yaml": pod("{{ .Release.Name }}", "  {}\n"),
		"chart/templates/plain.yaml": pod("plain", "  {}\n"),
		"empty.yaml":                 "# nothing\n---\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, errs := LoadAmong([]string{"."}, nil, nil)
	if got := refs(s.Expand()); len(errs) > 0 || got != "Pod/default/a Pod/default/plain" {
		t.Errorf("there are %s; errors %v", got, errs)
	}
	want := "what is no object of Kubernetes, without apiVersion, kind and metadata, in chart/Chart.yaml, " +
		"chart/list.yaml, chart/text.json and 2 more files\n" +
		"chart/templates: templates of Helm; helm template chart | ashlar lint - looks at what they make"
	if got := strings.Join(s.PassedOver(), "\n"); got != want {
		t.Errorf("it is told\n%s\nwant\n%s", got, want)
	}
	s, errs = LoadAmong([]string{"empty.yaml"}, nil, nil)
	if got := s.PassedOver(); len(errs) > 0 || len(got) != 1 || got[0] != "empty.yaml: there is no object in it" {
		t.Errorf("of a file without a document it is told %q, errors %v", got, errs)
	}
	for text, want := range map[string]string{
		"":                        "-: holds no object",
		"metadata: {name: a}\n":   "-:1: an object without apiVersion",
		"kind: Pod\nspec: {}\n":   "-:1: an object without apiVersion",
		"a: [\n":                  "-:1: malformed YAML",
		`{"a": `:                  "-:1: malformed JSON",
		"apiVersion: v1\na: {}\n": "-:1: an object without kind",
	} {
		_, errs := LoadAmong([]string{"-"}, strings.NewReader(text), nil)
		if len(errs) == 0 || !strings.HasPrefix(errs[0].Error(), want) {
			t.Errorf("of %q it is told %v, want %q", text, errs, want)
		}
	}
	if _, errs := Load([]string{"chart/values.yaml"}, nil); len(errs) == 0 {
		t.Error("where all documents have to be objects, one that is none is taken")
	}
}
