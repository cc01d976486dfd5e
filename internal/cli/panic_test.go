package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/cli"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

type panics struct{}

func (panics) ValidateJob(ledger.JobID) trace.Reason { panic("no such row") }

// A panic prints no trace of Go: it says that it is a bug, where its trace is, and what to do.
func TestAPanicSaysWhatToDo(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	conf := file(t, "conf", "actions: allocate\ntiers:\n- plugins:\n  - name: panics\n")
	var out, errs bytes.Buffer
	p := cli.Process{Args: []string{"ashlar", "simulate", "-f", "-", "--scheduler-conf", conf},
		In:  strings.NewReader(oneNode),
		Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: func() time.Time { return time.Unix(0, 0) }}
	p.Plugins = []policy.Definition{policy.Define("panics", "a bug",
		func(policy.NoArguments, *ledger.Ledger) (policy.JobValid, error) {
			return panics{}, nil
		})}
	if code := p.Run(); code != 3 || out.Len() > 0 {
		t.Errorf("exit code %d and a report of %d bytes, want 3 and none", code, out.Len())
	}
	for _, want := range []string{"error: ashlar panicked: no such row", "a bug in ashlar, or in a plugin",
		"Please report it"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("stderr does not say %q:\n%s", want, errs.String())
		}
	}
	if strings.Contains(errs.String(), "goroutine") {
		t.Errorf("stderr has the trace:\n%s", errs.String())
	}
	saved, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "ashlar-panic-*.txt"))
	if len(saved) != 1 {
		t.Fatalf("%d files were saved, want one", len(saved))
	}
	text, err := os.ReadFile(saved[0])
	if err != nil || !strings.Contains(errs.String(), saved[0]) {
		t.Errorf("%v; stderr does not name %s", err, saved[0])
	}
	for _, want := range []string{"no such row", "ValidateJob", `plugins      ["panics"]`, `"simulate"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file does not say %q:\n%s", want, text)
		}
	}
}
