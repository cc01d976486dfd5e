package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// hook is one of .pre-commit-hooks.yaml.
type hook struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Description   string   `json:"description"`
	Entry         string   `json:"entry"`
	Language      string   `json:"language"`
	TypesOr       []string `json:"types_or"`
	Files         string   `json:"files"`
	RequireSerial bool     `json:"require_serial"`
}

// takes says that pre-commit passes a file to the hook, as far as the name tells its type.
func (h hook) takes(name string) bool {
	kind := map[string]string{".yaml": "yaml", ".yml": "yaml", ".json": "json"}[filepath.Ext(name)]
	return regexp.MustCompile(h.Files).MatchString(name) && (len(h.TypesOr) == 0 || slices.Contains(h.TypesOr, kind))
}

// Each hook of pre-commit works on what it is given: all files of a commit that are of its kind, in one process.
func TestTheHooksOfPreCommit(t *testing.T) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []hook
	if err := yaml.UnmarshalStrict(text, &hooks); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	const group = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: g}\nspec: {minMember: 2}\n"
	member := func(name string) string {
		return `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "` + name + `", "annotations": {` +
			`"scheduling.k8s.io/group-name": "g"}}, "spec": {"schedulerName": "volcano", "containers": [{"name": "c"}]}}`
	}
	files := map[string]string{"gang.yaml": group, "a.json": member("a"), "b.json": member("b"), "notes.txt": "no object",
		"one/volcano-scheduler.conf": quiet, "two/volcano-scheduler.conf": quiet}
	wrong := map[string]map[string]string{
		"ashlar-lint":               {"c.yml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a b}\n"},
		"ashlar-lint-configuration": {"one/volcano-scheduler.conf": "actions: alocate\n"},
	}
	for _, h := range hooks {
		if !h.RequireSerial || h.Language != "golang" || wrong[h.ID] == nil {
			t.Fatalf("hook %+v: it is to get all files at once, and to have a mistake in this test", h)
		}
		for _, changed := range []map[string]string{nil, wrong[h.ID]} {
			args := strings.Fields(h.Entry)
			for _, list := range []map[string]string{files, changed} {
				for name, text := range list {
					if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
					if h.takes(name) && !slices.Contains(args, name) {
						args = append(args, name)
					}
				}
			}
			slices.Sort(args[2:])
			got := run("", args...)
			if len(args) < 4 || got.code != min(1, len(changed)) || changed == nil && got.out != "" {
				t.Errorf("%q: exit %d, want %d\n%s%s", args, got.code, min(1, len(changed)), got.out, got.err)
			}
			for name := range changed {
				if !strings.Contains(got.out, name+":1: error: ") && !strings.Contains(got.out, name+":3: error: ") {
					t.Errorf("%q: the mistake in %s is not told:\n%s%s", args, name, got.out, got.err)
				}
			}
		}
	}
}
