package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The chart that a release publishes names the image that the release published, in a registry whose names are written
// in small letters, whoever the owner is. The lines of the workflow that see to it are run as they stand there.
func TestAReleasedChartNamesItsImage(t *testing.T) {
	workflow, err := os.ReadFile("../.github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, pattern := range []string{`(?m)^ *- run: (echo "REGISTRY=.*)$`, `(?m)^ *(sed -i .*values\.yaml)$`} {
		if found := regexp.MustCompile(pattern).FindSubmatch(workflow); found != nil {
			lines = append(lines, string(found[1]))
		}
	}
	if len(lines) != 2 {
		t.Fatalf("the workflow has %q, want one that names the registry and one that writes it into the chart", lines)
	}
	values, err := os.ReadFile("helm/ashlar/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := filepath.Join(dir, "deploy/helm/ashlar/values.yaml")
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, values, 0o600); err != nil {
		t.Fatal(err)
	}
	script := lines[0] + "\n. ./env\n" + lines[1]
	run := exec.Command("bash", "-ec", script)
	run.Dir, run.Env = dir, append(os.Environ(), "GITHUB_ENV=env", "GITHUB_REPOSITORY_OWNER=Some-Owner")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	made, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	if want := "\n  repository: ghcr.io/some-owner/ashlar\n"; !strings.Contains(string(made), want) {
		t.Errorf("the chart that is published does not have %q", want)
	}
}

// What is released is built by the newest Go of the line that go.mod names: a version that is written down stays, with
// the vulnerabilities that were found since.
func TestWorkflowsTakeTheNewestGo(t *testing.T) {
	module, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)
	workflows, err := filepath.Glob("../.github/workflows/*")
	if err != nil || line == nil || len(workflows) == 0 {
		t.Fatal("no version of Go, or no workflows: ", err)
	}
	want := "\n          go-version: " + string(line[1]) + ".x\n          check-latest: true\n"
	for _, workflow := range workflows {
		text, err := os.ReadFile(workflow)
		if err != nil {
			t.Fatal(err)
		}
		if uses := strings.Count(string(text), "actions/setup-go@"); strings.Count(string(text), want) != uses {
			t.Errorf("%s sets Go up %d times, not each time with %q", workflow, uses, want)
		}
	}
}
