package seedmap

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
)

// declarations are the names that Go files declare, by path: functions, methods, types,
// fields, constants and variables.
type declarations map[string]map[string]bool

// find says where a reference leads nowhere.
func (d declarations) find(r reference) error {
	path := filepath.Join(root, r.path)
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("there is no %s", r.path)
	}
	if r.name == "" {
		return nil
	}
	if filepath.Ext(path) != ".go" {
		return fmt.Errorf("%s is no Go file, it declares no %s", r.path, r.name)
	}
	if d[path] == nil {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		d[path] = declaredIn(file)
	}
	if !d[path][r.name] {
		return fmt.Errorf("%s declares no %s", r.path, r.name)
	}
	return nil
}

func declaredIn(file *ast.File) map[string]bool {
	names := map[string]bool{}
	add := func(list ...*ast.Ident) {
		for _, id := range list {
			names[id.Name] = true
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			add(d.Name)
		case *ast.GenDecl:
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					add(n.Name)
				case *ast.ValueSpec:
					add(n.Names...)
				case *ast.StructType:
					for _, f := range n.Fields.List {
						add(f.Names...)
					}
				case *ast.InterfaceType:
					for _, f := range n.Methods.List {
						add(f.Names...)
					}
				}
				return true
			})
		}
	}
	return names
}
