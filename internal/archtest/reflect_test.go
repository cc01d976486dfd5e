package archtest

import (
	"go/ast"
	"go/types"
	"slices"
)

// reflectsIn lists the files of sched/** that may use reflection: those that find out at start what a plugin
// implements. startsIn lists the functions elsewhere that may call what reflects there; they run when the
// program starts or an engine is made.
var (
	reflectsIn = []string{"sched/policy/table.go", "sched/policy/check.go"}
	startsIn   = []string{"sched/policy.build", "sched/policy.Define"}
)

// reflectLaws keep reflection to the start of an engine.
func reflectLaws() []law {
	const table = "package policy\nimport \"reflect\"\ntype Row struct { asks reflect.Type; name string }\n" +
		"var table = []Row{{reflect.TypeFor[error](), \"error\"}}\n"
	const check = "package policy\nimport \"reflect\"\nfunc check(p any) string { return name(p) }\n" +
		"func name(p any) string { return reflect.TypeOf(p).Name() }\n"
	return []law{{
		name: "only the definition of plugins reflects, at start",
		because: "what decides must not depend on what reflection finds, and it is slow; types are asked for by type " +
			"assertion",
		find: reflects,
		broken: map[string]string{
			"sched/policy/check.go": check,
			"sched/policy/table.go": table,
			"sched/policy/set.go": "package policy\nfunc (Row) Name(p any) string { return check(p) }\n" +
				"func implements(p any) bool { return table[0].asks != nil }\n",
			"sched/model/a.go": "package model\nimport \"reflect\"\nfunc f(a any) bool { return reflect.DeepEqual(a, nil) }\n",
		},
		says: []string{"set.go:2: calls check, which reflects", "set.go:3: uses Type of reflect",
			"model/a.go:3: uses DeepEqual of reflect"},
		kept: map[string]string{
			"sched/policy/check.go": check,
			"sched/policy/table.go": table,
			"sched/policy/profile.go": "package policy\nfunc build(p any) string { return check(p) }\n" +
				"func names() string { return table[0].name }\n",
			"internal/loop/a.go":    "package loop\nimport \"reflect\"\nvar a = reflect.DeepEqual(1, 2)\n",
			"sched/model/a_test.go": "package model\nimport \"reflect\"\nvar a = reflect.DeepEqual(1, 2)\n",
		},
	}}
}

// reflects finds uses of package reflect outside reflectsIn, and calls of functions that use it, directly or by another
// one, outside reflectsIn and startsIn.
func reflects(t *tree) []breach {
	info := t.typed().info
	using := map[types.Object]bool{} // functions of reflectsIn that reflect
	for more := true; more; {
		more = false
		for _, f := range t.code("sched") {
			for _, d := range f.ast.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil || !slices.Contains(reflectsIn, f.path) || using[info.Defs[fn.Name]] {
					continue
				}
				if len(reflecting(info, fn, using)) > 0 {
					using[info.Defs[fn.Name]], more = true, true
				}
			}
		}
	}
	var out []breach
	for _, f := range t.code("sched") {
		if slices.Contains(reflectsIn, f.path) {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, _ := d.(*ast.FuncDecl)
			starts := fn != nil && fn.Recv == nil && slices.Contains(startsIn, f.dir+"."+fn.Name.Name)
			for _, id := range reflecting(info, d, using) {
				switch {
				case !using[info.Uses[id]]:
					out = append(out, t.at(id.Pos(), "uses %s of reflect", named(info, id)))
				case !starts:
					out = append(out, t.at(id.Pos(), "calls %s, which reflects", id.Name))
				}
			}
		}
	}
	return out
}

// reflecting are the names in a node that mean something of package reflect, a value of such a type, or a function that
// reflects.
func reflecting(info *types.Info, n ast.Node, using map[types.Object]bool) (out []*ast.Ident) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || info.Uses[id] == nil {
			return true
		}
		if _, qualifier := info.Uses[id].(*types.PkgName); !qualifier && (using[info.Uses[id]] || named(info, id) != "") {
			out = append(out, id)
		}
		return true
	})
	return out
}

// named is what a name means of package reflect, or the type that a variable has of it; "" if neither.
func named(info *types.Info, id *ast.Ident) string {
	obj := info.Uses[id]
	if obj == nil {
		return ""
	}
	if obj.Pkg() != nil && obj.Pkg().Path() == "reflect" {
		return obj.Name()
	}
	v, ok := obj.(*types.Var)
	if !ok {
		return ""
	}
	if of, ok := v.Type().(*types.Named); ok && of.Obj().Pkg() != nil && of.Obj().Pkg().Path() == "reflect" {
		return of.Obj().Name()
	}
	return ""
}
