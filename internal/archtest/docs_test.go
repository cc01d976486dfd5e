package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// docLaws make the code its own manual.
func docLaws() []law {
	return []law{
		{
			name:    "every package says what it is",
			because: "a reader decides by the package comment whether to read on: what it is, what it is not, its invariants",
			find:    undocumentedPackages,
			broken: map[string]string{
				"sched/a.go":         "//go:build linux\n\npackage sched\n",
				"sched/a_test.go":    "// Package sched is described in the wrong place.\npackage sched\n",
				"test/e2e/a_test.go": "package e2e\n",
			},
			says: []string{"sched: package sched", "test/e2e: package e2e"},
			kept: map[string]string{
				"sched/a.go":         "package sched\n",
				"sched/doc.go":       "// Package sched decides.\npackage sched\n",
				"sched/x_test.go":    "package sched_test\n",
				"test/e2e/a_test.go": "// Package e2e is a test.\npackage e2e\n",
			},
		},
		{
			name:    "every exported name is documented",
			because: "what is public is what is promised: meaning, units, what comes back for \"no\"",
			find:    undocumentedNames,
			broken: map[string]string{
				"sched/a.go": "package sched\ntype T int\nfunc (T) M() {}\nfunc F() {}\nvar V, w = 1, 2\n" +
					"const (\nA = 1\n// B is documented.\nB = 2\n)\n",
				"internal/sim/a.go": "package sim\nfunc Run() {}\n",
			},
			says: []string{"a.go:2: T", "a.go:3: M", "a.go:4: F", "a.go:5: V", "a.go:7: A", "internal/sim/a.go:2: Run"},
			kept: map[string]string{
				"sched/a.go": "package sched\n// The phases of a job.\nconst (\nPending = 1\nRunning = 2\n)\n" +
					"type t int\nfunc (t) String() string { return \"\" }\n" +
					"var (\nV = 1 // V is one.\n)\nfunc f() {}\n",
				"sched/a_test.go": "package sched\nfunc TestF() {}\n",
				"cmd/ashlar/a.go": "package main\nfunc F() {}\n",
			},
		},
		{
			name:    "a file that a comment or a document names is there",
			because: "a reader follows it: a file that was renamed sends the reader nowhere",
			find:    absentFiles,
			broken: map[string]string{
				"sched/a.go":          "package sched\n\n// It is in gone.go.\n\n/* See policy/judge.go. */\n",
				"ARCHITECTURE.md":     "read `sched/lost.go:Apply`\n",
				"sched/policy/b.go":   "package policy // as other/a.go\n",
				"internal/judge.go":   "package internal\n",
				"docs/design/0001.md": "as old.go said\n",
			},
			says: []string{"sched/a.go:3: no file is called gone.go", "sched/a.go:5: no file is called policy/judge.go",
				"ARCHITECTURE.md:1: no file is called sched/lost.go", "sched/policy/b.go:1: no file is called other/a.go"},
			kept: map[string]string{
				"sched/a.go":  "package sched // b.go, sched/b.go, .../sched/b.go; *_test.go, verb_NAME.go; it ends in _test.go\n",
				"sched/b.go":  "package sched\n\nvar s = \"gone.go\"\n",
				"README.md":   "https://example.com/x/gone.go, k8s.io/api/types.go, main.go.tmpl\n",
				"docs/old.md": "[b](../sched/b.go)\n",
			},
		},
	}
}

// undocumentedPackages finds folders in which no file's package clause has a comment.
// The comment must be in a file that is not a test, unless there are only tests.
func undocumentedPackages(t *tree) []breach {
	type folder struct {
		name              string
		code              bool // has files that are not tests
		inCode, inAnyFile bool // where a comment was found
	}
	folders := map[string]folder{}
	for _, f := range t.files {
		d := folders[f.dir]
		has := f.ast.Doc.Text() != ""
		if !f.test || d.name == "" {
			d.name = f.ast.Name.Name
		}
		d.code = d.code || !f.test
		d.inCode = d.inCode || (has && !f.test)
		d.inAnyFile = d.inAnyFile || has
		folders[f.dir] = d
	}
	var out []breach
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		if d := folders[dir]; !d.inCode && (d.code || !d.inAnyFile) {
			out = append(out, breach{where: dir, what: fmt.Sprintf("package %s has no comment", d.name)})
		}
	}
	return out
}

// undocumentedNames finds exported functions, methods of exported types, types,
// constants and variables without a comment; one comment may speak for a whole group.
func undocumentedNames(t *tree) []breach {
	var out []breach
	for _, f := range slices.Concat(t.code("sched"), t.code("internal")) {
		if f.made {
			continue
		}
		for _, d := range f.ast.Decls {
			for _, id := range bareNames(d) {
				out = append(out, t.at(id.Pos(), "%s has no comment", id.Name))
			}
		}
	}
	return out
}

// bareNames lists the exported names a declaration introduces without a comment.
func bareNames(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc.Text() == "" && (d.Recv == nil || exportedReceiver(d.Recv)) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT || d.Doc.Text() != "" {
			return nil
		}
		var out []*ast.Ident
		for _, spec := range d.Specs {
			out = append(out, bareSpec(spec)...)
		}
		return out
	}
	return nil
}

// bareSpec lists the exported names of one line of a group that has no comment.
func bareSpec(spec ast.Spec) []*ast.Ident {
	var names []*ast.Ident
	var doc string
	switch s := spec.(type) {
	case *ast.TypeSpec:
		names, doc = []*ast.Ident{s.Name}, s.Doc.Text()+s.Comment.Text()
	case *ast.ValueSpec:
		names, doc = s.Names, s.Doc.Text()+s.Comment.Text()
	}
	if doc != "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(names), func(id *ast.Ident) bool { return !id.IsExported() })
}

// exportedReceiver says whether a method's type can be named from outside.
func exportedReceiver(recv *ast.FieldList) bool {
	if len(recv.List) == 0 {
		return false
	}
	typ := recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.ParenExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// goFile finds the names of Go files in a text.
var goFile = regexp.MustCompile(`[\w./*:-]*\.go\b(\.\w+)?`)

// absentFiles finds names of Go files, in comments and in documents, that no file has. A name may leave out folders
// at its beginning. Names with a host in them stand for files of others; those with a star or capitals, and those that
// are only an ending, for any file.
func absentFiles(t *tree) []breach {
	there := map[string]bool{} // with every number of the last folders
	for p := range t.texts {
		for rest, more := p, true; more; _, rest, more = strings.Cut(rest, "/") {
			there[rest] = true
		}
	}
	var out []breach
	look := func(where, text string, line int) {
		for part := range strings.SplitSeq(text, "\n") {
			for _, name := range goFile.FindAllString(part, -1) {
				if strings.ContainsAny(name, "*:") || !strings.HasSuffix(name, ".go") || strings.ToLower(name) != name {
					continue
				}
				name = strings.TrimLeft(name, "./")
				host, _, deep := strings.Cut(name, "/")
				if deep && strings.Contains(host, ".") || strings.HasPrefix(name, "_") || there[name] {
					continue
				}
				out = append(out, breach{where: fmt.Sprintf("%s:%d", where, line), what: "no file is called " + name})
			}
			line++
		}
	}
	for _, f := range t.files {
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				look(f.path, c.Text, t.fset.Position(c.Pos()).Line)
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(t.texts)) {
		if strings.HasSuffix(p, ".md") && !under(p, "docs/design") { // a design note is not edited afterwards
			look(p, t.texts[p], 1)
		}
	}
	return out
}
