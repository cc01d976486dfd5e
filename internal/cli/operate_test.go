package cli_test

import (
	"strings"
	"testing"
)

// What is asked of the verbs that write is checked before any cluster is asked.
func TestWritingVerbsRefuseWrongUse(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"operate queue", "expected the name of one queue; 0 arguments were given"},
		{"operate queue a b --close", "expected the name of one queue; 2 arguments were given"},
		{"operate queue a", "give one of --open, --close and --weight"},
		{"operate queue a --open --close", "give one of --open, --close and --weight"},
		{"operate queue a --close --dry-run=perhaps", `--dry-run "perhaps": expected none, client or server`},
		{"operate queue a --close --wait=-1s", "--wait -1s: expected 0 or more"},
		{"operate queue a --close --weight 2", "give one of --open, --close and --weight"},
		{"operate queue a --weight 0", "--weight 0: expected 1 or more"},
		{"queue operate -n a -a update", "--action update: give --weight, which is all that it changes"},
		{"queue operate -n a -a shut", `--action "shut": expected open, close or update`},
		{"queue operate b -n a -a open", "the name is given twice"},
		{"suspend job", "expected the name of one job; 0 arguments were given"},
		{"job suspend", "expected the name of one job"},
	} {
		got := run("", append([]string{"ashlar"}, strings.Fields(c.args)...)...)
		if got.code != 2 || !strings.Contains(got.err, c.want) {
			t.Errorf("%s: exit %d, %q; want 2 and %q", c.args, got.code, got.err, c.want)
		}
	}
	for _, args := range []string{"operate queue a --close", "queue operate -n a -a close",
		"queue operate -n a -a update -w 5", "operate queue a --weight 5", "suspend job ns/a",
		"job resume -N a -n ns", "queues operate a --open", "resume job a"} {
		got := run("", append([]string{"ashlar"}, strings.Fields(args)...)...)
		if got.code != 1 || !strings.Contains(got.err, "no cluster to ask") || strings.Contains(got.err, "files") {
			t.Errorf("%s: exit %d, %q; want 1, for there is no cluster", args, got.code, got.err)
		}
	}
	for _, args := range []string{"job list -f ../../examples/quickstart",
		"queue get batch -f ../../examples/quickstart"} {
		if got := run("", append([]string{"ashlar"}, strings.Fields(args)...)...); got.code != 0 {
			t.Errorf("%s: exit %d, %q", args, got.code, got.err)
		}
	}
}
