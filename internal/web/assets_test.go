package web

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestThePageIsCurrent: dist is what `make page` builds of the sources that are there. It needs no node.
func TestThePageIsCurrent(t *testing.T) {
	var names []string
	err := filepath.WalkDir("page", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "node_modules":
			return filepath.SkipDir
		case !d.IsDir():
			rel, err := filepath.Rel("page", name)
			names = append(names, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("page", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write([]byte(name + "\x00"))
		sum.Write(data)
		sum.Write([]byte{0})
	}
	stamp, err := dist.ReadFile("dist/sources.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if want, got := hex.EncodeToString(sum.Sum(nil)), strings.TrimSpace(string(stamp)); got != want {
		t.Errorf("internal/web/dist was built of other sources (%s) than those in internal/web/page (%s): run make page", got,
			want)
	}
}

// mostBytes is what a browser may have to load.
const mostBytes = 300_000

func TestThePageIsSmall(t *testing.T) {
	n, err := Size()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, compressed", n)
	if n > mostBytes || n < 20_000 {
		t.Errorf("the page has %d bytes compressed: expected at most %d, and more than a placeholder has", n, mostBytes)
	}
}

// TestThePageRunsUnderItsPolicy: what the policy forbids is not in the page.
func TestThePageRunsUnderItsPolicy(t *testing.T) {
	all, err := assets()
	if err != nil {
		t.Fatal(err)
	}
	html := string(all["/index.html"].plain)
	for _, bad := range []string{"<style", "style=", "onload=", "onclick=", "http://", "https://", "<script>"} {
		if strings.Contains(html, bad) {
			t.Errorf("index.html has %q", bad)
		}
	}
	for _, bad := range []string{"localStorage.", "sessionStorage.", "indexedDB.", "eval(", "new Function("} {
		if strings.Contains(string(all["/app.js"].plain), bad) {
			t.Errorf("app.js has %q", bad)
		}
	}
}

// What this machine says of files, as the registry of Windows may, does not keep a browser from running the page.
func TestThePageHasItsTypesOnEveryMachine(t *testing.T) {
	if err := mime.AddExtensionType(".js", "text/plain"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"app.js": "text/javascript; charset=utf-8",
		"app.css": "text/css; charset=utf-8", "index.html": "text/html; charset=utf-8", "icon.svg": "image/svg+xml"} {
		if got := typeOf(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
