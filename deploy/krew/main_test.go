package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"sigs.k8s.io/yaml"
)

// plugin is what is read of krew's manifest.
type plugin struct {
	APIVersion, Kind string
	Metadata         struct{ Name string }
	Spec             struct {
		Version, ShortDescription, Description, Homepage string
		Platforms                                        []struct {
			URI, SHA256, Bin string
			Selector         struct{ MatchLabels map[string]string }
		}
	}
}

// The manifest names the archive that was built, by its sum, and the archive has the program by the name that kubectl
// looks for.
func TestTheManifestIsThatOfTheArchive(t *testing.T) {
	out := t.TempDir()
	program := bytes.Repeat([]byte("a program\n"), 100_000)
	err := run("v1.2.3", "https://example.com/releases/", []string{runtime.GOOS + "/" + runtime.GOARCH}, out,
		func(string, string, string) ([]byte, error) { return program, nil })
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "ashlar.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var p plugin
	if err := yaml.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	if p.Kind != "Plugin" || p.Metadata.Name != "ashlar" || p.Spec.Version != "v1.2.3" || len(p.Spec.Platforms) != 1 {
		t.Fatalf("the manifest is\n%s", text)
	}
	of := p.Spec.Platforms[0]
	file := "kubectl-ashlar-v1.2.3-" + runtime.GOOS + "-" + runtime.GOARCH + ".tar.gz"
	if of.URI != "https://example.com/releases/"+file || of.Selector.MatchLabels["os"] != runtime.GOOS {
		t.Errorf("the platform is %+v", of)
	}
	data, err := os.ReadFile(filepath.Join(out, file))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(data); of.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the sum is %s, that of the archive %x", of.SHA256, sum)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(zipped)
	head, err := files.Next()
	if err != nil || head.Name != of.Bin || head.Mode != 0o755 {
		t.Fatalf("the archive has %+v, error %v", head, err)
	}
	if got, err := io.ReadAll(files); err != nil || !bytes.Equal(got, program) {
		t.Errorf("the archive has a program of %d bytes, want %d; error %v", len(got), len(program), err)
	}
}

func TestWrongUse(t *testing.T) {
	none := func(string, string, string) ([]byte, error) { return nil, nil }
	for _, c := range [][2]string{{"", "https://x"}, {"1.0", "https://x"}, {"v1.0.0", ""}} {
		if err := run(c[0], c[1], nil, t.TempDir(), none); err == nil {
			t.Errorf("version %q and url %q are taken", c[0], c[1])
		}
	}
	if err := run("v1.0.0", "https://x", []string{"linux"}, t.TempDir(), none); err == nil {
		t.Error("a platform without an architecture is taken")
	}
	if got := binary("windows"); got != "kubectl-ashlar.exe" {
		t.Errorf("on Windows the plugin is %s", got)
	}
}
