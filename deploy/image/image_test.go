package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// built is the image of this machine's platform, and its configuration, unpacked into root as a
// runtime would: everything in it belongs to the user that unpacks it, and is checked against its digest.
func built(t *testing.T) (digest, root string, c config) {
	t.Helper()
	o := options{out: filepath.Join(t.TempDir(), "image"), source: filepath.Join("..", ".."), version: "v9.9.9",
		platforms: []string{"linux/" + runtime.GOARCH}}
	digest, err := build(o)
	if err != nil {
		t.Fatal(err)
	}
	var index, m manifest
	read(t, filepath.Join(o.out, "index.json"), &index)
	if len(index.Manifests) != 1 || *index.Manifests[0].Platform != (platform{runtime.GOARCH, "linux"}) {
		t.Fatalf("the index is %+v, want one image of this machine's platform", index)
	}
	unmarshal(t, blob(t, o.out, index.Manifests[0]), &m)
	unmarshal(t, blob(t, o.out, *m.Config), &c)
	z, err := gzip.NewReader(bytes.NewReader(blob(t, o.out, m.Layers[0])))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if got := digestOf(plain); len(m.Layers) != 1 || len(c.RootFS.DiffIDs) != 1 || c.RootFS.DiffIDs[0] != got {
		t.Errorf("the layer unpacked is %s, the configuration says %v", got, c.RootFS.DiffIDs)
	}
	root = filepath.Join(t.TempDir(), "root")
	unpack(t, plain, root)
	return digest, root, c
}

// blob is what a descriptor is of, which has its size and digest.
func blob(t *testing.T, dir string, d descriptor) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "blobs", strings.Replace(d.Digest, ":", "/", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) != d.Size || digestOf(data) != d.Digest {
		t.Errorf("%s has %d bytes and the digest %s, want %d", d.Digest, len(data), digestOf(data), d.Size)
	}
	return data
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	unmarshal(t, data, into)
}

func unmarshal(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func unpack(t *testing.T, plain []byte, root string) {
	t.Helper()
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(bytes.NewReader(plain)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.Mkdir(path, 0o755)
		case tar.TypeSymlink:
			err = os.Symlink(h.Linkname, path)
		default:
			var data []byte
			if data, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(path, data, h.FileInfo().Mode().Perm())
			}
		}
		if err != nil || h.Uid != 0 || h.Gid != 0 {
			t.Fatalf("%s of %d:%d: %v", h.Name, h.Uid, h.Gid, err)
		}
	}
}

// The image runs as it says: its entry point, as its user, where nothing can be written. It says
// its version and the commit, and it knows time zones.
func TestTheImageRuns(t *testing.T) {
	_, root, c := built(t)
	if c.Config.User != fmt.Sprintf("%[1]d:%[1]d", user) || user == 0 {
		t.Errorf("it runs as %s", c.Config.User)
	}
	out, err := contained(t, root, c, "/ashlar", "version", "-o", "json")
	var said struct{ Version, Revision string }
	if err == nil {
		err = json.Unmarshal(out, &said)
	}
	if err != nil {
		t.Fatalf("ashlar version: %v\n%s", err, out)
	}
	commit, err := output(".", "git", "rev-parse", "HEAD")
	if said.Version != "v9.9.9" || err == nil && !strings.HasPrefix(said.Revision, commit) {
		t.Errorf("it says it is %+v, want v9.9.9 of commit %s (%v)", said, commit, err)
	}
	if out, err := contained(t, root, c, append(c.Config.Entrypoint, "--version")...); err != nil ||
		!strings.Contains(string(out), "v9.9.9") {
		t.Errorf("its entry point says its version as %q (%v)", out, err)
	}
	if out, err := contained(t, root, c, "/ashlar", "simulate", "-f", "/none"); err == nil ||
		!strings.Contains(string(out), "/none: cannot be read") {
		t.Errorf("simulate of a file that is not there: %v\n%s", err, out)
	}
}

// The same source gives the same image.
func TestTheImageIsReproducible(t *testing.T) {
	first, _, _ := built(t)
	if again, _, _ := built(t); again != first {
		t.Errorf("it was %s and is %s now", first, again)
	}
}

// The two ways to build agree on the program and its user.
func TestTheImageIsTheDockerfiles(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{fmt.Sprintf("\nUSER %[1]d:%[1]d\n", user),
		fmt.Sprintf("\nENTRYPOINT [%q]\n", entryPoint)} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the Dockerfile has no line %q", strings.TrimSpace(want))
		}
	}
}

// What is there and was not built here is not removed.
func TestAFolderThatIsNoLayoutStays(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := build(options{out: dir, source: filepath.Join("..", ".."),
		platforms: []string{"linux/amd64"}}); err == nil || !strings.Contains(err.Error(), "left alone") {
		t.Errorf("it answers %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// outside runs the program where it lies, for machines on which a test may not close it in.
func outside(root string, c config, args ...string) ([]byte, error) {
	cmd := exec.Command(filepath.Join(root, args[0]), args[1:]...)
	cmd.Env, cmd.Dir = c.Config.Env, root
	return cmd.CombinedOutput()
}
