package seedmap

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ashlar.sh/internal/config"
)

// differences is the page on what is decided otherwise than by Volcano, tenants the one on what those
// change for others.
const (
	differences = "docs/differences.md"
	tenants     = "docs/security.md"
)

var (
	aTest    = regexp.MustCompile("`(Test\\w+)`")
	declares = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// shownBy is the last cell of each row of a page's tables that have the column "shown by", by line.
func shownBy(t *testing.T, page string) map[int]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	cells, columns := map[int]string{}, 0
	for i, line := range strings.Split(string(text), "\n") {
		row := strings.Split(strings.Trim(line, "| "), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case columns == 0 && row[len(row)-1] == "shown by":
			columns = len(row)
		case columns > 0 && !strings.HasPrefix(line, "|--"):
			if len(row) != columns {
				t.Errorf("%s:%d has %d cells, its table has %d columns", page, i+1, len(row), columns)
			}
			cells[i+1] = row[len(row)-1]
		}
	}
	return cells
}

// tests are the names of all tests of the repository.
func tests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declares.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Each difference to Volcano, and each promise of a move from it, names a story or a test, and each that
// is named exists. So it is with what a tenant may write, where another page may say it instead.
func TestEveryDifferenceIsShown(t *testing.T) {
	known, declared := tests(t), declarations{}
	shown := func(page string, least int) {
		rows := shownBy(t, page)
		if len(rows) < least {
			t.Errorf("%s has %d rows: the pattern finds too few", page, len(rows))
		}
		for line, cell := range rows {
			named := 0
			for _, m := range aTest.FindAllStringSubmatch(cell, -1) {
				if named++; !known[m[1]] {
					t.Errorf("%s:%d: there is no %s", page, line, m[1])
				}
			}
			for _, r := range references(cell) {
				if err := declared.find(r); err != nil {
					t.Errorf("%s:%d: %v", page, line, err)
				} else if page == tenants || strings.HasSuffix(r.path, "_test.go") || strings.HasSuffix(r.path, ".story") {
					named++
				}
			}
			if page == tenants && link.MatchString(cell) {
				named++ // whether it leads somewhere is another test
			}
			if named == 0 {
				t.Errorf("%s:%d names neither a story nor a test: %q", page, line, cell)
			}
		}
	}
	shown(differences, 50)
	shown("docs/moving-from-volcano.md", 6)
	shown(tenants, 30)
}

// What Volcano's configuration can name and this version has not is on the page of differences.
func TestWhatIsNotHereIsADifference(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, differences))
	if err != nil {
		t.Fatal(err)
	}
	page, missing := string(text), 0
	known := config.Volcano()
	for _, e := range append(known.Actions, known.Plugins...) {
		if !e.Built {
			if missing++; !strings.Contains(page, "`"+e.Name+"`") {
				t.Errorf("%s says nothing of %s, which is not built", differences, e.Name)
			}
			continue
		}
		for _, a := range e.Arguments {
			if key := strings.TrimSuffix(a.Key, "."); a.Later {
				if missing++; !strings.Contains(page, "`"+key+"`") {
					t.Errorf("%s says nothing of %s of %s, which has no effect", differences, key, e.Name)
				}
			}
		}
	}
	if missing == 0 {
		t.Error("nothing is missing: this shows nothing")
	}
}
