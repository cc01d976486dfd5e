package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// floatsAllowed lists the files of sched/** that may use floating point. It is empty: a
// file is added with a design note that says why no decision depends on it.
var floatsAllowed = []string{}

// typedLaws are the rules of the core that need types to be checked.
func typedLaws() []law {
	return []law{
		{
			name:    "the core type-checks",
			because: "the laws about maps, floats and variables need the types; a package without them is not checked",
			find:    func(t *tree) []breach { return t.typed().sorry },
			broken:  map[string]string{"sched/a.go": "package sched\nvar a int = \"one\"\n"},
			says:    []string{"does not type-check"},
			kept:    map[string]string{"sched/a.go": "package sched\nimport \"strings\"\nvar a = strings.ToUpper(\"one\")\n"},
		},
		{
			name: "no map order reaches a decision",
			because: "maps are walked in a random order; sort the keys, or say on the line why it cannot matter: // " +
				"order-free: <why>",
			find: mapOrder,
			broken: map[string]string{"sched/a.go": "package sched\nimport (\"maps\"; \"slices\")\ntype book map[string]int\n" +
				"func f(b book) { for range b {} }\n" +
				"func g(b book) []string { return slices.Collect(maps.Keys(b)) }\n" +
				"func h[M ~map[string]int](b M) { for range b {} } // order-free:\n"},
			says: []string{"a.go:4: ranges over a map", "a.go:5: maps.Keys", "a.go:6: ranges over a map"},
			kept: map[string]string{"sched/a.go": "package sched\nimport (\"maps\"; \"slices\")\n" +
				"func f(b map[string]int) (n int) { for _, v := range b { n += v }; return n } // order-free: a sum\n" +
				"func g(b map[string]int) []string { return slices.Sorted(maps.Keys(b)) }\n" +
				"func h(b []int) { for range b {} }\n"},
		},
		{
			name: "no float decides", because: "floats add up differently in a different order; shares compare as integer " +
				"cross-products",
			find: floats,
			broken: map[string]string{"sched/a.go": "package sched\nimport \"time\"\nfunc f(d time.Duration) bool {\n" +
				"return d.Seconds() >\n" +
				"1.5 }\n" +
				"type share float64\n"},
			says: []string{"a.go:4: float64", "a.go:5: float64", "a.go:6: float64"},
			kept: map[string]string{"sched/a.go": "package sched\nfunc over(a, b int64) bool { return 2*a > 3*b }\n"},
		},
		{
			name: "the core keeps no global state",
			because: "two engines in one process must not know of each other; a package variable is a table, written once " +
				"where it is declared",
			find: globals,
			broken: map[string]string{
				"sched/a.go": "package sched\nvar n int\nvar m = map[string][]int{}\nvar p *struct{ x int }\nfunc f() {\n" +
					"n++\nm[\"a\"][0] = 1\n(*p).x += 2\ndelete(m, \"a\")\nfor n = range 3 {}\n}\n",
				"sched/model/a.go": "package model\nvar Zero struct{ X []int }\n",
				"sched/fair/a.go":  "package fair\nimport \"ashlar.sh/sched/model\"\nfunc f() { model.Zero.X[1] = 1 }\n",
			},
			says: []string{"a.go:6: changes n", "a.go:7: changes m", "a.go:8: changes p", "a.go:9: changes m",
				"a.go:10: changes n",
				"fair/a.go:3: changes Zero"},
			kept: map[string]string{"sched/a.go": "package sched\nvar names = []string{\"a\"}\n" +
				"func f() string { names := names; names[0] = \"b\"; return names[0] }\n"},
		},
	}
}

// mapOrder finds walks over maps that are neither sorted at once nor explained.
func mapOrder(t *tree) []breach {
	info := t.typed().info
	var out []breach
	for _, f := range t.code("sched") {
		explained := explainedLines(t, f)
		sorted := map[ast.Expr]bool{}
		report := func(n ast.Node, what string) {
			if !explained[t.fset.Position(n.Pos()).Line] {
				out = append(out, t.at(n.Pos(), "%s", what))
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				if isMap(info.TypeOf(n.X)) {
					report(n, "ranges over a map")
				}
			case *ast.CallExpr:
				name := functionName(info, n)
				if strings.HasPrefix(name, "slices.Sorted") && len(n.Args) > 0 {
					sorted[n.Args[0]] = true
				}
				if slices.Contains([]string{"maps.Keys", "maps.Values", "maps.All"}, name) && !sorted[n] {
					report(n, name+" is not sorted at once")
				}
			}
			return true
		})
	}
	return out
}

