package seedmap

import (
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

// aTest is a test that is named without its file; listed is a cluster of the comparison with kube-scheduler.
var (
	aTest  = regexp.MustCompile("`Test\\w+`")
	listed = regexp.MustCompile("listed_test.go:TestListed` \\(`([^`]+)`\\)")
)

// shownBy is the last cell of each row of a page's tables that have the column "shown by", by line. No two rows begin
// alike.
func shownBy(t *testing.T, page string) map[int]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	cells, columns, first := map[int]string{}, 0, map[string]int{}
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
			if at := first[row[0]]; at > 0 {
				t.Errorf("%s:%d begins as line %d", page, i+1, at)
			}
			cells[i+1], first[row[0]] = row[len(row)-1], i+1
		}
	}
	return cells
}

// Each difference to Volcano, and each promise of a move from it, names a story or a test by its file and
// name, and each that is named exists. So it is with what a tenant may write, where another page may say it instead.
func TestEveryDifferenceIsShown(t *testing.T) {
	declared := declarations{}
	shown := func(page string, least int) {
		rows := shownBy(t, page)
		if len(rows) < least {
			t.Errorf("%s has %d rows: the pattern finds too few", page, len(rows))
		}
		for line, cell := range rows {
			if name := aTest.FindString(cell); name != "" {
				t.Errorf("%s:%d: %s is named without its file", page, line, name)
			}
			named := page == tenants && link.MatchString(cell) // whether it leads somewhere is another test
			for _, r := range references(cell) {
				if err := declared.find(r); err != nil {
					t.Errorf("%s:%d: %v", page, line, err)
				} else if strings.HasSuffix(r.path, "_test.go") && !r.isTest() {
					t.Errorf("%s:%d: of %s no test is named", page, line, r.path)
				}
				named = named || page == tenants || r.isTest()
			}
			for _, m := range listed.FindAllStringSubmatch(cell, -1) {
				if err := declared.find(reference{path: "test/kubescheduler/testdata/" + m[1] + ".yaml"}); err != nil {
					t.Errorf("%s:%d: %v", page, line, err)
				}
			}
			if !named {
				t.Errorf("%s:%d names neither a story nor a test: %q", page, line, cell)
			}
		}
	}
	shown(differences, 100)
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

// Each cluster on which kube-scheduler decides otherwise is on the page of differences.
func TestEveryClusterThatDiffersIsADifference(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, differences))
	if err != nil {
		t.Fatal(err)
	}
	clusters, err := filepath.Glob(filepath.Join(root, "test/kubescheduler/testdata/*.yaml"))
	if err != nil || len(clusters) == 0 {
		t.Fatalf("no clusters: %v", err)
	}
	for _, file := range clusters {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if !strings.Contains(string(text), "(`"+name+"`)") {
			t.Errorf("%s has no row with %s", differences, name)
		}
	}
}
