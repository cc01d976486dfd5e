package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// documentedNameLaws keep documents to names that the code has.
func documentedNameLaws() []law {
	return []law{{
		name:    "a Go name that a document gives is in the code",
		because: "a reader looks for it; a design note says at its top what has been renamed since: `Old` is `New`",
		find:    retiredNames,
		broken: map[string]string{
			"sched/ledger/a.go": "package ledger\ntype Job struct{ Kept int }\nfunc (j *Job) Min() {}\n",
			"docs/a.md":         "`ledger.Jab`, `ledger.Job.Keeps`\n",
			"docs/design/0001-a.md": "# A\n\nNames in the code now: `Fit` is `Place`.\n\n`Fit` and `Park`,\n" +
				"`Job.Max()`, `Shape`\n",
		},
		says: []string{"docs/a.md:1: ledger.Jab", "docs/a.md:1: ledger.Job.Keeps", "0001-a.md:3: Place", "0001-a.md:5: Park",
			"0001-a.md:6: Job.Max", "0001-a.md:6: Shape"},
		kept: map[string]string{
			"sched/ledger/a.go": "package ledger\ntype Job struct{ Kept int }\nfunc (j *Job) Min() { say(\"Bound\") }\n",
			"docs/a.md":         "`ledger.Job.Kept`, `job.Min()`, `http.Get`, `AnyWord`, `spec.minMember`\n",
			"docs/design/0001-a.md": "# A\n\nNames in the code now: `Fit`, `Job.Keeps` is `Job.Kept`; `Grow` is gone.\n\n" +
				"`Fit`, `Job.Keeps`, `Grow`, `Bound`, `kind: Podling`, `WATCH`\n",
			"CHANGELOG.md": "`ledger.Job.Keeps` is gone\n",
		},
	}}
}

var (
	codeSpan = regexp.MustCompile("`([^`\n]+)`")
	goName   = regexp.MustCompile(`^(?:\w+\.)*[A-Z]\w*(?:\(\))?$`)
	oneName  = regexp.MustCompile(`^[A-Z][a-z]\w+$`)
	word     = regexp.MustCompile(`\w+`)
)

// namesNow begins the line of a design note that says what its names are called now.
const namesNow = "Names in the code now:"

// retiredNames finds names of Go in documents that the code does not have. A name with a package of ours or a type of
// ours before it has to be declared there; in a design note any other name has to be some word of the code.
func retiredNames(t *tree) []breach {
	c := codeNames(t)
	var out []breach
	for _, p := range slices.Sorted(maps.Keys(t.texts)) {
		if !strings.HasSuffix(p, ".md") || p == "CHANGELOG.md" || p == "docs/seed-map.md" {
			continue // they tell of names that were, and of names of others
		}
		note := under(p, "docs/design")
		renamed, line := renamedSince(t.texts[p])
		for i, text := range strings.Split(t.texts[p], "\n") {
			for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
				name := strings.TrimSuffix(span[1], "()")
				if !goName.MatchString(span[1]) || slices.Contains(renamed, name) {
					continue
				}
				if !c.has(name, note) {
					out = append(out, breach{where: fmt.Sprintf("%s:%d", p, i+1), what: name + " is no name of the code"})
				}
			}
		}
		if note && line > 10 {
			out = append(out, breach{where: fmt.Sprintf("%s:%d", p, line), what: "what was renamed stands at the top"})
		}
	}
	return out
}

// renamedSince is the names that a design note gives as renamed or gone, and the line where it does so.
func renamedSince(text string) (names []string, line int) {
	before, rest, found := strings.Cut(text, namesNow)
	if !found {
		return nil, 0
	}
	paragraph, _, _ := strings.Cut(rest, "\n\n")
	for part := range strings.SplitSeq(paragraph, ";") {
		old, _, _ := strings.Cut(part, " is ")
		for _, span := range codeSpan.FindAllStringSubmatch(old, -1) {
			names = append(names, span[1])
		}
	}
	return names, 1 + strings.Count(before, "\n")
}

// declared is the names that the code has.
type declared struct {
	words map[string]bool            // of Go, comments aside, and of other files
	top   map[string]map[string]bool // by name of package: what it declares
	parts map[string]map[string]bool // by name of package: methods and fields of its types
	types map[string][]string        // by name of type: the packages that declare one
}

// has says that the code has a name.
func (c *declared) has(name string, words bool) bool {
	part := strings.Split(name, ".")
	if len(part) == 1 {
		return !words || !oneName.MatchString(name) || c.words[name]
	}
	first, rest := part[0], part[1:]
	if top := c.top[first]; top != nil {
		return (top[rest[0]] || c.parts[first][rest[0]]) && (len(rest) == 1 || c.parts[first][rest[1]])
	}
	if in := c.types[first]; in != nil && ast.IsExported(first) {
		return slices.ContainsFunc(in, func(pkg string) bool { return c.parts[pkg][rest[0]] })
	}
	return true // a name of others
}

func codeNames(t *tree) *declared {
	c := &declared{words: map[string]bool{}, top: map[string]map[string]bool{}, parts: map[string]map[string]bool{},
		types: map[string][]string{}}
	for _, f := range t.files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				c.words[n.Name] = true
			case *ast.BasicLit:
				for _, w := range word.FindAllString(n.Value, -1) {
					c.words[w] = true
				}
			}
			return true
		})
		if !f.test && !under(f.path, "sched/plugins") { // a plugin's name and a point are an argument
			c.declares(f)
		}
	}
	for p, text := range t.texts {
		if ext := path.Ext(p); ext != ".go" && ext != ".md" { // order-free: a set
			for _, w := range word.FindAllString(text, -1) {
				c.words[w] = true
			}
		}
	}
	return c
}

// declares takes in what a file declares.
func (c *declared) declares(f *source) {
	pkg := f.ast.Name.Name
	add := func(to map[string]map[string]bool, of, name string) {
		if to[of] == nil {
			to[of] = map[string]bool{}
		}
		to[of][name] = true
	}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(c.top, pkg, d.Name.Name)
				continue
			}
			add(c.parts, pkg, d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, id := range s.Names {
						add(c.top, pkg, id.Name)
					}
				case *ast.TypeSpec:
					add(c.top, pkg, s.Name.Name)
					c.types[s.Name.Name] = append(c.types[s.Name.Name], pkg)
					ast.Inspect(s.Type, func(n ast.Node) bool {
						if field, is := n.(*ast.Field); is {
							for _, id := range fieldNames(field) {
								add(c.parts, pkg, id)
							}
						}
						return true
					})
				}
			}
		}
	}
}

// fieldNames is the names of a field or method: of an embedded one, that of its type.
func fieldNames(f *ast.Field) (names []string) {
	for _, id := range f.Names {
		names = append(names, id.Name)
	}
	if len(f.Names) == 0 {
		typ := f.Type
		if p, is := typ.(*ast.StarExpr); is {
			typ = p.X
		}
		if s, is := typ.(*ast.SelectorExpr); is {
			typ = s.Sel
		}
		names = append(names, receiver(typ))
	}
	return names
}
