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
	"regexp"
	"runtime"
	"strings"
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
		[]byte("a license\n"), func(string, string, string) ([]byte, error) { return program, nil })
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
	if head, err := files.Next(); err != nil || head.Name != "LICENSE" || head.Mode != 0o644 {
		t.Errorf("then the archive has %+v, error %v, want the license", head, err)
	}
}

func TestWrongUse(t *testing.T) {
	none := func(string, string, string) ([]byte, error) { return nil, nil }
	for _, c := range [][2]string{{"", "https://x"}, {"1.0.0", "https://x"}, {"v1.0", "https://x"}, {"v1.0.0", ""}} {
		if err := run(c[0], c[1], nil, t.TempDir(), nil, none); err == nil {
			t.Errorf("version %q and url %q are taken", c[0], c[1])
		}
	}
	if err := run("v1.0.0", "https://x", []string{"linux"}, t.TempDir(), nil, none); err == nil {
		t.Error("a platform without an architecture is taken")
	}
	if got := binary("windows"); got != "kubectl-ashlar.exe" {
		t.Errorf("on Windows the plugin is %s", got)
	}
}

// What krew and the guide of its index ask of a manifest: names, a version, a short description that fits into a table,
// and for each platform an address, a sum, and a program.
func TestTheManifestKeepsKrewsRules(t *testing.T) {
	list := []platform{{"linux", "amd64", binary("linux"), "https://example.com/a.tar.gz", strings.Repeat("0a", 32)},
		{"windows", "amd64", binary("windows"), "https://example.com/b.tar.gz", strings.Repeat("0b", 32)}}
	text, err := manifest("v1.2.3", list)
	if err != nil {
		t.Fatal(err)
	}
	var p plugin
	if err := yaml.UnmarshalStrict(text, &p); err != nil {
		t.Fatalf("a field that krew does not know: %v", err)
	}
	for what, ok := range map[string]bool{
		"API version":       p.APIVersion == "krew.googlecontainertools.github.com/v1alpha2",
		"name":              regexp.MustCompile(`^[\w-]+$`).MatchString(p.Metadata.Name),
		"version":           regexp.MustCompile(`^v\d+\.\d+\.\d+$`).MatchString(p.Spec.Version),
		"short description": len(p.Spec.ShortDescription) <= 50 && !strings.ContainsAny(p.Spec.ShortDescription, "\n."),
		"homepage":          strings.HasPrefix(p.Spec.Homepage, "https://"),
	} {
		if !ok {
			t.Errorf("the %s is refused:\n%s", what, text)
		}
	}
	for line := range strings.Lines(p.Spec.Description) {
		if len(line) > 81 {
			t.Errorf("a line of the description is longer than 80 columns: %q", line)
		}
	}
	for _, of := range p.Spec.Platforms {
		labels := of.Selector.MatchLabels
		if !strings.HasSuffix(of.URI, ".tar.gz") || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(of.SHA256) ||
			labels["os"] == "" || labels["arch"] == "" || (labels["os"] == "windows") != strings.HasSuffix(of.Bin, ".exe") {
			t.Errorf("krew refuses the platform %+v", of)
		}
	}
}
