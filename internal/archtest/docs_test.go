package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
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
