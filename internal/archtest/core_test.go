package archtest

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// A typedCore is sched/** with types: its own packages are checked from source in the
// order of their imports, the standard library comes from the compiler's export data.
type typedCore struct {
	tree     *tree
	std      types.Importer
	info     *types.Info
	packages map[string]*types.Package // by import path; nil while it is being checked
	sorry    []breach                  // one for each package that does not type-check
}

// typed checks the types of sched/**, once for each tree. Where a package does not
// type-check, what is known of it is still looked at.
func (t *tree) typed() *typedCore {
	if t.core != nil {
		return t.core
	}
	c := &typedCore{
		tree: t, packages: map[string]*types.Package{},
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{},
			Defs:  map[*ast.Ident]types.Object{},
			Uses:  map[*ast.Ident]types.Object{},
		},
	}
	t.core = c
	files := t.code("sched")
	exports, err := exportData(files)
	if err != nil {
		c.sorry = append(c.sorry, breach{where: "sched", what: err.Error()})
	}
	c.std = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	})
	for _, f := range files {
		// A package that cannot be checked is in sorry already.
		_, _ = c.Import(module + "/" + f.dir)
	}
	return c
}

// Import checks a package of sched/** from source, or loads one of the standard library.
func (c *typedCore) Import(path string) (*types.Package, error) {
	dir, ours := strings.CutPrefix(path, module+"/")
	if !ours {
		return c.std.Import(path)
	}
	if p, seen := c.packages[path]; seen {
		if p == nil {
			return nil, errors.New("import cycle through " + path)
		}
		return p, nil
	}
	var files []*ast.File
	for _, f := range c.tree.code(dir) {
		if f.dir == dir {
			files = append(files, f.ast)
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no source of " + path)
	}
	c.packages[path] = nil
	var first error
	conf := types.Config{Importer: c, Error: func(err error) {
		if first == nil {
			first = err
		}
	}}
	p, _ := conf.Check(path, c.tree.fset, files, c.info)
	if first != nil {
		c.sorry = append(c.sorry, breach{where: dir, what: "does not type-check: " + first.Error()})
	}
	c.packages[path] = p
	return p, nil
}

// exportData asks the go command where the compiler left the export data of the standard
// packages that files import: path -> file.
func exportData(files []*source) (map[string]string, error) {
	var wanted []string
	for _, f := range files {
		for _, spec := range f.ast.Imports {
			if p, err := strconv.Unquote(spec.Path.Value); err == nil && standard(p) && p != "unsafe" && p != "C" {
				wanted = append(wanted, p)
			}
		}
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	if len(wanted) == 0 {
		return nil, nil
	}
	args := []string{"list", "-e", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}
	var stderr bytes.Buffer
	cmd := exec.Command("go", append(args, wanted...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("find export data with go list: %w: %s", err, stderr.String())
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		exports[path] = file
	}
	return exports, nil
}
