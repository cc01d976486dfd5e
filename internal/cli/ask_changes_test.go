package cli_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/cli"
	"ashlar.sh/internal/explain"
)

func TestWhySaysWhatWouldMakeAJobRun(t *testing.T) {
	for _, subject := range []string{"job/tune", "pod/tune-worker-0"} {
		got := run("", "ashlar", "why", subject, "-f", quickstart, "-o", "json")
		var a explain.Answer
		if err := json.Unmarshal([]byte(got.out), &a); err != nil {
			t.Fatalf("%v\n%s", err, got.out)
		}
		want := []explain.Change{{Kind: "GangSize", Text: "minMember 2 instead of 4", Least: true},
			{Kind: "FreeRoom", Text: "2 more nvidia.com/gpu free on node gpu-1", Least: true},
			{Kind: "MoreNodes", Text: "1 more node like gpu-1", Least: true},
			{Kind: "JobsEnd", Text: "after default/train ends", Least: true}}
		if !slices.EqualFunc(a.Changes, want, func(x, y explain.Change) bool {
			return x.Kind == y.Kind && x.Text == y.Text && x.Least == y.Least && len(x.Evicts) == 0
		}) {
			t.Errorf("%s: the changes are %+v", subject, a.Changes)
		}
	}
	for _, subject := range []string{"job/train", "queue/batch", "node/gpu-1"} {
		if got := run("", "ashlar", "why", subject, "-f", quickstart); strings.Contains(got.out, "WOULD RUN IF") {
			t.Errorf("%s does not wait, and would run if:\n%s", subject, got.out)
		}
	}
	got := run("", "ashlar", "why", "job", "tune", "-f", quickstart, "--would-run=0")
	if got.code != 0 ||
		strings.Contains(got.out, "WOULD RUN IF") {
		t.Errorf("exit %d, and changes that were not asked for:\n%s%s", got.code, got.out, got.err)
	}
}

// A search that was cut says so, and tells what it had found.
func TestWhyLooksForChangesOnlySoLong(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := cli.Process{Args: []string{"ashlar", "why", "job", "tune", "-f", quickstart}, In: strings.NewReader(""),
		Out: &out, Err: &out, Env: func(string) string { return "" },
		Now: func() time.Time { now = now.Add(200 * time.Millisecond); return now }}
	if code := p.Run(); code != 0 {
		t.Fatalf("exit %d\n%s", code, out.String())
	}
	for _, want := range []string{"minMember 2 instead of 4",
		"What would make it run was looked for 1s, and not to the end: more may do"} {
		if !strings.Contains(unwrapped(out.String()), want) {
			t.Errorf("no %q:\n%s", want, out.String())
		}
	}
}
