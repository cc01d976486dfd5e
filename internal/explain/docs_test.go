package explain

import (
	"cmp"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"ashlar.sh/sched/trace"
)

// reasonsPage is where an operator looks codes up.
const reasonsPage = "../../docs/reasons.md"

var updateReasons = flag.Bool("update-reasons", false, "write the examples of docs/reasons.md anew")

// codes are all codes of reasons.
func codes(t *testing.T) map[string]bool {
	t.Helper()
	source, err := os.ReadFile("../../sched/trace/reason.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`Code = "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		out[m[1]] = true
	}
	if len(out) < 30 {
		t.Fatalf("found %d codes in reason.go, which cannot be all", len(out))
	}
	return out
}

// Each code is on the page of reasons.
func TestEveryCodeIsInTheDocs(t *testing.T) {
	docs, err := os.ReadFile(reasonsPage)
	if err != nil {
		t.Fatal(err)
	}
	for code := range codes(t) {
		if !strings.Contains(string(docs), code) {
			t.Errorf("docs/reasons.md says nothing about %s", code)
		}
	}
}

// example is what is printed for a code: the first sentence that the tests have of it, and of what
// keeps a pod from being evicted the same of three pods that are counted.
func example(code trace.Code) string {
	for _, c := range allSentences() {
		if c.reason.Code != code {
			continue
		}
		if _, known := reasonsToStay[code]; !known {
			return Sentence(c.reason)
		}
		counted := trace.NodeCount{Code: code, Text: cmp.Or(c.reason.Text, c.reason.Queue), Count: 3}
		_, text, _ := strings.Cut(Sentence(trace.Reason{Code: trace.NoVictims, Nodes: []trace.NodeCount{counted}}), ": ")
		return text
	}
	return ""
}

// The last cell of each row of the page of reasons is what is printed for its code.
func TestThePageOfReasonsShowsWhatIsPrinted(t *testing.T) {
	docs, err := os.ReadFile(reasonsPage)
	if err != nil {
		t.Fatal(err)
	}
	known, rows := codes(t), 0
	lines := strings.Split(string(docs), "\n")
	for i, line := range lines {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "|") || !known[cells[0]] {
			continue
		}
		rows++
		want := example(trace.Code(cells[0]))
		if len(cells) == 4 && cells[3] == want && want != "" {
			continue
		}
		if *updateReasons && len(cells) >= 3 {
			lines[i] = "| " + strings.Join(append(cells[:3:3], want), " | ") + " |"
			continue
		}
		t.Errorf("docs/reasons.md:%d: the last of four cells should be %q (-update-reasons writes it)", i+1, want)
	}
	if rows < 80 {
		t.Errorf("%d codes have a row: the pattern finds too few", rows)
	}
	if *updateReasons {
		if err := os.WriteFile(reasonsPage, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
