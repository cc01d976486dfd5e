//go:build !simulator

package cli_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a recording and a trace say of themselves cannot steer a terminal either.
func TestFilesOfOthersDoNotSteerATerminal(t *testing.T) {
	state := filepath.Join(t.TempDir(), "s.json")
	if got := run("", "ashlar", "snapshot", "-f", file(t, "one.yaml", oneNode), state); got.code != 0 {
		t.Fatal(got.err)
	}
	base, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprintf(z, `{"Recording":1,"Version":"v1\u001b[2J","Reason":"signal\u001b]0;x\u0007"}`+"\n%s", base)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(base), `"Facts":[`,
		`"Facts":[{"Ref":{"Kind":"New\u001b[2J","Name":"x"},"Object":{}},`, 1)
	nodes := file(t, "nodes.csv", "name,cpu_milli,memory_mib,gpu_count,gpu_model\nn1,4000,8192,,\n")
	jobs := file(t, "jobs.csv", "job,queue,user,submit_s,duration_s,members,min_members,cpu_milli_per_member,"+
		"memory_mib_per_member,gpu_per_member,priority,type\na\x1b[2J,q\x1b[2J,u\x1b[2J,0,60,1,1,9000,,,0,\n"+
		"b,r,v,0,60,1,1,1,,,0,\n")
	steers := file(t, "steers.yaml", strings.Replace(oneNode, "metadata: {name: p}",
		`metadata: {name: p, annotations: {scheduling.volcano.sh/queue-name: "q\e[2J"}}`, 1))
	for _, args := range [][]string{{"replay", file(t, "r.jsonl.gz", packed.String())},
		{"replay", file(t, "n.json", newer)}, {"simulate", "--trace-nodes", nodes, "--trace-jobs", jobs},
		{"simulate", "-f", steers, "-v", "5"}} {
		got := run("", append([]string{"ashlar"}, args...)...)
		if got.out == "" || strings.ContainsAny(got.out+got.err, "\x1b\a") {
			t.Errorf("%q: %q, %q", args, got.out, got.err)
		}
	}
}
