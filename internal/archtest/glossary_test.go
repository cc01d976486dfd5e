package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// retired are words that this code once had for things that Kubernetes, Volcano or the literature have a name for. No
// exported name has one of them again: GLOSSARY.md says what each is called.
var retired = []string{
	"Anchor", "Avoiders", "Bough", "Carrier", "Crowd", "Errand", "Facet", "Fans", "Gathering", "Herd", "Hunt",
	"Kin", "Liking", "Memo", "Plea", "Roll", "Setback", "Settle", "Settled", "Settling", "Shelf", "Stake",
	"Starver", "Tally", "Unsettled", "Worksheet",
}

// The names that GLOSSARY.md gives are those of the code, and words that were given up stay given up.
func TestTheGlossaryNamesWhatIsThere(t *testing.T) {
	names := exported(t, "../../sched", "../../internal")
	text, err := os.ReadFile("../../GLOSSARY.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for word := range strings.SplitSeq(cells[1], ",") {
			word = strings.TrimSpace(word)
			if word = word[strings.LastIndex(word, ".")+1:]; !camelCase.MatchString(word) {
				continue
			}
			checked++
			if _, ok := names[word]; !ok {
				t.Errorf("GLOSSARY.md explains %s, and nothing that is exported has that name", word)
			}
		}
	}
	if checked < 15 {
		t.Errorf("%d names of GLOSSARY.md were compared: its form is another", checked)
	}
	for name, where := range names {
		for _, part := range parts.FindAllString(name, -1) {
			if slices.Contains(retired, part) {
				t.Errorf("%s: %s has the word %s, which GLOSSARY.md has another for", where, name, part)
			}
		}
	}
}

var (
	camelCase = regexp.MustCompile(`^[A-Z][a-z]+([A-Z][a-z]*)+$`)
	parts     = regexp.MustCompile(`[A-Z][a-z]*`)
)

// exported finds the exported names that packages below some folders declare, with where.
func exported(t *testing.T, folders ...string) map[string]string {
	t.Helper()
	names := map[string]string{}
	files := token.NewFileSet()
	note := func(id *ast.Ident) {
		if id.IsExported() {
			names[id.Name] = files.Position(id.Pos()).String()
		}
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					note(n.Name)
					return false
				case *ast.TypeSpec:
					note(n.Name)
				case *ast.Field:
					for _, id := range n.Names {
						note(id)
					}
				case *ast.ValueSpec:
					for _, id := range n.Names {
						note(id)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// There are two glossaries: each says at its top for which readers it is, and leads to the other.
func TestEachGlossarySaysForWhichReadersItIs(t *testing.T) {
	for file, wants := range map[string][]string{
		"../../GLOSSARY.md":      {"# Glossary for developers\n", "(docs/glossary.md)"},
		"../../docs/glossary.md": {"# Glossary for users\n", "(../GLOSSARY.md)"},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		top, _, _ := strings.Cut(string(text), "\n## ")
		for _, want := range wants {
			if !strings.Contains(top, want) {
				t.Errorf("%s does not say %q at its top", file, want)
			}
		}
	}
}
