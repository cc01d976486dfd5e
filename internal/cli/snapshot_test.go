package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// placements is what a report says: the nodes of pods by name, sorted, and why jobs wait.
func placements(t *testing.T, got result) (out []string) {
	t.Helper()
	var d struct {
		Pods []struct{ Namespace, Name, Node string }
		Jobs []struct {
			Name   string
			Reason struct{ Code string }
		}
	}
	if err := json.Unmarshal([]byte(got.out), &d); err != nil || got.code != 0 {
		t.Fatalf("exit code %d, %v: %s", got.code, err, got.err)
	}
	for _, p := range d.Pods {
		out = append(out, p.Namespace+"/"+p.Name+" "+p.Node)
	}
	for _, j := range d.Jobs {
		out = append(out, j.Name+" "+j.Reason.Code)
	}
	slices.Sort(out)
	return out
}

// A snapshot of files decides as the first cycle of a simulation of them does.
func TestASnapshotReproduces(t *testing.T) {
	const files = "../../examples/quickstart"
	path := filepath.Join(t.TempDir(), "state.json.gz")
	if got := run("", "ashlar", "snapshot", "-f", files, path); got.code != 0 || !strings.Contains(got.out, "objects at") {
		t.Fatalf("exit code %d, %s %s", got.code, got.out, got.err)
	}
	want := placements(t, run("", "ashlar", "simulate", "-f", files, "--until", "1ns", "-o", "json"))
	if got := placements(t, run("", "ashlar", "replay", path, "-o", "json")); !slices.Equal(got, want) || len(want) < 10 {
		t.Errorf("it decides\n%q, want\n%q", got, want)
	}
	if about, err := os.Stat(path); err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("%v: the mode is %v, want 0600", err, about.Mode())
	}
	again := filepath.Join(t.TempDir(), "again.json")
	if got := run("", "ashlar", "snapshot", "--dump", path, again); got.code != 0 {
		t.Fatalf("of a dump: exit code %d, %s", got.code, got.err)
	}
	if got := placements(t, run("", "ashlar", "replay", again, "-o", "json")); !slices.Equal(got, want) {
		t.Errorf("of a dump it decides\n%q, want\n%q", got, want)
	}
}

// A redacted snapshot decides the same about the same number of pods on the same nodes, and has no names of users.
func TestARedactedSnapshot(t *testing.T) {
	const files = "../../examples/quickstart"
	dir := t.TempDir()
	plain, redacted := filepath.Join(dir, "plain.json"), filepath.Join(dir, "redacted.json")
	for _, args := range [][]string{{"-f", files, plain}, {"--redact", "-f", files, redacted}} {
		if got := run("", append([]string{"ashlar", "snapshot"}, args...)...); got.code != 0 {
			t.Fatalf("exit code %d, %s", got.code, got.err)
		}
	}
	ends := func(path string) (out []string) {
		for _, line := range placements(t, run("", "ashlar", "replay", path, "-o", "json")) {
			out = append(out, line[strings.LastIndex(line, " "):])
		}
		slices.Sort(out)
		return out
	}
	if got, want := ends(redacted), ends(plain); !slices.Equal(got, want) {
		t.Errorf("redacted it decides %q, want %q", got, want)
	}
	text, err := os.ReadFile(redacted)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"train", "nightly", "reserach", "research", "frontend", "tune"} {
		if at := strings.Index(string(text), name); at >= 0 {
			t.Errorf("it has %q: %s", name, text[max(0, at-80):at+40])
		}
	}
	if !strings.Contains(string(text), "gpu-1") {
		t.Error("it has no node gpu-1")
	}
}

// What a pod of a file says beside what decides is in no snapshot.
func TestASnapshotHasNoSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	got := run("", "ashlar", "snapshot", "-f", file(t, "pod.yaml", `
apiVersion: v1
kind: Pod
metadata: {name: p, annotations: {note: hunter2}}
spec:
  schedulerName: volcano
  volumes: [{name: d, persistentVolumeClaim: {claimName: data}}, {name: s, secret: {secretName: hunter2}}]
  containers: [{name: c, image: i, command: [hunter2], env: [{name: PASSWORD, value: hunter2}]}]
`), path)
	text, err := os.ReadFile(path)
	if err != nil || got.code != 0 {
		t.Fatalf("exit code %d, %v: %s", got.code, err, got.err)
	}
	if strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), `"claimName":"data"`) {
		t.Errorf("it is %s", text)
	}
	if got := run("", "ashlar", "snapshot", "-f", "nowhere", path+"2"); got.code != 1 {
		t.Errorf("of no file: exit code %d, want 1", got.code)
	}
}
