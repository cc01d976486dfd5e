package seedmap

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ashlar.sh/internal/config"
)

const (
	root     = "../.."
	document = "docs/seed-map.md"
)

// seeds is how many top-level sections each has, in the order of the map.
var seeds = []struct {
	name     string
	sections int
}{
	{"The proportion seed", 15},
	{"The capacity seed", 12},
	{"The preempt seed", 9},
	{"The allocate seed", 10},
	{"The resource-model seed", 11},
}

// later is what is not built yet, by the names that the map uses.
var later = []string{
	"fair sharing with capacity and DRF", "taking back", "the live scheduler", "the engine at scale",
}

const (
	head     = "| The seed says | Here | Shown by |"
	notBuilt = "not built yet: "
	leftOut  = "left out: "
	nothing  = "–"
	untested = "no test yet"
	words    = "(the words only)"
)

func TestNoSectionOfASeedIsMissing(t *testing.T) {
	m := read(t)
	var got []string
	for _, s := range m.sections {
		if number, _, _ := strings.Cut(s.title, " "); !strings.Contains(number, ".") {
			got = append(got, s.seed+" "+number)
		}
		if len(s.rows) == 0 && !slices.ContainsFunc(m.sections, func(o section) bool { return o.below(s) }) {
			t.Errorf("%s, %s has no table, nor has a section below it", s.seed, s.title)
		}
	}
	var want []string
	for _, s := range seeds {
		for i := range s.sections {
			want = append(want, fmt.Sprintf("%s §%d", s.name, i+1))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("sections are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestEveryRowSaysWhereAndByWhatItIsShown(t *testing.T) {
	count := map[string]int{}
	for _, r := range read(t).rows() {
		switch kind, wrong := r.judge(); {
		case wrong != "":
			t.Errorf("%s:%d: %s: %s", document, r.line, r.says, wrong)
		default:
			count[kind]++
		}
	}
	t.Logf("%d built and shown, %d %s, %d built and %s, %d not built yet, %d left out",
		count["shown"], count[words], words, count[untested], untested, count[notBuilt], count[leftOut])
}

// judge says what kind a row is of, and what is wrong with it.
func (r row) judge() (kind, wrong string) {
	places := len(references(r.here))
	switch {
	case r.says == "" || r.here == "" || r.shown == "":
		return "", "a cell is empty"
	case strings.HasPrefix(r.here, notBuilt):
		what, _, _ := strings.Cut(strings.TrimPrefix(r.here, notBuilt), ";")
		if !slices.Contains(later, what) {
			return "", fmt.Sprintf("%q is none of: %s", what, strings.Join(later, ", "))
		}
		return notBuilt, r.notShown()
	case strings.HasPrefix(r.here, leftOut):
		return leftOut, r.notShown()
	case places == 0:
		return "", "it names no place, and says neither " + notBuilt + "… nor " + leftOut + "…"
	case r.shown == untested:
		return untested, ""
	case !slices.ContainsFunc(references(r.shown), reference.isTest):
		return "", "it is shown by no test and no story; say " + untested + " where there is none"
	case strings.HasSuffix(r.shown, words):
		return words, ""
	default:
		return "shown", ""
	}
}

// notShown says what is wrong with the last cell of a row about what is not here: it may
// name a test of what is said instead.
func (r row) notShown() string {
	if r.shown != nothing && !slices.ContainsFunc(references(r.shown), reference.isTest) {
		return "what is not here is shown by " + nothing
	}
	return ""
}

// What the configuration's catalogue calls built the map must not call later.
func TestWhatIsBuiltIsNotCalledLater(t *testing.T) {
	known := config.Volcano()
	plugin := func(name string) bool { e, _ := known.Plugin(name); return e.Built }
	action := func(name string) bool { e, _ := known.Action(name); return e.Built }
	built := map[string]bool{
		later[0]: plugin("capacity") && plugin("drf"),
		later[1]: action("preempt") && action("reclaim"),
	}
	for _, r := range read(t).rows() {
		what, _, _ := strings.Cut(strings.TrimPrefix(r.here, notBuilt), ";")
		if strings.HasPrefix(r.here, notBuilt) && built[what] {
			t.Errorf("%s:%d: %s: %q is built by now: say where, and by what it is shown", document, r.line, r.says, what)
		}
	}
}

func TestEveryReferenceLeadsSomewhere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	known := declarations{}
	for i, line := range strings.Split(string(text), "\n") {
		for _, ref := range references(line) {
			if err := known.find(ref); err != nil {
				t.Errorf("%s:%d: %v", document, i+1, err)
			}
		}
	}
}

// reference is a code span that names a file, and perhaps a name declared in it.
type reference struct{ path, name string }

// span is a code span that begins with one of the repository's folders.
var span = regexp.MustCompile("`((?:bench|cmd|deploy|docs|examples|internal|sched|stories|test)/[^`:]*)(?::([^`]*))?`")

func references(text string) []reference {
	var out []reference
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		out = append(out, reference{m[1], m[2]})
	}
	return out
}

// isTest says that a reference shows behaviour: a story, a test's name, or a benchmark's.
func (r reference) isTest() bool {
	return strings.HasSuffix(r.path, ".story") && !strings.HasPrefix(r.path, "stories/pending/") ||
		strings.HasSuffix(r.path, "_test.go") && test.MatchString(r.name)
}

var test = regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z]`)

// row is a row of a table; section is a heading with the rows below it.
type (
	row struct {
		line              int
		says, here, shown string
	}
	section struct {
		seed, title string
		rows        []row
	}
	seedMap struct{ sections []section }
)

func (s section) below(o section) bool {
	number, _, _ := strings.Cut(o.title, " ")
	return s.seed == o.seed && strings.HasPrefix(s.title, number+".")
}

func (m seedMap) rows() []row {
	var out []row
	for _, s := range m.sections {
		out = append(out, s.rows...)
	}
	return out
}

// read parses the map: "## " begins a seed, "### §n title" a section, "| " a row.
func read(t *testing.T) seedMap {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	var m seedMap
	seed, before := "", ""
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "## "):
			seed = line[3:]
		case strings.HasPrefix(line, "### "):
			m.sections = append(m.sections, section{seed: seed, title: line[4:]})
		case strings.HasPrefix(line, "|"):
			cells := cellsOf(line)
			if len(cells) != 3 || len(m.sections) == 0 {
				t.Fatalf("%s:%d: a row has three cells and stands below a section: %s", document, i+1, line)
			}
			switch last := &m.sections[len(m.sections)-1]; {
			case line == head || before == head:
			case !strings.HasPrefix(before, "|"):
				t.Fatalf("%s:%d: a table begins with %s", document, i+1, head)
			default:
				last.rows = append(last.rows, row{i + 1, cells[0], cells[1], cells[2]})
			}
		}
		before = line
	}
	return m
}

func cellsOf(line string) []string {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}
