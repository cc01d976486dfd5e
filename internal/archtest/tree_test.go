package archtest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the import path of the repository's root.
const module = "ashlar.sh"

// A tree is what the laws look at: a repository, or a fixture that plays one.
type tree struct {
	fset  *token.FileSet
	texts map[string]string // every file, by slash path from the root
	files []*source         // the Go files that parse, by path
	sorry []breach          // the Go files that do not

	core *typedCore // filled by typed, on first use
}

// A source is one Go file that parses.
type source struct {
	path string
	dir  string // "." for the root
	ast  *ast.File
	test bool // the name ends in _test.go
	made bool // generated: its shape is not ours
}

// treeOf parses a repository given as path -> text.
func treeOf(texts map[string]string) *tree {
	t := &tree{fset: token.NewFileSet(), texts: texts}
	for _, p := range slices.Sorted(maps.Keys(texts)) {
		if !strings.HasSuffix(p, ".go") || slices.Contains(strings.Split(p, "/"), "testdata") {
			continue
		}
		f, err := parser.ParseFile(t.fset, p, texts[p], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.sorry = append(t.sorry, unreadable(p, err))
			continue
		}
		t.files = append(t.files, &source{
			path: p, dir: path.Dir(p), ast: f,
			test: strings.HasSuffix(p, "_test.go"),
			made: ast.IsGenerated(f),
		})
	}
	return t
}

// unreadable turns a parser's answer into one breach with its line.
func unreadable(p string, err error) breach {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return breach{where: fmt.Sprintf("%s:%d", p, list[0].Pos.Line), what: "does not parse: " + list[0].Msg}
	}
	return breach{where: p, what: "does not parse: " + err.Error()}
}

// at builds a breach for a position in the tree.
func (t *tree) at(pos token.Pos, format string, args ...any) breach {
	p := t.fset.Position(pos)
	return breach{where: fmt.Sprintf("%s:%d", p.Filename, p.Line), what: fmt.Sprintf(format, args...)}
}

// code lists the Go files under dir that are not tests.
func (t *tree) code(dir string) []*source {
	var out []*source
	for _, f := range t.files {
		if !f.test && under(f.dir, dir) {
			out = append(out, f)
		}
	}
	return out
}

// under says whether path p is dir or lies below it; everything lies below "".
func under(p, dir string) bool {
	return dir == "" || p == dir || strings.HasPrefix(p, dir+"/")
}

// readRepository reads the repository this test lies in: every file git knows or would
// add. Without git (an unpacked archive) it reads every folder that is not hidden.
func readRepository(t *testing.T) *tree {
	t.Helper()
	root := repositoryRoot(t)
	paths, err := gitFiles(root)
	if err != nil {
		if paths, err = walkFiles(root); err != nil {
			t.Fatal(err)
		}
	}
	texts := map[string]string{}
	dirs := map[string]bool{".": true}
	for _, p := range paths {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p)))
		if err != nil {
			continue // deleted and not yet committed, a link to a folder, or just moved
		}
		texts[p] = string(text)
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			dirs[d] = true
		}
	}
	for d := range dirs {
		// Opened so that go test, which remembers what a test opened, runs this
		// one again when a file is added.
		if _, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(d))); err != nil {
			t.Fatal(err)
		}
	}
	return treeOf(texts)
}

// repositoryRoot is the nearest folder upwards with the module's go.mod.
func repositoryRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+module+"\n") {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("no go.mod of module %s above the working directory", module)
		}
		dir = filepath.Dir(dir)
	}
}

// gitFiles lists the files git tracks and those it would add.
func gitFiles(root string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list files with git: %w", err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// walkFiles lists the files below root outside hidden folders and bin.
func walkFiles(root string) ([]string, error) {
	var paths []string
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || p == "bin"):
			return fs.SkipDir
		case d.Type().IsRegular():
			paths = append(paths, p)
		}
		return nil
	})
	return paths, err
}
