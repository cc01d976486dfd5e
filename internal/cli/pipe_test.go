//go:build !simulator

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// piped is the path of a pipe that holds a text: it can be read once, as bash's <(...).
func piped(t *testing.T, text string) string {
	t.Helper()
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip("open files have no paths here")
	}
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = from.Close() })
	if _, err := to.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("/dev/fd/%d", from.Fd())
}

// A configuration may come through a pipe: it holds wherever it is needed.
func TestAConfigurationFromAPipe(t *testing.T) {
	input, state := file(t, "one.yaml", oneNode), filepath.Join(t.TempDir(), "s.json")
	got := run("", "ashlar", "snapshot", "-f", input, "--scheduler-conf", piped(t, byAge), state)
	text, err := os.ReadFile(state)
	if got.code != 0 || err != nil || !strings.Contains(string(text), `"Configuration":"actions: `) {
		t.Errorf("exit code %d, %v: the snapshot does not have it: %s%s", got.code, err, text, got.err)
	}
	got = run("", "ashlar", "compare", "-f", input, file(t, "now.conf", quiet), piped(t, byAge))
	if got.code != 0 || !strings.Contains(got.out, "The only job fares the same.") {
		t.Errorf("compare: exit code %d: %s%s", got.code, got.out, got.err)
	}
}

// Both runs of a comparison have what came on standard input.
func TestCompareReadsStandardInputForBothRuns(t *testing.T) {
	got := run(oneNode, "ashlar", "compare", "-f", "-", file(t, "now.conf", quiet), file(t, "by-age.conf", byAge))
	if got.code != 0 || !strings.Contains(got.out, "The only job fares the same.") {
		t.Errorf("exit code %d: %s%s", got.code, got.out, got.err)
	}
}
