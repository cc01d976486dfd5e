package web

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTheDemoNeedsNoNode: in a fresh clone, where git, make and Go are all that is found, `make demo` shows the page
// that is committed, and a cluster that runs at 1 000 times its speed.
func TestTheDemoNeedsNoNode(t *testing.T) {
	if _, err := os.Stat(root + "/.git"); err != nil {
		t.Skip("skipped: this is no clone")
	}
	tools, clone := t.TempDir(), filepath.Join(t.TempDir(), "ashlar")
	for _, name := range []string{"git", "make", "go"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("skipped: %v", err)
		}
		if err := os.Symlink(path, filepath.Join(tools, name)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "clone", "--quiet", root, clone).CombinedOutput(); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	c := exec.Command("make", "demo")
	c.Dir = clone
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PATH=") }),
		"PATH="+tools, "GOFLAGS=-trimpath") // what is built already need not be built again for another folder
	address, _ := starts(t, c)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	host, _, _ := strings.Cut(address, "/?")
	get := func(address string) string {
		got, err := browser.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		text, err := io.ReadAll(got.Body)
		if err != nil || got.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", address, got.Status, err)
		}
		return string(text)
	}
	committed := func(name string) string {
		text, err := os.ReadFile(filepath.Join(clone, "internal/web/dist", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if get(address) != committed("index.html") || get(host+"/app.js") != committed("app.js") {
		t.Error("the page is not the one that is committed")
	}
	var state struct {
		Play struct {
			Playing bool
			Speed   float64
		}
	}
	if err := json.Unmarshal([]byte(get(host+"/v1/state")), &state); err != nil {
		t.Fatal(err)
	}
	if !state.Play.Playing || state.Play.Speed != 1000 {
		t.Errorf("the demonstration runs so: %+v", state)
	}
}
