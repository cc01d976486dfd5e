package archtest

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// wall lists the functions of package time that ask what time it is, or wait for it.
var wall = []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTicker", "NewTimer"}

// prints lists the functions of package fmt that write to the process's output.
var prints = []string{"Print", "Printf", "Println"}

// purityLaws are what the core may not do, and what no test may do, as far as syntax shows.
func purityLaws() []law {
	return []law{
		{
			name: "the core has no clock", because: "Decide(now) is told the time, so that a day can be replayed in a second",
			find: func(t *tree) []breach { return uses(t, t.code("sched"), "time", wall) },
			broken: map[string]string{
				"sched/a.go": "package sched\nimport \"time\"\nvar start = time.Now()\n",
				"sched/b.go": "package sched\nimport clock \"time\"\nfunc f() { clock.Sleep(1) }\n",
				"sched/c.go": "package sched\nimport . \"time\"\nvar end = Now()\n",
			},
			says: []string{"time.Now", "time.Sleep", "imports all names of time"},
			kept: map[string]string{
				"sched/a.go":         "package sched\nimport \"time\"\nconst period = time.Second\n",
				"sched/a_test.go":    "package sched\nimport \"time\"\nvar start = time.Now()\n",
				"internal/loop/a.go": "package loop\nimport \"time\"\nvar start = time.Now()\n",
			},
		},
		{
			name: "the core prints nothing", because: "prose, logs and events are made by the shell from the trace",
			find:   func(t *tree) []breach { return uses(t, t.code("sched"), "fmt", prints) },
			broken: map[string]string{"sched/a.go": "package sched\nimport \"fmt\"\nfunc f() { fmt.Println(1) }\n"},
			says:   []string{"fmt.Println"},
			kept:   map[string]string{"sched/a.go": "package sched\nimport \"fmt\"\nvar s = fmt.Sprint(1)\n"},
		},
		{
			name:    "the core is one thread",
			because: "no goroutine outlives a call and no race decides: the same calls give the same plans, byte for byte",
			find:    threads,
			broken: map[string]string{"sched/a.go": "package sched\nfunc f(c chan int) " +
				"{ go f(c); select { case <-c: default: } }\n"},
			says: []string{"go statement", "select statement"},
			kept: map[string]string{"internal/loop/a.go": "package loop\nfunc f() { go f() }\n"},
		},
		{
			name:    "the core has no init",
			because: "what a profile holds is said where it is read, not by which packages happen to be linked",
			find:    inits,
			broken:  map[string]string{"sched/a.go": "package sched\nfunc init() {}\n"},
			says:    []string{"func init"},
			kept:    map[string]string{"sched/a.go": "package sched\ntype T int\nfunc (T) init() {}\n"},
		},
		{
			name: "no test sleeps", because: "a test that waits for a clock is slow where it passes and wrong where it fails; " +
				"use virtual time or wait for the event",
			find: sleeps,
			broken: map[string]string{"test/e2e/a_test.go": "package e2e\nimport \"time\"\n" +
				"func f() { time.Sleep(time.Second) }\n"},
			says: []string{"time.Sleep"},
			kept: map[string]string{"internal/loop/a.go": "package loop\nimport \"time\"\nfunc f() { time.Sleep(1) }\n"},
		},
	}
}

// uses finds where files mention one of names of the package at path, by whatever name
// they import it; a dot import hides the mention and is a breach itself.
func uses(t *tree, files []*source, path string, names []string) []breach {
	var out []breach
	for _, f := range files {
		local := localName(f.ast, path)
		if local == "." {
			out = append(out, t.at(f.ast.Name.Pos(), "imports all names of %s by a dot", path))
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && local != "" {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == local && slices.Contains(names, s.Sel.Name) {
					out = append(out, t.at(s.Pos(), "uses %s.%s", path, s.Sel.Name))
				}
			}
			return true
		})
	}
	return out
}

// localName is what a file calls the package at path; "" if it does not import it.
func localName(f *ast.File, path string) string {
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != path {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path[strings.LastIndex(path, "/")+1:]
	}
	return ""
}

// threads finds the statements by which order is left to chance.
func threads(t *tree) []breach {
	var out []breach
	for _, f := range t.code("sched") {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.GoStmt:
				out = append(out, t.at(n.Pos(), "go statement"))
			case *ast.SelectStmt:
				out = append(out, t.at(n.Pos(), "select statement"))
			}
			return true
		})
	}
	return out
}

// inits finds functions that run at program start without a call.
func inits(t *tree) []breach {
	var out []breach
	for _, f := range t.code("sched") {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				out = append(out, t.at(fn.Pos(), "func init"))
			}
		}
	}
	return out
}

// sleeps finds tests that wait for the clock.
func sleeps(t *tree) []breach {
	var tests []*source
	for _, f := range t.files {
		if f.test {
			tests = append(tests, f)
		}
	}
	return uses(t, tests, "time", []string{"Sleep"})
}
