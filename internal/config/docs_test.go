package config

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	built "ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
)

var update = flag.Bool("update", false, "write the tables of the documents anew")

// The tables of extension points and of arguments are made from the tables that the scheduler itself uses.
func TestTheDocumentsHaveTheTables(t *testing.T) {
	var args, points strings.Builder
	args.WriteString("| plugin or action | argument | kind | unit | default | meaning |\n|---|---|---|---|---|---|\n")
	known := Volcano()
	for _, e := range append(known.Actions, known.Plugins...) {
		for _, a := range e.Arguments {
			if !e.Built || a.Later {
				continue
			}
			key, kind, unit, otherwise := a.Key, string(a.Kind), cmp.Or(a.Unit, "–"), "–"
			if a.Alias != "" {
				key += "`, also `" + a.Alias
			}
			if a.Prefix {
				key += "NAME"
			}
			if len(a.Words) > 0 {
				kind = strings.Join(a.Words, ", ")
			}
			if a.Bounds != "" {
				kind += ", " + a.Bounds
			}
			if a.Default != "" {
				otherwise = "`" + a.Default + "`"
			}
			fmt.Fprintf(&args, "| %s | `%s` | %s | %s | %s | %s |\n", e.Name, key, kind, unit, otherwise, a.Meaning)
		}
	}
	methods := methodsOf(t, "../../sched/policy", "../../sched/ledger")
	points.WriteString("| interface | rule | flag | a plugin says | methods |\n|---|---|---|---|---|\n")
	for _, p := range policy.ExtensionPoints() {
		flag, rule := "–", p.Rule
		if p.Flag != "" {
			flag = "`" + Flag(p.Flag).Spelling() + "`"
		}
		if rule == "" {
			rule = "–"
		}
		if p.Refines != nil {
			rule = "with " + strings.Join(p.Refines, " or ")
		}
		if methods[p.Name] == "" {
			t.Errorf("of %s no methods were found", p.Name)
		}
		fmt.Fprintf(&points, "| %s | %s | %s | %s | %s |\n", p.Name, rule, flag, p.Meaning, methods[p.Name])
	}
	for file, table := range map[string]string{"configuration.md": args.String(), "plugins.md": points.String()} {
		path := "../../docs/" + file
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		const begin, end = "<!-- made by internal/config, TestTheDocumentsHaveTheTables -update -->\n", "<!-- end -->\n"
		before, rest, found := strings.Cut(string(text), begin)
		have, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s has no place for its table", file)
		}
		if have == table {
			continue
		}
		if !*update {
			t.Errorf("%s is not current: go test ./internal/config -run TestTheDocumentsHaveTheTables -update", file)
			continue
		}
		if err := os.WriteFile(path, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// typeName is a name of a type, or of a package's, in a signature.
var typeName = regexp.MustCompile(`(^|[^\w.])([A-Z]\w*)`)

// methodsOf reads the methods of the interfaces of packages, by the interface's name, as a cell of a table has them. Of
// two interfaces with one name that of the first package counts.
func methodsOf(t *testing.T, packages ...string) map[string]string {
	out := map[string]string{}
	for _, folder := range packages {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]string{}
		for _, file := range files {
			parsed, err := goparser.ParseFile(token.NewFileSet(), file, nil, goparser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					if of[spec.Name.Name] == "" {
						of[spec.Name.Name] = methodsIn(t, parsed.Name.Name, spec)
					}
				}
				return true
			})
		}
		for name, methods := range of {
			if out[name] == "" {
				out[name] = methods
			}
		}
	}
	return out
}

// methodsIn writes the methods of an interface, and the interfaces that it embeds; "" of any other type.
func methodsIn(t *testing.T, pkg string, spec *ast.TypeSpec) string {
	is, ok := spec.Type.(*ast.InterfaceType)
	if !ok {
		return ""
	}
	var out []string
	for _, m := range is.Methods.List {
		var text strings.Builder
		if err := printer.Fprint(&text, token.NewFileSet(), m.Type); err != nil {
			t.Fatal(err)
		}
		if len(m.Names) == 0 {
			out = append(out, "those of "+text.String())
			continue
		}
		signature := typeName.ReplaceAllString(strings.TrimPrefix(text.String(), "func"), "${1}"+pkg+".$2")
		out = append(out, "`"+m.Names[0].Name+signature+"`")
	}
	return strings.Join(out, "<br>")
}

// The table of built-in plugins is written by hand: it has one row for each of them.
func TestEveryPluginHasARow(t *testing.T) {
	text, err := os.ReadFile("../../docs/plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Built in\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := map[string]int{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); len(cells) == 3 {
			rows[strings.TrimPrefix(cells[0], "| ")]++
		}
	}
	known := policy.Names(built.All())
	for _, name := range known {
		if rows[name] != 1 {
			t.Errorf("plugin %s has %d rows in the table \"Built in\" of docs/plugins.md", name, rows[name])
		}
	}
	for name := range rows {
		if name != "plugin" && !slices.Contains(known, name) {
			t.Errorf("docs/plugins.md has a row for plugin %s, which is not built", name)
		}
	}
}
