//go:build !simulator

package cli_test

import (
	"strings"
	"testing"
)

// A flag that is given with nothing, as of a variable that is not set, means no other source.
func TestAFlagThatNamesNothing(t *testing.T) {
	input := file(t, "one.yaml", oneNode)
	for _, args := range [][]string{{"jobs", "-f", ""}, {"why", "job", "x", "--dump", ""},
		{"plan", "-f", input, "--on", ""}, {"jobs", "-f", input, "--scheduler-conf="},
		{"jobs", "-f", input, "--scheduler-name", ""}, {"compare", "-f", input, input, "--save", ""}} {
		got := run("", append([]string{"ashlar"}, args...)...)
		if got.code != 2 || !strings.Contains(got.err, ": it is given, and empty") {
			t.Errorf("%q: exit code %d: %s%s", args, got.code, got.out, got.err)
		}
	}
}
