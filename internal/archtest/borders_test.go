package archtest

import (
	"slices"
	"strconv"
	"strings"
)

// A border is a law about imports. Exactly one of only and not is set; both hold import
// paths that stand for themselves and everything below them, "std" for the standard
// library. What lies inside a border may always import its own.
type border struct {
	name    string
	because string
	in      string // a folder and all below it; a last "*" makes each child a land of its own
	code    bool   // holds for files that are not tests
	tests   bool   // holds for tests
	only    []string
	not     []string

	breaks string // an import that crosses the border
	from   string // the file it is written in
	passes string // an import from the same file that does not
}

var (
	proptest   = []string{"pgregory.net/rapid", "github.com/google/go-cmp"}
	outside    = []string{"os", "net", "log", "syscall", "io/ioutil", "plugin"}
	chance     = []string{"math/rand", "crypto/rand", "hash/maphash"}
	underneath = []string{"runtime", "sync", "unsafe", "C"}
	kubernetes = []string{"k8s.io", "volcano.sh"}
)

// borders says which package may import which.
func borders() []border {
	core := module + "/sched"
	std := []string{"std"}
	return []border{
		{name: "the core stands alone", because: "the core can be read, tested and replayed without a cluster",
			in: "sched", code: true, only: append(std, core),
			from: "sched/a/a.go", breaks: "k8s.io/api/core/v1", passes: core + "/model"},
		{name: "tests of the core stand alone", because: "a test of the core that needs a cluster tests something else",
			in: "sched", tests: true, only: slices.Concat(std, proptest, []string{core}),
			from: "sched/a/a_test.go", breaks: module + "/internal/sim", passes: "pgregory.net/rapid"},
		{name: "the core touches nothing outside",
			because: "equal inputs give equal plans: no files, no network, no log, no chance, no threads",
			in:      "sched", code: true, not: slices.Concat(outside, chance, underneath),
			from: "sched/a/a.go", breaks: "math/rand/v2", passes: "math/bits"},
		{name: "a plugin knows no other",
			because: "a policy that knows another is half a policy, and one that knows an action decides twice",
			in:      "sched/plugins/*", code: true, not: []string{core + "/plugins", core + "/actions", core + "/search", core +
				"/evict"},
			from: "sched/plugins/gang/gang.go", breaks: core + "/plugins/drf", passes: core + "/policy"},
		{name: "an action knows no plugin",
			because: "an action asks the policy; which plugins answer is the profile's business",
			in:      "sched/actions", code: true, not: []string{core + "/plugins"},
			from: "sched/actions/allocate/allocate.go", breaks: core + "/plugins/gang", passes: core + "/search"},
		{name: "an action knows no other",
			because: "actions meet only in the ledger; what two of them need belongs in search or evict",
			in:      "sched/actions/*", code: true, not: []string{core + "/actions"},
			from: "sched/actions/allocate/allocate.go", breaks: core + "/actions/preempt", passes: core +
				"/actions/allocate/order"},
		{name: "search only places", because: "a rule of evicting or of keeping room is changed in one folder",
			in: "sched/search", code: true, not: []string{core + "/evict", core + "/backfill", core + "/actions"},
			from: "sched/search/attempt.go", breaks: core + "/evict", passes: core + "/session"},
		{name: "resource is arithmetic", because: "vectors of numbers have no use for a cluster",
			in: "sched/resource", code: true, only: std,
			from: "sched/resource/vector.go", breaks: core + "/model", passes: "cmp"},
		{name: "fair is mathematics",
			because: "a queue is a number in a tree there, so that fairness can be proved and tested alone",
			in:      "sched/fair", code: true, only: append(std, core+"/resource"),
			from: "sched/fair/level.go", breaks: core + "/model", passes: core + "/resource"},
		{name: "the model knows only quantities", because: "what a thing is does not depend on what is decided about it",
			in: "sched/model", code: true, only: append(std, core+"/resource"),
			from: "sched/model/job.go", breaks: core + "/ledger", passes: core + "/resource"},
		{name: "no package imports a command",
			because: "a command wires and runs; what others need of it belongs in a package of its own",
			in:      "", code: true, tests: true, not: []string{module + "/cmd"},
			from: "internal/cli/cli.go", breaks: module + "/cmd/ashlar", passes: module + "/internal/sim"},
		{name: "explain decides nothing", because: "an explanation that decides again explains something else",
			in: "internal/explain", code: true, not: []string{core + "/ledger", core + "/search", core + "/evict", core +
				"/actions", core + "/plugins"},
			from: "internal/explain/text.go", breaks: core + "/search", passes: core + "/trace"},
		{name: "the simulator needs no cluster types", because: "the simulator is the other world, not a fake of the first",
			in: "internal/sim", code: true, tests: true, not: kubernetes,
			from: "internal/sim/clock.go", breaks: "k8s.io/api/core/v1", passes: "sigs.k8s.io/yaml"},
		{name: "a story needs no cluster types",
			because: "a story is read by people who know queues and jobs, not client libraries",
			in:      "internal/story", code: true, tests: true, not: kubernetes,
			from: "internal/story/parse_test.go", breaks: "volcano.sh/apis/pkg/apis/scheduling", passes: module +
				"/internal/sim"},
	}
}

// borderLaws makes a law of each border.
func borderLaws() []law {
	var out []law
	for _, b := range borders() {
		out = append(out, law{
			name: b.name, because: b.because, find: b.crossings,
			broken: map[string]string{b.from: importing(b.breaks)},
			says:   []string{"imports " + b.breaks},
			kept:   map[string]string{b.from: importing(b.passes)},
		})
	}
	return out
}

// importing is a file with one import.
func importing(path string) string {
	return "package a\n\nimport _ " + strconv.Quote(path) + "\n"
}

// crossings finds the imports that cross the border.
func (b border) crossings(t *tree) []breach {
	var out []breach
	for _, f := range t.files {
		land, inside := b.land(f.dir)
		if !inside || (f.test && !b.tests) || (!f.test && !b.code) {
			continue
		}
		for _, spec := range f.ast.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err == nil && !b.allows(path, land) {
				out = append(out, t.at(spec.Pos(), "imports %s", path))
			}
		}
	}
	return out
}

// land is the part of dir that counts as home, and whether dir lies inside the border.
func (b border) land(dir string) (string, bool) {
	if b.in == "" {
		return "", true
	}
	parent, each := strings.CutSuffix(b.in, "/*")
	if !each {
		return b.in, under(dir, b.in)
	}
	rest, below := strings.CutPrefix(dir, parent+"/")
	child, _, _ := strings.Cut(rest, "/")
	return parent + "/" + child, below
}

// allows says whether a file at home in land may import path.
func (b border) allows(path, land string) bool {
	if land != "" && under(path, module+"/"+land) {
		return true
	}
	named := func(list []string) bool {
		return slices.ContainsFunc(list, func(p string) bool {
			return under(path, p) || (p == "std" && standard(path))
		})
	}
	if b.only != nil {
		return named(b.only)
	}
	return !named(b.not)
}

// standard says whether path belongs to the standard library: its first element has no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
