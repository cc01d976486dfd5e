package seedmap

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// faults are the sections of the seeds in which they say what to look for when something goes wrong: their tables of
// faults, flow charts and questions. Rows of them that ask for something else are named.
var faults = []struct {
	seed, section string
	others        []string // how rows begin that are no faults: where a figure is written, how a formula reads
}{
	{"The proportion seed", "§14.2 Why is it overused", nil},
	{"The proportion seed", "§14.3 Why is it not allocatable", []string{"Log line"}},
	{"The proportion seed", "§14.4 Common problems", nil},
	{"The capacity seed", "§11 Questions", []string{"Q3", "Q4"}},
	{"The preempt seed", "§8.4 Why preemption fails", nil},
	{"The preempt seed", "§9.1 Why a job of higher priority does not preempt", nil},
	{"The allocate seed", "§7.1 Why has a task no node", []string{"`kubectl describe queue`"}},
	{"The allocate seed", "§8.1 All nodes refuse", nil},
	{"The allocate seed", "§8.2 Overused queues", []string{"`kubectl get queue`", "deserved and allocated in the log"}},
	{"The allocate seed", "§8.3 Discarded gangs", []string{"`minMember`"}},
	{"The allocate seed", "§8.4 HyperNodes", []string{`"HyperNodesReady`, "`kubectl get"}},
}

// Each fault that the seeds tell of is a story, or an example, of which docs/symptoms.md says what `why` answers: a
// test of the command runs those. What cannot come up says so.
func TestEachFaultOfTheSeedsIsASymptom(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/symptoms.md"))
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, m := range regexp.MustCompile(`\]\(\.\./([^)]+)\) \|`).FindAllStringSubmatch(string(page), -1) {
		asked[m[1]] = true
	}
	m, rows := read(t), 0
	for _, f := range faults {
		at := slices.IndexFunc(m.sections, func(s section) bool { return s.seed == f.seed && s.title == f.section })
		if at < 0 {
			t.Errorf("%s has no section %q of %s", document, f.section, f.seed)
			continue
		}
		for _, r := range m.sections[at].rows {
			begins := func(how string) bool { return strings.HasPrefix(r.says, how) }
			if slices.ContainsFunc(f.others, begins) || strings.HasPrefix(r.here, "cannot be") {
				continue
			}
			rows++
			shown := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(r.shown, -1)
			if !slices.ContainsFunc(shown, func(s []string) bool { return asked[s[1]] }) {
				t.Errorf("%s:%d: %s: docs/symptoms.md asks none of %s", document, r.line, r.says, r.shown)
			}
		}
	}
	if rows < 45 {
		t.Errorf("%d rows of faults were looked at", rows)
	}
	t.Logf("%d faults", rows)
}