// explainedLines are the lines of f with a comment "order-free:" that gives a reason.
func explainedLines(t *tree, f *source) map[int]bool {
	lines := map[int]bool{}
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			if why, ok := strings.CutPrefix(c.Text, "// order-free:"); ok && strings.TrimSpace(why) != "" {
				lines[t.fset.Position(c.Pos()).Line] = true
			}
		}
	}
	return lines
}

// isMap says whether t is a map, or a type parameter that may be one.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		limits := p.Constraint().Underlying().(*types.Interface)
		for i := range limits.NumEmbeddeds() {
			if union, ok := limits.EmbeddedType(i).(*types.Union); ok {
				for j := range union.Len() {
					if isMap(union.Term(j).Type()) {
						return true
					}
				}
			}
		}
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// functionName is "package.Name" of the function a call names directly, or "".
func functionName(info *types.Info, call *ast.CallExpr) string {
	fun := ast.Unparen(call.Fun)
	if generic, ok := fun.(*ast.IndexExpr); ok {
		fun = generic.X
	}
	if s, ok := fun.(*ast.SelectorExpr); ok {
		if fn, ok := info.Uses[s.Sel].(*types.Func); ok && fn.Pkg() != nil {
			return fn.Pkg().Path() + "." + fn.Name()
		}
	}
	return ""
}

// floats finds, once a line, expressions and literals of floating point.
func floats(t *tree) []breach {
	info := t.typed().info
	var out []breach
	for _, f := range t.code("sched") {
		if slices.Contains(floatsAllowed, f.path) {
			continue
		}
		seen := map[int]bool{}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			expr, ok := n.(ast.Expr)
			if !ok || seen[t.fset.Position(n.Pos()).Line] {
				return true
			}
			what := floatName(info.TypeOf(expr))
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.FLOAT && what == "" {
				what = "literal " + lit.Value
			}
			if what != "" {
				seen[t.fset.Position(n.Pos()).Line] = true
				out = append(out, t.at(n.Pos(), "%s in the core", what))
			}
			return true
		})
	}
	return out
}

// floatName names the floating-point type that t rests on; "" for any other.
func floatName(t types.Type) string {
	if t == nil {
		return ""
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsFloat|types.IsComplex) == 0 {
		return ""
	}
	return b.Name()
}

// globals finds code that changes a package-level variable, or what it holds.
func globals(t *tree) []breach {
	info := t.typed().info
	var out []breach
	for _, f := range t.code("sched") {
		changed := func(target ast.Expr) {
			if id := root(info, target); id != nil && isGlobal(info, id) {
				out = append(out, t.at(id.Pos(), "changes %s, a package variable", id.Name))
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					changed(left)
				}
			case *ast.IncDecStmt:
				changed(n.X)
			case *ast.RangeStmt:
				changed(n.Key)
				changed(n.Value)
			case *ast.CallExpr:
				fn, ok := ast.Unparen(n.Fun).(*ast.Ident)
				if ok && len(n.Args) > 0 && slices.Contains([]string{"delete", "clear", "copy"}, fn.Name) {
					changed(n.Args[0])
				}
			}
			return true
		})
	}
	return out
}

// root is the variable an expression such as (*a).b[c] or model.A[c] begins with; nil if none.
func root(info *types.Info, e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			if p, ok := x.X.(*ast.Ident); ok {
				if _, qualified := info.Uses[p].(*types.PkgName); qualified {
					return x.Sel
				}
			}
			e = x.X
		default:
			return nil
		}
	}
}

// isGlobal says whether id means a variable of a package.
func isGlobal(info *types.Info, id *ast.Ident) bool {
	v, ok := info.Uses[id].(*types.Var)
	return ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}
