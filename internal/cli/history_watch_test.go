//go:build !simulator

package cli

import (
	"strings"
	"testing"

	"ashlar.sh/internal/explain"
)

// A history that is watched prints each moment once, why the job waits when that changes, and the notes at first; as
// JSON a document with what is new.
func TestAHistoryThatIsWatchedTellsNothingTwice(t *testing.T) {
	moment := func(cycle uint64, what string) explain.Happens {
		return explain.Happens{Cycle: cycle, Time: explain.Stamp(int64(cycle) * 1e9), What: []string{what}}
	}
	came, let, bound := moment(1, "came"), moment(2, "phase to Inqueue"), moment(3, "bind train-0 to n1")
	for output, wants := range map[string][]string{
		"table": {"came\n... now waits: none fits\nnote: from 00:00 on", "", "phase to Inqueue\n", "now waits: two fit\n",
			"bind train-0 to n1\n"},
		"json": {`"came"`, "", `"phase to Inqueue"`, `"now":"two fit"`, `"bind train-0 to n1"`},
	} {
		var out strings.Builder
		p := past{to: &out, output: output, watch: true}
		for i, h := range []struct {
			moments []explain.Happens
			now     string
		}{
			{[]explain.Happens{came}, "none fits"}, {[]explain.Happens{came}, "none fits"},
			{[]explain.Happens{came, let}, "none fits"}, {[]explain.Happens{let}, "two fit"}, // the first is kept no more
			{[]explain.Happens{let, bound}, ""},
		} {
			out.Reset()
			doc := explain.NewHistory("team", "train", explain.Basis{})
			doc.Moments, doc.Now, doc.Notes = h.moments, h.now, []string{"from 00:00 on"}
			if err := p.print(doc); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(strings.Fields(out.String()), " ")
			for _, part := range strings.Split(wants[i], "...") {
				if part = strings.Join(strings.Fields(part), " "); !strings.Contains(got, part) || wants[i] == "" && got != "" {
					t.Errorf("%s %d: printed %q, want %q", output, i, got, wants[i])
				}
			}
			if i > 0 && (strings.Contains(got, "came") || strings.Contains(got, "note:")) {
				t.Errorf("%s %d: told again: %q", output, i, got)
			}
		}
	}
}
