package seedmap

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const decisions = "docs/decisions.md"

var (
	decided    = regexp.MustCompile(`[Dd]ecisions? (\d+)((?:, | and | to )\d+)*`)
	named      = regexp.MustCompile(`[Ss]eeds? 00(\d), "([^"]+)"`)
	unnamed    = regexp.MustCompile(`\b[Tt]he seeds?\b`)
	ofSeed     = regexp.MustCompile(`[Ss]eeds? 00(\d),? §(\d+(?:\.\d+)?)`)
	seedNumber = regexp.MustCompile(`[Ss]eeds? 00\d`)
	number     = regexp.MustCompile(`\d+`)
	lineEnd    = regexp.MustCompile(`\n\s*(//|#|>)?\s*`)
	elsewhere  = regexp.MustCompile(`semantics (?:§|row)\s*\d+`)
	decision   = regexp.MustCompile(`(?m)^### Decision (\d+): `)
)

// A reader can look up each decision and each section of a seed that the repository cites.
func TestWhatIsCitedIsInTheRepository(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, decisions))
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, d := range decision.FindAllStringSubmatch(string(page), -1) {
		known = append(known, d[1])
	}
	m, cited := read(t), 0
	for _, file := range citing(t) {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		flat := lineEnd.ReplaceAllString(string(text), " ")
		if cite := elsewhere.FindString(flat); cite != "" {
			t.Errorf("%s cites %q, a text that is not in the repository", file, cite)
		}
		for _, cite := range decided.FindAllString(flat, -1) {
			for _, n := range number.FindAllString(cite, -1) {
				if cited++; !slices.Contains(known, n) {
					t.Errorf("%s cites decision %s, which %s does not have", file, n, decisions)
				}
			}
		}
		for _, cite := range ofSeed.FindAllStringSubmatch(flat, -1) {
			if cited++; !m.has(cite[1], cite[2]) {
				t.Errorf("%s cites seed 00%s §%s, which %s does not have", file, cite[1], cite[2], document)
			}
		}
		for _, cite := range named.FindAllStringSubmatch(flat, -1) {
			if cited++; !m.names(cite[1], cite[2]) {
				t.Errorf("%s cites %q of seed 00%s, which %s does not have there", file, cite[2], cite[1], document)
			}
		}
		if says := unnamed.FindString(flat); says != "" && isProgram(file) && !seedNumber.MatchString(flat) {
			t.Errorf("%s tells of %q and does not say where a reader finds it", file, says)
		}
	}
	if cited == 0 {
		t.Error("nothing is cited: the patterns find nothing any more")
	}
	t.Logf("%d citations of %d decisions and %d seeds", cited, len(known), len(seeds))
}

// has reports whether the map has this section of the seed of this number, or one below it: the map
// leaves out a heading that would have no table.
func (m seedMap) has(seed, number string) bool {
	i := int(seed[0] - '0')
	return i < len(seeds) && slices.ContainsFunc(m.sections, func(s section) bool {
		n, _, _ := strings.Cut(strings.TrimPrefix(s.title, "§"), " ")
		return s.seed == seeds[i].name && (n == number || strings.HasPrefix(n, number+"."))
	})
}

// names reports whether a section or a row of the map has something of this name, of the seed of this number.
func (m seedMap) names(seed, name string) bool {
	i := int(seed[0] - '0')
	return i < len(seeds) && slices.ContainsFunc(m.sections, func(s section) bool {
		return s.seed == seeds[i].name && (strings.Contains(s.title, name) ||
			slices.ContainsFunc(s.rows, func(r row) bool { return strings.Contains(r.says, name) }))
	})
}

// isProgram says that a file is part of the program.
func isProgram(file string) bool {
	return strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") &&
		(strings.HasPrefix(file, "sched/") || strings.HasPrefix(file, "internal/")) &&
		!strings.HasPrefix(file, "internal/seedmap/")
}

// citing is the files of the repository that have text for readers.
func citing(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && strings.HasPrefix(name, ".") && path != root || name == "testdata" || name == "node_modules" {
			return filepath.SkipDir
		}
		if slices.Contains([]string{".go", ".md", ".story", ".yaml"}, filepath.Ext(name)) && name != "cited_test.go" {
			rel, err := filepath.Rel(root, path)
			files = append(files, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
