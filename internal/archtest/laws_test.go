package archtest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A law is one rule of the project.
type law struct {
	name    string
	because string // the reason, quoted with every breach
	find    func(*tree) []breach

	broken map[string]string // path -> text of a small repository that breaks the law
	says   []string          // what the breaches found in broken must mention, one each
	kept   map[string]string // a repository that comes close and keeps the law
}

// A breach is one place where a law is broken.
type breach struct {
	where string // path, or path:line
	what  string
}

func (b breach) String() string { return b.where + ": " + b.what }

// laws lists every rule, the cheap and general ones last.
func laws() []law {
	return slices.Concat(borderLaws(), purityLaws(), typedLaws(), reflectLaws(), nameLaws(), sizeLaws(), lineLaws(),
		docLaws(), documentedNameLaws(), textLaws())
}

// TestRepositoryKeepsTheLaws holds the repository as it is on disk against every law.
func TestRepositoryKeepsTheLaws(t *testing.T) {
	repo := readRepository(t)
	for _, l := range laws() {
		t.Run(l.name, func(t *testing.T) {
			for _, b := range l.find(repo) {
				t.Errorf("%s\n\tbecause %s", b, l.because)
			}
		})
	}
}

// TestEveryLawBites breaks each law on purpose: a law that finds nothing then is no law.
func TestEveryLawBites(t *testing.T) {
	for _, l := range laws() {
		t.Run(l.name, func(t *testing.T) {
			if l.because == "" || len(l.broken) == 0 || len(l.says) == 0 || len(l.kept) == 0 {
				t.Fatal("a law needs a reason, a source that breaks it, its message and a source that keeps it")
			}
			found := l.find(treeOf(l.broken))
			if len(found) != len(l.says) {
				t.Errorf("found %d breaches, want %d:\n%s", len(found), len(l.says), lines(found))
			}
			for _, want := range l.says {
				if !strings.Contains(lines(found), want) {
					t.Errorf("no breach says %q:\n%s", want, lines(found))
				}
			}
			if wrong := l.find(treeOf(l.kept)); len(wrong) > 0 {
				t.Errorf("a source that keeps the law is accused:\n%s", lines(wrong))
			}
		})
	}
}

// TestLawsSurviveHalfWrittenFiles feeds every law what an editor may leave on disk.
func TestLawsSurviveHalfWrittenFiles(t *testing.T) {
	half := treeOf(map[string]string{
		"sched/empty.go": "",
		"sched/word.go":  "pack",
		"sched/half.go":  "package sched\nimport \"fmt\nfunc (",
		"sched/model/undefined.go": "// Package model is half written.\npackage model\nvar a = b.C\n" +
			"func f(m M) { for range m {} ; x = 1 }",
		"sched/ledger/cycle.go": "// Package ledger is half written.\npackage ledger\nimport \"ashlar.sh/sched/ledger\"\n" +
			"var _ = ledger.X",
		"sched/search/absent.go": "// Package search is half written.\npackage search\nimport \"ashlar.sh/sched/absent\"\n" +
			"var _ = absent.X",
	})
	said := map[string]bool{}
	for _, l := range laws() {
		for _, b := range l.find(half) {
			said[b.where] = true
		}
	}
	for _, path := range []string{"sched/empty.go", "sched/word.go", "sched/half.go", "sched/model", "sched/ledger",
		"sched/search"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(said)), func(w string) bool { return strings.HasPrefix(w, path) }) {
			t.Errorf("nothing is said of %s, which cannot be checked", path)
		}
	}
}

// lines prints breaches one a line.
func lines(found []breach) string {
	var b strings.Builder
	for _, f := range found {
		b.WriteString("  " + f.String() + "\n")
	}
	return b.String()
}
