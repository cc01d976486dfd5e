package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/story"
	"ashlar.sh/sched/ledger"
)

// symptom is a row of docs/symptoms.md: the question, part of its answer, and the story or the file that is asked.
var symptom = regexp.MustCompile("(?m)^\\| ([^|]+) \\| `why (job|pod|queue) (\\S+)`: ([^|]+) \\| ([^|]+) \\| " +
	"\\[([^]]+)]\\(\\.\\./(\\S+)\\) \\|$")

// Each row of the page is answered as it says: at some moment of its story, or of its file.
func TestTheSymptomsAreAnsweredAsThePageSays(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile("docs/symptoms.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := symptom.FindAllStringSubmatch(string(page), -1)
	heads := strings.Count(string(page), "\n| what you see |")
	whole := strings.Count(string(page), "\n| ") - heads
	if len(rows) != whole || len(rows) < 60 {
		t.Errorf("%d rows can be read of %d", len(rows), whole)
	}
	answers := map[string][]string{} // by story and subject
	for _, row := range rows {
		kind, name, says, shown, path := row[2], row[3], row[4], row[6], row[7]
		if got := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)); got != shown {
			t.Errorf("%s: the link to %s is called %s", row[1], path, shown)
		}
		key := path + " " + kind + " " + name
		if answers[key] == nil {
			answers[key] = answersOf(t, path, kind, name)
		}
		if !slices.ContainsFunc(answers[key], func(text string) bool { return strings.Contains(text, says) }) {
			t.Errorf("%s: why %s %s of %s never says\n  %s\nbut\n  %s", row[1], kind, name, path, says,
				strings.Join(answers[key], "\n  "))
		}
	}
}

// answersOf is what why says of a subject: after each cycle of a story, or of a file.
func answersOf(t *testing.T, path, kind, name string) (out []string) {
	t.Helper()
	if strings.HasSuffix(path, ".yaml") {
		got := run("", "ashlar", "why", kind, name, "-f", path)
		return []string{strings.Join(strings.Fields(got.out), " ")}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := story.Parse(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Run(story.Options{Watch: func(w *sim.World, c sim.Cycle, _ story.Stated) []string {
		if a := asked(w, kind, name); a != nil {
			var parts []string
			for _, s := range a.Path {
				parts = append(append(parts, s.Text), s.Details...)
			}
			if said := a.Summary + "\n" + strings.Join(parts, "\n"); !slices.Contains(out, said) {
				out = append(out, said)
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// asked is the answer about a job or a queue of a world; nil: there is none of that name.
func asked(w *sim.World, kind, name string) (a *explain.Answer) {
	e := w.Engine()
	asking := &explain.Asking{}
	if kind == "queue" {
		if why, known := e.QueueWhy(name); known {
			state := e.Report()
			return asking.QueueAnswer(&state, why)
		}
		return nil
	}
	e.Ledger().Jobs.Each(func(j ledger.JobID) bool {
		if e.Ledger().Job(j).Key.String() == name {
			why := e.Questions().Job(j)
			a = asking.JobAnswer(&why)
		}
		return a == nil
	})
	return a
}
