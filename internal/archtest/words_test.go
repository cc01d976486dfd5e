package archtest

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// empty lists the names that mean nothing.
var empty = []string{"util", "utils", "common", "helper", "helpers", "types", "misc", "manager", "impl"}

// unfinished finds the marks of work put off and the paths of somebody's own machine. The
// words are put together here so that this file keeps the law it checks.
var unfinished = regexp.MustCompile(`/wo` + `rk/|\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

// nameLaws are about what packages and folders are called.
func nameLaws() []law {
	return []law{{
		name: "a name means something", because: "a name that means nothing collects everything",
		find: emptyNames,
		broken: map[string]string{
			"internal/util/a.go":    "package strings\n",
			"sched/a.go":            "package helpers\n",
			"docs/common/README.md": "text\n",
		},
		says: []string{"internal/util: a folder called util", "sched/a.go:1: a package called helpers",
			"docs/common: a folder called common"},
		kept: map[string]string{
			"sched/model/types.go":          "package model\n",
			"deploy/templates/_helpers.tpl": "text\n",
		},
	}}
}

// textLaws hold for every file, Go or not.
func textLaws() []law {
	return []law{
		{
			name: "every Go file parses", because: "a file that does not parse keeps every other law by not being read",
			find:   func(t *tree) []breach { return t.sorry },
			broken: map[string]string{"sched/a.go": "package sched\n\nfunc {\n"},
			says:   []string{"a.go:3: does not parse"},
			kept:   map[string]string{"sched/a.go": "package sched\n"},
		},
		{
			name:    "nothing is put off in the text",
			because: "a limitation is written honestly in the documents, and no file knows the machine it was written on",
			find:    unfinishedWords,
			broken: map[string]string{
				"README.md":  "one\nTO" + "DO: two\n",
				"sched/a.go": "package sched // FIX" + "ME\n",
				"Makefile":   "X := /wo" + "rk/here # XX" + "X\n",
			},
			says: []string{"README.md:2: the word TO", "sched/a.go:1: the word FIX", "Makefile:1: the word /wo",
				"Makefile:1: the word XX"},
			kept: map[string]string{"README.md": "work/ in net" + "work/work, mktemp XX" + "XX, to" + "do, MASTO" + "DON\n",
				"docs/a.png": "PNG\x00XX" + "X"},
		},
	}
}

// emptyNames finds folders and package clauses with a name that means nothing.
func emptyNames(t *tree) []breach {
	folders := map[string]bool{}
	for p := range t.texts {
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			folders[d] = true
		}
	}
	var out []breach
	for _, d := range slices.Sorted(maps.Keys(folders)) {
		if slices.Contains(empty, path.Base(d)) {
			out = append(out, breach{where: d, what: "a folder called " + path.Base(d)})
		}
	}
	for _, f := range t.files {
		if name := strings.TrimSuffix(f.ast.Name.Name, "_test"); slices.Contains(empty, name) {
			out = append(out, t.at(f.ast.Name.Pos(), "a package called %s", name))
		}
	}
	return out
}

// unfinishedWords finds the forbidden words, with their lines.
func unfinishedWords(t *tree) []breach {
	var out []breach
	for _, p := range slices.Sorted(maps.Keys(t.texts)) {
		text := t.texts[p]
		if strings.Contains(text, "\x00") {
			continue // a picture
		}
		for _, at := range unfinished.FindAllStringIndex(text, -1) {
			line := 1 + strings.Count(text[:at[0]], "\n")
			out = append(out, breach{
				where: fmt.Sprintf("%s:%d", p, line),
				what:  "the word " + text[at[0]:at[1]],
			})
		}
	}
	return out
}
